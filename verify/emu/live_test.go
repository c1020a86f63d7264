package emu

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// TestLiveEngines has engines in goroutines of their own send to each other
// both ways, eagerly and by rendezvous, all at once.
func TestLiveEngines(t *testing.T) {
	const eagerBytes, windowBytes, rounds = 50_000, 300_000, 5
	a, b := live(t, fabric.Options{MaxPayload: 5000, WindowBytes: 64 << 10})
	const eagerIn, windowOut, windowIn = 0x10_0000, 0x20_0000, 0x30_0001
	for round := range rounds {
		eager, data := random(uint64(round), eagerBytes), random(uint64(round), windowBytes)
		for _, r := range []*rig{a, b} {
			r.write(0, eager)
			r.write(windowOut, data)
			r.do(func() {
				other := uint32(1 - r.rank)
				r.open(0, int(other), windowIn, windowBytes)
				r.set("move", "destination", other)
				r.set("move", "segment_bytes", 4096)
			})
		}
		for _, r := range []*rig{a, b} {
			r.do(func() {
				r.set("move", "bytes", eagerBytes)
				r.set64("move", "op0_address", 0)
				r.issue("op0=memory", "result=network")
				r.set64("move", "result_address", eagerIn)
				r.issue("op0=message", "result=memory", "queue=1")
				r.set("move", "bytes", windowBytes)
				r.set("move", "packet_index", 0)
				r.set64("move", "op0_address", windowOut)
				r.set64("move", "remote_address", windowIn)
				r.issue("op0=memory", "result=network", "message_type=rendezvous_data", "queue=2")
				r.set("move", "bytes", 0)
				r.set("move", "header_count", windowBytes)
				r.issue("result=network", "message_type=rendezvous_done", "queue=2")
			})
		}
		for _, r := range []*rig{a, b} {
			r.until(func() bool {
				_, done := r.window(0)
				for i, moves := range []uint32{1, 1, 2} {
					if c, e := r.queue(i); e != 0 {
						t.Errorf("rank %d, queue %d: errors 0x%X", r.rank, i, e)
						return true
					} else if c != moves*uint32(round+1) {
						return false
					}
				}
				return done == 1
			})
			if !bytes.Equal(r.read(eagerIn, eagerBytes), eager) || !bytes.Equal(r.read(windowIn, windowBytes), data) {
				t.Fatalf("round %d, rank %d: wrong data", round, r.rank)
			}
		}
	}
}

// TestLostPackets sends over a network that loses, repeats and reorders: what
// is received is right, or the move fails.
func TestLostPackets(t *testing.T) {
	for seed := range int64(10) {
		w := newWorld(t, worldOptions{platform: "u55c_udp", engines: 2, buffers: 64, net: fabric.Options{Seed: seed}})
		w.net.SetFaults(fabric.Faults{Loss: 0.02, Duplicate: 0.1, Reorder: 0.1})
		from, to := w.rigs[0], w.rigs[1]
		data := random(uint64(seed), 30_000)
		from.write(0, data)
		from.set("move", "destination", 1)
		from.set("move", "bytes", 30_000)
		from.set("move", "segment_bytes", 1000)
		from.issue("op0=memory", "result=network")
		to.set("move", "source", 0)
		to.set("move", "bytes", 30_000)
		to.issue("op0=message", "result=memory")
		w.run()
		lost := w.net.Stats(0, 1).Dropped > 0
		for { // reordered packets may still be on their way
			w.run()
			if c, _ := to.queue(0); c == 1 || lost {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if c, e := to.queue(0); !lost && (c != 1 || e != 0 || !bytes.Equal(to.read(0, 30_000), data)) {
			t.Errorf("seed %d: nothing was lost, but %d moves completed with errors 0x%X", seed, c, e)
		} else if lost {
			to.later(31 * time.Second)
			w.run()
			to.completes(1, to.bit("RECEIVE_TIMEOUT"))
		}
	}
}

// TestSegmentsOnUDP must each be one packet.
func TestSegmentsOnUDP(t *testing.T) {
	for segment, want := range map[uint32]string{1000: "", 1001: "DMA_SIZE", 0: "DMA_SIZE"} {
		w := newWorld(t, worldOptions{platform: "u55c_udp", engines: 1, raw: 1, net: fabric.Options{MaxPayload: 1000}})
		r := w.rigs[0]
		r.set("move", "destination", 1)
		r.set("move", "bytes", 5000)
		r.set("move", "segment_bytes", segment)
		r.issue("op0=memory", "result=network")
		w.run()
		code := uint32(0)
		if want != "" {
			code = r.bit(want)
		}
		r.completes(1, code)
	}
}

// TestForwardMessage keeps and forwards what arrives, reduced, in one pass.
func TestForwardMessage(t *testing.T) {
	w := newWorld(t, worldOptions{engines: 1, raw: 2, buffers: 2})
	r := w.rigs[0]
	r.write(0x100, floats(1, 2, 3, 4))
	r.set("move", "source", 1)
	r.set("move", "destination", 2)
	r.set("move", "bytes", 16)
	r.set("move", "segment_bytes", 10)
	r.set64("move", "op0_address", 0x100)
	r.set64("move", "result_address", 0x200)
	r.issue("op0=memory", "op1=message", "result=memory_and_network")
	payload := floats(10, 20, 30, 40)
	for i, cut := range [][2]int{{0, 7}, {7, 7}, {7, 16}} { // one without payload amid the others
		w.send(w.raw[0], 0, head{count: uint64(cut[1] - cut[0]), tag: testTag, src: 1, seq: uint64(i), context: testContext},
			payload[cut[0]:cut[1]])
	}
	w.run()
	r.completes(1, 0)
	want := floats(11, 22, 33, 44)
	if got := r.read(0x200, 16); !bytes.Equal(got, want) {
		t.Errorf("memory holds % X", got)
	}
	for i, cut := range [][2]int{{0, 10}, {10, 16}} {
		if h, got := w.receive(w.raw[1]); h.seq != uint64(i) || !bytes.Equal(got, want[cut[0]:cut[1]]) {
			t.Errorf("segment %d: %+v, % X", i, h, got)
		}
	}
	r.set("move", "bytes", 3)
	w.send(w.raw[0], 0, head{count: 3, tag: testTag, src: 1, seq: 3, context: testContext}, []byte("abc"))
	r.issue("op0=message", "result=none") // it is only taken
	w.run()
	r.completes(2, 0)
	if free := r.get("rx", "free"); free != 2 {
		t.Errorf("%d buffers are free", free)
	}
}

// TestAbort drops a move that waits for a sender, and those behind it.
func TestAbort(t *testing.T) {
	w := newWorld(t, worldOptions{engines: 1, raw: 1, buffers: 1})
	r := w.rigs[0]
	r.set("move", "source", 1)
	r.set("move", "bytes", 10)
	r.issue("op0=message", "result=memory")
	r.issue("op0=message", "result=memory")
	w.send(w.raw[0], 0, head{count: 4, tag: testTag, src: 1, context: testContext}, make([]byte, 4))
	w.run()
	r.set("move_status", "abort", 0xF)
	w.run()
	r.completes(2, 0)
	w.send(w.raw[0], 0, head{count: 10, tag: testTag, src: 1, seq: 1, context: testContext}, []byte("0123456789"))
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(3, 0)
	if got := string(r.read(0, 10)); got != "0123456789" {
		t.Errorf("%q", got)
	}
	for i := range 4 {
		if c, e := r.queue(i); e != 0 || i > 0 && c != 0 {
			t.Error(fmt.Sprint("queue ", i, ": ", c, " completed"))
		}
	}
}
