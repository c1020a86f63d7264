package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// start places a call with a ctrl_id.
func (c *connection) start(ctx context.Context, r *sim.Request) sim.Reply {
	s := c.s
	if refused := s.generation.refuses(r, s.word); refused != nil {
		return *refused
	}
	k, refused := s.controller(r)
	if k == nil {
		return refused
	}
	if s.generation.resets(&r.Call) {
		// Whoever resets does not expect completions of calls of others who are gone.
		if left := k.forsake(ctx); len(left) > 0 {
			s.tasks.Go(func() { s.drop(left) })
		}
	}
	if s.generation.enables(&r.Call) {
		if refused := s.sayPeers(); refused != nil {
			return *refused
		}
	}
	return k.place(ctx, c, r.Call)
}

// sayPeers tells the engine that all ranks are ours, if they are and it can be told.
func (s *Server) sayPeers() *sim.Reply {
	g := s.generation
	if !s.ownPeers || g.ownPeers == nil {
		return nil
	}
	finish, refused := s.blocking.start(s.ctx, s.device, accl.Call{Scenario: g.config, FunctionCode: *g.ownPeers})
	if refused != nil {
		return refused
	}
	if _, err := finish(); err != nil {
		r := refuse(StatusFailed, "%v", err)
		return &r
	}
	return nil
}

// drop takes completions that nobody wants.
func (s *Server) drop(tickets []accl.Ticket) {
	for _, t := range tickets {
		_, _ = s.device.Wait(s.ctx, t)
	}
}

// wait answers a call wait.
func (c *connection) wait(ctx context.Context, r *sim.Request) sim.Reply {
	if refused := c.s.generation.refuses(r, c.s.word); refused != nil {
		return *refused
	}
	k, refused := c.s.controller(r)
	if k == nil {
		return refused
	}
	code, some, err := k.take(ctx)
	switch {
	case !some:
		return refuse(StatusNoCall, "controller %d has no call that could be waited for", r.CtrlID)
	case errors.Is(err, errPatience):
		return sim.Reply{Status: StatusNot}
	}
	return c.complete(&k.handed, code, err)
}

// controller is the one that a request names, or nil and why not.
func (s *Server) controller(r *sim.Request) (*controller, sim.Reply) {
	if r.CtrlID < 0 || r.CtrlID >= hostControllers {
		return nil, refuse(StatusController, "there is no controller %d: ctrl_id goes from 0 to %d",
			r.CtrlID, hostControllers-1)
	}
	return s.controllers[r.CtrlID], sim.Reply{}
}

// blockingCalls are the calls without ctrl_id in flight. Each is a client of its
// own to the engine, so that it is answered as soon as it ends.
type blockingCalls struct {
	handed hands

	mu   sync.Mutex
	free []int // clients
}

func newBlockingCalls() *blockingCalls {
	b := &blockingCalls{}
	for i := hostControllers; i < engine.Clients; i++ {
		b.free = append(b.free, i)
	}
	return b
}

// start places a call. finish waits for its end, or that of the context.
func (b *blockingCalls) start(ctx context.Context, d engine.Device,
	call accl.Call) (finish func() (accl.ReturnCode, error), refused *sim.Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) == 0 {
		r := refuse(StatusLimit, "%d calls without ctrl_id are in flight", engine.Clients-hostControllers)
		return nil, &r
	}
	last := len(b.free) - 1
	client := b.free[last]
	ticket, err := d.Start(ctx, client, call)
	if err != nil {
		r := refuse(StatusFailed, "%v", err)
		return nil, &r
	}
	b.free = b.free[:last]
	return func() (accl.ReturnCode, error) {
		code, err := d.Wait(ctx, ticket)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free = append(b.free, client)
		return code, err
	}, nil
}

// hands counts completions that were handed to clients.
type hands struct{ n atomic.Uint64 }

// handed is a completion that a connection was handed.
type handed struct {
	by   *hands // nil for none
	n    uint64
	code uint32
}

// complete hands a completion to the client of a connection. Clients read the
// return code from its word in the exchange memory, where the engine leaves that
// of whatever call has ended last; so the word is written again, and this
// connection will not see what becomes of it through other controllers.
func (c *connection) complete(by *hands, code accl.ReturnCode, err error) sim.Reply {
	if err != nil {
		return refuse(StatusFailed, "%v", err)
	}
	value := uint32(code)
	c.hand(handed{by, by.n.Add(1), value})
	// an engine that has failed says so in the next reply
	_ = c.s.device.WriteReg(c.s.ctx, c.s.generation.returnCode, value)
	return sim.Reply{Code: &value}
}

func (c *connection) hand(h handed) {
	c.handedMu.Lock()
	defer c.handedMu.Unlock()
	c.handed = h
}

// ownCode is the return code of the last call that ended on this connection, if
// no other has been handed one of the same controller since.
func (c *connection) ownCode() (uint32, bool) {
	c.handedMu.Lock()
	defer c.handedMu.Unlock()
	h := c.handed
	return h.code, h.by != nil && h.by.n.Load() == h.n
}
