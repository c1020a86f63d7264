package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

const (
	// openCalls is how many calls without ctrl_id are in flight at a time; config
	// calls, of which a reset must come through, have some places more.
	openCalls       = 400
	openConfigCalls = 480
)

// blocking places calls without ctrl_id. All go through one connection, because
// the engine must start them in the order in which they were placed; what comes
// before the empty frame tells their replies apart.
//
// A plain REP server has one call at a time, and does not tell the return code:
// that is read from the exchange memory, before the next call may be sent.
type blocking struct {
	d      *Device
	config uint32 // scenario of config calls

	dialing chan struct{} // held by who connects
	sending sync.Mutex    // calls are sent in the order in which they are noted

	mu      sync.Mutex
	conn    *zmq.Conn // nil if there is none
	last    uint64
	open    map[uint64]*engine.Answer
	places  int           // taken
	tells   bool          // the server tells return codes
	changed chan struct{} // closed when places or tells change
}

func newBlocking(d *Device) *blocking {
	b := &blocking{d: d, dialing: make(chan struct{}, 1), open: map[uint64]*engine.Answer{}, changed: make(chan struct{})}
	if config := d.p.Operation("config"); config != nil {
		b.config = config.Value
	}
	return b
}

func (b *blocking) start(ctx context.Context, _ int, call accl.Call) (*engine.Answer, error) {
	if err := b.admit(ctx, call.Scenario == b.config); err != nil {
		return nil, err
	}
	r := Request{Type: Call, Call: call}
	conn, err := b.connect(ctx)
	if err != nil {
		b.leave(false)
		return nil, fmt.Errorf("%s: %w", what(b.d.address, &r), err)
	}
	return b.send(conn, &r)
}

// admit waits until there is a place for a call.
func (b *blocking) admit(ctx context.Context, config bool) error {
	for {
		b.mu.Lock()
		most := 1
		switch {
		case b.tells && config:
			most = openConfigCalls
		case b.tells:
			most = openCalls
		}
		if b.places < most {
			b.places++
			b.mu.Unlock()
			return nil
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("sim: the server at %s has not answered the calls before: %w", b.d.address, context.Cause(ctx))
		}
	}
}

// leave frees a place. tells reports that the server has returned a return code.
func (b *blocking) leave(tells bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.places--
	b.tells = b.tells || tells
	close(b.changed)
	b.changed = make(chan struct{})
}

// send places a call that has a place. The caller's context does not end it, because the
// message is small and other calls follow it.
func (b *blocking) send(conn *zmq.Conn, r *Request) (*engine.Answer, error) {
	b.sending.Lock()
	defer b.sending.Unlock()
	t := engine.NewAnswer()
	b.mu.Lock()
	err := zmq.ErrClosed
	if b.conn == conn {
		err = nil
	}
	b.last++
	id := b.last
	b.open[id] = t
	b.mu.Unlock()
	if err == nil {
		err = conn.Send(binary.BigEndian.AppendUint64(nil, id), nil, r.Append(nil))
	}
	if err == nil {
		return t, nil
	}
	b.mu.Lock()
	_, mine := b.open[id]
	delete(b.open, id)
	b.mu.Unlock()
	if mine { // otherwise the connection's end has answered it
		b.leave(false)
	}
	return nil, fmt.Errorf("%s: %w", what(b.d.address, r), err)
}

// connect is the connection, made if there is none.
func (b *blocking) connect(ctx context.Context) (*zmq.Conn, error) {
	select {
	case b.dialing <- struct{}{}:
		defer func() { <-b.dialing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	b.mu.Lock()
	conn := b.conn
	b.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	conn, err := zmq.Dial(ctx, b.d.address, zmq.Dealer, zmq.Limits{})
	if err != nil {
		return nil, orCause(ctx, err)
	}
	b.mu.Lock()
	b.conn = conn
	b.mu.Unlock()
	if err := b.d.spawn(func() { b.receive(conn) }); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// receive gives replies to calls until the connection ends.
func (b *blocking) receive(conn *zmq.Conn) {
	defer context.AfterFunc(b.d.life, func() { _ = conn.Close() })()
	var err error
	for err == nil {
		var frames [][]byte
		if frames, err = conn.Recv(); err == nil {
			err = b.reply(frames)
		}
	}
	_ = conn.Close()
	if b.d.life.Err() != nil {
		err = ErrClosed
	}
	b.mu.Lock()
	lost := b.open
	b.open = map[uint64]*engine.Answer{}
	b.conn = nil
	b.mu.Unlock()
	for _, t := range lost {
		t.Give(0, fmt.Errorf("sim: call at %s: no answer: %w", b.d.address, err))
		b.leave(false)
	}
}

// reply assigns a reply to its call. The error is that of a server that violates the
// protocol.
func (b *blocking) reply(frames [][]byte) error {
	if len(frames) != 3 || len(frames[0]) != 8 || len(frames[1]) != 0 {
		return fmt.Errorf("%w: a reply has %d frames, not the envelope of its call and a body", ErrMessage, len(frames))
	}
	id := binary.BigEndian.Uint64(frames[0])
	b.mu.Lock()
	t := b.open[id]
	delete(b.open, id)
	b.mu.Unlock()
	if t == nil {
		return fmt.Errorf("%w: a reply to no call: %s", ErrMessage, bytes.ToValidUTF8(frames[2][:min(len(frames[2]), 80)],
			[]byte("?")))
	}
	reply, err := ParseReply(frames[2])
	if err == nil {
		err = b.d.refused(&Request{Type: Call}, reply)
	} else {
		err = fmt.Errorf("sim: call at %s: %w", b.d.address, err)
	}
	if err != nil || reply.Code != nil {
		b.end(t, reply, err)
		return nil
	}
	// The reply to reading the code may come after others here.
	if b.d.spawn(func() {
		code, err := b.d.code(reply)
		t.Give(code, err)
		b.leave(false)
	}) != nil {
		b.end(t, reply, ErrClosed)
	}
	return nil
}

func (b *blocking) end(t *engine.Answer, reply Reply, err error) {
	code := accl.ReturnCode(0)
	if reply.Code != nil {
		code = accl.ReturnCode(*reply.Code)
	}
	t.Give(code, err)
	b.leave(reply.Code != nil)
}

func (b *blocking) close() {}
