//go:build unix

package socket

import (
	"net/netip"
	"syscall"
)

// polls says that sockets can be read and written without waiting.
const polls = true

// bindTo binds a socket to an address of IPv4.
func bindTo(fd uintptr, at netip.AddrPort) error {
	return syscall.Bind(int(fd), &syscall.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
}

// sendNow sends a datagram if there is room.
func sendNow(fd uintptr, b []byte, to syscall.Sockaddr) error {
	return syscall.Sendto(int(fd), b, 0, to)
}

// receiveNow receives a datagram that is there; the error is EAGAIN if there is
// none.
func receiveNow(fd uintptr, b []byte) (n int, from netip.AddrPort, err error) {
	for {
		n, at, err := syscall.Recvfrom(int(fd), b, 0)
		if err == syscall.EINTR {
			continue
		}
		if at, ok := at.(*syscall.SockaddrInet4); ok {
			from = netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port))
		}
		return n, from, err
	}
}
