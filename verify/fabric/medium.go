package fabric

import (
	"sync/atomic"
	"time"
)

// medium is what the lines of a network have in common.
type medium struct {
	lossy      bool
	window     int // bytes that a line takes before its sender is busy
	start      time.Time
	conditions atomic.Pointer[Conditions] // nil if there are none
}

// now is the time since the start, in nanoseconds.
func (m *medium) now() int64 { return int64(time.Since(m.start)) }

func (m *medium) set(c Conditions) {
	if c.Link == nil {
		m.conditions.Store(nil)
		return
	}
	m.conditions.Store(&c)
}

// bell wakes who waits for a port.
type bell struct{ notify atomic.Pointer[func()] }

func (b *bell) set(f func()) {
	if f == nil {
		b.notify.Store(nil)
		return
	}
	b.notify.Store(&f)
}

func (b *bell) wake() {
	if f := b.notify.Load(); f != nil {
		(*f)()
	}
}

// effects are what an operation leaves to be done without the lock.
type effects struct {
	receiver, sender *bell // to be notified
	dropped          []*Packet
}

func (e *effects) run() {
	e.wake()
	for _, p := range e.dropped {
		p.Release()
	}
}

func (e *effects) wake() {
	if e.receiver != nil {
		e.receiver.wake()
	}
	if e.sender != nil {
		e.sender.wake()
	}
}
