package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

const (
	// queued is the largest number of calls of a host controller without an answer.
	queued = 4096
	// taking is the time after which a host controller that neither takes nor answers calls
	// counts as silent.
	taking = time.Minute
)

// controller places calls on a host controller in order, and reads their answers.
type controller struct {
	d        *Engine
	name     string
	way      placer
	capacity int                  // of the host controller, in calls
	reset    func(accl.Call) bool // it is a reset
	dropped  accl.ReturnCode      // of calls that a reset drops
	room     chan struct{}        // holds an element for each call without an answer
	wake     chan struct{}        // there is another call

	mu      sync.Mutex
	queue   []*call // not placed
	open    []*call // placed, in order
	running bool
	lost    error // why there can be no more calls
}

type call struct {
	accl.Call
	answer *Answer
	// dropped is set if a reset came before the call was placed. The call is answered after
	// those before it.
	dropped bool
}

// placer is a way to place calls. Its methods are not called concurrently.
type placer interface {
	// ready reports whether a call can be placed now.
	ready(ctx context.Context) (bool, error)
	place(ctx context.Context, c accl.Call) error
	// answer returns the next answer; ok is false if it has not come yet.
	answer(ctx context.Context) (code accl.ReturnCode, ok bool, err error)
}

// openController finds the way in which a host controller takes calls.
func openController(ctx context.Context, d *Engine, p *accl.Platform, in layout.Instance) (*controller, error) {
	regs, err := d.at.Registers(in.Name)
	if err != nil {
		return nil, err
	}
	kernel, ok := d.at.Design.Kernel(in.Kernel)
	if !ok {
		return nil, fmt.Errorf("%w: %s of %s", ErrInstance, in.Name, in.Kernel)
	}
	return newController(ctx, d, p, in.Name, regs, kernel, d.exchange)
}

func newController(ctx context.Context, d *Engine, p *accl.Platform, name string, regs layout.Registers,
	kernel layout.Kernel, exchange layout.Registers) (*controller, error) {
	arguments, err := kernel.Find(callRegisters...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRegister, err)
	}
	k := &controller{d: d, name: name, room: make(chan struct{}, queued), wake: make(chan struct{}, 1)}
	k.reset, k.dropped = resets(p)
	words := &callWords{regs, arguments}
	if k.way, k.capacity, err = postingWay(ctx, words, kernel); err != nil || k.way != nil {
		return k, err
	}
	k.capacity = 1
	k.way, err = startingWay(words, kernel, exchange, p)
	return k, err
}

// resets tells calls that reset the engine, and the return code of those that are
// dropped.
func resets(p *accl.Platform) (func(accl.Call) bool, accl.ReturnCode) {
	const none = 1<<32 - 1
	config, reset := uint32(none), uint32(none)
	if o := p.Operation("config"); o != nil {
		config = o.Value
	}
	for _, f := range p.ConfigFunctions {
		if f.Name == "reset_periph" {
			reset = f.Value
		}
	}
	var dropped accl.ReturnCode
	for _, bit := range p.ReturnCodes {
		if bit.Name == "NOT_READY" {
			dropped = accl.ReturnCode(bit.Mask())
		}
	}
	return func(c accl.Call) bool { return c.Scenario == config && c.FunctionCode == reset }, dropped
}

// start queues a call behind those before it.
func (k *controller) start(ctx context.Context, c accl.Call) (*Answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	select {
	case k.room <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s of %s has %d calls without an answer: %w", k.name, k.d.at.Card, queued, context.Cause(ctx))
	case <-k.d.life.Done():
		return nil, context.Cause(k.d.life)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost == nil && !k.running {
		k.running, k.lost = true, k.d.spawn(k.run)
	}
	if k.lost != nil {
		<-k.room
		return nil, k.lost
	}
	if k.reset(c) {
		for _, before := range k.queue {
			before.dropped = true
		}
		k.open, k.queue = append(k.open, k.queue...), nil
	}
	next := &call{Call: c, answer: NewAnswer()}
	k.queue = append(k.queue, next)
	select {
	case k.wake <- struct{}{}:
	default:
	}
	return next.answer, nil
}

// run places calls and reads answers until all calls are answered.
func (k *controller) run() {
	w := polling{wake: k.wake}
	moved := time.Now()
	for {
		placed, err := k.place()
		answered := false
		if err == nil {
			answered, err = k.take()
		}
		switch {
		case err != nil:
		case placed || answered:
			w, moved = polling{wake: k.wake}, time.Now()
		case !k.waits(): // calls that wait for others may take as long as they like
			moved = time.Now()
		case time.Since(moved) > taking:
			err = fmt.Errorf("%w: for %v", ErrSilent, taking)
		}
		if err == nil && !placed && !answered {
			err = w.pause(k.d.life)
		}
		if err != nil && k.d.life.Err() != nil {
			err = context.Cause(k.d.life)
		}
		if err != nil {
			k.fail(fmt.Errorf("%s of %s: %w", k.name, k.d.at.Card, err))
		}
		k.mu.Lock()
		if len(k.queue) == 0 && len(k.open) == 0 {
			k.running = false
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
	}
}

// waits reports whether the host controller has room for a waiting call.
func (k *controller) waits() bool { return k.next() != nil }

// next is the next call to be placed, nil if the host controller has no room. One place is
// reserved for a reset.
func (k *controller) next() *call {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 {
		return nil
	}
	there := 0
	for _, c := range k.open {
		if !c.dropped {
			there++
		}
	}
	c := k.queue[0]
	if limit := k.capacity; there < max(limit-1, 1) || there < limit && k.reset(c.Call) {
		return c
	}
	return nil
}

// place places the next call, if possible.
func (k *controller) place() (bool, error) {
	c := k.next()
	if c == nil {
		return false, nil
	}
	if ok, err := k.way.ready(k.d.life); err != nil || !ok {
		return false, err
	}
	k.mu.Lock()
	if c.dropped { // by a reset that came meanwhile
		k.mu.Unlock()
		return true, nil
	}
	k.queue, k.open = k.queue[1:], append(k.open, c)
	k.mu.Unlock()
	return true, k.way.place(k.d.life, c.Call)
}

// take reads the answer to the oldest call, if it has come.
func (k *controller) take() (bool, error) {
	k.mu.Lock()
	if len(k.open) == 0 {
		k.mu.Unlock()
		return false, nil
	}
	c, code := k.open[0], k.dropped
	k.mu.Unlock()
	if !c.dropped {
		got, ok, err := k.way.answer(k.d.life)
		if err != nil || !ok {
			return false, err
		}
		code = got
	}
	k.mu.Lock()
	k.open = k.open[1:]
	k.mu.Unlock()
	c.answer.Give(code, nil)
	<-k.room
	return true, nil
}

// fail answers all calls with an error, because later answers can no longer be assigned.
func (k *controller) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lost = err
	for _, c := range append(k.open, k.queue...) {
		c.answer.Give(0, err)
		<-k.room
	}
	k.open, k.queue = nil, nil
}
