package emu

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Errors of calls.
var (
	ErrClosed = engine.ErrClosed
	ErrClient = engine.ErrClient
	ErrTicket = engine.ErrTicket
)

// Clients is how many clients an engine has: they go from 0 up.
const Clients = engine.Clients

// openCall is a call from when it was placed until its answer is given.
type openCall struct {
	ticket   accl.Ticket
	client   int
	call     accl.Call
	reset    bool  // it is a reset_periph
	taken    int64 // when, in nanoseconds since power-up
	answered bool
	code     accl.ReturnCode
	err      error
	given    atomic.Bool   // the answer can be given
	done     chan struct{} // closed then; nil until somebody sleeps until then
}

// arbiter brings the calls of all clients to the processor in the order in
// which they come, and gives each client its answers in the order of its
// calls. Host and engine share it.
type arbiter struct {
	n       *numbers
	arrived func() // wakes the engine
	waiters atomic.Int32
	serve   func(context.Context, *openCall)

	mu      sync.Mutex
	last    accl.Ticket
	waiting []*openCall          // not taken yet
	resets  int                  // of the waiting
	taken   []*openCall          // not answered yet
	clients [Clients][]*openCall // in order, their answers not given
	tickets map[accl.Ticket]*openCall
	dead    error // answers every call from now on
	placed  uint64
}

func newArbiter(n *numbers, arrived func(), serve func(context.Context, *openCall)) *arbiter {
	return &arbiter{n: n, arrived: arrived, serve: serve, tickets: map[accl.Ticket]*openCall{}}
}

func (a *arbiter) start(client int, call accl.Call) (accl.Ticket, error) {
	if client < 0 || client >= Clients {
		return 0, fmt.Errorf("%w: %d, they go from 0 to %d", ErrClient, client, Clients-1)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead != nil {
		return 0, a.dead
	}
	a.last++
	if uint32(a.last) == 0 {
		a.last++ // the processor takes 0 for none
	}
	c := &openCall{ticket: a.last, client: client, call: call}
	c.reset = call.Scenario == a.n.resetCall.scenario && call.FunctionCode == a.n.resetCall.function
	if c.reset {
		a.resets++
	}
	a.placed++
	a.waiting = append(a.waiting, c)
	a.clients[client] = append(a.clients[client], c)
	a.tickets[c.ticket] = c
	a.arrived()
	return c.ticket, nil
}

func (a *arbiter) wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	for {
		a.mu.Lock()
		c := a.tickets[t]
		given := c != nil && c.given.Load()
		if given {
			delete(a.tickets, t)
		}
		a.mu.Unlock()
		switch {
		case given:
			return c.code, c.err
		case c == nil: // or somebody else has the answer
			return 0, fmt.Errorf("%w: %d", ErrTicket, t)
		}
		if err := a.await(ctx, c); err != nil {
			return 0, err
		}
	}
}

// await waits until the answer of a call can be given, or the context ends.
func (a *arbiter) await(ctx context.Context, c *openCall) error {
	a.waiters.Add(1)
	defer a.waiters.Add(-1)
	a.serve(ctx, c)
	a.mu.Lock()
	if c.done == nil && !c.given.Load() {
		c.done = make(chan struct{})
	}
	done := c.done
	a.mu.Unlock()
	if c.given.Load() {
		return nil
	}
	select {
	case <-done:
	case <-ctx.Done():
		if !c.given.Load() {
			return context.Cause(ctx)
		}
	}
	return nil
}

// open is how many calls are to be answered.
func (a *arbiter) open() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return uint64(len(a.waiting) + len(a.taken))
}

// status is the layout call_status.
func (a *arbiter) status() uint32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := &a.n.status
	v := f.waiting.put(min(uint32(len(a.waiting)), f.waiting.mask))
	if a.resets > 0 {
		v |= f.reset.put(1)
	}
	return v
}

// take is the oldest call that waits, or nil.
func (a *arbiter) take() *openCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.oldest()
}

// next is take, but takes no call while a reset waits; refused is true then.
func (a *arbiter) next() (c *openCall, refused bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.resets > 0 {
		return nil, true
	}
	return a.oldest(), false
}

// takenAt is when the call of a ticket was taken, 0 if there is none.
func (a *arbiter) takenAt(ticket uint32) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := a.at(ticket); i >= 0 {
		return a.taken[i].taken
	}
	return 0
}

// at is the place of a ticket's call among the taken, -1 if there is none.
func (a *arbiter) at(ticket uint32) int {
	return slices.IndexFunc(a.taken, func(c *openCall) bool { return uint32(c.ticket) == ticket })
}

func (a *arbiter) oldest() *openCall {
	if len(a.waiting) == 0 {
		return nil
	}
	c := a.waiting[0]
	a.waiting = slices.Delete(a.waiting, 0, 1)
	if c.reset {
		a.resets--
	}
	a.taken = append(a.taken, c)
	return c
}

func (a *arbiter) answer(ticket, code uint32) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.at(ticket)
	if i < 0 {
		return fmt.Errorf("%w: an answer for ticket %d, which no call has that was taken", rv32.ErrUnmapped, ticket)
	}
	c := a.taken[i]
	a.taken = slices.Delete(a.taken, i, i+1)
	c.answered, c.code = true, accl.ReturnCode(code)
	a.deliver(c.client)
	return nil
}

// drop answers all calls that were taken, and tells how many.
func (a *arbiter) drop(code uint32) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.taken)
	for _, c := range a.taken {
		c.answered, c.code = true, accl.ReturnCode(code)
	}
	for client := range a.clients {
		a.deliver(client)
	}
	a.taken = nil
	return uint64(n)
}

// deliver gives the answers of a client that no earlier call of it holds back.
func (a *arbiter) deliver(client int) {
	n, q := 0, a.clients[client]
	for ; n < len(q) && q[n].answered; n++ {
		c := q[n]
		if c.given.Store(true); c.done != nil {
			close(c.done)
		}
	}
	a.clients[client] = slices.Delete(q, 0, n)
}

// stop answers every call, also those to come, with an error.
func (a *arbiter) stop(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead != nil {
		return
	}
	a.dead = err
	for client, q := range a.clients {
		for _, c := range q {
			if !c.answered {
				c.answered, c.err = true, err
			}
		}
		a.deliver(client)
	}
	a.waiting, a.taken, a.resets = nil, nil, 0
}

// failure is why calls are answered with an error, nil if they are not.
func (a *arbiter) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.dead
}

// close says from now on that the engine is closed, whatever it died of.
func (a *arbiter) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dead = ErrClosed
}
