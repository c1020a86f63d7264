package kernels

import (
	"context"
	"sync"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Numbering translates the sessions of a network, which are the ranks, to the numbers that
// the TCP stacks of the ranks have given their connections. A rank whose stack was not
// started keeps those of the network.
type Numbering struct {
	mu     sync.Mutex
	stacks map[uint32]*TCP
	sends  map[way]uint32 // the number at the far end of the session that was last sent on
}

type way struct{ from, to uint32 }

// Port returns a rank's port on the network, as an engine behind its stack sees it.
func (n *Numbering) Port(rank uint32, below fabric.Port, stack *TCP) fabric.Port {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stacks == nil {
		n.stacks, n.sends = map[uint32]*TCP{}, map[way]uint32{}
	}
	n.stacks[rank] = stack
	return &numbered{below, n, rank, stack}
}

func (n *Numbering) rank(stack *TCP) (uint32, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for rank, s := range n.stacks {
		if s == stack {
			return rank, true
		}
	}
	return 0, false
}

type numbered struct {
	fabric.Port
	n     *Numbering
	rank  uint32
	stack *TCP
}

// leads is where a session leads.
func (p *numbered) leads(session uint32) (rank, far uint32, ok bool) {
	peer, far, ok := p.stack.End(session)
	if !ok {
		return 0, 0, false
	}
	rank, ok = p.n.rank(peer)
	return rank, far, ok
}

// Send implements fabric.Port.
func (p *numbered) Send(session uint32, packet *fabric.Packet) error {
	if !p.stack.Runs() {
		return p.Port.Send(session, packet)
	}
	to, far, ok := p.leads(session)
	if !ok {
		return fabric.ErrClosed
	}
	p.n.mu.Lock()
	p.n.sends[way{p.rank, to}] = far
	p.n.mu.Unlock()
	return p.Port.Send(to, packet)
}

// arrives is the session on which packets of a rank arrive.
func (p *numbered) arrives(from uint32) uint32 {
	if !p.stack.Runs() {
		return from
	}
	p.n.mu.Lock()
	session, ok := p.n.sends[way{from, p.rank}]
	sender := p.n.stacks[from]
	p.n.mu.Unlock()
	if !ok && sender != nil {
		session, _ = p.stack.to(sender)
	}
	return session
}

// Receive implements fabric.Port.
func (p *numbered) Receive() *fabric.Packet {
	packet := p.Port.Receive()
	if packet != nil {
		packet.Session = p.arrives(packet.Session)
	}
	return packet
}

// Hold implements fabric.Port.
func (p *numbered) Hold(session uint32, hold bool) {
	if !p.stack.Runs() {
		p.Port.Hold(session, hold)
		return
	}
	if from, _, ok := p.leads(session); ok {
		p.Port.Hold(from, hold)
	}
}

// Listen implements fabric.Port.
func (p *numbered) Listen(port uint16) error {
	if !p.stack.Runs() {
		return p.Port.Listen(port)
	}
	return p.stack.OpenPort(context.Background(), port)
}

// Connect implements fabric.Port.
func (p *numbered) Connect(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	if !p.stack.Runs() {
		return p.Port.Connect(ctx, ip, port)
	}
	return p.stack.OpenConnection(ctx, ip, port)
}

// Closed implements fabric.Port.
func (p *numbered) Closed() (uint32, bool) {
	from, ok := p.Port.Closed()
	if ok {
		from = p.arrives(from)
	}
	return from, ok
}
