package socket

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// settling is how long after the first Route or Connect a port is taken to know
// its peers, if nobody calls Receive.
const settling = 200 * time.Millisecond

// inbox is what UDP and TCP have in common: sessions, and packets that have
// come.
type inbox struct {
	o      Options
	notify atomic.Pointer[func()]
	life   context.Context // until Close
	end    context.CancelFunc
	wg     sync.WaitGroup

	mu        sync.Mutex // given back by unlock
	sessions  table
	ready     fabric.Queue[*session] // to be received from, in turn
	closed    []*session
	self      netip.AddrPort // where communicators say that the port is
	gone      bool           // Close was called
	settled   chan struct{}  // closed when the port is in use, and knows its peers
	isSettled bool
	timer     *time.Timer // settles

	// what unlock does when the lock is given back
	wake    bool
	dropped []*fabric.Packet
}

func newInbox(o Options) inbox {
	life, end := context.WithCancel(context.Background())
	return inbox{o: o, life: life, end: end, sessions: newTable(), settled: make(chan struct{})}
}

// unlock gives the lock back, and then does what calls others.
func (b *inbox) unlock() {
	wake, dropped := b.wake, b.dropped
	b.wake, b.dropped = false, nil
	b.mu.Unlock()
	for _, p := range dropped {
		p.Release()
	}
	if wake {
		b.notifyNow()
	}
}

func (b *inbox) notifyNow() {
	if f := b.notify.Load(); f != nil {
		(*f)()
	}
}

// Notify implements fabric.Port.
func (b *inbox) Notify(f func()) {
	if f == nil {
		b.notify.Store(nil)
		return
	}
	b.notify.Store(&f)
	b.mu.Lock()
	b.wake = b.wake || b.ready.Len() > 0 || len(b.closed) > 0
	b.unlock()
}

// put appends a packet to what has come.
func (b *inbox) put(s *session, p *fabric.Packet) {
	s.queue.Push(p)
	s.unread += cost(p)
	if !s.held && !s.ready {
		b.addReady(s)
		b.wake = true
	}
}

// take returns the next packet, and its session; nil if there is none.
func (b *inbox) take() (*fabric.Packet, *session) {
	b.settle()
	s := b.takeReady()
	if s == nil {
		return nil, nil
	}
	p := s.queue.Pop()
	p.Session = s.number
	s.unread -= cost(p)
	s.taken = true
	if s.queue.Len() > 0 && *s.queue.Front() == nil {
		s.queue.Pop()
		b.report(s)
	}
	if s.queue.Len() > 0 {
		b.addReady(s)
	}
	return p, s
}

// addReady lets a session take its turn after all others, if it has none yet.
func (b *inbox) addReady(s *session) {
	if s.ready {
		return
	}
	s.ready = true
	b.ready.Push(s)
}

// takeReady takes the session out of the queue whose turn it is, and those before
// it that have been held or emptied since they came there.
func (b *inbox) takeReady() *session {
	for b.ready.Len() > 0 {
		s := b.ready.Pop()
		s.ready = false
		if !s.held && s.queue.Len() > 0 {
			return s
		}
	}
	return nil
}

// empty drops what a session has queued.
func (b *inbox) empty(s *session) {
	for s.queue.Len() > 0 {
		if p := s.queue.Pop(); p != nil {
			b.dropped = append(b.dropped, p)
		}
	}
	s.unread = 0
}

// conclude marks that a session has ended: Closed returns it once everything
// before has been received.
func (b *inbox) conclude(s *session) {
	switch {
	case s.queue.Len() == 0:
		b.report(s)
	case *s.queue.Back() != nil:
		s.queue.Push(nil)
	}
}

// report lets Closed return a session, if anybody knows it.
func (b *inbox) report(s *session) {
	if s.reported || b.gone || !s.wanted() && !s.taken {
		return
	}
	s.reported = true
	b.closed = append(b.closed, s)
	b.wake = true
}

// Hold implements fabric.Port.
func (b *inbox) Hold(session uint32, hold bool) {
	b.mu.Lock()
	defer b.unlock()
	s := b.sessions.numbers[session]
	if s == nil {
		return
	}
	s.held = hold
	if !hold && s.queue.Len() > 0 {
		b.addReady(s)
	}
	b.wake = b.wake || !hold // there may be something in memory, too
}

// MaxPayload implements fabric.Port.
func (b *inbox) MaxPayload() int { return b.o.MaxPayload }

// lead is Route, by what a port does about its own address and about others. The
// latter is false if there are too many sessions.
func (b *inbox) lead(number uint32, name netip.AddrPort, local bool, here func(name netip.AddrPort, port uint16),
	there func(number uint32, at netip.AddrPort) bool) {
	at, ok := b.o.real(name)
	switch {
	case !ok:
		b.o.Log("no way to %v", name)
	case local:
		here(name, at.Port())
	case !there(number, at):
		b.o.Log("no session for %v: %v", name, errSessions)
	}
}

// insist tries until it succeeds or the port is closed, after the first attempt in
// the background.
func (b *inbox) insist(try func() error) {
	err := try()
	if err == nil || errors.Is(err, fabric.ErrClosed) {
		return
	}
	b.o.Log("%v; trying again", err)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.gone {
		b.wg.Go(func() { insist(b.life, try) })
	}
}

// Pauses between attempts.
const (
	shortestPause = 5 * time.Millisecond
	longestPause  = 200 * time.Millisecond
)

func insist(ctx context.Context, try func() error) {
	for d := shortestPause; ; d = min(2*d, longestPause) {
		if pause(ctx, d); ctx.Err() != nil || try() == nil {
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// here is the port that is real for one of the own address; any free one, 0, is itself.
func (b *inbox) here(port uint16) (uint16, error) {
	if port == 0 {
		return 0, nil
	}
	b.mu.Lock()
	name := netip.AddrPortFrom(b.o.whoami(b.self), port)
	b.mu.Unlock()
	at, ok := b.o.real(name)
	if !ok {
		return 0, fmt.Errorf("%v is the address of nobody", name)
	}
	return at.Port(), nil
}

// settle says that the port is in use.
func (b *inbox) settle() {
	if b.isSettled {
		return
	}
	b.isSettled = true
	close(b.settled)
	if b.timer != nil {
		b.timer.Stop()
	}
}

// settleSoon settles after a moment.
func (b *inbox) settleSoon() {
	if b.isSettled || b.timer != nil {
		return
	}
	b.timer = time.AfterFunc(settling, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.settle()
	})
}
