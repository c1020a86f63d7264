package socket

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/cclforge/cclforge/verify/fabric"
)

// session is a remote address and what has come from it. The lock of the port
// guards it.
type session struct {
	number            uint32   // by which packets arrive
	aliases           []uint32 // all numbers that lead here, this one included
	addr              netip.AddrPort
	routed, connected bool // Route told of it, Connect asked for it

	queue    fabric.Queue[*fabric.Packet] // arrived; nil where the session was closed
	unread   int                          // what the queue counts in the window, in bytes
	held     bool
	ready    bool // in the queue of those; it may be held nevertheless, until its turn comes
	taken    bool // packets have been received
	reported bool // in the list of those that are closed

	link   *link  // TCP
	pacing pacing // UDP
}

// wanted tells whether the engine has heard of the session.
func (s *session) wanted() bool { return s.routed || s.connected }

// String names the session in logs.
func (s *session) String() string {
	if !s.addr.IsValid() {
		return fmt.Sprintf("session %d", s.number)
	}
	return fmt.Sprintf("session %d with %v", s.number, s.addr)
}

// cost is what a packet that has arrived counts in the window: about the room
// that it takes.
func cost(p *fabric.Packet) int { return headerBytes + max(len(p.Payload), smallest) }

const (
	// firstNumber is the first number of sessions that have not been told any.
	firstNumber = 0x8000
	// maxAliases bounds the numbers of a session.
	maxAliases = 16
	// noNumber is what communicators say before there is a session.
	noNumber = 0xFFFFFFFF
)

// table finds sessions. The lock of the port guards it.
type table struct {
	numbers   map[uint32]*session
	addresses map[netip.AddrPort]*session
}

func newTable() table {
	return table{map[uint32]*session{}, map[netip.AddrPort]*session{}}
}

// add makes a session for an address, which may be invalid: that of a peer who
// has not said where it listens. It has no number yet. It is nil if there are too
// many.
func (t *table) add(at netip.AddrPort) *session {
	if len(t.numbers) >= maxSessions {
		return nil
	}
	s := &session{addr: at}
	if at.IsValid() {
		t.addresses[at] = s
	}
	return s
}

// at finds or makes the session of an address; nil if there are too many.
func (t *table) at(at netip.AddrPort) *session {
	if s := t.addresses[at]; s != nil {
		return s
	}
	return t.add(at)
}

// number gives a session that has no number the smallest free one.
func (t *table) number(s *session) {
	if len(s.aliases) > 0 {
		return
	}
	n := uint32(firstNumber)
	for t.numbers[n] != nil {
		n++
	}
	t.name(s, n)
}

func (t *table) name(s *session, number uint32) {
	t.numbers[number] = s
	s.number = number
	s.aliases = append(s.aliases, number)
}

// route makes a number lead to a session. The one to which it led before gets
// another number, and is returned.
func (t *table) route(number uint32, s *session) (other *session) {
	if number == noNumber {
		t.number(s)
		return nil
	}
	switch other = t.numbers[number]; other {
	case s:
		s.number = number
		return nil
	case nil:
	default:
		other.held = false // nobody could say otherwise any more
		other.aliases = slices.DeleteFunc(other.aliases, func(n uint32) bool { return n == number })
		if n := len(other.aliases); n > 0 {
			other.number = other.aliases[n-1]
		}
		t.number(other)
	}
	t.name(s, number)
	if len(s.aliases) > maxAliases {
		delete(t.numbers, s.aliases[0])
		s.aliases = s.aliases[1:]
	}
	return other
}

// remove forgets a session.
func (t *table) remove(s *session) {
	for _, n := range s.aliases {
		delete(t.numbers, n)
	}
	if t.addresses[s.addr] == s {
		delete(t.addresses, s.addr)
	}
}

// only returns the one session that is wanted at an IP address, nil if there is
// none or more than one.
func (t *table) only(ip netip.Addr) (found *session) {
	for at, s := range t.addresses {
		if at.Addr() != ip || !s.wanted() {
			continue
		}
		if found != nil {
			return nil
		}
		found = s
	}
	return found
}
