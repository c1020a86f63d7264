package emu

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
)

// TestWrongAccess must trap the processor.
func TestWrongAccess(t *testing.T) {
	_, r := newRig(t, worldOptions{})
	loads := []struct {
		at   uint32
		size int
	}{
		{r.address("move", "control"), 4}, {r.address("move", "bytes"), 2}, {r.address("rx", "enqueue"), 4},
		{r.address("system", "hardware_id") - 4, 4}, {0x2_0FFC, 4}, {0x3_2000, 4}, {0xFFFF_FFFC, 4},
	}
	for _, l := range loads {
		if _, err := r.bus.Load(l.at, l.size); !errors.Is(err, rv32.ErrUnmapped) {
			t.Errorf("loading %d bytes at 0x%X: %v", l.size, l.at, err)
		}
	}
	stores := []struct {
		at, v uint32
		size  int
	}{
		{r.address("calls", "status"), 0, 4}, {r.n.callWindow.ProcessorBase, 0, 4}, {r.address("move", "bytes"), 0, 1},
		{r.address("rx", "enqueue"), 0x1FFF, 4}, {r.address("rx", "enqueue"), 0x2000, 4}, {0x2_1000, 0, 4},
	}
	for _, s := range stores {
		assert.Check(t, is.ErrorIs(r.bus.Store(s.at, s.size, s.v), rv32.ErrUnmapped),
			"storing %d bytes at 0x%X", s.size, s.at)
	}
	assert.Check(t, r.bus.Store(0x3_0100, 4, 42))
	if v, err := r.bus.Load(0x3_0100, 4); v != 42 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

func TestSessionsOfTheHost(t *testing.T) {
	w := newWorld(t, worldOptions{engines: 2})
	a, b := w.rigs[0].Device(), w.rigs[1].Device()
	if _, err := a.OpenConnection(t.Context(), 0, 900); !errors.Is(err, fabric.ErrRefused) {
		t.Error(err)
	}
	assert.Check(t, b.OpenPort(t.Context(), 900))
	if session, err := a.OpenConnection(t.Context(), ip(1), 900); session != 1 || err != nil {
		t.Errorf("session %d, %v", session, err)
	}
}

// TestResetWithHeldPackets has a session held up, and packets to the own rank.
func TestResetWithHeldPackets(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1, buffers: 1})
	released := 0
	for seq := range uint64(4) {
		h := head{count: 1, tag: testTag, src: 1, seq: seq, context: testContext}
		if err := w.raw[0].Send(0, &fabric.Packet{Header: h.bytes(), Payload: []byte{1},
			Free: func() { released++ }}); err != nil {
			t.Fatal(err)
		}
	}
	r.set("move", "bytes", 100_000)
	r.set("move", "segment_bytes", 1000)
	r.issue("op0=memory", "result=network") // to itself
	w.run()
	assert.Assert(t, len(r.inbound.looped) != 0 && len(r.inbound.held) == 2,
		"%d looped, %d held", len(r.inbound.looped), len(r.inbound.held))
	r.completes(0, 0)
	r.set("system", "reset", 7)
	r.completes(1, 0)
	assert.Check(t, released == 4, "%d of 4 packets were released", released)
	r.configure(2, 1)
	w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1, context: testContext}, []byte{5})
	r.set("move", "source", 1)
	r.set("move", "bytes", 1)
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(2, 0)
	assert.Check(t, is.Equal(r.read(0, 1)[0], byte(5)))
}

// TestForeignPuts continue in packets without header, the last of which is
// shorter than a header would be.
func TestForeignPuts(t *testing.T) {
	user := map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}
	w, r := newRig(t, worldOptions{raw: 1, vars: user})
	data := random(1, 300)
	w.send(w.raw[0], 0, head{count: 300, strm: 12, src: 1}, data[:100])
	w.sendOn(w.raw[0], data[100:270])
	w.sendOn(w.raw[0], data[270:])
	w.run()
	tdest, got, err := r.Device().Pull(t.Context(), 1000)
	assert.Check(t, err == nil && tdest == 3 && bytes.Equal(got, append(data, make([]byte, 20)...)),
		"TDEST %d, %d bytes, %v", tdest, len(got), err)
	// More than the header has said: dropped, and the buffer is not lost.
	r.set64("rx", "address", rxAddress)
	r.set("rx", "bytes", rxBytes)
	r.set("rx", "enqueue", r.rxRecord(0))
	r.set("rx", "enqueue", r.rxRecord(1))
	w.send(w.raw[0], 0, head{count: 100, src: 1}, data[:10])
	w.sendOn(w.raw[0], data[:91])
	w.run()
	if events, free := r.get("network", "events"), r.get("rx", "free"); events != r.event("bad_packet") || free != 2 {
		t.Errorf("events 0x%X, %d buffers free", events, free)
	}
}

// TestPutsOnUDP are dropped when the stream is full.
func TestPutsOnUDP(t *testing.T) {
	w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1, engine: Options{StreamBytes: 64}})
	w.send(w.raw[0], 0, head{count: 1, strm: 12, src: 1}, []byte{1})
	w.send(w.raw[0], 0, head{count: 1, strm: 12, src: 1}, []byte{2})
	w.run()
	assert.Check(t, is.Equal(r.get("network", "events"), r.event("no_buffer")), "events 0x")
}

// TestBufferBeyondMemory receives into a buffer that does not exist.
func TestBufferBeyondMemory(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1})
	r.set64("rx", "address", 1<<50)
	r.set("rx", "bytes", rxBytes)
	r.set("rx", "enqueue", r.rxRecord(0))
	r.set("rx", "enqueue", r.rxRecord(1))
	w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1}, []byte{1})
	w.run()
	status := r.exchange.Get(r.rxRecord(0) + r.n.rx.status)
	if events := r.get("network", "events"); events != r.event("no_buffer") || status != 4 {
		t.Errorf("events 0x%X, status %d", events, status)
	}
}

// TestResetWhileReading resets the messages while a move holds a buffer: the
// buffer is forgotten like the others.
func TestResetWhileReading(t *testing.T) {
	user := map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}
	w, r := newRig(t, worldOptions{raw: 1, buffers: 1, vars: user, engine: Options{StreamBytes: 64}})
	w.send(w.raw[0], 0, head{count: 128, tag: testTag, src: 1, context: testContext}, make([]byte, 128))
	r.set("move", "source", 1)
	r.set("move", "bytes", 128)
	r.issue("op0=message", "result=kernel_stream") // which takes half of it
	w.run()
	r.completes(0, 0)
	r.set("system", "reset", r.n.part.messages)
	if _, _, err := r.Device().Pull(t.Context(), 64); err != nil {
		t.Fatal(err)
	}
	w.run()
	r.completes(1, 0)
	if free := r.get("rx", "free"); free != 0 {
		t.Errorf("%d buffers are free after all were forgotten", free)
	}
}
