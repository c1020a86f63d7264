package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/sim"
)

// subscriber is the engine's side of the kernel stream into it.
func subscriber(t *testing.T, e sim.Endpoints, topic string) zmq4.Socket {
	t.Helper()
	ctx, cancel := context.WithCancel(within(t))
	// until the context ends
	sub := zmq4.NewSub(ctx, zmq4.WithLogger(log.New(io.Discard, "", 0)), zmq4.WithDialerMaxRetries(-1))
	t.Cleanup(func() {
		cancel()
		_ = sub.Close()
	})
	assert.NilError(t, sub.SetOption(zmq4.OptionSubscribe, topic))
	assert.NilError(t, sub.Dial("tcp://"+e.KernelIn(0)))
	return sub
}

func dataOf(t *testing.T, text []byte) []byte {
	t.Helper()
	var message struct{ Data []int }
	assert.NilError(t, json.Unmarshal(text, &message))
	b := make([]byte, len(message.Data))
	for i, v := range message.Data {
		b[i] = byte(v)
	}
	return b
}

func TestPushPublishesWholeBeats(t *testing.T) {
	for _, c := range []struct {
		name, platform, subscribed string
		tdest                      uint32
		topic                      string
	}{
		{"to everything", platform2024, "", 9, "9"},
		{"to the destination", platform2024, "7", 7, "7"},
		{"to destination 0 only", platform2024, "0", 7, "0"},
		{"2022, to the rank", platform2022, "0", 0, "0"},
	} {
		s := newServer(t).start()
		d := s.open(c.platform)
		pushed := make(chan error, 1)
		data := bytes.Repeat([]byte{1, 2, 250}, 50000)
		go func() { pushed <- d.Push(within(t), c.tdest, data) }()
		sub := subscriber(t, s.endpoints, c.subscribed)
		var got []byte
		for len(got) < len(data) {
			m, err := sub.Recv()
			assert.NilError(t, err)
			piece := dataOf(t, m.Frames[1])
			if string(m.Frames[0]) != c.topic || len(m.Frames) != 2 || len(piece)%64 != 0 || len(piece) == 0 {
				t.Fatalf("%s: topic %q, %d frames, %d bytes", c.name, m.Frames[0], len(m.Frames), len(piece))
			}
			got = append(got, piece...)
		}
		assert.Check(t, <-pushed, "%s", c.name)
		assert.Check(t, bytes.Equal(got, append(data, make([]byte, 64-len(data)%64)...)),
			"%s: %d bytes came, or others", c.name, len(got))
	}
}

// Servers of 2022 subscribe to their rank.
func TestPushToARankThatListensToItsNumber(t *testing.T) {
	e := freePorts(t, 2)
	s := newServer(t)
	s.endpoints = sim.Endpoints{Port: e.Port + 1, Ranks: 1}
	s.start()
	d := openAt(t, platform2022, sim.Options{Endpoints: e, Rank: 1})
	pushed := make(chan error, 1)
	go func() { pushed <- d.Push(within(t), 0, make([]byte, 64)) }()
	sub := subscriber(t, sim.Endpoints{Port: e.Port + 4, Ranks: 1}, "1") // e.KernelIn(1) is 3·2+1 from the start
	m, err := sub.Recv()
	assert.Check(t, err == nil && string(m.Frames[0]) == "1", "%q, %v", m.Frames, err)
	assert.NilError(t, <-pushed)
}

func TestPushEndsWithItsContext(t *testing.T) {
	s := newServer(t).start()
	d := s.open(platform2024)
	assert.Check(t, is.ErrorIs(d.Push(briefly(t), 0, make([]byte, 64)), context.DeadlineExceeded), "nobody listens")
	other := openAt(t, platform2024, sim.Options{Endpoints: s.endpoints})
	assert.Check(t, other.Push(within(t), 0, make([]byte, 64)) != nil, "two clients stand in for one kernel")
	subscriber(t, s.endpoints, "") // reads nothing
	assert.NilError(t, d.Push(within(t), 0, make([]byte, 64)))
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	assert.Check(t, is.ErrorIs(d.Push(ctx, 0, make([]byte, 64<<20)), context.DeadlineExceeded), "nobody reads")
}

func TestPullTakesWholeBeatsOfOneDestination(t *testing.T) {
	s := newServer(t).start()
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	pub := zmq4.NewPub(ctx, zmq4.WithLogger(log.New(io.Discard, "", 0)))
	defer pub.Close()
	assert.NilError(t, pub.Listen("tcp://"+s.endpoints.KernelOut(0)))
	d := s.open(platform2024)
	assert.NilError(t, d.ListenKernel(ctx))
	send := func(topic, text string) {
		t.Helper()
		assert.NilError(t, pub.SendMulti(zmq4.NewMsgFrom([]byte(topic), []byte(text))))
	}
	first := bytes.Repeat([]byte{200}, 100)
	send("5", string(sim.AppendData(nil, first)))
	send("6", `{ "data": [ -1, 2.0 ] }`)
	send("7", `{"data":[]}`)
	send("8", `{"data":[256]}`)
	send("nine", `{"data":[1]}`)
	send("10", `{"data":[10]}`)
	pull := func(max int, tdest uint32, want []byte) {
		t.Helper()
		at, data, err := d.Pull(ctx, max)
		assert.Check(t, err == nil && at == tdest && bytes.Equal(data, want), "TDEST %d, %v, %v", at, data, err)
	}
	beat := func(b ...byte) []byte { return append(b, make([]byte, 64-len(b))...) }
	pull(127, 5, first[:64])
	pull(1<<20, 5, beat(first[64:]...))
	pull(64, 6, beat(255, 2))
	for range 2 {
		_, _, err := d.Pull(ctx, 64)
		assert.Check(t, errors.Is(err, sim.ErrMessage), "what cannot be read: %v", err)
	}
	pull(64, 10, beat(10))
	_, _, err := d.Pull(ctx, 63)
	assert.Check(t, err != nil, "less than a beat was taken")
	_, _, err = d.Pull(briefly(t), 64)
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "nothing there: %v", err)
	for i := range 100 { // more than are kept here
		send("1", fmt.Sprintf(`{"data":[%d]}`, i))
	}
	for i := range 100 {
		pull(64, 1, beat(byte(i)))
	}
	_ = pub.Close()
	_, _, err = d.Pull(ctx, 64)
	assert.Check(t, err != nil && !errors.Is(err, context.DeadlineExceeded), "the publisher is gone: %v", err)
}
