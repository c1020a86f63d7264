package host

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/verify/fabric"
)

// localNet is a network in process for clients that call ranks whatever they
// like. A session is the rank that it leads to.
type localNet struct {
	net   *fabric.Net
	kind  fabric.Kind
	book  *book
	ports []*localPort

	mu        sync.Mutex
	listening map[uint16][]int // ranks that listen at a port
}

type localPort struct {
	fabric.Port
	net  *localNet
	rank int

	mu    sync.Mutex
	named map[netip.AddrPort]uint32 // sessions of communicators
	own   uint32                    // session that a communicator gives to this rank
	world []netip.AddrPort          // addresses of a communicator, in its order; whole if it has all ranks
}

var _ fabric.Router = (*localPort)(nil)

// inside is the address of a rank in the network in process, where only the
// rank matters.
func inside(rank int) (ip uint32, port uint16) { return uint32(rank), 0 }

func newLocalNet(kind fabric.Kind, b *book, o fabric.Options) (*localNet, error) {
	n := &localNet{net: fabric.NewNet(kind, o), kind: kind, book: b, listening: map[uint16][]int{}}
	for rank := range b.hosts {
		ip, number := inside(rank)
		port, session, err := n.net.Port(ip, number)
		if err != nil || session != uint32(rank) {
			return nil, fmt.Errorf("make the network port of rank %d, session %d: %w", rank, session, err)
		}
		n.ports = append(n.ports, &localPort{Port: port, net: n, rank: rank, named: map[netip.AddrPort]uint32{}})
	}
	return n, nil
}

// Route implements fabric.Router. Sessions are ranks whatever is said, but
// Connect is told addresses.
func (p *localPort) Route(session uint32, ip uint32, port uint16, local bool) {
	a := fabric.AddrPort(ip, port)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.world) == len(p.net.ports) && !slices.Contains(p.world, a) {
		p.world = nil // another one
	}
	if !slices.Contains(p.world, a) {
		p.world = append(p.world, a)
	}
	if local {
		p.own = session
		p.net.book.call(p.rank, a)
		return
	}
	if len(p.named) >= maxNames {
		clear(p.named)
	}
	p.named[a] = session
}

// Listen implements fabric.Port. Ranks may listen at the same port: in a world of
// hosts they have addresses of their own.
func (p *localPort) Listen(port uint16) error {
	if err := p.Port.Listen(port); err != nil {
		return fmt.Errorf("rank %d, listening at port %d: %w", p.rank, port, unwrap(err))
	}
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	if at := p.net.listening[port]; !slices.Contains(at, p.rank) {
		p.net.listening[port] = append(at, p.rank)
	}
	return nil
}

// Connect implements fabric.Port.
func (p *localPort) Connect(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	a := fabric.AddrPort(ip, port)
	rank, ok := p.find(a)
	if p.net.kind == fabric.TCP && !(ok && p.net.listens(rank, port)) {
		rank, ok = p.expected(a)
	}
	if !ok {
		return 0, fmt.Errorf("connecting to %v: %w", a, fabric.ErrRefused)
	}
	at, number := inside(rank)
	if p.net.kind == fabric.TCP {
		number = port
	}
	session, err := p.Port.Connect(ctx, at, number)
	if err != nil {
		return 0, fmt.Errorf("connecting to rank %d, %v: %w", rank, a, unwrap(err))
	}
	return session, nil
}

// find is the rank that an address of a communicator belongs to: the one that
// calls itself so; or the only other one that listens at the port; or the one to which
// the communicator says that the session leads.
func (p *localPort) find(a netip.AddrPort) (rank int, ok bool) {
	if rank, ok = p.net.book.rank(a); ok {
		return rank, true
	}
	p.net.mu.Lock()
	listening := p.net.listening[a.Port()]
	if ok = len(listening) == 1 && listening[0] != p.rank; ok {
		rank = listening[0]
	}
	p.net.mu.Unlock()
	if ok {
		return rank, true
	}
	return p.only(a)
}

// only returns the rank of an address by its session in the communicator, if no other
// address has that session.
func (p *localPort) only(a netip.AddrPort) (rank int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	session, ok := p.named[a]
	for other, s := range p.named {
		ok = ok && (s != session || other == a)
	}
	return int(session), ok && int(session) < len(p.net.ports)
}

// listens reports whether a rank listens at a port.
func (n *localNet) listens(rank int, port uint16) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.listening[port], rank)
}

// expected is the rank that will listen at an address: the one that calls itself so;
// the one that has it by default; the one that the session is the number of, if the
// communicator numbers this rank so, too; or the one in its place, if the communicator
// has all ranks and this one in its own place.
func (p *localPort) expected(a netip.AddrPort) (rank int, ok bool) {
	if rank, ok = p.net.book.called(a); ok {
		return rank, true
	}
	for _, of := range []func(netip.AddrPort) (int, bool){p.net.book.byDefault, p.numbered, p.placed} {
		if rank, ok = of(a); ok && rank != p.rank {
			return rank, true
		}
	}
	return 0, false
}

// numbered is the rank that the communicator's session for an address is the number of.
func (p *localPort) numbered(a netip.AddrPort) (rank int, ok bool) {
	p.mu.Lock()
	own := int(p.own) == p.rank
	p.mu.Unlock()
	rank, ok = p.only(a)
	return rank, ok && own
}

// placed is the rank whose place an address has in the communicator.
func (p *localPort) placed(a netip.AddrPort) (rank int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.world) != len(p.net.ports) {
		return 0, false
	}
	if called, ok := p.net.book.called(p.world[p.rank]); !ok || called != p.rank {
		return 0, false
	}
	rank = slices.Index(p.world, a)
	return rank, rank >= 0
}

// unwrap is an error without the address in the network in process.
func unwrap(err error) error {
	for {
		wrapper, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = wrapper.Unwrap()
	}
}
