package socket

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// headerBytes are the first beat of a packet.
const headerBytes = 64

// What options are if they are zero.
const (
	DefaultMaxMessage  = 64 << 20
	DefaultConnections = 256
	DefaultDial        = 2 * time.Second
	DefaultFirstBeat   = 5 * time.Second
	DefaultPatience    = 10 * time.Second
	// DefaultDatagrams is WindowBytes of UDP, where nothing holds a sender back.
	DefaultDatagrams = 8 << 20
)

// maxSessions bounds the addresses that a port knows.
const maxSessions = 1 << 16

// Memory says whether shared memory takes the place of sockets. See the documentation of the
// package.
type Memory int

// Uses of shared memory.
const (
	NoMemory   Memory = iota // sockets alone
	WithMemory               // between ports of one user on one host
	OnlyMemory               // without sockets: other ports cannot be reached
)

// Parse reads auto, sockets or memory.
func (m *Memory) Parse(text string) error {
	known := map[string]Memory{"auto": WithMemory, "sockets": NoMemory, "memory": OnlyMemory}
	v, ok := known[text]
	if !ok {
		return fmt.Errorf("%q: auto, sockets or memory expected", text)
	}
	*m = v
	return nil
}

// Options of a port.
type Options struct {
	// Listen is the address of this host at which sockets are bound; zero for
	// 127.0.0.1.
	Listen netip.Addr
	// Local is the address of the network engine. UDP is bound to its port from the start,
	// to any free one if that is 0; without Local, when Route gives the address of the
	// rank. TCP sends Local in its hello until Route gives an address.
	Local netip.AddrPort
	// Framing tells how many bytes of payload follow a header on a TCP connection,
	// which needs it.
	Framing func(*[headerBytes]byte) int
	// MaxPayload and WindowBytes are as in fabric.Options. The window of a session
	// counts what has been sent but is not with the system yet, and as much again
	// that has come and was not received. A UDP payload has at most 4032 bytes.
	MaxPayload, WindowBytes int
	// MaxMessage ends a TCP session whose header announces more, in bytes.
	MaxMessage int
	// Connections is how many TCP connections are accepted at a time.
	Connections int
	// Dial is the limit of one attempt to connect, FirstBeat the time that an accepted
	// connection may take to send its first beat.
	Dial, FirstBeat time.Duration
	// Patience is how long a session goes on dialing in the background after Connect, or
	// after a Send without a connection.
	Patience time.Duration
	// Unpaced is for UDP peers of another make, which know no marks.
	Unpaced bool
	// Memory says whether a TCP port uses shared memory; UDP ports do not.
	Memory Memory
	// Translate returns the real address for an address of a communicator; nil if they are
	// the same.
	Translate func(netip.AddrPort) netip.AddrPort
	datagrams bool // as Datagrams makes them
	// Log gets a line for each fault of a peer that cannot be returned; may be nil.
	Log func(format string, args ...any)
}

func (o *Options) defaults(window int) error {
	for _, limit := range []struct {
		name string
		v    *int
		or   int
	}{
		{"MaxPayload", &o.MaxPayload, fabric.DefaultMaxPayload},
		{"WindowBytes", &o.WindowBytes, window},
		{"MaxMessage", &o.MaxMessage, DefaultMaxMessage},
		{"Connections", &o.Connections, DefaultConnections},
	} {
		if *limit.v < 0 {
			return fmt.Errorf("socket: %s is %d: at least 1 expected, or 0 for %d", limit.name, *limit.v, limit.or)
		}
		if *limit.v == 0 {
			*limit.v = limit.or
		}
	}
	if o.Dial <= 0 {
		o.Dial = DefaultDial
	}
	if o.FirstBeat <= 0 {
		o.FirstBeat = DefaultFirstBeat
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.Listen.IsValid() && !o.Listen.Unmap().Is4() {
		return fmt.Errorf("socket: listening at %v: an IPv4 address expected", o.Listen)
	}
	if o.Local.IsValid() && !o.Local.Addr().Unmap().Is4() {
		return fmt.Errorf("socket: the network engine is at %v: an IPv4 address expected", o.Local)
	}
	if !o.Listen.IsValid() {
		o.Listen = loopback
	}
	o.Listen = o.Listen.Unmap()
	if o.Local.IsValid() {
		o.Local = unmap(o.Local)
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	return nil
}

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// word is an IPv4 address as communicators have them.
func word(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// real is the address that one of a communicator stands for; false if it is none.
func (o *Options) real(a netip.AddrPort) (netip.AddrPort, bool) {
	if o.Translate != nil {
		a = unmap(o.Translate(a))
	}
	return a, a.Addr().Is4() && a.Port() != 0
}

// from is the address that sockets connect from; false to leave it to the system.
func (o *Options) from(to netip.Addr) (netip.Addr, bool) {
	if o.Listen.IsUnspecified() || o.Listen.IsLoopback() != to.IsLoopback() {
		return netip.Addr{}, false
	}
	return o.Listen, true
}

// whoami is the address by which communicators know this port, as far as it is
// known.
func (o *Options) whoami(self netip.AddrPort) netip.Addr {
	switch {
	case self.IsValid():
		return self.Addr()
	case o.Local.IsValid():
		return o.Local.Addr()
	case !o.Listen.IsUnspecified():
		return o.Listen
	}
	return loopback
}
