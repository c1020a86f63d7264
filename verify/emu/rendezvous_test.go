package emu

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/fabric"
)

// open opens a window of a rank's device memory to another rank.
func (r *rig) open(window uint32, source int, addr uint64, bytes uint32) {
	r.t.Helper()
	r.set("move", "source", uint32(source))
	r.set("rendezvous", "window", window)
	r.set64("rendezvous", "address", addr)
	r.set("rendezvous", "bytes", bytes)
	r.set("rendezvous", "open", 0)
}

// window is what the window's registers say.
func (r *rig) window(i uint32) (arrived, done uint32) {
	r.set("rendezvous", "window", i)
	return r.get("rendezvous", "arrived"), r.get("rendezvous", "done")
}

// TestWireOfRendezvousData compares packets with the contract, for what is
// lent, what is copied since it lies in two pages, and what is computed.
func TestWireOfRendezvousData(t *testing.T) {
	for _, fields := range [][]string{
		{"op0=memory", "result=network"},
		{"op0=memory", "op0_compressed", "result=network"},
		{"op0=memory", "op1=memory", "result=network"},
		{"op0=memory", "result=memory_and_network"},
		{"op0=memory", "op1=memory", "result=memory_and_network"},
		{"op0=memory", "op0_compressed", "inner_compressed", "result=memory_and_network"},
		{"op0=memory", "op1=memory", "result=apart"},
		{"op0=memory", "op0_compressed", "op1=memory", "result=apart"},
		{"op0=memory", "op1=memory", "result=beside"},
		{"op0=memory", "op0_compressed", "op1=memory", "result=beside"},
	} {
		w, r := newRig(t, worldOptions{raw: 1, net: fabric.Options{MaxPayload: 1000}})
		ones := make([]float32, 600)
		for i := range ones {
			ones[i] = 1
		}
		want := floats(ones...)
		r.set("move", "bytes", 2400)
		r.set("move", "compressed_bytes", 1200)
		r.set("move", "tdest", 5<<8|1<<4) // the maximum, which changes nothing
		r.set("move", "destination", 1)
		r.set("move", "packet_index", 0xFFFF_FFFF)
		r.set64("move", "remote_address", 0x10_0000_0000)
		r.set64("move", "op0_address", pageBytes-1400)
		r.set64("move", "op1_address", 4*pageBytes)
		r.set64("move", "op2_address", 6*pageBytes-1400)
		r.set64("move", "result_address", 8*pageBytes-4)
		half, _ := binary.Append(nil, binary.LittleEndian, bytes.Repeat([]byte{0x00, 0x3C}, 600))
		if len(fields) > 1 && fields[1] == "op0_compressed" {
			r.write(pageBytes-1400, half)
		} else {
			r.write(pageBytes-1400, want)
		}
		local := want
		if fields[len(fields)-1] == "result=apart" {
			local = bytes.Repeat([]byte{5, 7, 9}, 800)
		}
		r.write(4*pageBytes, local)
		if fields[len(fields)-1] == "result=beside" {
			local, want = want, bytes.Repeat([]byte{5, 7, 9}, 800)
			r.write(6*pageBytes-1400, want)
		}
		r.issue(append(fields, "message_type=rendezvous_data", "remote_host", "remote_advance")...)
		w.run()
		at := uint64(0x10_0000_0000)
		for i, n := range []int{1000, 1000, 400} {
			p := w.raw[0].Receive()
			assert.Assert(t, p != nil, "%v: packet %d is missing", fields, i)
			wantHead := head{count: uint64(n), tag: testTag, seq: uint64(uint32(i - 1)), dst: 1, msgType: 1, host: 1, vaddr: at,
				context: testContext}
			if got := headOf(p.Header); got != wantHead {
				t.Errorf("%v: packet %d: header %+v, expected %+v", fields, i, got, wantHead)
			}
			assert.Check(t, bytes.Equal(p.Payload, want[at-0x10_0000_0000:][:n]), "%v: packet %d: wrong payload", fields, i)
			at += uint64(n)
			if completed, _ := r.queue(0); completed != 0 && fields[len(fields)-1] == "result=network" && i < 1 &&
				len(fields) == 2 {
				t.Error("completed before its memory came back")
			}
			p.Release()
		}
		w.run()
		r.completes(1, 0)
		assert.Check(t, is.Equal(r.get64("move", "remote_address"), at), "remote address 0x")
		assert.Check(t, is.Equal(r.get("move", "packet_index"), uint32(2)), "packet index")
		assert.Check(t, fields[len(fields)-1] == "result=network" || bytes.Equal(r.read(8*pageBytes-4, 2400), local),
			"%v: wrong result in memory", fields)
	}
}

