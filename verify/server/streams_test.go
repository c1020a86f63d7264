package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu"
)

// kernel is a bus-functional client: what stands in for the user kernel.
type kernel struct {
	t       *testing.T
	out, in *peer
}

// publishFor binds the socket on which a kernel sends to its engine, and waits
// until the server has subscribed.
func publishFor(t *testing.T, s *served, rank int) *peer {
	t.Helper()
	p := dialless(zmq4.NewPub)
	t.Cleanup(p.hangUp)
	assert.NilError(t, p.Listen(s.kernelIn(rank)))
	topics := p.Socket.(zmq4.Topics)
	waitFor(t, "the server's subscription", func() bool { return len(topics.Topics()) > 0 })
	return p
}

func subscribeTo(t *testing.T, s *served, rank int) *peer {
	t.Helper()
	p := dial(t, s.kernelOut(rank), zmq4.NewSub)
	assert.NilError(t, p.SetOption(zmq4.OptionSubscribe, ""))
	return p
}

func (k *kernel) push(tdest string, data []byte) {
	k.t.Helper()
	numbers := make([]int, len(data))
	for i, v := range data {
		numbers[i] = int(v)
	}
	k.send([]byte(tdest), []byte(text(message{"data": numbers})))
}

func (k *kernel) send(frames ...[]byte) {
	k.t.Helper()
	assert.NilError(k.t, k.in.SendMulti(zmq4.NewMsgFrom(frames...)))
}

// pull reads bytes of one TDEST, in however many messages they come.
func (k *kernel) pull(tdest string, bytes int) []byte {
	k.t.Helper()
	var out []byte
	for len(out) < bytes {
		frames, err := k.out.receive()
		assert.Assert(k.t, err == nil && len(frames) == 2, "%q, %v", frames, err)
		assert.Assert(k.t, string(frames[0]) == tdest, "TDEST %q, and not %q", frames[0], tdest)
		var m struct {
			Data []int `json:"data"`
		}
		assert.NilError(k.t, json.Unmarshal(frames[1], &m))
		for _, v := range m.Data {
			assert.Assert(k.t, v >= 0 && v <= 255, "data has %d", v)
			out = append(out, byte(v))
		}
	}
	assert.Assert(k.t, len(out) == bytes, "%d bytes, and not %d", len(out), bytes)
	return out
}

