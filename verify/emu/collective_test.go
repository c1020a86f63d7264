package emu

import (
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

const (
	oddContext = testContext + 1
	// Collectives after the agreements number 2 and 3 of the ranks.
	second, third = 2 << 16, 3 << 16
)

// collect sets the registers of moves to a collective.
func (r *rig) collect(context, number, count, shape uint32) {
	r.t.Helper()
	r.set("move", "comm_context", context)
	r.set("move", "collective_number", number)
	r.set("move", "collective_count", count)
	r.set("move", "collective_shape", shape)
}

// in is the header in another collective.
func (h head) in(context, number, elements, shape uint64) head {
	h.context, h.number, h.elements, h.shape = context, number, elements, shape
	return h
}

// TestWireOfCollectives sends all kinds of messages: inside collectives their
// headers say which one, outside they do not.
func TestWireOfCollectives(t *testing.T) {
	for _, platform := range platformsOfGenerations {
		for _, context := range []uint32{oddContext, testContext} {
			w, r := newRig(t, worldOptions{platform: platform, raw: 1})
			base := head{tag: testTag, dst: 1, context: uint64(context)}
			if inside(context) {
				base = base.in(oddContext, 0x8000_0001, 0xFFFF_FFFE, 0x1234_5678)
			}
			var want []head
			send := func(h head, fields ...string) {
				t.Helper()
				r.issue(append(fields, "result=network")...)
				want = append(want, h)
			}
			r.collect(context, 0x8000_0001, 0xFFFF_FFFE, 0x1234_5678)
			r.set("move", "destination", 1)
			send(base)
			notice := base
			notice.notice, notice.strm = 1, 27
			r.set("move", "strm", 27)
			send(notice, "notice")
			r.set("move", "strm", 0)
			eager := base
			eager.seq = 1 // the notice has taken none
			send(eager)
			eager.seq, eager.count = 2, 4
			r.set("move", "bytes", 4)
			send(eager, "op0=memory")
			if r.n.rendezvous {
				data, done, announcement := base, base, base
				data.msgType, data.count = 1, 4
				send(data, "op0=memory", "message_type=rendezvous_data")
				r.set("move", "bytes", 0)
				done.msgType = 3
				send(done, "message_type=rendezvous_done")
				announcement.msgType = 2
				send(announcement, "message_type=rendezvous_announcement")
			}
			for i, h := range want {
				w.run() // data are lent
				if got, _ := w.receive(w.raw[0]); got != h {
					t.Errorf("%s, context 0x%X: message %d: %+v, expected %+v", platform, context, i, got, h)
				}
			}
			w.run()
			r.completes(uint32(len(want)), 0)
			for i, m := range r.sees {
				got := head{}.in(base.context, uint64(m.Number), uint64(m.Count), uint64(m.Shape))
				want := head{}.in(base.context, base.number, base.elements, base.shape)
				if got != want || m.Notice != (i == 1) {
					t.Errorf("%s: move %d is seen as %v", platform, i, m)
				}
			}
		}
	}
}

// TestNoticesThatAreNone have bytes, another result, or another type.
func TestNoticesThatAreNone(t *testing.T) {
	_, r := newRig(t, worldOptions{raw: 1})
	r.set("move", "destination", 1)
	for i, fields := range [][]string{
		{"notice", "result=none"}, {"notice", "result=memory"}, {"notice", "result=memory_and_network"},
		{"notice", "result=network", "message_type=rendezvous_announcement"},
		{"notice", "result=network", "op0=memory"}, {"notice", "result=network"},
	} {
		r.set("move", "bytes", uint32(4*b2i(i > 3)))
		r.issue(fields...)
		r.run()
		r.completes(uint32(i+1), r.bit("CONFIG_SWITCH"))
		r.set("move_status", "error_0", 0)
	}
}

// TestMatchingOfCollectives has one message, and asks for the next one of its
// sender.
func TestMatchingOfCollectives(t *testing.T) {
	const (
		waits    = iota // there is none, and the message stays
		dropped         // it was, uncounted
		mismatch        // it ends the move, and stays
		found
	)
	const any, now = 0xFFFF_FFFF, third + 7
	base := head{tag: testTag, src: 1}
	of := func(number uint64) head { return base.in(oddContext, number, 100, 3) }
	tagged := func(h head, tag uint64) head { h.tag = tag; return h }
	ours, other := of(now), base.in(oddContext, second+9, 1, 2)
	for _, test := range []struct {
		name    string
		context uint32
		number  uint32
		message head
		want    int
	}{
		{"of the collective", oddContext, now, ours, found},
		{"with another tag", oddContext, now, tagged(ours, 8), waits},
		{"with any tag", oddContext, now, tagged(ours, any), found},
		{"of the one before", oddContext, now, of(now - 1), mismatch},
		{"of the next one", oddContext, now, of(now + 1), mismatch},
		{"of the next one, with another tag", oddContext, now, tagged(of(now+1), 8), mismatch},
		{"with another count", oddContext, now, base.in(oddContext, now, 101, 3), mismatch},
		{"of another shape", oddContext, now, base.in(oddContext, now, 100, 2), mismatch},
		{"of another shape and tag", oddContext, now, tagged(base.in(oddContext, now, 100, 2), 8), mismatch},
		{"from before an agreement", oddContext, now, of(second + 7), dropped},
		{"from before an agreement, in all different", oddContext, now, tagged(other, 8), dropped},
		{"from just before an agreement", oddContext, third, of(third - 1), dropped},
		{"from half of all agreements before", oddContext, now, of(0x8003_0000), dropped},
		{"from after a later agreement", oddContext, now, of(third + 1<<16), mismatch},
		{"from just after a later agreement", oddContext, third + 0xFFFF, tagged(of(third+1<<16), 8), mismatch},
		{"from just under half of all agreements later", oddContext, now, of(0x8002_0000), mismatch},
		{"from before numbers wrapped", oddContext, 1, of(0xFFFF_0005), dropped},
		{"from after numbers wrapped", oddContext, 0xFFFF_0005, of(1), mismatch},
		{"of another communicator", oddContext, now, func() head { h := other; h.context += 2; return h }(), waits},
		{"outside collectives", oddContext, now, base.in(testContext, 0, 0, 0), waits},
		{"of an engine of another make", oddContext, now, base, waits},
		{"a collective's, for a receive", testContext, now, ours, waits},
		{"a receive's", testContext, now, base.in(testContext, 0, 0, 0), found},
		{"a receive's, with what does not count there", testContext, now, base.in(testContext, second, 5, 4), found},
		{"a receive's, of an engine of another make", testContext, now, base, found},
	} {
		for _, platform := range []string{"u55c_tcp", "u55c_udp", "u280_2022"} {
			for _, payload := range []string{"", "data"} {
				t.Run(fmt.Sprintf("%s/%s/%d", test.name, platform, len(payload)), func(t *testing.T) {
					w, r := newRig(t, worldOptions{platform: platform, raw: 1, buffers: 4})
					r.set("move", "source", 1)
					r.set("move", "bytes", uint32(len(payload)))
					message := test.message
					message.count = uint64(len(payload))
					state := func() [3]int { // messages that wait, buffers that are free, messages that are counted
						waiting := 0
						for _, m := range r.rx.waiting {
							for ; m != nil; m = m.next {
								waiting++
							}
						}
						counted := r.exchange.Get(r.record(1) + r.n.comm.inbound)
						return [3]int{waiting, int(r.get("rx", "free")), int(counted)}
					}
					present := [3]int{1, 4 - b2i(payload != ""), 0}
					after := map[int][3]int{waits: present, dropped: {0, 4, 0}, mismatch: present, found: {0, 4, 1}}

					w.send(w.raw[0], 0, message, []byte(payload))
					w.run()
					if got := state(); got != present {
						t.Fatalf("at first %v, expected %v", got, present)
					}
					r.collect(test.context, test.number, 100, 3)
					seek, before := uint32(0), after[test.want]
					if test.want == found {
						seek, before = uint32(len(payload)+1), present
					}
					assert.Check(t, is.Equal(r.get("rx", "seek"), seek), "seek answers")
					if got := state(); got != before {
						t.Errorf("after the seek %v, expected %v", got, before)
					}
					if test.want == dropped { // again, for the move
						w.send(w.raw[0], 0, message, []byte(payload))
						w.run()
					}
					r.issue("op0=message", "result=memory")
					w.run()
					if got := state(); got != after[test.want] {
						t.Errorf("after the move %v, expected %v", got, after[test.want])
					}
					stranger := [4]uint32{}
					switch test.want {
					case found:
						r.completes(1, 0)
					case mismatch:
						r.completes(1, r.bit("COLLECTIVE_MISMATCH"))
						stranger = [4]uint32{1, uint32(message.number), uint32(message.elements), uint32(message.shape)}
					default: // what it waits for comes
						r.completes(0, 0)
						right := ours.in(uint64(test.context), uint64(test.number), 100, 3)
						right.count = message.count
						if test.want == waits && right.context == message.context {
							break // it would be the same one twice
						}
						w.send(w.raw[0], 0, right, []byte(payload))
						w.run()
						r.completes(1, 0)
					}
					var got [4]uint32
					for i, name := range []string{"other_source", "other_number", "other_count", "other_shape"} {
						got[i] = r.get("rx", name)
					}
					assert.Check(t, got == stranger, "the other message is %v, expected %v", got, stranger)
					assert.Check(t, is.Equal(r.get("network", "events"), uint32(0)), "events 0x")
				})
			}
		}
	}
}

// TestMessagesOfOneNumber are those of several collectives and contexts that have
// the same sequence number: one is stale only if its collective is there already.
func TestMessagesOfOneNumber(t *testing.T) {
	for _, last := range []uint64{third + 7, third + 8} {
		w, r := newRig(t, worldOptions{platform: "u55c_udp", raw: 1, buffers: 8})
		base := head{tag: testTag, src: 1, count: 1}
		for i, h := range []head{
			base.in(oddContext, last, 100, 3), base.in(oddContext, 5, 1, 1), base, base.in(oddContext, second+7, 1, 1),
			base.in(oddContext+2, 5, 1, 1), base.in(testContext, 0, 0, 0),
		} {
			for range 2 {
				w.send(w.raw[0], 0, h, []byte{byte(i)})
			}
			w.run()
		}
		if got := r.stats.Dropped; got != (Drops{Stale: 6}) {
			t.Errorf("dropped %v", got)
		}
		r.set("move", "source", 1)
		r.collect(oddContext, third+7, 100, 3)
		if seek, free := r.get("rx", "seek"), r.get("rx", "free"); seek != uint32(2*b2i(last == third+7)) || free != 4 {
			t.Errorf("seek answers %d, %d buffers are free", seek, free)
		}
	}
}

// TestOldMessagesMakeRoom fills the pool with messages from before agreements: the
// one that is asked for comes in when they are found.
func TestOldMessagesMakeRoom(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1, buffers: 2})
	r.set("move", "source", 1)
	r.set("move", "bytes", 1)
	r.collect(oddContext, 7<<16, 100, 3)
	for n := range uint64(8) {
		w.send(w.raw[0], 0, head{tag: testTag, src: 1, count: 1}.in(oddContext, n<<16, 100, 3), []byte{byte(n)})
	}
	w.run()
	r.issue("op0=message", "result=memory")
	w.run()
	r.completes(1, 0)
	assert.Check(t, is.Equal(r.read(0, 1)[0], byte(7)), "received the message from after agreement")
}

