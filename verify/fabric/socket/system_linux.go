package socket

import (
	"net"
	"syscall"
	"unsafe"
)

// enlarge asks for large buffers, beyond the system's limit where that is
// allowed.
func enlarge(conn *net.UDPConn, raw syscall.RawConn) {
	_ = conn.SetReadBuffer(socketBytes) // what is there is in Stats
	_ = conn.SetWriteBuffer(socketBytes)
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, socketBytes)
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUFFORCE, socketBytes)
	})
}

// readBuffer is how many bytes the system holds for who reads, as it counts them.
func readBuffer(raw syscall.RawConn) (bytes int) {
	_ = raw.Control(func(fd uintptr) {
		bytes, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF)
	})
	return bytes
}

// What syscall lacks: the option that tells about the memory of a socket, and
// which of its words counts the datagrams that found no room.
const (
	soMemInfo    = 55
	memInfoDrops = 8
)

// kernelDrops is how many datagrams the system has dropped since the socket was
// bound.
func kernelDrops(raw syscall.RawConn) uint64 {
	var info [memInfoDrops + 1]uint32
	_ = raw.Control(func(fd uintptr) {
		size := uint32(unsafe.Sizeof(info))
		_, _, _ = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.SOL_SOCKET, soMemInfo,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	})
	return uint64(info[memInfoDrops])
}
