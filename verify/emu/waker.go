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

// look is how often the engine's goroutine looks whether guests still come.
const look = time.Millisecond

// How the engine's goroutine is.
const (
	awake  = iota
	drowsy // there was a guest: it looks soon, and calls do not wake it, because their guests come
	asleep
)

// engines is how many run in this process.
var engines atomic.Int32

// waker lets the engine's goroutine sleep until there is something to do, or while a guest takes the turns: somebody
// who waits for an answer. To hand a call and its answer over takes longer than most calls, above all to threads of C.
type waker struct {
	signals atomic.Uint32
	state   atomic.Uint32 // of the goroutine
	ch      chan struct{} // capacity 1
	timer   *time.Timer
	polled  fabric.Polled // nil unless the network is

	guest atomic.Bool // there is one
	seen  atomic.Bool // there was one since the goroutine has looked
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
	if s := w.state.Load(); !w.guest.Load() && (s == asleep || s == drowsy && signal != signalCall) {
		w.wake()
	}
}

func (w *waker) wake() {
	select {
	case w.ch <- struct{}{}:
	default:
	}
}

// enter tells whether somebody may be the guest.
func (w *waker) enter() bool {
	alone := w.guest.CompareAndSwap(false, true)
	w.seen.Store(true)
	return alone
}

// leave has the goroutine go on if it must. It is also woken from its sleep, because the network was polled, and says
// nothing from then on.
func (w *waker) leave(must bool) {
	w.seen.Store(!must)
	w.guest.Store(false)
	if must || w.state.Load() == asleep || w.told() {
		w.wake()
	}
}

// near tells whether the network is to be polled.
func (w *waker) near() bool { return w.polled != nil && w.polled.Near() }

// poll tells whether something has come from a network that does not say it now.
func (w *waker) poll() bool { return w.near() && w.polled.Poll() }

// told tells whether there are signals.
func (w *waker) told() bool { return w.signals.Load() != 0 }

// take returns the signals since the last time.
func (w *waker) take() uint32 {
	if !w.told() {
		return 0
	}
	return w.signals.Swap(0)
}

// linger is how long to look for signals before sleeping.
func (w *waker) linger() time.Duration {
	if w.near() {
		return lingerPolled
	}
	return linger
}

// pause lets those have the processor who may have something for the engine: other goroutines or, after a while, other
// processes. To queue among goroutines takes a thread of C long: it does not where there is no other engine.
func (w *waker) pause(past time.Duration) {
	near := w.near()
	if !near || engines.Load() > 1 {
		runtime.Gosched()
	}
	if near && past > linger/4 {
		shm.Yield()
	}
}

// sleep waits for a signal, at most for d. There was something to do until a time.
func (w *waker) sleep(d time.Duration, active time.Time) {
	polled, most := w.near(), w.linger()
	for past := time.Since(active); d > most && past < most && !w.seen.Load(); past = time.Since(active) {
		if w.told() || polled && w.polled.Poll() {
			return
		}
		if runtime.Gosched(); past > linger {
			shm.Yield()
		}
	}
	state := uint32(asleep)
	if w.seen.Swap(false) {
		state, d = drowsy, min(d, look)
	}
	w.state.Store(state)
	defer w.state.Store(awake)
	if w.told() || d <= 0 || polled && state == asleep && !w.polled.Doze() {
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