func dataHead(index, addr uint64, n int) head {
	return head{msgType: 1, src: 1, seq: index, vaddr: addr, count: uint64(n), context: testContext, tag: testTransfer}
}

// testTransfer is the number of the first announcement, which data on UDP has
// for its tag.
const testTransfer = 0

// TestWindow sends packets in all kinds of disorder.
func TestWindow(t *testing.T) {
	const base = 0x1000
	type packet struct {
		head    head
		payload string
		event   string // "" if it is taken
		arrived uint32 // afterwards
	}
	done := func(total uint64, addr uint64) head {
		return head{msgType: 3, src: 1, vaddr: addr, count: total, context: testContext}
	}
	tests := []struct {
		name    string
		packets []packet
		memory  string
		done    uint32
	}{
		{"in order", []packet{
			{dataHead(0, base, 3), "abc", "", 3},
			{dataHead(1, base+3, 3), "def", "", 6},
			{done(6, base), "", "", 6},
		}, "abcdef", 1},
		{"done by its end", []packet{
			{dataHead(0, base, 3), "abc", "", 3},
			{done(3, base+3), "", "", 3},
		}, "abc", 1},
		{"out of order, done first", []packet{
			{done(6, base), "", "", 0},
			{dataHead(2, base+4, 2), "ef", "", 0},
			{dataHead(1, base+2, 2), "cd", "", 0},
			{dataHead(0, base, 2), "ab", "", 6},
		}, "abcdef", 1},
		{"duplicates", []packet{
			{dataHead(0, base, 2), "ab", "", 2},
			{dataHead(0, base, 2), "xx", "", 2},
			{dataHead(2, base+4, 2), "ef", "", 2},
			{dataHead(2, base+4, 2), "xx", "", 2},
			{dataHead(1, base+2, 2), "cd", "", 6},
			{done(6, base), "", "", 6},
		}, "abcdef", 1},
		{"a gap", []packet{
			{dataHead(0, base, 2), "ab", "", 2},
			{dataHead(2, base+4, 2), "ef", "", 2},
			{done(6, base), "", "", 2},
		}, "ab\x00\x00ef", 0},
		{"outside", []packet{
			{dataHead(0, base-1, 2), "xx", "no_window", 0},
			{dataHead(0, base+7, 2), "xx", "no_window", 0},
			{dataHead(0, 1<<63, 2), "xx", "no_window", 0},
			{dataHead(0, base+6, 2), "gh", "", 2},
		}, "\x00\x00\x00\x00\x00\x00gh", 0},
		{"after the end", []packet{
			{dataHead(0, base, 2), "ab", "", 2},
			{done(2, base), "", "", 2},
			{dataHead(1, base+2, 2), "xx", "no_window", 2},
			{done(2, base), "", "no_window", 2},
		}, "ab\x00\x00", 1},
		{"of an earlier transfer", []packet{
			{func() head { h := dataHead(0, base, 2); h.tag--; return h }(), "xx", "no_window", 0},
			{func() head { h := done(2, base); h.tag--; return h }(), "", "no_window", 0},
			{dataHead(0, base, 2), "ab", "", 2},
		}, "ab", 0},
		{"of another sender", []packet{
			{func() head { h := dataHead(0, base, 2); h.src = 2; return h }(), "xx", "no_window", 0},
			{func() head { h := dataHead(0, base, 2); h.context = 2; return h }(), "xx", "no_window", 0},
			{func() head { h := dataHead(0, base, 2); h.host = 1; return h }(), "xx", "no_window", 0},
			{func() head { h := dataHead(0, base, 2); h.context = 0; return h }(), "ab", "", 2},
		}, "ab", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1})
			r.open(15, 1, base, 8)
			for i, p := range test.packets {
				r.set("network", "events", ^uint32(0))
				w.send(w.raw[0], 0, p.head, []byte(p.payload))
				w.run()
				want := uint32(0)
				if p.event != "" {
					want = r.event(p.event)
				}
				if got := r.get("network", "events"); got != want {
					t.Errorf("packet %d: events 0x%X, expected 0x%X", i, got, want)
				}
				if arrived, _ := r.window(15); arrived != p.arrived {
					t.Errorf("packet %d: %d bytes arrived, expected %d", i, arrived, p.arrived)
				}
			}
			if _, done := r.window(15); done != test.done {
				t.Errorf("done %d", done)
			}
			assert.Check(t, is.Equal(string(r.read(base, len(test.memory))), test.memory), "memory holds")
			r.set("rendezvous", "shut", 0)
			if arrived, done := r.window(15); arrived != 0 || done != 0 {
				t.Error("the window is not shut")
			}
		})
	}
}