func octetsOf(values []float32) []byte {
	var b []byte
	for _, v := range values {
		w := math.Float32bits(v)
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

func kernels(t *testing.T) (s *served, clients []*client, ks []*kernel) {
	t.Helper()
	s = start(t, "u55c_tcp", nil, options{ranks: 2, engine: emu.Options{Kernel: emu.Client}})
	clients = s.all(t, true)
	together(t, "configure", clients, (*client).configure2024)
	for i := range 2 {
		ks = append(ks, &kernel{t: t, in: publishFor(t, s, i)})
	}
	return s, clients, ks
}

// TestKernelStreams stands in for the user kernels of two ranks.
func TestKernelStreams(t *testing.T) {
	s, clients, ks := kernels(t)
	a, b := clients[0], clients[1]
	for i, k := range ks {
		k.out = subscribeTo(t, s, i)
	}
	for _, n := range []int{16, 64, 50000} { // whole beats of 64 bytes
		values := elements(0, n)
		data := octetsOf(values)
		out := a.allocate(4*n, false)
		ks[0].push("0", data)
		a.do(call{scenario: opCopy, count: uint32(n), arith: a.float, stream: op0Stream, res: out})
		a.expect("copy from the stream", out, false, n, func(i int) float32 { return values[i] })

		in := a.floats(values, false)
		a.do(call{scenario: opCopy, count: uint32(n), arith: a.float, stream: resStream, op0: in})
		assert.NilError(t, a.err)
		if got := ks[0].pull("0", 4*n); !slices.Equal(got, data) {
			t.Errorf("copy to the stream: %d elements arrive as others", n)
		}

		a.begin(call{scenario: opSend, count: uint32(n), comm: a.comm, peer: 1, tag: 12, arith: a.float, op0: in})
		b.do(call{scenario: opRecv, count: uint32(n), comm: b.comm, peer: 0, tag: 12, arith: b.float, stream: resStream})
		if code := a.finish(); code != 0 {
			t.Errorf("send: return code %#x", code)
		}
		assert.NilError(t, b.err)
		if got := ks[1].pull("12", 4*n); !slices.Equal(got, data) {
			t.Errorf("recv to the stream: %d elements arrive as others", n)
		}

		a.do(call{scenario: opSend, count: uint32(n), comm: a.comm, peer: 1, tag: 5, arith: a.float,
			stream: resStream, op0: in})
		assert.NilError(t, a.err)
		if got := ks[1].pull("5", 4*n); !slices.Equal(got, data) {
			t.Errorf("put: %d elements arrive as others", n)
		}
	}
	h := s.servers[0].Health()
	want := uint64(4 * (16 + 64 + 50000))
	assert.Check(t, h.KernelIn == want && h.KernelOut == want && h.KernelBad == 0, "%v", h)
}

// A kernel that takes its time gets everything nevertheless.
func TestSlowKernel(t *testing.T) {
	s, clients, ks := kernels(t)
	ks[0].out = subscribeTo(t, s, 0)
	a := clients[0]
	const n, copies = 1 << 18, 8 // more than the server keeps for a subscriber, as text
	values := make([]float32, n)
	for i := range values {
		values[i] = -float32(i+1) / 3
	}
	data, in := octetsOf(values), a.floats(values, false)
	for range copies {
		a.do(call{scenario: opCopy, count: n, arith: a.float, stream: resStream, op0: in})
	}
	assert.NilError(t, a.err)
	var published uint64
	waitFor(t, "the server to stop publishing", func() bool {
		before := published
		published = s.servers[0].Health().KernelOut
		time.Sleep(50 * time.Millisecond)
		return published == before && published > 0
	})
	assert.Check(t, published != 4*n*copies, "the server keeps all of it for a kernel that takes nothing")
	got := ks[0].pull("0", 4*n*copies)
	for i := range copies {
		assert.Assert(t, slices.Equal(got[4*n*i:4*n*(i+1)], data), "copy %d arrives as something else", i)
	}
}

// Messages of a kernel that cannot be read are counted, and the rest arrives.
func TestMalformedKernelMessages(t *testing.T) {
	s, clients, ks := kernels(t)
	good := []byte(`{"data":[1]}`)
	bad := [][][]byte{
		{good}, {[]byte("0")}, {[]byte("0"), good, good}, {[]byte(""), good}, {[]byte("-1"), good}, {[]byte("x"), good},
		{[]byte("4294967296"), good},
		{[]byte("0"), []byte("")}, {[]byte("0"), []byte("{}")}, {[]byte("0"), []byte(`{"data":[256]}`)},
		{[]byte("0"), []byte(`{"data":"AAAA"}`)}, {[]byte("0"), []byte(`[1,2]`)},
	}
	for _, frames := range bad {
		ks[0].send(frames...)
	}
	values := elements(0, 16)
	ks[0].push("0", octetsOf(values))
	a := clients[0]
	out := a.allocate(64, false)
	a.do(call{scenario: opCopy, count: 16, arith: a.float, stream: op0Stream, res: out})
	a.expect("copy from the stream", out, false, 16, func(i int) float32 { return values[i] })
	h := s.servers[0].Health()
	assert.Check(t, a.err == nil && h.KernelBad == uint64(len(bad)) && h.KernelIn == 64, "%v: %v", a.err, h)
}

// With the stream looped back, nothing goes out and nobody is asked.
func TestLoopback(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	p := dialless(zmq4.NewPub)
	t.Cleanup(p.hangUp)
	assert.NilError(t, p.Listen(s.kernelIn(0)))
	out := subscribeTo(t, s, 0)
	arrived := make(chan string, 1)
	go func() {
		m, err := out.Recv()
		if err == nil {
			arrived <- fmt.Sprintf("%q", m.Frames)
		}
	}()
	c := s.client(t, 0, true)
	c.size = 1
	c.configure2024()
	const n = 64
	in, back := c.floats(elements(0, n), false), c.allocate(4*n, false)
	c.do(call{scenario: opCopy, count: n, arith: c.float, stream: resStream, op0: in})
	c.do(call{scenario: opCopy, count: n, arith: c.float, stream: op0Stream, res: back})
	c.expect("through the loop", back, false, n, func(i int) float32 { return element(0, i) })
	assert.Check(t, c.err)
	select {
	case m := <-arrived:
		t.Errorf("published: %.80s", m)
	case <-time.After(50 * time.Millisecond):
	}
	topics := p.Socket.(zmq4.Topics).Topics()
	assert.Check(t, len(topics) <= 0, "the server has subscribed to %q", strings.Join(topics, ", "))
}