// TestAnnouncementsOfCollectives seeks among those of several collectives.
func TestAnnouncementsOfCollectives(t *testing.T) {
	const now, old = third + 7, second + 7
	base := head{msgType: 2, src: 1, tag: testTag}
	tagged := func(h head) head { h.tag++; return h }
	of := func(number, elements, shape uint64) head { return base.in(oddContext, number, elements, shape) }
	for _, test := range []struct {
		name          string
		context       uint32
		announcements []head
		seek          uint32
		found         int // of announcements, counted from 1
		left          int // of them, before it is taken
	}{
		{"none", oddContext, nil, 0, 0, 0},
		{"the first", oddContext, []head{of(now, 100, 3), of(now, 100, 3)}, 1, 1, 2},
		{"behind outdated ones", oddContext,
			[]head{of(old, 100, 3), tagged(of(third-1, 1, 1)), of(now, 100, 3), of(old, 100, 3)}, 1, 3, 2},
		{"behind one with another tag", oddContext, []head{tagged(of(now, 100, 3)), of(now, 100, 3)}, 1, 2, 2},
		{"outdated ones alone", oddContext, []head{of(old, 100, 3), of(0x8003_0000, 100, 3)}, 0, 0, 0},
		{"another one", oddContext, []head{of(old, 100, 3), of(now+1, 100, 3), of(now, 100, 3)}, 2, 2, 2},
		{"the one before", oddContext, []head{of(now-1, 100, 3), of(now, 100, 3)}, 2, 1, 2},
		{"another one with another tag", oddContext, []head{tagged(of(third+1<<16, 100, 3))}, 2, 1, 1},
		{"another one behind one with another tag", oddContext,
			[]head{tagged(of(now, 100, 3)), of(now+1, 100, 3)}, 2, 2, 2},
		{"another one that comes later", oddContext, []head{of(now, 100, 3), of(now+1, 100, 3)}, 1, 1, 2},
		{"another count", oddContext, []head{of(now, 99, 3)}, 2, 1, 1},
		{"another shape", oddContext, []head{of(now, 100, 4)}, 2, 1, 1},
		{"of other contexts", oddContext, []head{
			base, base.in(testContext, 0, 0, 0), base.in(oddContext+2, old, 1, 1), base.in(oddContext+2, now+1, 1, 1),
		}, 0, 0, 4},
		{"outside", testContext, []head{of(old, 1, 1), base.in(testContext, old, 5, 4)}, 1, 2, 2},
		{"outside, of another make", testContext, []head{of(now+1, 1, 1), base}, 1, 2, 2},
	} {
		for _, platform := range []string{"u55c_tcp", "u55c_udp", "u55c_rdma"} {
			t.Run(test.name+"/"+platform, func(t *testing.T) {
				w, r := newRig(t, worldOptions{platform: platform, raw: 2})
				r.set("move", "destination", 1)
				r.collect(test.context, now, 100, 3)
				w.send(w.raw[1], 0, func() head { h := of(old, 1, 1); h.src = 2; return h }(), nil) // another rank's
				for i, h := range test.announcements {
					h.seq, h.count, h.vaddr = uint64(i), uint64(1000+i), uint64(2000+i)
					w.send(w.raw[0], 0, h, nil)
				}
				w.run()
				left := test.left
				for range 2 { // what is of another collective cannot be taken
					if got := r.get("rendezvous", "seek"); got != test.seek {
						t.Fatalf("seek answers %d, expected %d", got, test.seek)
					}
					var want [6]uint32
					if test.found > 0 {
						h, i := test.announcements[test.found-1], uint32(test.found-1)
						want = [6]uint32{
							uint32(h.number), uint32(h.elements), uint32(h.shape), 1000 + i, 2000 + i, i * uint32(b2i(r.lossy)),
						}
					}
					var got [6]uint32
					for i, name := range []string{
						"number", "collective_count", "shape", "count", "address", "transfer",
					} {
						got[i] = r.get("rendezvous", "announced_"+name)
					}
					if got != want {
						t.Errorf("announced %v, expected %v", got, want)
					}
					if n := len(r.rendezvous.waiting) - 1; n != left {
						t.Errorf("%d are left, expected %d", n, left)
					}
					r.set("rendezvous", "take", 0)
					if got := r.get("rendezvous", "announced_count"); got != 0 {
						t.Errorf("announced %d after a take", got)
					}
					if test.seek == 1 {
						if n := len(r.rendezvous.waiting) - 1; n != left-1 {
							t.Errorf("%d are left after one was taken", n)
						}
						break
					}
				}
			})
		}
	}
}

