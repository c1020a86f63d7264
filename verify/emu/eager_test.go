package emu

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

var platformsOfGenerations = []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022", "u280_manual"}

// TestWireOfSegments compares what goes on the wire with the contract.
func TestWireOfSegments(t *testing.T) {
	for _, platform := range platformsOfGenerations {
		t.Run(platform, func(t *testing.T) {
			w, r := newRig(t, worldOptions{platform: platform, raw: 2})
			data := random(3, 1000)
			r.write(0x500, data)
			r.exchange.Set(r.record(2)+r.n.comm.outbound, 0xFFFF_FFFE)
			r.set64("move", "op0_address", 0x500)
			r.set("move", "bytes", 1000)
			r.set("move", "destination", 2)
			r.set("move", "chunk_bytes", 600)
			r.set("move", "segment_bytes", 256)
			r.issue("op0=memory", "result=network")
			w.run()
			r.completes(1, 0)
			at := 0
			for i, n := range []int{256, 256, 88, 256, 144} {
				got, payload := w.receive(w.raw[1])
				want := head{
					count: uint64(n), tag: testTag, src: 0, seq: uint64(uint32(0xFFFF_FFFE + i)), dst: 2, context: testContext,
				}
				assert.Check(t, got == want, "segment %d: header %+v, expected %+v", i, got, want)
				assert.Check(t, bytes.Equal(payload, data[at:at+n]), "segment %d: wrong payload", i)
				at += n
			}
			assert.Check(t, is.Equal(r.exchange.Get(r.record(2)+r.n.comm.outbound), uint32(3)), "outbound sequence number")
			assert.Check(t, w.raw[0].Receive() == nil, "another rank got a message")
		})
	}
}

func TestWireOfHeadersAndPuts(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1})
	r.set("move", "destination", 1)
	r.issue("result=network") // an eager message without payload
	r.set("move", "strm", 14)
	r.set("move", "bytes", 3)
	r.write(0, []byte{1, 2, 3})
	r.issue("op0=memory", "result=network") // a put
	r.set("move", "strm", 0)
	r.set("move", "bytes", 0)
	r.set("move", "header_count", 1234)
	r.set64("move", "remote_address", 0x8765_4321_0ABC)
	r.issue("result=network", "message_type=rendezvous_announcement", "remote_host")
	r.issue("result=network", "message_type=rendezvous_done")
	r.issue("result=network")
	w.run()
	r.completes(5, 0)
	base := head{tag: testTag, dst: 1, context: testContext}
	put, announced, done, second := base, base, base, base
	put.strm, put.count = 14, 3
	announced.msgType, announced.count, announced.vaddr, announced.host = 2, 1234, 0x8765_4321_0ABC, 1
	done.msgType, done.count, done.vaddr = 3, 1234, 0x8765_4321_0ABC
	second.seq = 1
	for i, want := range []head{base, put, announced, done, second} {
		if got, payload := w.receive(w.raw[0]); got != want || len(payload) != int(put.count)*b2i(i == 1) {
			t.Errorf("message %d: %+v with %d bytes, expected %+v", i, got, len(payload), want)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestRecordsOfBuffers(t *testing.T) {
	for _, platform := range platformsOfGenerations {
		t.Run(platform, func(t *testing.T) {
			w, r := newRig(t, worldOptions{platform: platform, raw: 1, buffers: 2})
			fields := func(i int) map[string]uint32 {
				out := map[string]uint32{}
				table := r.d.ABI().Memory("exchange").Table("rx_buffers")
				for k, c := range table.Record {
					switch c.Name {
					case "status", "rx_tag", "rx_len", "rx_src", "seq":
						out[c.Name] = r.exchange.Get(r.rxRecord(i) + 4*uint32(k))
					}
				}
				return out
			}
			w.send(w.raw[0], 0, head{count: 5, tag: 99, src: 1, seq: 3}, []byte("hello"))
			w.run()
			want := map[string]uint32{"status": 2, "rx_tag": 99, "rx_len": 5, "rx_src": 1, "seq": 3}
			assert.Check(t, is.DeepEqual(want, fields(0)))
			assert.Check(t, is.Equal(fields(1)["status"], uint32(1)), "status of the other buffer")
			if got := r.read(rxAddress, 5); string(got) != "hello" {
				t.Errorf("buffer holds %q", got)
			}
			r.exchange.Set(r.record(1)+r.n.comm.inbound, 3)
			r.set("move", "source", 1)
			r.set("move", "tag", 99)
			assert.Check(t, is.Equal(r.get("rx", "seek"), uint32(6)), "seek answers")
			assert.Check(t, is.Equal(r.get("rx", "found"), r.rxRecord(0)), "found at 0x")
			r.set("rx", "discard", 0)
			assert.Check(t, is.Equal(fields(0)["status"], uint32(1)), "status after it was discarded")
			assert.Check(t, r.get("rx", "seek") == 0 && r.exchange.Get(r.record(1)+r.n.comm.inbound) == 4,
				"the message is still there")
		})
	}
}

func TestMessageOfAnotherSize(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1, buffers: 1})
	r.set("move", "source", 1)
	for i, bytesWanted := range []uint32{4, 0} {
		w.send(w.raw[0], 0, head{count: 5, tag: testTag, src: 1, seq: uint64(i), context: testContext}, make([]byte, 5))
		r.set("move", "bytes", bytesWanted)
		r.issue("op0=message", "result=memory")
		w.run()
		r.completes(uint32(i+1), r.bit("SEGMENTER_EXPECTED_BTT"))
		r.set("move_status", "error_0", 1)
		if free := r.get("rx", "free"); free != 1 {
			t.Errorf("%d buffers are free", free)
		}
	}
	// A message without payload needs no buffer, and counts.
	w.send(w.raw[0], 0, head{tag: testTag, src: 1, seq: 2, context: testContext}, nil)
	w.run()
	if found, at := r.get("rx", "seek"), r.get("rx", "found"); found != 1 || at != 0 {
		t.Errorf("seek answers %d, found 0x%X", found, at)
	}
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(3, 0)
	assert.Check(t, is.Equal(r.exchange.Get(r.record(1)+r.n.comm.inbound), uint32(3)), "inbound sequence number")
}

