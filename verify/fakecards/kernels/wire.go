package kernels

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
)

// ErrNowhere is an access to a register that the kernel does not have.
var ErrNowhere = errors.New("no register there")

// MAC is a MAC address, first octet first.
type MAC [6]byte

func (m MAC) String() string {
	return fmt.Sprintf("%02X:%02X:%02X:%02X:%02X:%02X", m[0], m[1], m[2], m[3], m[4], m[5])
}

// number has the first octet highest.
func (m MAC) number() uint64 {
	var n uint64
	for _, b := range m {
		n = n<<8 | uint64(b)
	}
	return n
}

func macOf(n uint64) MAC {
	var m MAC
	for i := range m {
		m[i] = byte(n >> (8 * (5 - i)))
	}
	return m
}

// Wire is a switch with cards, and hosts that answer ARP.
type Wire struct {
	mu    sync.Mutex
	fec   bool
	ends  []end
	links []Connection
}

// end is something with an address.
type end interface {
	arp(ip uint32) (MAC, bool) // answers a request for an address, if it is its own
}

// NewWire makes a wire. Both ends of its links have RS-FEC, or neither.
func NewWire(fec bool) *Wire { return &Wire{fec: fec} }

// set changes something that the wire's lock guards.
func (w *Wire) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// Connection is a TCP connection between two cards, with the number of its session on each.
// The first card has opened it.
type Connection struct {
	From, To               netip.Addr
	FromSession, ToSession uint32
}

// Connections returns the open connections, oldest first.
func (w *Wire) Connections() []Connection {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.links)
}

// Host puts a host that answers ARP on the wire, such as a router.
func (w *Wire) Host(ip netip.Addr, mac MAC) {
	w.set(func() { w.ends = append(w.ends, host{word(ip), mac}) })
}

type host struct {
	ip  uint32
	mac MAC
}

func (h host) arp(ip uint32) (MAC, bool) { return h.mac, h.ip == ip }

// ask sends an ARP request; each end but the sender may answer. The wire is locked.
func (w *Wire) ask(from end, ip uint32) []MAC {
	var answers []MAC
	for _, e := range w.ends {
		if e == from {
			continue
		}
		if mac, ok := e.arp(ip); ok {
			answers = append(answers, mac)
		}
	}
	return answers
}

// word is an address as a number, first octet highest.
func word(ip netip.Addr) uint32 {
	b := ip.As4()
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func addr(word uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(word >> 24), byte(word >> 16), byte(word >> 8), byte(word)})
}

// reversed has the octets the other way round.
func reversed(word uint32) uint32 {
	return word>>24 | word>>8&0xFF00 | word<<8&0xFF0000 | word<<24
}

func usable(ctx context.Context, kernel string, offset uint32) error {
	if offset%4 != 0 {
		return fmt.Errorf("%s: %w: 0x%X is no multiple of 4", kernel, ErrNowhere, offset)
	}
	return ctx.Err()
}

func nowhere(kernel string, offset uint32) error {
	return fmt.Errorf("%s: %w: 0x%X", kernel, ErrNowhere, offset)
}