// TestWindowOperand reduces a window as it fills.
func TestWindowOperand(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1})
	a, b := floats(1, 2, 3, 4, 5), floats(10, 20, 30, 40, 50)
	const at = 0x8000
	r.open(0, 1, at, 20)
	r.write(0x100, b)
	r.set("move", "window", 0)
	r.set("move", "bytes", 16) // from the second element on
	r.set64("move", "op0_address", at+4)
	r.set64("move", "op1_address", 0x104)
	r.set64("move", "result_address", 0x200)
	r.issue("op0=window", "op1=memory", "result=memory")
	sent := 0
	for i, n := range []int{4, 6, 1, 9} {
		w.send(w.raw[0], 0, dataHead(uint64(i), uint64(at+sent), n), a[sent:sent+n])
		sent += n
		w.run()
		whole := max(sent/4*4-4, 0)
		want := floats(22, 33, 44, 55)[:whole]
		if got := r.read(0x200, 16); !bytes.Equal(got[:whole], want) || !bytes.Equal(got[whole:], make([]byte, 16-whole)) {
			t.Errorf("after %d bytes: % X", sent, got)
		}
	}
	r.completes(1, 0)

	// More than the sender has sent.
	w.send(w.raw[0], 0, head{msgType: 3, src: 1, vaddr: at, count: 20, context: testContext}, nil)
	w.run()
	r.set("move", "bytes", 20)
	r.set("move_status", "error_0", 0)
	r.issue("op0=window", "result=memory")
	w.run()
	r.completes(2, r.bit("SEGMENTER_EXPECTED_BTT"))
	r.set("move_status", "error_0", 0)

	// A sender that stops, and a window that is shut while a move waits.
	r.open(0, 1, at, 20)
	r.issue("op0=window", "result=memory", "op0_step=advance")
	w.run()
	r.completes(2, 0)
	r.later(31 * time.Second)
	w.run()
	r.completes(3, r.bit("RECEIVE_TIMEOUT"))
	r.set("move_status", "error_0", 0)
	r.set64("move", "op0_address", at)
	r.issue("op0=window", "result=memory")
	w.run()
	r.set("rendezvous", "shut", 0)
	w.run()
	r.completes(4, r.bit("CONFIG_SWITCH"))
}

// TestWindowOfNobody is opened for a rank that is not in the communicator.
func TestWindowOfNobody(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1})
	r.open(1, 7, 0, 100)
	r.open(99, 1, 0, 100)
	w.send(w.raw[0], 0, dataHead(0, 0, 4), make([]byte, 4))
	w.run()
	assert.Check(t, is.Equal(r.get("network", "events"), r.event("no_window")), "events 0x")
}