// TestWindowsOfCollectives sends data of several collectives to a window.
func TestWindowsOfCollectives(t *testing.T) {
	const base = 0x1000
	for _, test := range []struct {
		context uint32 // of the window, whose number is 7
		of      uint64 // context of the packets
		number  uint64 // and their number
		taken   uint32
	}{
		{oddContext, oddContext, 7, 1}, {oddContext, oddContext, 6, 0},
		{oddContext, oddContext, 8, 0}, {oddContext, oddContext + 2, 7, 0},
		{testContext, testContext, 0, 1}, {testContext, testContext, 6, 1}, {testContext, 0, 0, 1},
	} {
		for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
			w, r := newRig(t, worldOptions{platform: platform, raw: 1})
			r.collect(test.context, 7, 100, 3)
			r.open(3, 1, base, 8)
			r.collect(testContext, 99, 98, 97) // of later moves
			for i, h := range []head{
				{msgType: 1, src: 1, vaddr: base, count: 4}, {msgType: 3, src: 1, vaddr: base, count: 4},
			} {
				// A window is for a number; counts and shapes were compared when it was announced.
				w.send(w.raw[0], 0, h.in(test.of, test.number, 1, 1), make([]byte, 4*b2i(i == 0)))
			}
			w.run()
			arrived, done := r.window(3)
			events := r.event("no_window") * (1 - test.taken)
			if got := r.get("network", "events"); arrived != 4*test.taken || done != test.taken || got != events {
				t.Errorf("%s: %+v: %d bytes arrived, done %d, events 0x%X", platform, test, arrived, done, got)
			}
		}
	}
}

