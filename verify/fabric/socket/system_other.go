//go:build !linux

package socket

import (
	"net"
	"syscall"
)

func enlarge(conn *net.UDPConn, _ syscall.RawConn) {
	_ = conn.SetReadBuffer(socketBytes)
	_ = conn.SetWriteBuffer(socketBytes)
}

// readBuffer is not known here, as kernelDrops.
func readBuffer(syscall.RawConn) int { return 0 }

func kernelDrops(syscall.RawConn) uint64 { return 0 }
