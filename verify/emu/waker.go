package emu

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

// Signals are what others tell the engine's goroutine.
const (
	signalCall = 1 << iota
	signalNetwork
	signalRoom // in a stream, or memory that was lent has come back
	signalCommand
	signalClose
)

// linger is how long an engine looks for signals before it sleeps. Waking up
// takes longer than the next message of a busy world.
const linger = 10 * time.Microsecond

// lingerPolled is the same where the next message is of another process. These get the
// processor after linger, which takes less than to sleep and be woken.
const lingerPolled = 200 * time.Microsecond

// waker lets the engine's goroutine sleep until there is something to do.
type waker struct {
	signals atomic.Uint32
	asleep  atomic.Bool
	ch      chan struct{} // capacity 1
	timer   *time.Timer
	polled  fabric.Polled // nil unless the network is
}

func newWaker() *waker {
	t := time.NewTimer(math.MaxInt64)
	t.Stop()
	return &waker{ch: make(chan struct{}, 1), timer: t}
}

// tell sets a signal and wakes the engine. Anyone may call it.
func (w *waker) tell(signal uint32) {
	if w.signals.Load()&signal != signal {
		w.signals.Or(signal)
	}
	if w.asleep.Load() {
		select {
		case w.ch <- struct{}{}:
		default:
		}
	}
}

// poll tells whether something has come from a network that does not say it now.
func (w *waker) poll() bool { return w.polled != nil && w.polled.Near() && w.polled.Poll() }

// take returns the signals since the last time.
func (w *waker) take() uint32 {
	if w.signals.Load() == 0 {
		return 0
	}
	return w.signals.Swap(0)
}

// sleep waits for a signal, at most for d.
func (w *waker) sleep(d time.Duration) {
	polled := w.polled != nil && w.polled.Near()
	most := linger
	if polled {
		most = lingerPolled
	}
	for start, past := time.Now(), time.Duration(0); d > most && past < most; past = time.Since(start) {
		if w.signals.Load() != 0 || polled && w.polled.Poll() {
			return
		}
		if runtime.Gosched(); past > linger {
			shm.Yield()
		}
	}
	w.asleep.Store(true)
	defer w.asleep.Store(false)
	if w.signals.Load() != 0 || d <= 0 || polled && !w.polled.Doze() {
		return
	}
	if d == math.MaxInt64 {
		<-w.ch
		return
	}
	w.timer.Reset(d)
	select {
	case <-w.ch:
	case <-w.timer.C:
	}
	w.timer.Stop()
}
