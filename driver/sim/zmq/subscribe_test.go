package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

func TestSubscribeFollowsAPublisherThatComesAndGoes(t *testing.T) {
	noLeaks(t)
	l := listen(t)
	address := l.Addr().String()
	l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan []string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := zmq.Subscribe(ctx, address, []string{"a", "b"}, zmq.Limits{MessageBytes: 1000},
			func(frames [][]byte) { got <- texts(frames) })
		assert.Check(t, is.ErrorIs(err, context.Canceled))
	}()
	next := func(want ...string) {
		t.Helper()
		select {
		case m := <-got:
			assert.Check(t, slices.Equal(m, want), "got %.100q, want %.100q", m, want)
		case <-time.After(patience):
			t.Fatalf("timed out: %.100q", want)
		}
	}
	for life := range 3 {
		time.Sleep(10 * time.Millisecond)
		l, err := net.Listen("tcp", address)
		assert.NilError(t, err)
		p := zmq.NewPublisher(l, zmq.Limits{}, 1<<20)
		subscribed(t, p, "a")
		subscribed(t, p, "b")
		publish(t, p, "c", "not for us")
		publish(t, p, "b", strings.Repeat("x", 1000)) // beyond its limit
		publish(t, p, "a1", fmt.Sprint(life))
		next() // connected
		next() // skipped
		next("a1", fmt.Sprint(life))
		p.Close()
	}
	cancel()
	wait(t, "the end of Subscribe", ended)
}

func TestSubscribeEndsWithItsContext(t *testing.T) {
	silent := listen(t)
	p, address := publisher(t, zmq.Limits{}, 1<<20)
	gone := listen(t)
	gone.Close()
	for name, address := range map[string]string{
		"in a read": address, "in a handshake": silent.Addr().String(), "between attempts": gone.Addr().String(),
	} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)
			start := time.Now()
			err := zmq.Subscribe(ctx, address, []string{"x"}, zmq.Limits{Handshake: time.Minute}, func([][]byte) {})
			if took := time.Since(start); !errors.Is(err, context.Canceled) || took < 90*time.Millisecond || took > patience {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
	eventually(t, "the end of the connection", func() bool { return !p.Subscribed([]byte("x")) })
	assert.Check(t, zmq.Subscribe(t.Context(), "no port", nil, zmq.Limits{}, nil) != nil,
		"an address without a port is none")
}
