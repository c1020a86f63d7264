package accl

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Rank is one member of a communicator.
type Rank struct {
	IP   netip.Addr // IPv4
	Port uint16
	// Session is the number of the TCP session, RDMA queue pair or UDP socket to the
	// rank. It is ignored if engine or driver open sessions.
	Session uint32
	// MaxSegmentBytes is the largest segment of messages to the rank, in bytes of
	// payload; 0 for that of the engine's options.
	MaxSegmentBytes uint32
}

// Peer is the index of a rank in a communicator as an argument of a call: the root of a
// collective, or the source or destination of a message. It has its own type so that a
// count and a rank in the wrong order do not compile. Constants need no conversion,
// variables do: Peer(root).
type Peer int

// basePort is the first port that LocalRanks gives.
const basePort = 5500

// LocalRanks lists n ranks on this host, each with a port and, as its session,
// its own index.
func LocalRanks(n int) []Rank {
	ranks := make([]Rank, n)
	for i := range ranks {
		ranks[i] = Rank{IP: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Port: uint16(basePort + i), Session: uint32(i)}
	}
	return ranks
}

// word is the address as the engine keeps it.
func (r Rank) word() uint32 {
	b := r.IP.Unmap().As4()
	return binary.BigEndian.Uint32(b[:])
}

// String returns address and port.
func (r Rank) String() string { return r.place().String() }

// place identifies a rank.
func (r Rank) place() netip.AddrPort { return netip.AddrPortFrom(r.IP.Unmap(), r.Port) }

// checkRanks reports invalid lists of ranks.
func checkRanks(ranks []Rank, local int) error {
	if len(ranks) == 0 {
		return fmt.Errorf("%w: there are none", ErrRank)
	}
	if local < 0 || local >= len(ranks) {
		return fmt.Errorf("%w: the local rank %d is none of %d", ErrRank, local, len(ranks))
	}
	seen := map[netip.AddrPort]int{}
	for i, r := range ranks {
		if !r.IP.Unmap().Is4() {
			return fmt.Errorf("%w: the address %s of rank %d is not of IPv4", ErrRank, r.IP, i)
		}
		if j, dup := seen[r.place()]; dup {
			return fmt.Errorf("%w: ranks %d and %d are both %s", ErrRank, j, i, r.place())
		}
		seen[r.place()] = i
	}
	return nil
}

// addressOf is the address that an engine keeps as a word.
func addressOf(word uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], word)
	return netip.AddrFrom4(b)
}
