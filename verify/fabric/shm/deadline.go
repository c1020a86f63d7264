package shm

import (
	"sync"
	"time"
)

// deadline is a time that may be set while somebody waits for it.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	over  chan struct{} // closed when the time has come
}

func newDeadline() deadline { return deadline{over: make(chan struct{})} }

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.timer.Stop() {
		<-d.over // it is about to be closed
	}
	d.timer = nil
	passed := IsClosed(d.over)
	if passed {
		d.over = make(chan struct{})
	}
	if t.IsZero() {
		return
	}
	over := d.over
	if wait := time.Until(t); wait > 0 {
		d.timer = time.AfterFunc(wait, func() { close(over) })
		return
	}
	close(over)
}

func (d *deadline) passed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.over
}

// IsClosed tells whether a channel that carries nothing is closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
