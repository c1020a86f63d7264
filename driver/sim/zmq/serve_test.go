package zmq_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// echo answers each message with itself, and one that is too large with its
// first frame, if it came, and an error.
func echo(_ context.Context, c *zmq.Conn) {
	for {
		frames, err := c.Recv()
		if errors.Is(err, zmq.ErrTooLarge) && !errors.Is(err, zmq.ErrClosed) {
			frames, err = append(frames[:min(len(frames), 1)], []byte("too large")), nil
		}
		if err != nil || c.Send(frames...) != nil {
			return
		}
	}
}

// serving runs Serve until the test ends, which waits for its end, and returns
// its address.
func serving(t testing.TB, as zmq.Kind, lim zmq.Limits, handle func(context.Context, *zmq.Conn)) string {
	t.Helper()
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- zmq.Serve(ctx, l, as, lim, handle) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			assert.Check(t, err)
		case <-time.After(patience):
			t.Error("Serve does not end")
		}
	})
	return l.Addr().String()
}

func TestMessagesAreAsOnTheWire(t *testing.T) {
	noLeaks(t)
	for _, frames := range [][]string{
		{""}, {"", "body"}, {"id", "", "body"}, {"", strings.Repeat("x", 255)}, {"", strings.Repeat("x", 256)},
		{"", strings.Repeat("y", 1<<20)}, {strings.Repeat("z", 5000), "", "s", strings.Repeat("z", 70000)},
	} {
		p := join(t, serving(t, zmq.Router, zmq.Limits{}, echo), "DEALER")
		p.send(message(frames...), message(frames...))
		p.expect(frames...)
		p.expect(frames...)
		p.Close()
	}
}

func TestASilentPeerHoldsUpNobodyAndIsDropped(t *testing.T) {
	noLeaks(t)
	const limit = 600 * time.Millisecond
	address := serving(t, zmq.Rep, zmq.Limits{Handshake: limit}, echo)
	var silent []peer
	for _, part := range [][]byte{nil, greeting()[:1], greeting()[:10], greeting(),
		append(greeting(), ready("REQ")[:9]...)} {
		p := connect(t, address)
		p.send(part)
		silent = append(silent, p)
	}
	start := time.Now()
	p := join(t, address, "REQ")
	p.send(message("", "now"))
	p.expect("", "now")
	took := time.Since(start)
	assert.Check(t, took <= limit, "the answer took %v", took)
	for _, s := range silent {
		s.ends(10 * limit)
	}
	p.send(message("", "still"))
	p.expect("", "still")
}

func TestPeersThatDoNotSpeakTheProtocolAreDropped(t *testing.T) {
	noLeaks(t)
	address := serving(t, zmq.Rep, zmq.Limits{Handshake: time.Minute}, func(context.Context, *zmq.Conn) {
		t.Error("a peer without a handshake was accepted")
	})
	old := greeting()
	old[10] = 2
	secure := greeting()
	copy(secure[12:], "CURVE")
	huge := append(append(greeting(), 6), binary.BigEndian.AppendUint64(nil, 1<<62)...)
	endless := slices.Concat(greeting(), slices.Repeat([]byte{5, 0}, 100_000))
	for name, bytes := range map[string][]byte{
		"HTTP":                  []byte("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: somebody-else/1.0\r\n\r\n"),
		"zeros":                 make([]byte, 100),
		"an old version":        old,
		"another mechanism":     secure,
		"another command":       append(greeting(), command("HELLO")...),
		"an unknown kind":       append(greeting(), ready("FOO")...),
		"no kind":               append(greeting(), command("READY")...),
		"a kind that is no fit": append(greeting(), ready("SUB")...),
		"short metadata":        append(greeting(), command("READY", 11, 'S')...),
		"shorter metadata":      append(greeting(), command("READY", 0, 0)...),
		"long metadata":         append(greeting(), command("READY", 1, 'a', 0xff, 0xff, 0xff, 0xff)...),
		"a message":             append(greeting(), message("hello")...),
		"an endless handshake":  endless,
		"a huge handshake":      huge,
		"reserved flags":        append(greeting(), 0x84, 0),
	} {
		t.Run(name, func(t *testing.T) {
			p := connect(t, address)
			_, _ = p.Write(bytes) // the other side may have closed before the end
			p.ends(patience)
		})
	}
}

func TestConnectionsBeyondTheLimitAreTurnedAway(t *testing.T) {
	noLeaks(t)
	address := serving(t, zmq.Rep, zmq.Limits{Connections: 3}, echo)
	peers := []peer{join(t, address, "REQ"), join(t, address, "REQ"), join(t, address, "REQ")}
	for range 20 {
		p := connect(t, address)
		p.ends(patience)
	}
	for _, p := range peers {
		p.send(message("", "here"))
		p.expect("", "here")
	}
	peers[0].Close()
	eventually(t, "room for another connection", func() bool {
		p := connect(t, address)
		defer p.Close()
		_, _ = p.Write(slices.Concat(greeting(), ready("REQ")))
		n, _ := io.ReadFull(p, make([]byte, 64))
		return n == 64
	})
}

func TestServeEndsWithItsContextWhateverPeersDo(t *testing.T) {
	noLeaks(t)
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	handling := make(chan struct{}, 4)
	go func() {
		defer close(ended)
		if err := zmq.Serve(ctx, l, zmq.Rep, zmq.Limits{}, func(ctx context.Context, c *zmq.Conn) {
			handling <- struct{}{}
			frames, err := c.Recv()
			for err == nil {
				err = c.Send(frames...)
			}
			assert.Check(t, errors.Is(err, zmq.ErrClosed), "handle ends with %v, want ErrClosed", err)
		}); err != nil {
			t.Error(err)
		}
	}()
	address := l.Addr().String()
	connect(t, address)           // in the handshake
	join(t, address, "REQ")       // idle
	join(t, address, "REQ").send( // never takes its answers
		message(strings.Repeat("x", 1<<16)))
	join(t, address, "REQ").send([]byte{2, 0}) // in a header
	for range 3 {
		<-handling
	}
	cancel()
	wait(t, "the end of Serve", ended)
}

func TestServeWaitsForHandlersAndClosesTheirConnections(t *testing.T) {
	noLeaks(t)
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	handled := make(chan struct{}, 2)
	quiet := make(chan struct{})
	returned := false
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = zmq.Serve(ctx, l, zmq.Rep, zmq.Limits{}, func(ctx context.Context, c *zmq.Conn) {
			frames, err := c.Recv()
			handled <- struct{}{}
			if err == nil && string(frames[0]) == "stay" {
				<-quiet
				returned = true
			}
		})
		assert.Check(t, returned, "Serve ended before a handler")
	}()
	leaves, stays := join(t, l.Addr().String(), "REQ"), join(t, l.Addr().String(), "REQ")
	leaves.send(message("leave"))
	leaves.ends(patience)
	stays.send(message("stay"))
	<-handled
	<-handled
	cancel()
	stays.ends(patience)
	time.AfterFunc(20*time.Millisecond, func() { close(quiet) })
	wait(t, "the end of Serve", ended)
}
