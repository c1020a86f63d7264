package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// openBlockingCalls bounds the calls without ctrl_id that a connection has in
// flight. When they are reached, nothing more is read from it.
const openBlockingCalls = 512

// connection is a client. Its requests are done in the order in which they come,
// but calls without ctrl_id are only started: their answers come later.
type connection struct {
	s    *Server
	conn *zmq.Conn
	gone atomic.Bool // it has ended

	requests int       // that have come and could be read
	told     sync.Once // of the log, why the client is refused

	open    chan struct{} // has one for each call without ctrl_id in flight
	pending chan struct{} // closed when the call is answered that the next request waits for; nil if it needs not

	handedMu sync.Mutex
	handed   handed // the last completion

	replyMu sync.Mutex // conn.Send is for one goroutine at a time
	buffer  []byte     // of the last reply
}

// keptBytes is how large a buffer for replies a connection keeps.
const keptBytes = 1 << 20

// serve is what zmq.Serve runs for each connection.
func (s *Server) serve(ctx context.Context, conn *zmq.Conn) {
	c := &connection{s: s, conn: conn, open: make(chan struct{}, openBlockingCalls)}
	s.counters.clients.Add(1)
	defer func() {
		c.gone.Store(true)
		s.counters.clients.Add(-1)
	}()
	for {
		frames, failed := conn.Recv()
		if errors.Is(failed, zmq.ErrClosed) || !c.ready(ctx) {
			return
		}
		envelope, body := unwrap(frames)
		var err error
		switch {
		case errors.Is(failed, zmq.ErrTooLarge): // what came of it before is the envelope, or begins with it
			if len(envelope) == 0 {
				envelope = frames
			}
			err = c.reply(envelope, unsigned(refuse(StatusLimit, "%v", failed))) // only memory writes are so large
		case failed != nil:
			return
		default:
			err = c.request(ctx, envelope, body)
		}
		if err != nil {
			return
		}
	}
}

// unwrap parts the frames of a message: the envelope, which goes back before the
// reply, ends with the first empty frame; if there is none, all but the last
// frame are envelope.
func unwrap(frames [][]byte) (envelope, body [][]byte) {
	for i, f := range frames {
		if len(f) == 0 {
			return frames[:i+1], frames[i+1:]
		}
	}
	last := max(len(frames)-1, 0)
	return frames[:last], frames[last:]
}

// ready waits until the next request may be done.
func (c *connection) ready(ctx context.Context) bool {
	if c.pending == nil {
		return true
	}
	select {
	case <-c.pending:
		c.pending = nil
		return true
	case <-ctx.Done():
		return false
	}
}

// request does a request and answers it, or starts a call that is answered when
// it has ended.
func (c *connection) request(ctx context.Context, envelope, body [][]byte) error {
	s := c.s
	if len(body) != 1 {
		return c.reply(envelope, refuse(StatusMalformed, "%d frames after the envelope: the one with the request expected",
			len(body)))
	}
	r, err := sim.ParseRequest(body[0])
	if err != nil {
		return c.reply(envelope, refuse(StatusMalformed, "%v", err))
	}
	s.counters.count(r.Type)
	c.requests++
	if r.Type == sim.Call && !r.Controlled {
		if refused := s.generation.refuses(&r, s.word); refused != nil {
			return c.reply(envelope, *refused)
		}
		return c.block(ctx, envelope, r.Call)
	}
	return c.reply(envelope, c.do(ctx, &r))
}

// block starts a call whose reply is its completion. It is started before the
// next request is read. Clients that put something into the envelope tell
// replies apart by that and get them as calls end; all others get them in the
// order of their requests.
func (c *connection) block(ctx context.Context, envelope [][]byte, call accl.Call) error {
	select {
	case c.open <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s := c.s
	finish, refused := s.blocking.start(s.ctx, s.device, call)
	if refused != nil {
		<-c.open
		return c.reply(envelope, *refused)
	}
	answered := make(chan struct{})
	if len(envelope) < 2 {
		c.pending = answered
	}
	s.counters.open.Add(1)
	s.tasks.Go(func() {
		code, err := finish()
		s.counters.open.Add(-1)
		if !c.gone.Load() {
			_ = c.reply(envelope, c.complete(&s.blocking.handed, code, err)) // a client that is gone gets no answer
		}
		<-c.open
		close(answered)
	})
	return nil
}

// tell says once in the log that the client is refused, and why.
func (c *connection) tell(why string) {
	c.told.Do(func() { c.s.refused(c.conn.RemoteAddr(), errors.New(why)) })
}

// reply answers a request.
func (c *connection) reply(envelope [][]byte, r sim.Reply) error {
	if r.Status != StatusGood && r.Status != StatusNot {
		c.s.counters.refused.Add(1)
		if unsigned(r).Status != -StatusFailed {
			c.tell(r.Error)
		}
	}
	c.replyMu.Lock()
	defer c.replyMu.Unlock()
	b := r.Append(c.buffer[:0])
	if cap(b) <= keptBytes {
		c.buffer = b
	}
	frames := append(make([][]byte, 0, len(envelope)+1), envelope...)
	err := c.conn.Send(append(frames, b)...)
	if errors.Is(err, zmq.ErrTooLarge) {
		r = unsigned(refuse(StatusLimit, "the reply: %v", err)) // only memory reads have one so large
		err = c.conn.Send(append(frames, r.Append(nil))...)
	}
	return err
}