// TestAnswerAfterLentMemory answers a call whose move was dropped while a receiver had its memory: the host
// gets it when the memory has come back, or when the limit is over.
func TestAnswerAfterLentMemory(t *testing.T) {
	for _, taken := range []bool{true, false} {
		w, r := newRig(t, worldOptions{raw: 1})
		ticket, err := r.calls.start(0, accl.Call{})
		assert.NilError(t, err)
		given := &r.calls.tickets[ticket].given
		r.get("calls", "take")
		data := random(3, 64)
		r.write(0x4000, data)
		r.set("move", "destination", 1)
		r.set("move", "bytes", 64)
		r.set64("move", "op0_address", 0x4000)
		r.issue("op0=memory", "result=network", "message_type=rendezvous_data")
		w.run()
		r.set("move_status", "abort", 1)
		r.set("calls", "answer", 5)
		w.run()
		r.completes(1, 0)
		if given.Load() {
			t.Fatal("answered while the receiver had its memory")
		}
		if taken {
			if _, payload := w.receive(w.raw[0]); !bytes.Equal(payload, data) {
				t.Error("wrong data")
			}
		} else {
			r.later(r.o.RemoteTimeout + time.Millisecond)
		}
		w.run()
		if !given.Load() {
			t.Fatal("not answered")
		}
	}
}

func TestAnnouncements(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 2})
	base := head{msgType: 2, src: 1, tag: testTag, context: testContext}
	announce := func(from int, count uint64, change func(*head)) {
		h := base
		h.count, h.src = count, uint64(from)
		if change != nil {
			change(&h)
		}
		w.send(w.raw[from-1], 0, h, nil)
	}
	announce(1, 1, func(h *head) { h.tag = 9 })
	announce(2, 2, nil)
	announce(1, 3, func(h *head) { h.context = 1 })
	announce(1, 4, func(h *head) { h.tag = 0xFFFFFFFF })
	announce(1, 5, func(h *head) { h.host = 1; h.vaddr = 0xFEDC_BA98_7654_3210 })
	w.run()
	r.set("move", "destination", 1)
	for _, want := range []uint32{4, 5} {
		if seek, count := r.get("rendezvous", "seek"), r.get("rendezvous", "announced_count"); seek != 1 || count != want {
			t.Errorf("seek answers %d, count %d, expected %d", seek, count, want)
		}
		if want == 5 && (r.get("rendezvous", "announced_host") != 1 ||
			r.get64("rendezvous", "announced_address") != 0xFEDC_BA98_7654_3210) {
			t.Error("wrong address")
		}
		r.set("rendezvous", "take", 0)
	}
	assert.Check(t, is.Equal(r.get("rendezvous", "seek"), uint32(0)), "found one that is for others")
	r.set("move", "tag", 0xFFFFFFFF)
	assert.Check(t, r.get("rendezvous", "seek") == 1 && r.get("rendezvous", "announced_count") == 1,
		"any tag does not match")
	for i := range uint64(64 - 3) {
		announce(1, i, nil)
	}
	w.run()
	assert.Check(t, is.Equal(r.get("network", "events"), uint32(0)), "events 0x")
	announce(1, 0, nil)
	w.run()
	assert.Check(t, is.Equal(r.get("network", "events"), r.event("no_announcement")), "events 0x")
}

// TestOrderOfAnnouncements shuffles and repeats them: they are found in the order
// in which they were sent, and none before those it follows.
func TestOrderOfAnnouncements(t *testing.T) {
	w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1})
	r.set("move", "destination", 1)
	announce := func(numbers ...uint64) {
		for _, n := range numbers {
			w.send(w.raw[0], 0, head{msgType: 2, src: 1, seq: n, count: 10 + n, tag: testTag, context: testContext}, nil)
		}
		w.run()
	}
	find := func(numbers ...uint32) {
		t.Helper()
		for _, n := range numbers {
			seek, got, count := r.get("rendezvous", "seek"), r.get("rendezvous", "announced_transfer"), r.get("rendezvous",
				"announced_count")
			assert.Check(t, seek == 1 && got == n && count == 10+n,
				"seek answers %d, number %d of %d elements, expected number %d", seek, got, count, n)
			r.set("rendezvous", "take", 0)
		}
		assert.Check(t, is.Equal(r.get("rendezvous", "seek"), uint32(0)), "there is one too many")
	}
	announce(2, 1)
	find()
	announce(1, 2)
	find()
	announce(0)
	find(0, 1, 2)
	announce(2, 0, 4)
	find()
	announce(3, 3)
	find(3, 4)
}
