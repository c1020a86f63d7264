package socket

import (
	"net/netip"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

// Port is a port of this package.
type Port interface {
	fabric.Port
	fabric.Router
	// LocalAddr is where the port is; the zero value if others do not know yet.
	LocalAddr() netip.AddrPort
	String() string
}

// InMemory tells whether Open makes a port that reaches no socket, if all ranks are on one host
// or not.
func InMemory(kind fabric.Kind, m Memory, oneHost bool) bool {
	return m == OnlyMemory || m == WithMemory && oneHost && kind == fabric.UDP && shm.Supported
}

// Open makes a port of a kind. One of UDP is one of Datagrams if InMemory says so.
func Open(kind fabric.Kind, o Options, oneHost bool) (Port, error) {
	var p Port
	var err error
	switch {
	case kind != fabric.UDP:
		p, err = TCP(o)
	case InMemory(kind, o.Memory, oneHost):
		p, err = Datagrams(o)
	default:
		p, err = UDP(o)
	}
	if err != nil {
		return nil, err // not a port that is a nil pointer
	}
	return p, nil
}