// notices reads and takes all that wait.
func (r *rig) notices(most int) (all []head) {
	r.t.Helper()
	for r.get("notice", "waiting") > 0 && len(all) < most {
		get := func(name string) uint64 { return uint64(r.get("notice", name)) }
		all = append(all, head{
			context: get("comm_context"), src: get("source"), tag: get("tag"), strm: get("strm"),
			number: get("number"), elements: get("count"), shape: get("shape"),
		})
		r.set("notice", "take", 0)
	}
	return all
}

// TestNotices fills their queue by way of the network and of the own rank.
func TestNotices(t *testing.T) {
	const room, more = 64, 3
	for _, platform := range platformsOfGenerations {
		for _, loop := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", platform, loop), func(t *testing.T) {
				w, r := newRig(t, worldOptions{platform: platform, raw: 1, buffers: 2})
				if got := r.notices(1); got != nil || r.get("notice", "source") != 0 {
					t.Errorf("there is %v", got)
				}
				r.set("notice", "take", 0)
				notice := func(i int) head {
					h := head{src: 1 - uint64(b2i(loop)), tag: uint64(1000 + i), strm: uint64(i)}
					return h.in(oddContext+2*uint64(i), uint64(7+i), uint64(8+i), uint64(9+i))
				}
				send := func(i int) {
					t.Helper()
					h := notice(i)
					if !loop {
						h.notice = 1
						w.send(w.raw[0], 0, h, nil)
						return
					}
					r.collect(uint32(h.context), uint32(h.number), uint32(h.elements), uint32(h.shape))
					r.set("move", "tag", uint32(h.tag))
					r.set("move", "strm", uint32(h.strm))
					r.issue("notice", "result=network")
					w.run()
				}
				for i := range room {
					send(i)
				}
				w.run()
				if r.events&r.n.wake.network == 0 || r.get("network", "events") != 0 {
					t.Errorf("events 0x%X, 0x%X", r.events, r.get("network", "events"))
				}
				r.events = 0
				for i := range more {
					send(room + i)
				}
				w.run()
				kept, event := room+more, uint32(0)
				if r.lossy && !loop {
					kept, event = room, r.event("no_buffer")
				}
				if got := r.get("network", "events"); got != event {
					t.Errorf("events 0x%X, expected 0x%X", got, event)
				}
				assert.Check(t, is.Equal(r.events&r.n.wake.network != 0, (event != 0)), "the processor is woken")
				if waiting := r.get("notice", "waiting"); waiting != room {
					t.Errorf("%d wait", waiting)
				}
				all := r.notices(1)
				w.run()
				if held := kept > room; held && r.events&r.n.wake.network == 0 {
					t.Error("one that was held does not wake the processor")
				}
				for more := r.notices(room); more != nil; more = r.notices(room) {
					all = append(all, more...)
					w.run()
				}
				for i, got := range all {
					assert.Check(t, i < kept && got == notice(i), "notice %d: %+v", i, got)
				}
				assert.Check(t, len(all) == kept, "%d notices, expected %d", len(all), kept)
				out, in := r.exchange.Get(r.record(0)+r.n.comm.outbound), r.exchange.Get(r.record(1)+r.n.comm.inbound)
				if free := r.get("rx", "free"); out != 0 || in != 0 || free != 2 {
					t.Errorf("numbers %d and %d, %d buffers are free", out, in, free)
				}
			})
		}
	}
}

