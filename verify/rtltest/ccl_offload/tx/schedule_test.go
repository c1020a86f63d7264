package transmit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestSchedule(t *testing.T) { set.Check(t, "tx_schedule", schedules) }

const (
	scheduleTag = 5  // bits of a tag: 16 sessions and the engine itself
	self        = 16 // among sessions
	header      = 64
)

// packet is one in a slot.
type packet struct {
	slot, session          int
	headed, written, eager bool
	mark, doomed, closed   bool
	bytes, count           int
	vaddr, host            uint64
	asked                  bool
	refused                uint64 // in this cycle
	plan                   plan   // since it was asked for
}

// plan is what becomes of a packet.
type plan struct {
	drop, row, fill bool
	bytes           int
	pad             int // bytes behind the header of a filler
	state           state
}

// state is what a session owes, and where in a beat its stream ends.
type state struct{ owed, level int }

// behind is the state when so many bytes have gone.
func (s state) behind(bytes, owed int) state { return state{owed, (s.level + bytes) % beatBytes} }

// planned is by the session's state, and whether it leads to an engine of this make.
func (p *packet) planned(s state, own bool, largest int) plan {
	owed := s.owed
	whole := p.headed && (!p.written || p.session == self)
	rest := 0
	if p.eager && p.count > p.bytes {
		rest = p.count - p.bytes
	}
	switch {
	case owed > 0 && (p.headed || p.mark): // the rest of the message before comes first
		n := min(owed, largest)
		return plan{fill: true, row: p.headed && !whole, bytes: n, state: s.behind(n, owed-n)}
	case own && s.level > 0 && p.session != self && whole && p.bytes > 0 && p.count >= 1024:
		pad := beatBytes - s.level
		return plan{fill: true, bytes: header + pad, pad: pad, state: s.behind(pad, 0)}
	case p.mark, p.bytes == 0 && !whole, !p.headed && owed < p.bytes:
		return plan{drop: true}
	case whole:
		return plan{bytes: p.bytes + header, state: s.behind(p.bytes, rest)}
	case p.headed:
		return plan{row: true, bytes: p.bytes, state: s.behind(p.bytes, rest)}
	}
	return plan{bytes: p.bytes, state: s.behind(p.bytes, owed-p.bytes)}
}

// scheduler is what surrounds tx_schedule.
type scheduler struct {
	b       *block.Bench
	r       *rand.Rand
	slots   [32]*packet
	gone    [32]uint64 // cycle in which the last packet of a slot went: a next one is not complete at once
	orders  [self + 1][]*packet
	states  [self + 1]state
	owns    [self + 1]bool
	swept   uint64    // from this cycle on it knows the states
	asked   []*packet // the back end has not answered
	jobs    int       // not with the reader
	largest int
	headers uint64 // kind of eager messages
	counts  map[string]int
	empty   int // cycles without a packet

	answers, asks, jobsDone, goes, more func() bool
}

func schedules(b *block.Bench, r *rand.Rand) error {
	counts := map[string]int{}
	for n := range 16 {
		b.Reset()
		x := &scheduler{b: b, r: r, counts: counts, largest: int(b.Const("engine_pkg::SLOT_BYTES")),
			headers: b.Const("engine_pkg::TYPE_EAGER"), swept: b.Cycle + 40}
		x.answers, x.asks, x.jobsDone, x.goes, x.more = block.NewRhythm(r).Next, block.NewRhythm(r).Next, block.NewRhythm(
			r).Next, block.NewRhythm(r).Next, block.NewRhythm(r).Next
		for range 900 {
			if err := x.cycle(false); err != nil {
				return err
			}
		}
		for left := 4000; n%2 == 0 && x.busy(); left-- { // all goes when nobody refuses
			if err := x.cycle(true); err != nil {
				return err
			}
			if left == 0 {
				return errors.New("packets stay for ever")
			}
		}
	}
	if counts["at once"] > counts["again"]/4 {
		return fmt.Errorf("%d of %d packets that were refused were asked for again at once", counts["at once"],
			counts["again"])
	}
	for _, what := range []string{"whole", "row", "rest", "fill", "filler", "drop", "self", "refused", "doomed",
		"closed"} {
		if counts[what] == 0 {
			return fmt.Errorf("only %v", counts)
		}
	}
	return nil
}

func (x *scheduler) busy() bool {
	return slices.ContainsFunc(x.slots[:], func(p *packet) bool { return p != nil })
}