// TestDrops sends what must be dropped.
func TestDrops(t *testing.T) {
	good := head{count: 4, tag: testTag, src: 1, context: testContext}
	four := make([]byte, 4)
	tests := []struct {
		name  string
		send  func(w *world, r *rig)
		event string
	}{
		{"number has passed", func(w *world, r *rig) {
			r.set("move", "source", 1)
			r.get("rx", "seek")
			r.exchange.Set(r.record(1)+r.n.comm.inbound, 1)
			w.send(w.raw[0], 0, good, four)
		}, "stale"},
		{"twice", func(w *world, r *rig) {
			w.send(w.raw[0], 0, good, four)
			w.send(w.raw[0], 0, good, four)
		}, "stale"},
		{"larger than a buffer", func(w *world, r *rig) {
			h := good
			h.count = rxBytes + 1
			w.send(w.raw[0], 0, h, make([]byte, rxBytes+1))
		}, "too_large"},
		{"shorter than it says", func(w *world, r *rig) { w.send(w.raw[0], 0, good, four[:3]) }, "bad_packet"},
		{"longer than padding", func(w *world, r *rig) { w.send(w.raw[0], 0, good, make([]byte, 65)) }, "bad_packet"},
		{"unknown type", func(w *world, r *rig) {
			h := good
			h.msgType = 4
			w.send(w.raw[0], 0, h, four)
		}, "bad_packet"},
		{"unknown bit", func(w *world, r *rig) {
			h := good.bytes()
			h[56] = 1
			assert.NilError(t, w.raw[0].Send(0, &fabric.Packet{Header: h, Payload: four}))
		}, "bad_packet"},
		{"no buffer", func(w *world, r *rig) {
			for seq := range uint64(3) {
				h := good
				h.seq = seq
				w.send(w.raw[0], 0, h, four)
			}
		}, "no_buffer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1, buffers: 2})
			test.send(w, r)
			w.run()
			if got := r.get("network", "events"); got != r.event(test.event) {
				t.Errorf("events 0x%X, expected 0x%X", got, r.event(test.event))
			}
			assert.Check(t, r.events&r.n.wake.network != 0, "the processor is not woken")
			r.set("network", "events", r.event(test.event))
			if got := r.get("network", "events"); got != 0 {
				t.Errorf("events 0x%X after they were cleared", got)
			}
			assert.Check(t, r.stats.Dropped != (Drops{}), "not counted")
		})
	}
}

func TestPaddedLastBeat(t *testing.T) {
	w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1, buffers: 2})
	w.send(w.raw[0], 0, head{count: 4, tag: testTag, src: 1}, append([]byte("good"), make([]byte, 60)...))
	w.run()
	r.set("move", "source", 1)
	assert.Check(t, is.Equal(r.get("rx", "seek"), uint32(5)), "seek answers")
}