// TestNoticesAtAReset are forgotten, and one that is held comes in.
func TestNoticesAtAReset(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1})
	for i := range uint64(65) {
		w.send(w.raw[0], 0, head{src: 1, tag: i, notice: 1}, nil) // of an engine that knows no contexts
	}
	w.run()
	r.set("system", "reset", r.n.part.moves)
	if waiting := r.get("notice", "waiting"); waiting != 64 {
		t.Errorf("%d wait after moves were reset", waiting)
	}
	r.set("system", "reset", r.n.part.messages)
	if waiting := r.get("notice", "waiting"); waiting != 0 {
		t.Errorf("%d wait after messages were reset", waiting)
	}
	w.run()
	if got := r.notices(9); len(got) != 1 || got[0].tag != 64 {
		t.Errorf("there are %+v", got)
	}
	r.set("move", "source", 1)
	assert.Check(t, is.Equal(r.get("rendezvous", "foreign"), uint32(0)), "a notice tells of which make an engine")
}

// TestBadNotices have a payload, a count, or another type.
func TestBadNotices(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
		for i, h := range []head{{count: 4}, {}, {msgType: 2}, {msgType: 3}, {msgType: 9}} {
			w, r := newRig(t, worldOptions{platform: platform, raw: 1, buffers: 2})
			h.notice, h.src = 1, 1
			w.send(w.raw[0], 0, h, make([]byte, 4*b2i(i < 2)))
			w.run()
			if got := r.get("network", "events"); got != r.event("bad_packet") || r.get("notice", "waiting") != 0 {
				t.Errorf("%s: %+v: events 0x%X, %d wait", platform, h, got, r.get("notice", "waiting"))
			}
		}
	}
	// Where messages are cut, what follows of one with a count belongs to it.
	w, r := newRig(t, worldOptions{raw: 1, buffers: 2})
	w.send(w.raw[0], 0, head{src: 1, notice: 1, count: 164}, make([]byte, 50))
	w.send(w.raw[0], 0, head{src: 1, tag: testTag, count: 50}, make([]byte, 50)) // 64 and 50 bytes
	w.send(w.raw[0], 0, head{src: 1, tag: testTag}, nil)
	w.run()
	r.set("move", "source", 1)
	assert.Check(t, is.Equal(r.get("rx", "seek"), uint32(1)), "seek answers")
}

