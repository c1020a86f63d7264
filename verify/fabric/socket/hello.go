package socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/cclforge/cclforge/verify/fabric"
)

// What is where in a hello, in bytes; see the documentation of the package.
const (
	helloAddress = 40
	helloPort    = 44
	helloVersion = 48
	helloMagic   = 56

	// headerEnd is behind the last field of headers.
	headerEnd = 50

	magic   = "cclhello"
	version = 1
)

var errStrange = errors.New("neither hello nor header")

// newHello is what a port that listens at an address says first.
func newHello(at netip.AddrPort) (b [headerBytes]byte) {
	if at.Addr().Is4() {
		binary.LittleEndian.PutUint32(b[helloAddress:], word(at.Addr()))
	}
	binary.LittleEndian.PutUint16(b[helloPort:], at.Port())
	binary.LittleEndian.PutUint32(b[helloVersion:], version)
	copy(b[helloMagic:], magic)
	return b
}

// parseHello returns where the sender of a first beat listens. It is false if
// the beat is a header. The address is 0.0.0.0 for the one that the connection
// comes from.
func parseHello(b *[headerBytes]byte) (at netip.AddrPort, ok bool, err error) {
	if string(b[helloMagic:]) != magic {
		if slices.ContainsFunc(b[headerEnd:], func(v byte) bool { return v != 0 }) {
			return at, false, errStrange
		}
		return at, false, nil
	}
	if v := binary.LittleEndian.Uint32(b[helloVersion:]); v != version {
		return at, false, fmt.Errorf("hello of version %d, and only %d is known", v, version)
	}
	at = fabric.AddrPort(binary.LittleEndian.Uint32(b[helloAddress:]), binary.LittleEndian.Uint16(b[helloPort:]))
	if *b != newHello(at) {
		return at, false, fmt.Errorf("%w: a hello with bytes that mean nothing", errStrange)
	}
	return at, true, nil
}
