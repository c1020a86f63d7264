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

// sendNow and writeNow leave it to goroutines that wait.
func sendNow(uintptr, []byte, syscall.Sockaddr) error { return syscall.EAGAIN }

func writeNow(uintptr, []byte) (int, error) { return 0, syscall.EAGAIN }

// readBuffer is not known here, as kernelDrops.
func readBuffer(syscall.RawConn) int { return 0 }

func kernelDrops(syscall.RawConn) uint64 { return 0 }
