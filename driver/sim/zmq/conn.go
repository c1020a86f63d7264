package zmq

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// Conn is a connection to one peer. One goroutine at a time may call Send, and one Recv;
// any may call Close.
type Conn struct {
	guard     *guard
	zmtp      *zmq4.Conn
	limits    Limits // of what is sent
	subscribe func(topic []byte, cancel bool) error

	sending sync.Mutex
	pong    atomic.Pointer[[]byte] // context of the ping that is to be answered
}

// Dial connects to a socket at host:port. It makes one attempt, within Limits.Handshake;
// ctx ends the attempt, not the connection. A connection of kind Sub has no subscriptions
// yet.
func Dial(ctx context.Context, address string, as Kind, l Limits) (*Conn, error) {
	l = l.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, l.Handshake)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s socket: %w", as, err)
	}
	return handshake(ctx, raw, as, l, false)
}

// handshake takes the connection over, and closes it if the peer does not
// speak ZMTP with a fitting kind of socket before ctx ends.
func handshake(ctx context.Context, raw net.Conn, as Kind, l Limits, server bool) (*Conn, error) {
	release := whenDone(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	c := &Conn{guard: newGuard(raw, l), limits: l}
	err := c.open(as, server)
	if !release() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = c.guard.open(c.command)
	}
	if err != nil {
		_ = raw.Close()
		if cause := ctx.Err(); cause != nil {
			err = cause
		}
		return nil, fmt.Errorf("ZeroMQ handshake with %v: %w", raw.RemoteAddr(), err)
	}
	return c, nil
}

// open turns panics of zmq4 into errors: it panics at metadata that is too
// short, and at kinds of sockets that it does not know.
func (c *Conn) open(as Kind, server bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: metadata: %v", errFraming, r)
		}
	}()
	c.zmtp, err = zmq4.Open(c.guard, null.Security(), zmq4.SocketType(as), nil, server, nil)
	if err != nil && strings.Contains(err.Error(), " not compatible with ") { // zmq4 has no error value for it
		text := err.Error()
		return fmt.Errorf("%w: %s", ErrKind, text[strings.LastIndex(text, ": ")+2:])
	}
	return err
}

// Send sends a message. The frames can be reused when it returns. A message beyond the
// limits is not sent; the error matches ErrTooLarge. After any other error the connection
// is closed, and the error matches ErrClosed.
func (c *Conn) Send(frames ...[]byte) error { return c.send(frames) }

func (c *Conn) send(messages ...[][]byte) error {
	for _, frames := range messages {
		if err := c.limits.check(frames); err != nil {
			return fmt.Errorf("send to %v: %w", c.RemoteAddr(), err)
		}
	}
	if err := c.sendAll(messages); err != nil {
		return c.lost("send to", err)
	}
	return c.answer()
}

func (c *Conn) sendAll(messages [][][]byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	for _, frames := range messages {
		if err := c.zmtp.SendMsg(zmq4.NewMsgFrom(frames...)); err != nil {
			return err
		}
	}
	return c.guard.out.Flush()
}

// Recv returns the frames of the next message, as they are on the wire.
//
// If the message is beyond the limits, the error matches ErrTooLarge, and Recv returns
// the frames before. If the error does not match ErrClosed as well, the next Recv skips
// the rest, and the connection can still be used. If a deadline passes between two
// messages (os.ErrDeadlineExceeded without ErrClosed), Recv may be called again. After
// any other error the connection is closed, and the error matches ErrClosed.
func (c *Conn) Recv() ([][]byte, error) {
	msg, err := c.zmtp.RecvMsg()
	if err == nil {
		return msg.Frames, nil
	}
	usable := !c.guard.broken && errors.Is(err, ErrTooLarge) ||
		c.guard.between() && errors.Is(err, os.ErrDeadlineExceeded)
	if usable {
		return msg.Frames, fmt.Errorf("receive from %v: %w", c.RemoteAddr(), err)
	}
	return msg.Frames, c.lost("receive from", err)
}

func (c *Conn) lost(doing string, err error) error {
	_ = c.Close()
	return fmt.Errorf("%s %v: %w: %w", doing, c.RemoteAddr(), ErrClosed, err)
}

// SetReadDeadline sets the time after which Recv returns os.ErrDeadlineExceeded; the zero
// time means never. It may be called while Recv waits.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.guard.SetReadDeadline(t) }

// RemoteAddr is the address of the peer.
func (c *Conn) RemoteAddr() net.Addr { return c.guard.RemoteAddr() }

// Close ends Send and Recv. It does not wait until the peer has received all messages.
func (c *Conn) Close() error {
	if err := c.guard.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// command acts on a command that comes between messages. Those that are not
// known are ignored.
func (c *Conn) command(name string, body []byte) error {
	switch name {
	case zmq4.CmdPing: // 2 bytes of time to live, and a context that comes back
		if len(body) < 2 {
			return fmt.Errorf("%w: a ping of %d bytes", errFraming, len(body))
		}
		back := bytes.Clone(body[2:min(len(body), 2+16)])
		c.pong.Store(&back)
		return c.answer()
	case zmq4.CmdSubscribe, zmq4.CmdCancel:
		if c.subscribe != nil {
			return c.subscribe(body, name == zmq4.CmdCancel)
		}
	}
	return nil
}

// answer sends the pong that is due. Whoever is sending meanwhile sends it
// afterwards, so that Recv is not held up.
func (c *Conn) answer() error {
	for c.pong.Load() != nil && c.sending.TryLock() {
		err := c.sendPong()
		c.sending.Unlock()
		if err != nil {
			return c.lost("answer", err)
		}
	}
	return nil
}

func (c *Conn) sendPong() error {
	back := c.pong.Swap(nil)
	if back == nil {
		return nil
	}
	if err := c.zmtp.SendCmd(zmq4.CmdPong, *back); err != nil {
		return err
	}
	return c.guard.out.Flush()
}
