package accl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Request is a call that was placed or waits to be placed.
type Request struct {
	call
	state     atomic.Uint32
	ticket    Ticket
	err       error
	cycles    uint32
	timed     bool
	overtaken error // why the engine was not usable when the call had been placed, or nil

	mu   sync.Mutex
	done chan struct{} // nil until somebody asks for it
}

// States of a request: nobody has asked for its answer yet, somebody waits for that, it is done.
const (
	unasked = iota
	followed
	over
)

// Op is the name of the operation.
func (r *Request) Op() string { return r.name() }

// Done returns a channel that is closed when the engine has answered and results are in
// place; the program may use the buffers again. It is also closed if there was no answer
// within WaitLimit: Err is ErrTimeout then, and the buffers still belong to the engine.
func (r *Request) Done() <-chan struct{} {
	if r.claim() {
		go r.follow(context.Background())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done == nil {
		if r.done = make(chan struct{}); r.isDone() {
			close(r.done)
		}
	}
	return r.done
}

// claim tells whether the caller is the first to follow the call, and must.
func (r *Request) claim() bool { return r.state.CompareAndSwap(unasked, followed) }

func (r *Request) isDone() bool { return r.state.Load() == over }

// Err is the outcome of a request that is done: nil, a *CallError, or the error that
// prevented the call or its answer. It is nil before.
func (r *Request) Err() error {
	if r.isDone() {
		return r.err
	}
	return nil
}

// Wait waits until the request is done and returns its outcome. If the context ends first,
// it returns its error, and the request continues.
func (r *Request) Wait(ctx context.Context) error {
	if r.claim() {
		r.follow(ctx)
	}
	if r.isDone() {
		return r.err
	}
	select {
	case <-r.Done():
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", r.Op(), context.Cause(ctx))
	}
}

// Cycles is the time that the engine worked on the call, in cycles of its clock. ok is
// false if the interface does not count cycles, the request is not done or failed, or
// another call of this Engine was in flight at the same time.
func (r *Request) Cycles() (cycles uint32, ok bool) {
	if r.isDone() {
		return r.cycles, r.timed
	}
	return 0, false
}

// WaitAll waits for all requests and returns the error of the first that failed, in the
// order of the arguments.
func WaitAll(ctx context.Context, requests ...*Request) error {
	var first error
	for _, r := range requests {
		if r != nil {
			first = cmp.Or(first, r.Wait(ctx))
		}
	}
	return first
}

// Again makes the call of a request that is done once more, with the same operands and options, which are not
// checked again. It returns a new request, as the call did.
func (r *Request) Again(ctx context.Context) (*Request, error) {
	again := &Request{call: r.call}
	if err := again.hold(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Op(), err)
	}
	return r.engine.issue(ctx, again)
}

// issue executes a valid call that holds its buffers.
func (e *Engine) issue(ctx context.Context, r *Request) (*Request, error) {
	if r.opts.async && !r.ready() {
		r.state.Store(followed)
		go func() {
			ticket, err := r.start(ctx)
			if err != nil {
				r.finish(err)
				return
			}
			r.ticket = ticket
			r.follow(context.Background())
		}()
		return r, nil
	}
	ticket, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	if !r.opts.async {
		var answered bool
		if answered, err = r.wait(ctx, ticket); answered {
			r.finish(err)
			return r, err
		} // or the caller has given up, but not the engine
	}
	r.ticket = ticket
	e.unasked.add(r)
	return r, err
}

// ready reports whether all dependencies are done.
func (r *Request) ready() bool {
	for _, d := range r.opts.after {
		if d != nil && !d.isDone() {
			return false
		}
	}
	return true
}

// dependencies waits for the requests that this one comes after.
func (r *Request) dependencies(ctx context.Context) error {
	for _, d := range r.opts.after {
		if d != nil {
			if err := d.Wait(ctx); err != nil {
				return fmt.Errorf("after %s: %w", d.Op(), err)
			}
		}
	}
	r.opts.after = nil // for the garbage collector
	return nil
}

// start waits for what comes before, copies operands to the device and places
// the call. If it fails, the call is over.
func (r *Request) start(ctx context.Context) (Ticket, error) {
	ticket, err := r.place(ctx)
	if err != nil {
		release(r.refs())
		return 0, fmt.Errorf("%s: %w", r.Op(), err)
	}
	return ticket, nil
}

