package sim

import "sync"

// slack is how many cycles an engine may be ahead of the slowest one that runs.
const slack = 2048

// Clock keeps engines that run side by side together: none waits for an answer
// for long only because the other one had no processor.
type Clock struct {
	mu      sync.Mutex
	changed *sync.Cond
	members map[*turn]bool // true for those that run
}

// NewClock returns a clock without engines.
func NewClock() *Clock {
	c := &Clock{members: map[*turn]bool{}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// turn is an engine's place on a clock.
type turn struct {
	clock *Clock
	time  uint64 // cycles
}

func (c *Clock) join() *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &turn{clock: c}
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
	for {
		slowest, ok := c.slowest(t)
		if !ok || t.time <= slowest+slack {
			return
		}
		c.changed.Wait()
	}
}

// ran counts cycles.
func (t *turn) ran(cycles uint64) { t.set(func() { t.time += cycles }) }

// sleep says that the engine needs no time to go on.
func (t *turn) sleep() { t.set(func() { t.clock.members[t] = false }) }

// awake says that it runs again, at the time of the others.
func (t *turn) awake() {
	t.set(func() {
		t.time = t.clock.now(t)
		t.clock.members[t] = true
	})
}

func (t *turn) leave() { t.set(func() { delete(t.clock.members, t) }) }

func (t *turn) set(f func()) {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	f()
	t.clock.changed.Broadcast()
}
