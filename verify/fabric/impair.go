package fabric

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Impaired is a Port with faults on its outgoing packets: the same as a Net with the same
// conditions does to the k-th packet of a link. Incoming packets are left alone; the port
// at the other end sees to them. Each session is a link of its own, and holds
// DefaultWindowBytes before Send is busy.
type Impaired struct {
	bell
	InnerPolled
	InnerSegmented
	inner  Port
	who    Who
	medium medium
	done   chan struct{}

	rooms   atomic.Uint64 // notifications of the inner port
	stalled atomic.Int32  // lines that wait for one

	mu     sync.Mutex // not held while the inner port is used
	closed bool
	lines  map[uint32]*outbound // by session
	most   int                  // lines before idle ones are forgotten
	past   Stats                // of lines that were forgotten
	uses   uint64               // of lines
}

// Who names the ranks of a port and its sessions, by the indices that conditions use. The
// functions may be nil and may not know a rank. They must not use the port.
type Who struct {
	Rank      int // of the port itself
	OfSession func(session uint32) (rank int, ok bool)
	// OfAddress is asked for sessions whose address is known from Connect or
	// Route.
	OfAddress func(ip uint32, port uint16) (rank int, ok bool)
}

func (w *Who) of(session uint32, at *address) (rank int, ok bool) {
	if at != nil && w.OfAddress != nil {
		rank, ok = w.OfAddress(at.ip, at.port)
	}
	if !ok && w.OfSession != nil {
		rank, ok = w.OfSession(session)
	}
	return rank, ok
}

// manyLines is how many sessions a port may use before it forgets idle ones.
const manyLines = 4096

// Impair puts faults in front of a port; there are none before SetConditions.
func Impair(port Port, who Who) *Impaired {
	p := &Impaired{InnerPolled: PolledOf(port), InnerSegmented: SegmentedOf(port), inner: port, who: who,
		done: make(chan struct{}), lines: map[uint32]*outbound{}, most: manyLines}
	p.medium.lossy, p.medium.window, p.medium.start = port.Lossy(), DefaultWindowBytes, time.Now()
	port.Notify(p.notified)
	return p
}

// Port returns the port for its user: a Router if the inner one is.
func (p *Impaired) Port() Port {
	if r, ok := p.inner.(Router); ok {
		return &impairedRouter{p, r}
	}
	return p
}

// ImpairedOf returns the Impaired whose method Port returned the port, if there is one.
func ImpairedOf(port Port) (*Impaired, bool) {
	switch p := port.(type) {
	case *Impaired:
		return p, true
	case *impairedRouter:
		return p.Impaired, true
	}
	return nil, false
}

type impairedRouter struct {
	*Impaired
	router Router
}

func (p *impairedRouter) Route(session uint32, ip uint32, port uint16, local bool) {
	p.router.Route(session, ip, port, local)
	p.routed(session, &address{ip, port}, local)
}

// SetConditions replaces what the links are like.
func (p *Impaired) SetConditions(c Conditions) {
	p.medium.set(c)
	p.mu.Lock()
	lines := slices.Collect(maps.Values(p.lines))
	p.mu.Unlock()
	for _, l := range lines {
		l.advance()
	}
}

// Stats counts the packets of all sessions. Delivered are those that the inner
// port has taken.
func (p *Impaired) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := p.past
	for _, l := range p.lines {
		sum.add(l.stats)
	}
	return sum
}

// StatsOf counts the packets of one session.
func (p *Impaired) StatsOf(session uint32) Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.lines[session]; l != nil {
		return l.stats
	}
	return Stats{}
}

// Done is closed when the port is.
func (p *Impaired) Done() <-chan struct{} { return p.done }

// Send hands a packet to the faults. Without a delay it goes on at once.
func (p *Impaired) Send(session uint32, packet *Packet) error {
	l := p.to(session)
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	if l.full() {
		p.mu.Unlock()
		return ErrBusy
	}
	var e effects
	size := packet.size()
	k := l.count(size)
	if l.refused && l.bytes == 0 && !l.weather().cut() {
		// The inner port says whether the session is closed only when it gets a packet.
		l.bytes += size
		l.queue.Push(packet)
	} else {
		l.transmit(packet, k, &e)
	}
	err := l.flush(packet, &e)
	p.mu.Unlock()
	e.run()
	return err
}

