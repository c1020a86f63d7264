package bench

import (
	"context"
	"errors"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// gate lets calls of all ranks begin in the same cycle, or after those of some, when
// engines have come to rest: what they still do for calls before would be measured.
type gate struct {
	clock *rtlsim.Clock

	mu      sync.Mutex
	changed *sync.Cond
	expects int // calls, 0 if the gate is open
	waiting []*waits
	first   func(rank int) bool             // whose calls are begun before all others; nil for none
	between func(ctx context.Context) error // what happens then
}

// waits is a call at the gate.
type waits struct {
	ctx   context.Context
	rank  int
	begin func() error
	begun bool
	err   error
}

func newGate(clock *rtlsim.Clock) *gate {
	g := &gate{clock: clock}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// shut holds so many calls at the gate.
func (g *gate) shut(calls int, first func(rank int) bool, between func(ctx context.Context) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.expects, g.first, g.between = calls, first, between
}

// pass begins a call when all have come.
func (g *gate) pass(w *waits) error {
	g.mu.Lock()
	if g.expects == 0 {
		g.mu.Unlock()
		return w.begin()
	}
	g.waiting = append(g.waiting, w)
	if len(g.waiting) < g.expects {
		defer g.mu.Unlock()
		stop := context.AfterFunc(w.ctx, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.changed.Broadcast()
		})
		defer stop()
		for !w.begun {
			if w.ctx.Err() != nil {
				return context.Cause(w.ctx)
			}
			g.changed.Wait()
		}
		return w.err
	}
	all, first, between := g.waiting, g.first, g.between
	g.waiting, g.expects = nil, 0
	g.mu.Unlock()

	begin := func(which func(rank int) bool) error {
		return g.clock.Hold(func() error {
			for _, c := range all {
				if which == nil || which(c.rank) {
					c.err = c.begin()
				}
			}
			return nil
		})
	}
	err := g.clock.Settle(w.ctx)
	if first != nil {
		_ = begin(first)
		err = errors.Join(err, between(w.ctx))
		_ = begin(func(rank int) bool { return !first(rank) })
	} else {
		_ = begin(nil)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range all {
		c.begun = true
	}
	g.changed.Broadcast()
	if err != nil {
		return err
	}
	return w.err
}

// gated is a device whose calls go through a gate.
type gated struct {
	engine.Device
	gate *gate
	rank int
}

// Start implements accl.Device.
func (d *gated) Start(ctx context.Context, client int, c accl.Call) (t accl.Ticket, err error) {
	err = d.gate.pass(&waits{ctx: ctx, rank: d.rank, begin: func() (err error) {
		t, err = d.Device.Start(ctx, client, c)
		return err
	}})
	return t, err
}
