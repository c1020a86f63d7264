package rtlsim

import (
	"context"
	"fmt"
	"sync"
)

// slack is how many cycles an engine may be ahead of the slowest one that runs.
const slack = 2048

// Clock keeps engines that run side by side together: none waits for an answer
// for long only because the other one had no processor.
type Clock struct {
	mu      sync.Mutex
	changed *sync.Cond
	members map[*turn]bool // true for those that run
	step    int            // cycles of a turn in lock step, 0 for none
	running *turn          // the only one whose turn it is, in lock step
	held    bool           // nobody's turn begins
	joined  int
}

// NewClock returns a clock without engines.
func NewClock() *Clock {
	c := &Clock{members: map[*turn]bool{}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// NewLockstep returns a clock on which one engine runs at a time, so many cycles,
// always the one that is furthest behind. What happens in which cycle then depends
// only on what the engines do and are given. Engines that have calls do not sleep.
func NewLockstep(cycles int) *Clock {
	c := NewClock()
	c.step = max(cycles, 1)
	return c
}

// Hold lets no engine run in lock step while do runs, which may give them calls: they
// begin with them in the same cycle.
func (c *Clock) Hold(do func() error) error {
	hold := func(held bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held = held
		c.changed.Broadcast()
	}
	hold(true)
	defer hold(false)
	return do()
}

// Settle waits until no engine runs: all have done what they were given.
func (c *Clock) Settle(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if _, runs := c.slowest(nil); !runs {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("wait until no engine runs: %w", context.Cause(ctx))
		}
		c.changed.Wait()
	}
}

// turn is an engine's place on a clock.
type turn struct {
	clock *Clock
	place int
	time  uint64 // cycles
}

func (c *Clock) join() *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &turn{clock: c, place: c.joined}
	c.joined++
	t.time = c.now(t)
	c.members[t] = true
	return t
}

// slowest is the time of the slowest engine that runs, besides one; ok is false
// if there is no other. The lock is held.
func (c *Clock) slowest(but *turn) (time uint64, ok bool) {
	for t, runs := range c.members {
		if runs && t != but && (!ok || t.time < time) {
			time, ok = t.time, true
		}
	}
	return time, ok
}

// now is the time that an engine begins to run at. Where no other one runs, it
// is that of the engine that has run the longest: otherwise that one would have
// to wait, as soon as it runs again, for all the time that it ran alone. The
// lock is held.
func (c *Clock) now(t *turn) uint64 {
	if slowest, ok := c.slowest(t); ok {
		return max(t.time, slowest)
	}
	now := t.time
	for other := range c.members {
		now = max(now, other.time)
	}
	return now
}

// wait lets the others catch up.
func (t *turn) wait() {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.step > 0 {
		t.take()
		return
	}
	for {
		slowest, ok := c.slowest(t)
		if !ok || t.time <= slowest+slack {
			return
		}
		c.changed.Wait()
	}
}

// take gives back the turn, and waits for the next one. The lock is held.
func (t *turn) take() {
	c := t.clock
	t.give()
	for c.held || c.running != nil || !t.next() {
		c.changed.Wait()
	}
	c.running = t
}

// give gives back the turn. The lock is held.
func (t *turn) give() {
	if c := t.clock; c.running == t {
		c.running = nil
		c.changed.Broadcast()
	}
}

// next reports whether the engine is the next one in lock step. The lock is held.
func (t *turn) next() bool {
	for other, runs := range t.clock.members {
		if runs && (other.time < t.time || other.time == t.time && other.place < t.place) {
			return false
		}
	}
	return true
}

// most is how many cycles the engine may run at a time, of so many.
func (t *turn) most(cycles int) int {
	if step := t.clock.step; step > 0 {
		return step
	}
	return cycles
}

// lockstep reports whether the engine is on a clock in lock step.
func (t *turn) lockstep() bool { return t.clock.step > 0 }

// ended is the time at the end of what has run.
func (t *turn) ended() uint64 {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.time
}

// ran counts cycles.
func (t *turn) ran(cycles uint64) { t.set(func() { t.time += cycles }) }

// sleep says that the engine needs no time to go on.
func (t *turn) sleep() { t.set(func() { t.clock.members[t] = false; t.give() }) }

// awake says that it runs again, at the time of the others.
func (t *turn) awake() {
	t.set(func() {
		if runs, member := t.clock.members[t]; member && !runs {
			t.time = t.clock.now(t)
			t.clock.members[t] = true
		}
	})
}

func (t *turn) leave() { t.set(func() { delete(t.clock.members, t); t.give() }) }

func (t *turn) set(f func()) {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	f()
	t.clock.changed.Broadcast()
}
