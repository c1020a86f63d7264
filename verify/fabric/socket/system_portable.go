//go:build !unix

package socket

import (
	"net/netip"
	"syscall"
)

// polls says that sockets cannot be read and written without waiting: goroutines
// wait.
const polls = false

func bindTo(uintptr, netip.AddrPort) error { return nil }

func sendNow(uintptr, []byte, syscall.Sockaddr) error { return syscall.EAGAIN }

func receiveNow(uintptr, []byte) (int, netip.AddrPort, error) {
	return 0, netip.AddrPort{}, syscall.EAGAIN
}
