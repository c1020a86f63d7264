package sim

import (
	"context"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// line is a connection to the server that carries one request at a time. It is made when
// it is needed, and made again after an error. One goroutine may use it at a time.
type line struct {
	address string
	conn    *zmq.Conn
}

// texts are buffers for requests.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// do sends a request and returns the reply, good or not. sent reports whether the server
// may have got the request. If the context ends first, do closes the connection, so that
// the reply is not taken for that of another request.
func (l *line) do(ctx context.Context, r *Request) (reply Reply, sent bool, err error) {
	if ctx.Err() != nil {
		return reply, false, fmt.Errorf("%s: %w", what(l.address, r), context.Cause(ctx))
	}
	if l.conn == nil {
		if l.conn, err = zmq.Dial(ctx, l.address, zmq.Req, zmq.Limits{}); err != nil {
			l.conn = nil
			return reply, false, fmt.Errorf("%s: %w", what(l.address, r), orCause(ctx, err))
		}
	}
	conn := l.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	reply, err = exchange(conn, r)
	if !stop() || err != nil {
		_ = conn.Close()
		l.conn = nil
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("no answer: %w", context.Cause(ctx))
		}
		return reply, true, fmt.Errorf("%s: %w", what(l.address, r), err)
	}
	return reply, true, nil
}

func (l *line) close() {
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

// what names a request in errors.
func what(address string, r *Request) string {
	switch r.Type {
	case Call, CallWait:
		return fmt.Sprintf("sim: %s at %s", r.Type, address)
	}
	return fmt.Sprintf("sim: %s of 0x%X at %s", r.Type, r.Addr, address)
}

// exchange sends a request and reads the reply.
func exchange(conn *zmq.Conn, r *Request) (Reply, error) {
	text := texts.Get().(*[]byte)
	*text = r.Append((*text)[:0])
	err := conn.Send(nil, *text)
	texts.Put(text)
	if err != nil {
		return Reply{}, err
	}
	frames, err := conn.Recv()
	if err != nil {
		return Reply{}, err
	}
	if len(frames) != 2 || len(frames[0]) != 0 {
		return Reply{}, fmt.Errorf("%w: %d frames, where an empty one and the reply are expected", ErrMessage, len(frames))
	}
	return ParseReply(frames[1])
}

// orCause is why the context has ended, if it has.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// lines are connections that requests take turns on.
type lines struct {
	address string
	slots   chan struct{}

	mu   sync.Mutex
	idle []*line // the last one used is the next
	shut bool
}

func newLines(address string, most int) *lines {
	return &lines{address: address, slots: make(chan struct{}, most)}
}

// do is line.do on a line that is free.
func (p *lines) do(ctx context.Context, r *Request) (Reply, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return Reply{}, fmt.Errorf("sim: %s at %s: earlier requests are not answered: %w", r.Type, p.address,
			context.Cause(ctx))
	}
	defer func() { <-p.slots }()
	l := p.take()
	reply, _, err := l.do(ctx, r)
	p.give(l)
	return reply, err
}

func (p *lines) take() *line {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return &line{address: p.address}
	}
	l := p.idle[last]
	p.idle = p.idle[:last]
	return l
}

func (p *lines) give(l *line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		l.close()
	} else if l.conn != nil {
		p.idle = append(p.idle, l)
	}
}

func (p *lines) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = true
	for _, l := range p.idle {
		l.close()
	}
	p.idle = nil
}