// TestFullPool fills the pool of a reliable network: the sender is held up,
// others are not, and nothing is lost.
func TestFullPool(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 2, buffers: 2})
	const messages = 5
	for seq := range uint64(messages) {
		w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1, seq: seq, context: testContext}, []byte{byte(seq)})
	}
	w.run()
	w.send(w.raw[1], 0, head{tag: testTag, src: 2, context: testContext}, nil)
	w.send(w.raw[1], 0, head{msgType: 2, count: 3, tag: testTag, src: 2, context: testContext}, nil)
	w.run()
	r.set("move", "source", 2)
	r.set("move", "destination", 2)
	assert.Check(t, r.get("rx", "seek") == 1 && r.get("rendezvous", "seek") == 1,
		"headers of another session wait behind the full pool")
	r.set("move", "source", 1)
	r.set("move", "bytes", messages)
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(1, 0)
	if got := r.read(0, messages); !slices.Equal(got, []byte{0, 1, 2, 3, 4}) {
		t.Errorf("received % d", got)
	}
	assert.Check(t, r.stats.Dropped == (Drops{}), "dropped %v", r.stats.Dropped)
}

// TestLastBuffer lets one rank run ahead: it cannot lock out the message that is
// asked for, by a move or by a seek, from another.
func TestLastBuffer(t *testing.T) {
	for name, ask := range map[string]func(r *rig){
		"move": func(r *rig) { r.issue("op0=message", "result=memory") },
		"seek": func(r *rig) {
			assert.Check(t, is.Equal(r.get("rx", "seek"), uint32(0)), "it was there before")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, r := newRig(t, worldOptions{raw: 2, buffers: 3})
			for seq := range uint64(9) {
				w.send(w.raw[1], 0, head{count: 1, tag: testTag, src: 2, seq: seq, context: testContext}, []byte{1})
			}
			w.run()
			w.send(w.raw[0], 0, head{count: 1, tag: 99, src: 1, context: testContext}, []byte{7})
			w.run()
			if free := r.get("rx", "free"); free != 1 {
				t.Fatalf("%d buffers are free", free)
			}
			r.set("move", "source", 1)
			r.set("move", "bytes", 1)
			r.set("move", "tag", 98)
			r.get("rx", "seek")
			w.run()
			if free := r.get("rx", "free"); free != 1 {
				t.Errorf("%d buffers are free after another tag was asked for", free)
			}
			r.set("move", "tag", 99)
			ask(r)
			w.run()
			assert.Check(t, name != "seek" || r.get("rx", "seek") == 2, "the message has not been received")
			if name == "move" {
				r.completes(1, 0)
			}
		})
	}
}

// TestForeignPackets continues messages in packets without header.
func TestForeignPackets(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1, buffers: 2})
	data := random(5, 1000)
	send := func(seq uint64) {
		w.send(w.raw[0], 0, head{count: 1000, tag: testTag, src: 1, seq: seq}, data[:300])
		w.sendOn(w.raw[0], data[300:700])
		w.run()
		assert.Equal(t, r.get("rx", "seek"), uint32(0), "a message that is not complete was found")
		w.sendOn(w.raw[0], data[700:])
	}
	r.set("move", "source", 1)
	r.set("move", "bytes", 1000)
	for seq := range uint64(3) {
		send(seq)
		r.issue("op0=message", "result=memory", "result_step=advance")
		w.run()
		r.completes(uint32(seq)+1, 0)
		assert.Check(t, bytes.Equal(r.read(1000*seq, 1000), data), "wrong data")
	}
	// One that is too large is skipped as a whole.
	w.send(w.raw[0], 0, head{count: 5000, tag: testTag, src: 1, seq: 3}, make([]byte, 4096))
	w.sendOn(w.raw[0], make([]byte, 904))
	w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1, seq: 3}, []byte{1})
	w.run()
	assert.Check(t, is.Equal(r.get("network", "events"), r.event("too_large")), "events 0x")
	assert.Check(t, is.Equal(r.get("rx", "seek"), uint32(2)), "seek answers")
}

