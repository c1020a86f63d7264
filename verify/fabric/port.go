package fabric

import (
	"sync"
	"sync/atomic"
)

// port is a Port of a Net. Its lock guards all that is on the way to it.
type port struct {
	net     *Net
	index   uint32
	address address
	gone    atomic.Bool // closed or killed; set before the port is drained
	parts   atomic.Bool // takes segments
	bell

	mu     sync.Mutex
	links  []*link      // from other ports, by their index; nil until something happens
	ready  Queue[*link] // to be received from, in turn
	closed []uint32
}

// link returns the way from another port. The lock is held.
func (p *port) link(from *port) *link {
	if l := p.oldLink(from); l != nil {
		return l
	}
	return p.newLink(from)
}

// oldLink is nil if nothing has happened on the way yet.
func (p *port) oldLink(from *port) *link {
	if int(from.index) < len(p.links) {
		return p.links[from.index]
	}
	return nil
}

func (p *port) newLink(from *port) *link {
	for len(p.links) <= int(from.index) {
		p.links = append(p.links, nil)
	}
	l := newLink(from, p)
	p.links[from.index] = l
	return l
}

// meet notes that another port has connected to this one at an address. What it
// sends waits until this one listens there.
func (p *port) meet(from *port, at address, listens bool, e *effects) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch l := p.link(from); {
	case listens:
		l.open(e)
	case !l.opened:
		l.awaited = &at
	}
}

// welcome opens the sessions of ports that connected to an address before this port
// listened there, and returns those that wait to send.
func (p *port) welcome(at address) (waiting []*bell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		if l == nil || l.awaited == nil || *l.awaited != at {
			continue
		}
		var e effects
		if l.open(&e); e.sender != nil {
			waiting = append(waiting, e.sender)
		}
	}
	return waiting
}

func (p *port) Send(session uint32, packet *Packet) error {
	n := p.net
	to := n.port(session)
	if to == nil {
		return p.sendNowhere(packet)
	}
	to.mu.Lock()
	l := to.oldLink(p) // what link does, without the call
	if l == nil {
		l = to.newLink(p)
	}
	if l.ended || to.gone.Load() || p.gone.Load() {
		to.mu.Unlock()
		return p.sendClosed(to, packet)
	}
	if l.busy() {
		to.mu.Unlock()
		return ErrBusy
	}
	packet.Session = p.index
	size := packet.size()
	k := l.count(size)
	if n.conditions.Load() != nil || !l.straight() {
		var e effects
		l.transmit(packet, k, &e)
		to.mu.Unlock()
		e.run()
		return nil
	}
	l.bytes += size
	wake := l.deliver(packet)
	to.mu.Unlock()
	if wake {
		to.wake()
	}
	return nil
}

// sendNowhere is Send on a session that does not exist.
func (p *port) sendNowhere(packet *Packet) error {
	if !p.net.lossy {
		return ErrClosed
	}
	packet.Release()
	return nil
}

// sendClosed is Send if one of the ports is gone.
func (p *port) sendClosed(to *port, packet *Packet) error {
	if !p.net.lossy && !p.expectsEnd(to) {
		return ErrClosed
	}
	to.mu.Lock()
	l := to.link(p)
	l.count(packet.size())
	l.stats.Dropped++
	to.mu.Unlock()
	packet.Release()
	return nil
}

// expectsEnd reports whether another port is gone, but this one cannot know
// that yet.
func (p *port) expectsEnd(other *port) bool {
	if p.gone.Load() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.link(other)
	return l.ended && !l.closed
}

func (p *port) Receive() *Packet {
	p.mu.Lock()
	l := p.takeReady()
	if l == nil {
		p.mu.Unlock()
		return nil
	}
	packet := l.queue.Pop()
	var e effects
	if l.queue.Len() > 0 {
		p.addReady(l)
	} else if l.closed {
		l.reportClosed(&e)
	}
	l.leave(packet.size(), &e)
	p.mu.Unlock()
	e.wake()
	return packet
}

// addReady lets a session take its turn after all others.
func (p *port) addReady(l *link) {
	l.ready = true
	p.ready.Push(l)
}

// takeReady takes the session out of the queue whose turn it is, and those
// before it that have been held since they came there.
func (p *port) takeReady() *link {
	for p.ready.Len() > 0 {
		l := p.ready.Pop()
		l.ready = false
		if !l.held {
			return l
		}
	}
	return nil
}

func (p *port) Hold(session uint32, hold bool) {
	from := p.net.port(session)
	if from == nil {
		return
	}
	p.mu.Lock()
	l := p.link(from)
	l.held = hold
	wake := !hold && l.queue.Len() > 0
	if wake && !l.ready {
		p.addReady(l)
	}
	p.mu.Unlock()
	if wake {
		p.wake()
	}
}

func (p *port) Closed() (uint32, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.closed) == 0 {
		return 0, false
	}
	session := p.closed[0]
	p.closed = p.closed[1:]
	return session, true
}

func (p *port) MaxPayload() int { return p.net.options.MaxPayload }

func (p *port) TakeSegments() { p.parts.Store(p.net.kind == TCP) }

func (p *port) Segments(session uint32) bool {
	to := p.net.port(session)
	return to != nil && to.parts.Load()
}

func (p *port) Lossy() bool { return p.net.lossy }

func (p *port) Notify(f func()) {
	p.set(f)
	if f == nil {
		return
	}
	p.mu.Lock()
	wake := p.ready.Len() > 0 || len(p.closed) > 0
	p.mu.Unlock()
	if wake {
		f()
	}
}

func (p *port) Close() error {
	p.net.remove(p)
	return nil
}

// drain releases all that is on the way to a port that is gone, and lets
// those go on who wait for it to receive.
func (p *port) drain() {
	var dropped []*Packet
	var waiting []*bell
	p.mu.Lock()
	p.ready, p.closed = Queue[*link]{}, nil
	for _, l := range p.links {
		if l == nil {
			continue
		}
		for l.queue.Len() > 0 {
			dropped = append(dropped, l.queue.Pop())
		}
		dropped = append(dropped, l.abandon()...)
		if l.waiting {
			l.waiting = false
			waiting = append(waiting, l.sender)
		}
	}
	p.mu.Unlock()
	for _, packet := range dropped {
		packet.Release()
	}
	for _, sender := range waiting {
		sender.wake()
	}
}

// lose tells a port that another one is gone.
func (p *port) lose(other *port) {
	var e effects
	p.mu.Lock()
	if !p.gone.Load() {
		p.link(other).lose(&e)
	}
	p.mu.Unlock()
	e.run()
}
