package xrt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/driver/internal/tickets"
)

const (
	// taking is how long a host controller may take to hand a call to the engine, which
	// takes one in a few cycles unless it has as many as it can have.
	taking = time.Minute
	// restless is how often a register is read again and again, about a microsecond each;
	// then there are pauses, which grow.
	restless      = 64
	shortestPause = 20 * time.Microsecond
	longestPause  = time.Millisecond
)

// controller places calls by the registers of a host controller, and has the answers.
type controller struct {
	d        *Device
	regs     card.Registers
	name     string
	way      placer
	capacity int
	placing  chan struct{} // held while a call is placed
	room     chan struct{} // holds an element for each call that has no answer

	mu      sync.Mutex
	open    []*tickets.Call // in order
	polling bool
	lost    error // why there can be no more calls
}

// placer is a way to place calls. Its methods are not called concurrently with
// themselves.
type placer interface {
	// place hands over a call, by the last of its accesses.
	place(ctx context.Context, c accl.Call) error
	// answer has the oldest answer that it has not given; ok is false if there is none yet.
	answer(ctx context.Context) (code accl.ReturnCode, ok bool, err error)
}

// openController finds out how a host controller takes calls.
func openController(ctx context.Context, d *Device, p *accl.Platform, in card.Instance) (*controller, error) {
	regs, err := d.c.registers(in.Name)
	if err != nil {
		return nil, err
	}
	kernel, ok := d.c.design.Kernel(in.Kernel)
	if !ok {
		return nil, fmt.Errorf("%w: %s of %s", ErrInstance, in.Name, in.Kernel)
	}
	arguments, err := kernel.Offsets(callRegisters...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRegister, err)
	}
	k := &controller{d: d, regs: regs, name: in.Name, capacity: 1, placing: make(chan struct{}, 1)}
	words := &callWords{regs: regs, at: arguments}
	if k.way, k.capacity, err = postingWay(ctx, words, kernel); err != nil {
		return nil, err
	}
	if k.way == nil {
		k.capacity = 1
		if k.way, err = startingWay(words, kernel, d.exchange, p); err != nil {
			return nil, err
		}
	}
	k.room = make(chan struct{}, k.capacity)
	return k, nil
}

// start places a call, once those before it have left room. If the context ends before
// that, there is no call.
func (k *controller) start(ctx context.Context, c accl.Call) (*tickets.Call, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(k.d.life, func() { cancel(context.Cause(k.d.life)) })()
	if err := enter(ctx, k.placing); err != nil {
		return nil, fmt.Errorf("%s of %s is taking another call: %w", k.name, k.d.c.name, err)
	}
	defer func() { <-k.placing }()
	if err := enter(ctx, k.room); err != nil {
		return nil, fmt.Errorf("%s of %s has as many calls as it can have: %w", k.name, k.d.c.name, err)
	}
	err := k.failure()
	if err == nil {
		err = k.place(ctx, c)
	}
	if err != nil {
		<-k.room
		return nil, err
	}
	call := tickets.NewCall()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost != nil {
		<-k.room
		return nil, k.lost
	}
	k.open = append(k.open, call)
	if !k.polling {
		k.polling = true
		k.d.tasks.Go(k.poll)
	}
	return call, nil
}

// enter waits for a place in a queue.
func enter(ctx context.Context, queue chan struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case queue <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *controller) failure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost
}

// place hands a call over. What has ended the context has also ended that before the
// call was placed; after any other error it is not known whether it was.
func (k *controller) place(ctx context.Context, c accl.Call) error {
	ctx, cancel := context.WithTimeoutCause(ctx, taking, ErrSilent)
	defer cancel()
	err := k.way.place(ctx, c)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("place a call by %s of %s: %w", k.name, k.d.c.name, err)
	if ctx.Err() == nil || !errors.Is(err, context.Cause(ctx)) {
		k.fail(err)
	}
	return err
}

// fail answers all calls with an error: which answers are still to come is not known
// any more.
func (k *controller) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost == nil {
		k.lost = err
	}
	for _, call := range k.open {
		call.Answer(0, k.lost)
		<-k.room
	}
	k.open = nil
}

// poll gives answers to calls until all have theirs.
func (k *controller) poll() {
	var w waiting
	for {
		code, ok, err := k.way.answer(k.d.life)
		if err == nil && !ok {
			err = w.pause(k.d.life)
		}
		k.mu.Lock()
		switch {
		case err != nil:
			k.mu.Unlock()
			k.fail(fmt.Errorf("answers of %s of %s: %w", k.name, k.d.c.name, err))
			k.mu.Lock()
		case ok && len(k.open) > 0:
			k.open[0].Answer(code, nil)
			k.open = k.open[1:]
			<-k.room
			w = waiting{}
		}
		if len(k.open) == 0 {
			k.polling = false
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
	}
}

// waiting is a wait for a register to change.
type waiting struct {
	reads int
	next  time.Duration
}

// pause lets some time pass before the register is read again. The error is the cause
// of the context.
func (w *waiting) pause(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if w.reads++; w.reads < restless {
		return nil
	}
	w.next = max(w.next, shortestPause)
	timer := time.NewTimer(w.next)
	defer timer.Stop()
	w.next = min(2*w.next, longestPause)
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