// TestForeignSessionsThatEnd ends sessions in the middle of messages: the rx buffer of
// the one goes to the message that waits for one, and what the others have sent of
// theirs takes none.
func TestForeignSessionsThatEnd(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 4, buffers: 1})
	data := random(6, 1000)
	for i, port := range w.raw {
		r.set("move", "source", uint32(i+1))
		if got := r.get("rx", "seek"); got != 0 { // the last buffer is for what is sought
			t.Fatalf("seek answers %d", got)
		}
		n := 300
		if i == 2 {
			n = len(data)
		}
		w.send(port, 0, head{count: 1000, tag: testTag, src: uint64(i + 1)}, data[:n])
		w.run()
	}
	if got := r.get("rx", "free"); got != 0 {
		t.Fatalf("%d rx buffers are free in the middle of a message", got)
	}
	for _, i := range []int{1, 2, 0} {
		w.raw[i].Close()
		w.run()
		if got := r.get("network", "closed_session"); got != uint32(i+1) {
			t.Fatalf("session %d is closed, %d expected", got, i+1)
		}
	}
	r.set("move", "source", 3)
	r.set("move", "bytes", 1000)
	if got := r.get("rx", "seek"); got != 1001 {
		t.Errorf("seek answers %d for the message that has waited for the buffer", got)
	}
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(1, 0)
	assert.Check(t, bytes.Equal(r.read(0, 1000), data), "wrong data")
	w.raw[3].Close()
	w.run()
	if got := r.get("rx", "free"); got != 1 {
		t.Errorf("%d rx buffers are free when all sessions have ended", got)
	}
}

// TestForeignMessagesAtAReset resets the network in the middle of a message.
func TestForeignMessagesAtAReset(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1, buffers: 1})
	r.set("move", "source", 1)
	r.get("rx", "seek")
	w.send(w.raw[0], 0, head{count: 1000, tag: testTag, src: 1}, make([]byte, 300))
	w.run()
	if got := r.get("rx", "free"); got != 0 {
		t.Fatalf("%d rx buffers are free in the middle of a message", got)
	}
	r.set("system", "reset", r.n.part.network)
	if got := r.get("rx", "free"); got != 1 {
		t.Errorf("%d rx buffers are free after the reset", got)
	}
}

// TestSendTimeout sends to a rank that takes nothing.
func TestSendTimeout(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 2, net: fabric.Options{WindowBytes: 8192}})
	r.set("move", "destination", 1)
	r.set("move", "bytes", 20_000)
	r.set("move", "segment_bytes", 1024)
	r.issue("op0=memory", "result=network")
	r.set("move", "destination", 2)
	r.set("move", "bytes", 100)
	r.issue("op0=memory", "result=network", "queue=1")
	w.run()
	if c, e := r.queue(1); c != 1 || e != 0 {
		t.Errorf("another rank is held up: %d completed, errors 0x%X", c, e)
	}
	r.completes(0, 0)
	for { // it goes on where it was
		p := w.raw[0].Receive()
		if p == nil {
			break
		}
		p.Release()
	}
	w.run()
	r.completes(0, 0)
	r.later(31 * time.Second)
	w.run()
	r.completes(1, r.bit("PACK_TIMEOUT_STS"))
	r.set("move_status", "error_0", 0)

	w.raw[1].Close()
	r.issue("op0=memory", "result=network")
	w.run()
	r.completes(2, r.bit("PACK_TIMEOUT_STS"))
	if got := r.get("network", "events"); got != r.event("closed") || r.get("network", "closed_session") != 2 {
		t.Errorf("events 0x%X, session %d", got, r.get("network", "closed_session"))
	}
}

// TestReset drops everything and leaves an engine that works.
func TestReset(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1, buffers: 1})
	for seq := range uint64(4) {
		w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1, seq: seq, context: testContext}, []byte{1})
	}
	w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1, msgType: 2, context: testContext}, nil)
	r.set("move", "source", 1)
	r.set("move", "bytes", 10)
	r.issue("op0=message", "result=memory")
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(0, 0)
	r.set("system", "reset", 7)
	assert.Check(t, is.Equal(r.get("system", "reset"), uint32(0)), "reset reads")
	r.completes(2, 0)
	if got := r.get("rx", "free"); got != 0 {
		t.Errorf("%d rx buffers after the reset", got)
	}
	assert.Check(t, is.Equal(r.get("network", "control"), uint32(0)), "network control")
	w.send(w.raw[0], 0, head{count: 1, tag: testTag, src: 1, context: testContext}, []byte{9})
	w.run()
	assert.Check(t, is.Equal(r.get("rx", "seek"), uint32(0)), "a message is received although the network is off")
	r.configure(2, 1)
	r.set("move", "bytes", 1)
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(3, 0)
	assert.Check(t, is.Equal(r.read(0, 1)[0], byte(9)))
}