// cycle is one; in the end, nothing new comes, and all is well.
func (x *scheduler) cycle(ends bool) error {
	b, r := x.b, x.r
	if !ends && x.more() {
		x.add()
	}
	x.show()
	b.Put("go", ends || r.IntN(20) > 0 && x.goes())
	b.Put("loop_room", ends || r.IntN(4) > 0)
	b.Put("ask_ready", ends || x.asks())
	b.Put("job_done", x.jobs > 0 && (ends || x.jobsDone()))
	b.Set("answer_valid", 0)
	b.Scramble(r, "answer_slot", "answer_good")
	var answered *packet
	if len(x.asked) > 0 && (ends || x.answers()) {
		answered = x.asked[r.IntN(len(x.asked))]
		b.Set("answer_valid", 1)
		b.Set("answer_slot", uint64(answered.slot))
		b.Put("answer_good", ends || r.IntN(4) > 0)
	}
	b.Put("clear_valid", r.IntN(30) == 0)
	tag := r.IntN(self)
	if len(x.asked) > 0 && r.IntN(2) == 0 {
		tag = x.asked[0].session
	}
	b.Set("clear_tag", uint64(tag))
	own := r.IntN(self) // what is looked at is not told of
	b.Put("own_valid", r.IntN(20) == 0 && len(x.orders[own]) == 0 && b.Cycle > x.swept)
	b.Set("own_session", uint64(own))
	b.Settle()
	x.look() // at what follows from the slot
	b.Step()
	if err := x.check(answered); err != nil {
		return err
	}
	if b.Is("clear_valid") && b.Is("clear_ready") {
		x.states[tag], x.owns[tag] = state{}, false
		x.doom(tag, true)
	} else if b.Is("own_valid") {
		x.owns[own] = true
	}
	if r.IntN(100) == 0 { // the network is reset
		for session := range self {
			x.doom(session, false)
		}
	}
	return nil
}

// add adds a packet to a session.
func (x *scheduler) add() {
	r := x.r
	slot := r.IntN(len(x.slots))
	session := r.IntN(self + 1)
	if r.IntN(2) == 0 {
		session = []int{0, 3, self}[r.IntN(3)]
	}
	if x.slots[slot] != nil || x.b.Cycle < x.gone[slot]+5 || len(x.orders[session]) > 5 {
		return
	}
	p := &packet{slot: slot, session: session, headed: r.IntN(2) == 0, written: r.IntN(4) == 0, eager: r.IntN(3) > 0,
		vaddr: r.Uint64(), host: r.Uint64N(256)}
	p.bytes = r.IntN(x.largest - header + 1)
	switch r.IntN(8) {
	case 0:
		p.bytes = 0
	case 1:
		p.bytes = x.largest - header
	}
	if p.count = p.bytes + r.IntN(3)*r.IntN(9000); r.IntN(6) == 0 {
		p.count = r.IntN(p.bytes + 1)
	}
	if p.mark = r.IntN(6) == 0; p.mark {
		p.headed, p.bytes, p.count = false, 0, 0
	} else if !p.headed && r.IntN(4) > 0 { // most go on with what is owed
		p.bytes = min(p.bytes, max(x.states[session].owed, 1))
	}
	x.slots[slot] = p
	x.orders[session] = append(x.orders[session], p)
}

// show shows the slots.
func (x *scheduler) show() {
	var queued, front, own, marks, doomed, closed uint64
	for _, o := range x.orders {
		for i, p := range o {
			bit := uint64(1) << p.slot
			queued |= bit
			if i == 0 {
				front |= bit
			}
			if p.session == self {
				own |= bit
			}
			if p.mark {
				marks |= bit
			}
			if p.doomed {
				doomed |= bit
			}
			if p.closed {
				closed |= bit
			}
		}
	}
	for name, v := range map[string]uint64{"queued": queued, "front": front, "to_self": own, "marks": marks,
		"doomed": doomed, "closed": closed} {
		x.b.Set(name, v)
	}
}

// look shows the packet that is looked at.
func (x *scheduler) look() {
	b := x.b
	b.Scramble(x.r, "packet")
	p := x.slots[b.Get("packet_slot")]
	if p == nil {
		return
	}
	b.Set("packet.session", uint64(p.session))
	b.Put("packet.self", p.session == self)
	b.Put("packet.headed", p.headed)
	b.Put("packet.written", p.written)
	b.Set("packet.bytes", uint64(p.bytes))
	b.Set("packet.header.count", uint64(p.count))
	kind := x.headers
	if !p.eager {
		kind ^= 1 << x.r.IntN(8)
	}
	b.Set("packet.header.kind", kind)
	b.Set("packet.header.vaddr", p.vaddr)
	b.Set("packet.header.host", p.host)
}
