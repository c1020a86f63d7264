package capture

import (
	"context"
	"net/netip"
	"slices"

	"github.com/cclforge/cclforge/verify/fabric"
)

// port is how a rank sees the network: the inner port, whose Send is written down.
type port struct {
	fabric.Port
	fabric.InnerPolled
	fabric.InnerSegmented
	router fabric.Router
	c      *Capture
	rank   int

	// What follows is guarded by the lock of the capture.
	known map[uint32]netip.AddrPort // by session, from Route and Connect
	ways  map[uint32]*way           // by session, of those that have sent
}

var (
	_ fabric.Router    = (*port)(nil)
	_ fabric.Polled    = (*port)(nil)
	_ fabric.Segmented = (*port)(nil)
)

func newPort(c *Capture, rank int, inner fabric.Port) *port {
	p := &port{Port: inner, InnerPolled: fabric.PolledOf(inner), InnerSegmented: fabric.SegmentedOf(inner),
		c: c, rank: rank, known: map[uint32]netip.AddrPort{}, ways: map[uint32]*way{}}
	p.router, _ = inner.(fabric.Router)
	return p
}

// Route implements fabric.Router.
func (p *port) Route(session uint32, ip uint32, number uint16, local bool) {
	if at := fabric.AddrPort(ip, number); local {
		p.c.mu.Lock()
		p.c.ranks[p.rank] = at
		p.c.mu.Unlock()
	} else {
		p.lead(session, at)
	}
	if p.router != nil {
		p.router.Route(session, ip, number, local)
	}
}

// Connect implements fabric.Port.
func (p *port) Connect(ctx context.Context, ip uint32, number uint16) (uint32, error) {
	session, err := p.Port.Connect(ctx, ip, number)
	if err == nil {
		p.lead(session, fabric.AddrPort(ip, number))
	}
	return session, err
}

// lead notes where a session leads to. Elsewhere it is another connection.
func (p *port) lead(session uint32, to netip.AddrPort) {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	if old, ok := p.known[session]; ok && old != to {
		delete(p.ways, session)
	}
	p.known[session] = to
}

// Closed implements fabric.Port.
func (p *port) Closed() (uint32, bool) {
	session, ok := p.Port.Closed()
	if ok {
		p.c.mu.Lock()
		delete(p.ways, session)
		p.c.mu.Unlock()
	}
	return session, ok
}

// MaxPayload implements fabric.Port.
func (p *port) MaxPayload() int {
	n := p.Port.MaxPayload()
	if p.c.kind != fabric.TCP {
		n = min(n, cardDatagram-headerBytes)
	}
	return n
}

// Send implements fabric.Port.
func (p *port) Send(session uint32, packet *fabric.Packet) error {
	c := p.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return p.Port.Send(session, packet)
	}
	b, at := c.batch, c.now()
	before := len(b.bytes)
	if !packet.Segment { // now: the packet is no longer ours when it has been sent
		b.bytes = append(b.bytes, packet.Header[:]...)
	}
	b.bytes = append(b.bytes, packet.Payload...)
	if err := p.Port.Send(session, packet); err != nil {
		b.bytes = b.bytes[:before]
		return err
	}
	c.add(message{at, p.way(session), len(b.bytes) - before})
	return nil
}

// way is the one of a session. A connection stays what it is until it is closed or leads elsewhere.
func (p *port) way(session uint32) *way {
	c, from, to := p.c, p.c.ranks[p.rank], p.to(session)
	w := p.ways[session]
	if w != nil && (c.kind == fabric.TCP || w.there.from == from && w.there.to == to) {
		return w
	}
	if c.kind == fabric.TCP { // from a port that no other one has
		from = netip.AddrPortFrom(from.Addr(), firstPort+c.opened%firstPort)
		c.opened++
	}
	peer := slices.Index(c.ranks, to)
	if peer < 0 {
		peer = p.rank
	}
	w = &way{there: c.direction(p.rank, from, to), back: c.direction(peer, to, from)}
	p.ways[session] = w
	return w
}

// to is where a session leads to.
func (p *port) to(session uint32) netip.AddrPort {
	if at, ok := p.known[session]; ok {
		return at
	}
	if uint64(session) < uint64(len(p.c.ranks)) {
		return p.c.ranks[session]
	}
	return fabric.AddrPort(0, uint16(session))
}
