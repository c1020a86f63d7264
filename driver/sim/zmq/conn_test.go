package zmq_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// accepted dials a raw peer, and returns both ends.
func accepted(t *testing.T, as zmq.Kind, peerKind string, lim zmq.Limits) (*zmq.Conn, peer) {
	t.Helper()
	l := listen(t)
	peers := make(chan peer, 1)
	go func() {
		raw, err := l.Accept()
		if err != nil {
			close(peers)
			return
		}
		_ = raw.SetDeadline(time.Now().Add(2 * patience))
		_, _ = raw.Write(slices.Concat(greeting(), ready(peerKind)))
		peers <- peer{t, raw}
	}()
	c, err := zmq.Dial(t.Context(), l.Addr().String(), as, lim)
	assert.NilError(t, err)
	t.Cleanup(func() { c.Close() })
	p := <-peers
	t.Cleanup(func() { p.Close() })
	p.bytes(64)
	p.frame()
	return c, p
}

func texts(frames [][]byte) []string {
	var s []string
	for _, f := range frames {
		s = append(s, string(f))
	}
	return s
}

func TestDialSaysWhyItFails(t *testing.T) {
	noLeaks(t)
	gone := listen(t)
	gone.Close()
	silent := listen(t)
	pub := serving(t, zmq.Pub, zmq.Limits{}, echo)
	full := serving(t, zmq.Rep, zmq.Limits{Connections: 1}, echo)
	join(t, full, "REQ")
	for name, c := range map[string]struct {
		limit   time.Duration // of the context
		address string
		lim     zmq.Limits
		want    string
	}{
		"nobody listens": {time.Minute, gone.Addr().String(), zmq.Limits{}, "refused"},
		"no port":        {time.Minute, "127.0.0.1", zmq.Limits{}, "missing port"},
		"silence": {time.Minute, silent.Addr().String(), zmq.Limits{Handshake: 50 * time.Millisecond},
			"deadline"},
		"the context ends":    {50 * time.Millisecond, silent.Addr().String(), zmq.Limits{}, "deadline"},
		"another kind":        {time.Minute, pub, zmq.Limits{}, "not compatible"},
		"it accepts and ends": {time.Minute, full, zmq.Limits{}, "handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			start := time.Now()
			conn, err := zmq.Dial(ctx, c.address, zmq.Req, c.lim)
			if err == nil {
				conn.Close()
				t.Fatal("no error")
			}
			host, _, _ := strings.Cut(c.address, ":")
			assert.Check(t, strings.Contains(err.Error(), c.want) && strings.Contains(err.Error(), host),
				"error %q does not say %q and the address", err, c.want)
			assert.Check(t, is.Equal(errors.Is(err, zmq.ErrKind), (c.address == pub)), "error %v is ErrKind", err)
			took := time.Since(start)
			assert.Check(t, took <= patience/2, "it took %v", took)
		})
	}
}

func TestSendKeepsToTheLimits(t *testing.T) {
	c, p := accepted(t, zmq.Dealer, "ROUTER", zmq.Limits{MessageBytes: 1000, Frames: 3})
	for _, frames := range [][][]byte{{make([]byte, 1001)}, {make([]byte, 500), make([]byte, 501)}, {nil, nil, nil, nil}} {
		if err := c.Send(frames...); !errors.Is(err, zmq.ErrTooLarge) || errors.Is(err, zmq.ErrClosed) {
			t.Errorf("%d frames: %v, want ErrTooLarge", len(frames), err)
		}
	}
	assert.Check(t, c.Send() != nil, "a message without frames was sent")
	assert.NilError(t, c.Send([]byte("a"), nil, make([]byte, 999)))
	p.expect("a", "", strings.Repeat("\x00", 999))
}

func TestBuffersMayBeUsedAgainAfterSend(t *testing.T) {
	c, p := accepted(t, zmq.Dealer, "ROUTER", zmq.Limits{})
	short, long := make([]byte, 100), make([]byte, 100_000)
	go func() {
		for i := range byte(20) {
			copy(short, bytes.Repeat([]byte{'a' + i}, len(short)))
			copy(long, bytes.Repeat([]byte{'A' + i}, len(long)))
			assert.Check(t, c.Send(short, long, short))
		}
	}()
	for i := range 20 {
		s, l := strings.Repeat(string(rune('a'+i)), 100), strings.Repeat(string(rune('A'+i)), 100_000)
		p.expect(s, l, s)
	}
}

func TestRecvTimesOutBetweenMessagesAndGoesOn(t *testing.T) {
	c, p := accepted(t, zmq.Req, "REP", zmq.Limits{})
	whole := message("", strings.Repeat("x", 300), "y")
	for _, split := range []int{0, 1} { // nothing, and half a header
		p.send(whole[:split])
		for range 2 {
			c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			if _, err := c.Recv(); !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, zmq.ErrClosed) {
				t.Fatalf("after %d bytes: %v, want a deadline and no end", split, err)
			}
		}
		p.send(whole[split:])
		c.SetReadDeadline(time.Time{})
		if frames, err := c.Recv(); err != nil || !slices.Equal(texts(frames), []string{"", strings.Repeat("x", 300), "y"}) {
			t.Fatalf("after %d bytes: %.100q, %v", split, frames, err)
		}
	}
	p.send(whole[:20])
	c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := c.Recv(); !errors.Is(err, os.ErrDeadlineExceeded) || !errors.Is(err, zmq.ErrClosed) {
		t.Fatalf("within a message: %v, want a deadline and the end", err)
	}
	_, err := c.Recv()
	assert.ErrorIs(t, err, zmq.ErrClosed, "after the end")
}

func TestADeadlineWakesRecv(t *testing.T) {
	c, _ := accepted(t, zmq.Req, "REP", zmq.Limits{})
	time.AfterFunc(20*time.Millisecond, func() { c.SetReadDeadline(time.Now()) })
	_, err := c.Recv()
	assert.Check(t, errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
}

func TestTheEndOfAConnectionIsClosedAndSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(c *zmq.Conn, p peer)
		want error
	}{
		"the peer leaves": {func(_ *zmq.Conn, p peer) { p.Close() }, io.EOF},
		"the peer leaves within a header": {func(_ *zmq.Conn, p peer) { p.send([]byte{2, 0}); p.Close() },
			io.ErrUnexpectedEOF},
		"the peer leaves within a frame": {func(_ *zmq.Conn, p peer) { p.send([]byte{0, 9, 1}); p.Close() },
			io.ErrUnexpectedEOF},
		"the connection is closed here": {func(c *zmq.Conn, _ peer) { c.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			conn, p := accepted(t, zmq.Req, "REP", zmq.Limits{})
			got := make(chan error)
			go func() {
				_, err := conn.Recv()
				got <- err
			}()
			time.Sleep(5 * time.Millisecond)
			c.end(conn, p)
			if err := <-got; !errors.Is(err, zmq.ErrClosed) || !errors.Is(err, c.want) ||
				!strings.Contains(err.Error(), "127.0.0.1:") {
				t.Errorf("Recv: %v, want ErrClosed, %v and the peer's address", err, c.want)
			}
			err := conn.Send([]byte("x"))
			assert.Check(t, errors.Is(err, zmq.ErrClosed), "Send: %v, want ErrClosed", err)
			assert.NilError(t, conn.Close())
		})
	}
}
