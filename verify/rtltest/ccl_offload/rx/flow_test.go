package rx

import (
	"bytes"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// flow is one sender whose messages are taken one after another.
type flow struct {
	rank
	packets [][]byte // of messages that are under way
	sent    [][]byte // messages that have been offered, or will be, in order
	next    uint32   // number of the next message
	got     int
	reading int // channel that has asked, or -1
	given   int // bytes that are offered, where messages are cut anywhere
}

// rush has packets offered, messages taken and buffers given back at the same
// time, and compares what is read.
type rush struct {
	*rig
	flows   []*flow
	offered *flow
	given   int
	limit   int  // cycles after which a run breaks off, or 0
	cuts    bool // streams are cut and joined anywhere
	loans   []loan
	back    *loan // that is given back now
	posts   *posts
}

// loan is a buffer that is read.
type loan struct{ buffer, bytes uint32 }

const flowRecords = 0x1000

func newRush(t *testing.T, platform string, seed uint64, buffers int) *rush {
	r := &rush{rig: newRig(t, platform, seed)}
	for _, p := range r.ranks[:4] {
		if !p.self || !r.n.lossy {
			r.flows = append(r.flows, &flow{rank: p, next: r.m.get(p.record + r.n.inbound), reading: -1})
		}
	}
	r.giveAll(buffers)
	return r
}

func (r *rush) giveAll(buffers int) {
	r.given = buffers
	for i := range uint32(buffers) {
		r.give(r.n.exchangeBase+flowRecords+r.n.recordBytes*i, uint64(i)*0x4000, 0x4000)
	}
}

// send makes another message.
func (f *flow) send(r *rush, size uint32) {
	h := head{count: size, tag: 1, src: f.rank.rank, dst: f.session, context: f.context, seq: f.next}
	f.next++
	b := r.payload(size)
	f.sent = append(f.sent, b)
	first := min(size, 4032)
	if r.n.lossy {
		first = size
	}
	f.packets = append(f.packets, append(r.n.pack(h), b[:first]...))
	for b = b[first:]; len(b) > 0; b = b[min(len(b), maxPacket):] {
		f.packets = append(f.packets, b[:min(len(b), maxPacket)])
	}
}

// offerNext offers a packet of some flow that is not held.
func (r *rush) offerNext(held map[*flow]bool) {
	for _, i := range r.r.Perm(len(r.flows)) {
		f := r.flows[i]
		if held[f] || len(f.packets) == 0 {
			continue
		}
		p := f.packets[0]
		if r.cuts && !f.self {
			p = r.piece(f)
		}
		from := origin{session: f.session}
		if f.self {
			from = origin{loop: true}
		}
		r.show(mpacket{from, p})
		r.offered = f
		return
	}
}

// piece is some of what is under way, in one.
func (r *rush) piece(f *flow) []byte {
	whole := slices.Concat(f.packets...)
	n := min(1+r.r.IntN([]int{70, 5000}[r.r.IntN(2)]), len(whole), maxPacket)
	f.packets, f.given = [][]byte{whole}, n
	return whole[:n]
}

// ask has a channel wait for the next message of a flow.
func (r *rush) ask(c int, f *flow) {
	f.reading = c
	r.MatchRecord[c], r.MatchSession[c], r.MatchRank[c], r.MatchContext[c], r.MatchTag[c] = f.record, f.session,
		f.rank.rank, f.context, 1
	r.MatchValid[c], r.MatchWaits[c] = 1, 0
	if r.posts != nil {
		r.posts.offer(r, c, f)
	}
}

func (r *rush) run(size func() uint32, count int) {
	r.t.Helper()
	held := map[*flow]bool{}
	retries, changed := r.Retries, r.MessagesChanged
	waits := map[*flow]bool{} // until messages have changed, or one comes
	given := r.MatchGiven
	for _, f := range r.flows {
		f.got, f.sent = 0, nil
	}
	for done, idle := 0, 0; done < count*len(r.flows); idle++ {
		if idle > 60000 {
			r.t.Fatalf("no message comes any more at cycle %d: %d of %d are there, held %d, %d packets of %d bytes offered",
				r.Cycle, done, count*len(r.flows), len(held), r.OfferValid, r.OfferBytes)
		}
		if r.OfferValid == 0 && r.offered != nil {
			switch f := r.offered; {
			case r.Verdict == holdIt:
				held[f] = true
			case r.cuts && !f.self:
				if f.packets[0] = f.packets[0][f.given-int(r.Rest):]; len(f.packets[0]) == 0 {
					f.packets = f.packets[1:]
				}
			default:
				f.packets = f.packets[1:]
			}
			r.offered = nil
		}
		if r.Retries != retries {
			retries = r.Retries
			clear(held)
		}
		if r.offered == nil && (r.posts == nil || r.r.IntN(40) == 0) { // late, so that receives wait
			for _, f := range r.flows {
				for len(f.sent) < count && (len(f.packets) == 0 || r.cuts && len(f.packets) < 3 && r.r.IntN(3) == 0) {
					f.send(r, size())
				}
			}
			r.offerNext(held)
		}
		for c, f := range r.flows {
			switch {
			case f.got == count:
			case r.posts != nil && r.posts.stands[c]:
				if n := r.posts.end(r, c, f); n > 0 {
					idle = 0
					done += n
				}
			case f.reading < 0 && r.MatchGiven[c] == given[c] && !waits[f]:
				r.ask(c, f)
			case f.reading >= 0 && r.MatchValid[c] == 0, r.MatchGiven[c] != given[c]:
				f.reading = -1
				given[c] = r.MatchGiven[c]
				if r.MatchFound[c] == 0 && r.Posted[c] != 0 {
					r.posts.begin(r, c)
					break
				}
				if waits[f] = r.MatchFound[c] == 0; waits[f] {
					r.MatchWaits[c] = 1
					break
				}
				idle = 0
				done++
				r.look(c, f)
			}
		}
		r.Step(1)
		if r.limit > 0 {
			if r.limit--; r.limit == 0 {
				return
			}
		}
		if r.MessagesChanged != changed {
			changed = r.MessagesChanged
			clear(waits)
		}
		r.giveBackNext()
	}
	for r.giveBackNext() {
		r.Step(1)
	}
	r.check(r.Settle())
	r.same("events", r.read(pageNetwork, "network.events"), 0)
	r.same("free buffers in the end", r.read(pageRx, "rx.free"), uint32(r.given))
	if r.Fault != 0 {
		r.t.Fatalf("fault %d of the surroundings", r.Fault)
	}
}

// look compares a message with what was sent, and notes its buffer.
func (r *rush) look(c int, f *flow) {
	r.t.Helper()
	want := f.sent[f.got]
	f.got++
	if int(r.MatchBytes[c]) != len(want) {
		r.t.Fatalf("message %d of rank %d has %d bytes, want %d", f.got, f.rank.rank, r.MatchBytes[c], len(want))
	}
	if len(want) == 0 {
		return
	}
	at := r.MatchAddress[c]
	if !bytes.Equal(r.Device[at:at+uint64(len(want))], want) {
		r.t.Fatalf("message %d of rank %d differs", f.got, f.rank.rank)
	}
	r.loans = append(r.loans, loan{r.MatchBuffer[c], uint32(len(want))})
}

// giveBackNext gives buffers back, and tells whether there are more. When one is taken
// back its record says what was in it.
func (r *rush) giveBackNext() bool {
	if r.ReleaseValid == 0 && r.back != nil {
		record := r.n.exchangeBase + flowRecords + r.n.recordBytes*r.back.buffer
		r.same("status in the record", r.Exchange[(record+r.n.status)/4], r.n.reserved)
		r.same("bytes in the record", r.Exchange[(record+r.n.bytes)/4], r.back.bytes)
		r.back = nil
	}
	if r.ReleaseValid == 0 && len(r.loans) > 0 {
		r.back = &r.loans[0]
		r.ReleaseBuffer, r.ReleaseValid = r.back.buffer, 1
		r.loans = r.loans[1:]
	}
	return r.ReleaseValid != 0 || len(r.loans) > 0
}

// buffersFor is how many a platform needs to lose nothing.
func buffersFor(platform string) (buffers, largest int) {
	if platform == "u55c_udp" {
		return 130, 4032
	}
	return 3, 9000
}

// posts has channels post what they ask for, sometimes for several messages, and
// sometimes end that early.
type posts struct {
	stands          [channels]bool
	ends            [channels]uint64
	untouched       [channels]bool // nothing may go there any more
	straight, ended int            // messages that went straight to their places, posts that were ended early
}

const postRoom = 0x40000

func postAt(c int) uint64 { return 0x200000 + uint64(c)*postRoom + 1 }

func postArea(r *rush, c int) []byte { return r.Host[postAt(c)-1:][:postRoom] }

const untouched = 0xEE

// offer is for a few messages, or for part of one.
func (p *posts) offer(r *rush, c int, f *flow) {
	p.intact(r, c)
	r.PostOffered[c], r.PostHost[c], r.PostAddress[c] = 1, 1, postAt(c)
	r.PostBytes[c] = uint32(r.r.IntN(4 * 9000))
	r.PostCancels[c] = 0
}

// intact checks that nothing has come since the last post had ended.
func (p *posts) intact(r *rush, c int) {
	r.t.Helper()
	if area := postArea(r, c); p.untouched[c] && bytes.Count(area, []byte{untouched}) != len(area) {
		r.t.Fatalf("bytes went to where a receive had ended, before cycle %d", r.Cycle)
	}
}

func (p *posts) begin(r *rush, c int) {
	p.stands[c], p.untouched[c] = true, false
}

// end compares what has landed when the post has ended, and gives how many messages that were.
func (p *posts) end(r *rush, c int, f *flow) (n int) {
	r.t.Helper()
	if r.r.IntN(700) == 0 && r.PostCancels[c] == 0 {
		r.PostCancels[c] = 1
		p.ended++
	}
	if r.Posted[c] != 0 {
		p.ends[c] = r.Cycle
		return 0
	}
	if r.Cycle < p.ends[c]+200 { // until its messages are counted
		return 0
	}
	p.stands[c] = false
	landed := bytes.Clone(postArea(r, c)[1:][:r.LandedBytes[c]])
	r.same("codes of what has landed", r.LandedCode[c], 0)
	counted := int(r.Exchange[(f.record+r.n.inbound)/4] - (f.next - uint32(len(f.sent))))
	for ; f.got < counted; f.got++ {
		want := f.sent[f.got]
		whole := min(len(want), len(landed))
		if !bytes.Equal(landed[:whole], want[:whole]) && r.PostCancels[c] == 0 {
			r.t.Fatalf("message %d of rank %d has not landed as it was sent", f.got, f.rank.rank)
		}
		landed = landed[whole:]
		n++
		p.straight++
	}
	if len(landed) > 0 {
		r.t.Fatalf("%d bytes more than %d messages of rank %d have landed", len(landed), n, f.rank.rank)
	}
	copy(postArea(r, c), bytes.Repeat([]byte{untouched}, postRoom))
	p.untouched[c] = true
	r.PostCancels[c] = 0
	return n
}

// Messages go straight to receives that wait for them; none is lost, and none comes
// twice, when a receive ends early.
func TestPostedReceivesGetTheirMessages(t *testing.T) {
	for name, platform := range map[string]string{"u55c_tcp": "u55c_tcp", "u55c_tcp, cut": "u55c_tcp",
		"u55c_udp": "u55c_udp"} {
		t.Run(name, func(t *testing.T) {
			straight, ended := 0, 0
			for seed := range uint64(4) {
				buffers, largest := buffersFor(platform)
				r := newRush(t, platform, seed, buffers)
				r.cuts, r.posts = name != platform, &posts{}
				r.Stall, r.Latency = uint32(60*(seed%3)), uint32(3*(seed%3))
				r.run(func() uint32 { return uint32(r.r.IntN(largest)) * uint32(r.r.IntN(4)&1) }, 40)
				for c := range r.flows {
					r.posts.intact(r, c)
				}
				straight, ended = straight+r.posts.straight, ended+r.posts.ended
			}
			assert.Check(t, straight >= 50 && ended >= 2, "%d messages went straight, %d posts were ended early", straight, ended)
		})
	}
}

// A post ends with its last byte, not with messages of others, and without a message that
// does not come to its end.
func TestAPostEndsWithItsMessages(t *testing.T) {
	r := newRush(t, "u55c_tcp", 0, 3)
	r.posts = &posts{}
	var flows []*flow
	for _, f := range r.flows {
		if !f.self {
			flows = append(flows, f)
		}
	}
	f, other := flows[0], flows[1]
	first := r.m.get(f.record + r.n.inbound)
	bring := func(f *flow) {
		r.show(mpacket{origin{session: f.session}, f.packets[0]})
		f.packets = f.packets[1:]
		r.check(r.until("a verdict", func() bool { return r.OfferValid == 0 }))
		r.check(r.Settle())
	}
	post := func(n uint32) {
		r.ask(0, f)
		r.PostBytes[0] = n
		r.check(r.until("an answer", func() bool { return r.MatchValid[0] == 0 }))
		r.same("post", r.Posted[0], 1)
	}
	ends := func(bytes, counted uint32) {
		r.check(r.until("the end of the post", func() bool { return r.Posted[0] == 0 }))
		r.check(r.Settle())
		r.same("bytes that have landed", r.LandedBytes[0], bytes)
		r.same("code", r.LandedCode[0], 0)
		r.same("messages counted", r.Exchange[(f.record+r.n.inbound)/4]-first, counted)
	}

	post(5100)
	f.send(r, 100)
	f.send(r, 5000)
	other.send(r, 70)
	bring(f)
	bring(other)
	bring(f)
	r.same("post, before its last packet", r.Posted[0], 1)
	bring(f)
	ends(5100, 2)
	if want := slices.Concat(f.sent...); !bytes.Equal(r.Host[postAt(0):][:len(want)], want) {
		t.Error("something else has landed than was sent")
	}

	post(9000)
	f.send(r, 200)
	f.send(r, 5000)
	bring(f)
	bring(f)
	r.ClosedSession, r.ClosedValid = f.session, 1
	ends(200, 3)
}

func TestPayloadOfFullPacketsMovesAtOneBeatACycle(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
		t.Run(platform, func(t *testing.T) {
			buffers, _ := buffersFor(platform)
			r := newRush(t, platform, 0, max(buffers, 16))
			r.flows = r.flows[:1]
			r.Stall, r.Latency = 0, 2
			begin := r.Cycle
			r.run(func() uint32 { return 4032 }, 100)
			cycles := float64(r.Cycle-begin) / 100
			t.Logf("%.1f cycles for a message of 63 beats", cycles)
			if cycles > 70 {
				t.Error("too many")
			}
		})
	}
}