func (r *Request) place(ctx context.Context) (Ticket, error) {
	if err := r.dependencies(ctx); err != nil {
		return 0, err
	}
	for _, operand := range r.refs() {
		if operand.in {
			if err := operand.span.syncTo(ctx); err != nil {
				return 0, err
			}
		}
	}
	e := r.engine
	e.gate.RLock()
	defer e.gate.RUnlock()
	if err := e.usable(); err != nil {
		return 0, err
	}
	e.own.called(&r.call)
	r.serial = e.started.Add(1)
	r.alone = e.flying.Add(1) == 1
	ticket, err := e.caller.Start(ctx, r.client, r.Call)
	if err != nil {
		e.flying.Add(-1)
		e.own.uncalled(&r.call)
		return 0, fmt.Errorf("place the call: %w", err)
	}
	r.overtaken = e.usable()
	return ticket, nil
}

// wait waits for the answer and deals with it. If the context ends first, it
// reports that there is no answer.
func (r *Request) wait(ctx context.Context, ticket Ticket) (answered bool, err error) {
	e := r.engine
	limited, cancel := e.limited(ctx)
	defer cancel()
	code, err := e.caller.Wait(limited, ticket)
	if err != nil && limited.Err() != nil {
		err = fmt.Errorf("%s: wait for the answer: %w", r.Op(), context.Cause(limited))
		if errors.Is(err, ErrTimeout) {
			for _, c := range e.why(ctx, r.comm.at, &CallError{}, &r.own) {
				err = fmt.Errorf("%w\n  cause: %s", err, c.Text)
			}
		}
		return false, err
	}
	if err == nil && code == 0 && r.alone && e.w.counter.ok && e.started.Load() == r.serial {
		cycles, err := e.dev.ReadReg(limited, e.w.counter.value)
		r.cycles, r.timed = cycles, err == nil && e.started.Load() == r.serial
	}
	e.flying.Add(-1)
	if err == nil && code == 0 && r.spec.Collective {
		r.comm.broke.Store(nil)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("%s: wait for the answer: %w", r.Op(), err)
	case code != 0:
		if err = r.failure(context.WithoutCancel(ctx), code); r.overtaken != nil {
			err = fmt.Errorf("%w: a reset came before the call: %w", r.overtaken, err)
		}
	default:
		for _, operand := range r.refs() {
			if operand.out { // this must not end with the caller's context
				err = operand.span.syncFrom(context.WithoutCancel(ctx))
			}
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", r.Op(), err)
		}
	}
	release(r.refs())
	return true, err
}

// follow waits for the answer, and is called once; a goroutine goes on if the context ends first. A call without an
// answer ends at the limit, but its buffers stay the engine's.
func (r *Request) follow(ctx context.Context) {
	bounded, cancel := r.engine.bounded(ctx)
	defer cancel()
	answered, err := r.wait(bounded, r.ticket)
	if !answered && ctx.Err() != nil {
		go r.follow(context.Background())
		return
	}
	r.finish(err)
	if !answered {
		go func() {
			// The answer does not matter any more, only that the call has ended.
			_, _ = r.engine.caller.Wait(context.Background(), r.ticket)
			r.engine.flying.Add(-1)
			release(r.refs())
		}()
	}
}

func (r *Request) finish(err error) {
	r.err = err
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Store(over); r.done != nil {
		close(r.done)
	}
}

// patience is how long a call may be in flight that nobody has asked about, at least, and at most twice. Who waits at
// once follows it himself: to be told by a goroutine takes longer than many calls.
const patience = 2 * time.Millisecond

// unaskedRequests are those of an engine that nobody has asked about yet, by their age. They share a timer, because
// one for each costs as much as a small call.
type unaskedRequests struct {
	mu         sync.Mutex
	young, old []*Request
	looks      bool // soon
}

func (u *unaskedRequests) add(r *Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.young = append(u.young, r); !u.looks {
		u.looks = true
		time.AfterFunc(patience, u.look)
	}
}

// look follows old requests.
func (u *unaskedRequests) look() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, r := range u.old {
		if r.claim() {
			go r.follow(context.Background())
		}
	}
	clear(u.old)
	u.old, u.young = u.young, u.old[:0]
	if u.looks = len(u.old) > 0; u.looks {
		time.AfterFunc(patience, u.look)
	}
}

// release gives buffers back.
func release(refs []*ref) {
	for _, operand := range refs {
		if operand.kind == inMemory {
			operand.span.release()
		}
	}
}