// TestFailedMoves tells which move of a queue has failed last.
func TestFailedMoves(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 3, buffers: 4})
	registers := func(queue int) (words [3]uint32) {
		for i, name := range []string{"failed_source_", "failed_tag_", "failed_bytes_"} {
			words[i] = r.get("move_status", fmt.Sprint(name, queue))
		}
		return words
	}
	receive := func(source, tag, bytes uint32, queue string) {
		r.set("move", "source", source)
		r.set("move", "tag", tag)
		r.set("move", "bytes", bytes)
		r.issue("op0=message", "result=memory", "queue="+queue)
	}
	receive(1, 11, 0, "0") // nobody sends
	receive(2, 12, 5, "0") // dropped with it
	receive(2, 22, 6, "3")
	w.send(w.raw[1], 0, head{src: 2, tag: 22, count: 7, context: testContext}, make([]byte, 7)) // too long
	w.run()
	r.later(31 * time.Second)
	w.run()
	receive(3, 13, 1, "0") // the queue has failed
	want := [4][3]uint32{{1, 11, 0}, {}, {}, {2, 22, 6}}
	check := func(when string) {
		t.Helper()
		for queue, want := range want {
			if got := registers(queue); got != want {
				t.Errorf("%s, queue %d: %v, expected %v", when, queue, got, want)
			}
		}
	}
	check("after failures")
	if c, e := r.queue(0); c != 3 || e != r.bit("RECEIVE_TIMEOUT") {
		t.Errorf("%d moves completed with 0x%X", c, e)
	}
	r.set("move_status", "error_0", 0)
	r.set("move_status", "error_3", 0)
	receive(3, 14, 2, "1")
	r.run()
	r.set("move_status", "abort", 2)
	r.set("system", "reset", r.n.part.moves)
	check("after a reset and an abort")
	receive(99, 15, 3, "0") // no such rank
	r.run()
	want[0] = [3]uint32{99, 15, 3}
	check("after another failure")
}