func TestSmallMessagesTakeFewCycles(t *testing.T) {
	r := newRush(t, "u55c_tcp", 0, 16)
	r.flows = r.flows[:1]
	r.Stall, r.Latency = 0, 2
	begin := r.Cycle
	r.run(func() uint32 { return 64 }, 200)
	cycles := float64(r.Cycle-begin) / 200
	t.Logf("%.1f cycles for a message of one beat", cycles)
	if cycles > 120 {
		t.Error("too many")
	}
}

// restart resets everything while whatever is under way.
func (r *rush) restart() {
	r.t.Helper()
	r.ResetMessages, r.ResetNetwork = 1, 1
	r.OfferValid, r.offered = 0, nil
	r.loans, r.back = nil, nil
	r.untilReset()
	r.check(r.until("the channels", func() bool { return r.MatchValid == [channels]uint32{} }))
	r.check(r.Settle())
	r.same("free buffers after a reset", r.read(pageRx, "rx.free"), 0)
	for _, f := range r.flows {
		f.packets, f.reading = nil, -1
		r.MatchWaits = [channels]uint32{}
		r.Exchange[(f.record+r.n.inbound)/4] = f.next
	}
	r.enable()
}

func TestAfterAResetAtAnyMomentMessagesComeAgain(t *testing.T) {
	for name, platform := range map[string]string{"u55c_tcp": "u55c_tcp", "u55c_tcp, cut": "u55c_tcp",
		"u55c_udp": "u55c_udp"} {
		t.Run(name, func(t *testing.T) {
			buffers, largest := buffersFor(platform)
			r := newRush(t, platform, 0, buffers)
			r.cuts = name != platform
			r.Stall, r.Latency = 40, 3
			size := func() uint32 { return uint32(r.r.IntN(largest)) * uint32(r.r.IntN(2)) }
			for i := range 60 {
				r.limit = r.r.IntN(1500)
				r.run(size, 1000)
				r.limit = 0
				r.restart()
				if i%10 == 9 {
					r.giveAll(buffers)
					r.run(size, 10)
				}
				r.restart()
				r.giveAll(buffers)
			}
		})
	}
}