// to returns the way out on a session, with the lock held.
func (p *Impaired) to(session uint32) *outbound {
	p.mu.Lock()
	l := p.line(session)
	if l.sure {
		return l
	}
	at := l.address
	p.mu.Unlock()
	rank, known := p.who.of(session, at)
	p.mu.Lock()
	l = p.line(session)
	if known && !l.sure && l.address == at {
		l.identify(rank)
	}
	return l
}

// line returns the way out on a session. The lock is held.
func (p *Impaired) line(session uint32) *outbound {
	l := p.lines[session]
	if l == nil {
		if len(p.lines) >= p.most {
			p.forget()
		}
		l = &outbound{port: p, session: session}
		from := p.who.Rank
		// Sessions that lead nobody knows where have dice of their own.
		l.line = line{medium: &p.medium, out: l, sender: &p.bell, from: from, to: Unknown,
			key: linkKey(uint32(from), ^session)}
		p.lines[session] = l
	}
	p.uses++
	l.used = p.uses
	return l
}

// forget drops those idle lines that have not been used for longest.
func (p *Impaired) forget() {
	var idle []*outbound
	for _, l := range p.lines {
		if l.bytes == 0 && !l.flushing {
			idle = append(idle, l)
		}
	}
	slices.SortFunc(idle, func(a, b *outbound) int { return cmp.Compare(a.used, b.used) })
	for _, l := range idle[:(len(idle)+1)/2] {
		p.past.add(l.stats)
		delete(p.lines, l.session)
	}
	p.most = max(manyLines, 2*len(p.lines))
}

// routed takes note of where a session leads.
func (p *Impaired) routed(session uint32, at *address, local bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.line(session)
	l.address, l.sure = at, false
	if local {
		l.identify(p.who.Rank)
	}
}

// notified is called by the inner port.
func (p *Impaired) notified() {
	p.rooms.Add(1)
	if p.stalled.Load() > 0 {
		p.mu.Lock()
		for _, l := range p.lines {
			if l.stalled {
				l.resume()
				l.at(p.medium.now()) // the inner port may not be used here
			}
		}
		p.mu.Unlock()
	}
	p.wake()
}

func (p *Impaired) Receive() *Packet { return p.inner.Receive() }

func (p *Impaired) Hold(session uint32, hold bool) { p.inner.Hold(session, hold) }

func (p *Impaired) Listen(port uint16) error { return p.inner.Listen(port) }

// Connect is ErrUnreachable if a partition is on the way to a rank that is
// known by its address. Otherwise it is left alone.
func (p *Impaired) Connect(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	at := &address{ip, port}
	if !p.medium.lossy && p.who.OfAddress != nil {
		to, known := p.who.OfAddress(ip, port)
		if known && p.medium.conditions.Load().of(p.who.Rank, to).cut() {
			return 0, fmt.Errorf("connecting to %v: %w", at, ErrUnreachable)
		}
	}
	session, err := p.inner.Connect(ctx, ip, port)
	if err == nil {
		p.routed(session, at, false)
	}
	return session, err
}

func (p *Impaired) Closed() (uint32, bool) { return p.inner.Closed() }

func (p *Impaired) MaxPayload() int { return p.inner.MaxPayload() }

func (p *Impaired) Lossy() bool { return p.medium.lossy }

func (p *Impaired) Notify(f func()) {
	p.set(f)
	p.inner.Notify(p.notified)
}

// Close closes the inner port, too. What is on its way is released.
func (p *Impaired) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	close(p.done)
	var dropped []*Packet
	waiting := false
	for _, l := range p.lines {
		for l.queue.Len() > 0 {
			dropped = append(dropped, l.queue.Pop())
			l.stats.Dropped++
		}
		dropped = append(dropped, l.abandon()...)
		waiting = waiting || l.waiting
	}
	p.mu.Unlock()
	for _, packet := range dropped {
		packet.Release()
	}
	err := p.inner.Close()
	if waiting {
		p.wake()
	}
	return err
}
