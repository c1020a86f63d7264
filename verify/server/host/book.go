package host

import (
	"net/netip"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// maxNames bounds what clients can make one remember; worlds have fewer ranks.
const maxNames = 1 << 16

// book knows where the ranks of a world are: their default addresses, and what
// communicators of ranks in this process say.
type book struct {
	hosts []netip.Addr // by rank
	first int          // port of the protocol's first socket

	mu  sync.Mutex
	own map[netip.AddrPort]int // what ranks in this process are called, as they say
}

func newBook(hosts []netip.Addr, first int) *book {
	return &book{hosts: hosts, first: first, own: map[netip.AddrPort]int{}}
}

// poePort is the port of a rank's network engine.
func (b *book) poePort(rank int) uint16 { return uint16(b.first + 4*len(b.hosts) + rank) }

// poe is where a rank's network engine is.
func (b *book) poe(rank int) netip.AddrPort {
	return netip.AddrPortFrom(b.hosts[rank], b.poePort(rank))
}

// ranks are all ranks, where their network engines are.
func (b *book) ranks() []accl.Rank {
	ranks := make([]accl.Rank, len(b.hosts))
	for i := range ranks {
		at := b.poe(i)
		ranks[i] = accl.Rank{IP: at.Addr(), Port: at.Port(), Session: uint32(i)}
	}
	return ranks
}

// byDefault is the rank that has an address if nobody says otherwise: that of
// its command socket, its packet socket or its network engine. Clients of
// simulators say 127.0.0.1 wherever ranks are.
func (b *book) byDefault(a netip.AddrPort) (rank int, ok bool) {
	n, offset := len(b.hosts), int(a.Port())-b.first
	group := offset / n
	if offset < 0 || group != 0 && group != 1 && group != 4 {
		return 0, false
	}
	rank = offset % n
	return rank, a.Addr() == b.hosts[rank] || a.Addr() == loopback
}

// translate turns an address of a communicator into the one where the network
// engine is.
func (b *book) translate(a netip.AddrPort) netip.AddrPort {
	if rank, ok := b.byDefault(a); ok {
		return b.poe(rank)
	}
	return a
}

// call notes what a rank of this process is called.
func (b *book) call(rank int, a netip.AddrPort) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.own) >= maxNames {
		clear(b.own)
	}
	b.own[a] = rank
}

// called is the rank of this process that calls itself so.
func (b *book) called(a netip.AddrPort) (rank int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rank, ok = b.own[a]
	return rank, ok
}

// rank finds who has an address.
func (b *book) rank(a netip.AddrPort) (rank int, ok bool) {
	if rank, ok = b.called(a); !ok {
		rank, ok = b.byDefault(a)
	}
	return rank, ok
}

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})
