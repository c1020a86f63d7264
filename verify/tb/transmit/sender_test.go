package transmit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/tb/block"
)

func packets(b *block.Bench, r *rand.Rand) error {
	counts := map[string]int{}
	for range 6 {
		b.Reset()
		x := &sender{b: b, r: r, counts: counts, abandons: -1, closes: -1, swept: b.Cycle + 2100, paces: map[string]func() bool{}}
		for i := range sessions {
			x.numbers[i] = uint64(1000*i/sessions + r.IntN(100))
		}
		for _, name := range []string{"open", "write", "numbers", "asks", "answers", "room"} {
			x.paces[name] = rhythm(r)
		}
		x.streams = [2]*block.Drain{
			drain(b, r, "send_valid", "send_ready", "send_data", "send_keep", "send_last", "send_session"),
			drain(b, r, "loop_valid", "loop_ready", "loop_data", "loop_keep", "loop_last"),
		}
		for range 6000 {
			if err := x.cycle(false); err != nil {
				return err
			}
		}
		for left := 6000; ; left-- {
			if err := x.cycle(true); err != nil {
				return err
			}
			if x.done() && !b.Is("transmit_busy") && b.Is("transmit_idle") {
				break
			}
			if left == 0 {
				return fmt.Errorf("it does not end: busy %t, idle %t, %d and %d beats, %v", b.Is("transmit_busy"), b.Is("transmit_idle"), len(x.want[0]), len(x.want[1]), x.orders)
			}
		}
	}
	for _, what := range []string{"whole", "rest", "fill", "drop", "refused", "reset", "closed", "closed amid a message"} {
		if counts[what] == 0 {
			return fmt.Errorf("only %v", counts)
		}
	}
	return nil
}

// done tells whether nothing is left; what is dropped is not seen.
func (x *sender) done() bool {
	for s := range x.orders {
		if p, _ := x.outOf(s); p != nil {
			return false
		}
	}
	return len(x.building)+len(x.asked)+len(x.want[0])+len(x.want[1]) == 0 && x.opening == nil && x.abandons < 0 && x.resets == 0 && x.closes < 0
}

func (x *sender) cycle(ends bool) error {
	b, r := x.b, x.r
	// A reset drops what the back end does not know of.
	if x.resets == 0 && x.closes < 0 && !ends && r.IntN(1500) == 0 {
		x.resets, x.mute = 1, r.IntN(2)*400
		x.opening, x.offered, x.building, x.abandons = nil, nil, nil, -1
	}
	b.Put("reset_network", x.resets > 0)
	if x.enabled = x.enabled != (r.IntN(100) == 0); ends || x.resets > 0 {
		x.enabled = true
	}
	b.Put("network_enable", x.enabled)
	x.close(ends)
	x.open(ends)
	b.Put("loop_room", ends || x.paces["room"]())
	b.Scramble(r, "exchange_response", "number_value")
	b.Settle()
	ready := ends || x.paces["numbers"]()
	b.Put("exchange_response.done", ready && b.Is("exchange_request.valid"))
	b.Put("number_done", ready && b.Is("number_valid"))
	b.Put("ask_ready", (x.closes < 0 || x.closing == 0) && (ends || x.paces["asks"]()))
	b.Set("answer_valid", 0)
	b.Scramble(r, "answer_slot", "answer_good")
	var answered *filled
	if len(x.asked) > 0 && (ends || x.paces["answers"]()) && (x.resets == 0 || x.resets > x.mute) {
		answered = x.asked[r.IntN(len(x.asked))]
		if answered.session == x.closes && x.closing > 0 {
			answered = nil // whether that is before or after the end of the session is not seen
		}
	}
	if answered != nil {
		b.Set("answer_valid", 1)
		b.Set("answer_slot", uint64(answered.slot))
		b.Put("answer_good", ends || r.IntN(4) > 0)
	}
	for _, s := range x.streams {
		if ends {
			s.Pace, s.Late = nil, false
		}
		s.Drive()
	}
	b.Step()
	if err := x.opened(); err != nil {
		return err
	}
	if answered != nil {
		x.answered(answered, b.Is("answer_good"))
	}
	if b.Is("ask_valid") && (x.resets > 0 || !x.enabled) {
		return errors.New("a packet is asked for while none may go")
	}
	if x.before > 0 && len(x.building) > 0 && (b.Is("transmit_idle") || !b.Is("transmit_busy")) {
		return errors.New("it is idle with packets that have not been completed")
	}
	x.before = len(x.building)
	if b.Is("ask_valid") && b.Is("ask_ready") {
		if err := x.ask(); err != nil {
			return err
		}
	}
	for i := range x.streams {
		if err := x.beat(i); err != nil {
			return err
		}
	}
	if x.resets > 0 {
		for _, o := range x.orders {
			for _, p := range o {
				p.doomed = true
			}
		}
		if x.resets++; x.resets > 4000 || x.resets == 350 && x.mute > 350 && len(x.asked) > 0 && !b.Is("transmit_idle") {
			return errors.New("a reset does not end, or waits for answers")
		}
		if x.resets > 10 && b.Is("transmit_idle") && len(x.asked) == 0 && len(x.want[0])+len(x.want[1]) == 0 && !b.Is("transmit_busy") {
			for s := range x.orders {
				x.orders[s] = nil
			}
			x.resets, x.last = 0, nil
			x.counts["reset"]++
		}
	}
	return nil
}

// close closes a session: what it has is gone but what the back end knows of, and it
// owes nothing.
func (x *sender) close(ends bool) {
	b := x.b
	b.Set("session_closed_valid", 0)
	b.Scramble(x.r, "session_closed")
	its := func(p *filled) bool { return p != nil && p.session == x.closes }
	comes := func() bool { // more of the session
		return its(x.last) && !x.last.committed || slices.ContainsFunc(x.building, its) || its(x.opening) || x.abandons == x.closes
	}
	switch {
	case x.closes < 0:
		if ends || b.Cycle <= x.swept || x.resets > 0 {
			break
		}
		if x.r.IntN(300) == 0 {
			x.closes, x.closing, x.amid = x.r.IntN(sessions), 0, false
		} else if i := slices.IndexFunc(x.asked, func(p *filled) bool { return p.plan.owed > 0 }); i >= 0 && x.r.IntN(30) == 0 {
			if x.closes, x.closing, x.amid = x.asked[i].session, 1, true; comes() {
				x.closes = -1
			}
		}
	case x.closing < 200 && (comes() || !x.amid && slices.ContainsFunc(x.asked, its)):
		x.closing = 0
	default:
		switch x.closing++; x.closing {
		case 200: // the last one that was completed has its number
			b.Set("session_closed_valid", 1)
			b.Set("session_closed", x.numbers[x.closes])
		case 280:
			if len(x.orders[x.closes]) > 0 || x.owed[x.closes] > 0 {
				x.counts["closed"]++
			}
			x.orders[x.closes] = slices.DeleteFunc(x.orders[x.closes], func(p *filled) bool { return !p.asked })
			for _, p := range x.orders[x.closes] {
				p.doomed, p.closed = true, true
			}
			x.owed[x.closes], x.closes = 0, -1
		}
	}
}

// ask is what the back end is asked for: the first packet of a session.
func (x *sender) ask() error {
	b := x.b
	s := slices.Index(x.numbers[:sessions], b.Get("ask_session"))
	if s < 0 {
		return fmt.Errorf("a packet of session %d is asked for", b.Get("ask_session"))
	}
	p, want := x.outOf(s)
	if p == nil || p.asked || !p.mark && int(b.Get("ask_slot")) != p.slot {
		return fmt.Errorf("slot %d of session %d is asked for: %+v", b.Get("ask_slot"), b.Get("ask_session"), p)
	}
	if int(b.Get("ask_bytes")) != want.bytes || b.Is("ask_written") != (want.row && !want.fill) || !p.mark && (b.Get("ask_vaddr") != p.vaddr || b.Get("ask_host") != p.host) {
		return fmt.Errorf("%d bytes are asked for, written: %t; not %+v", b.Get("ask_bytes"), b.Is("ask_written"), want)
	}
	p.slot = int(b.Get("ask_slot")) // of a mark nobody knew it
	p.asked, p.plan = true, want
	x.asked = append(x.asked, p)
	return nil
}

func (x *sender) answered(p *filled, good bool) {
	x.asked = slices.DeleteFunc(x.asked, func(q *filled) bool { return q == p })
	p.asked = false
	switch {
	case good:
		if p.closed && p.plan.owed > 0 {
			x.counts["closed amid a message"]++
		}
		x.goes(p, p.plan)
	case p.doomed:
		x.orders[p.session] = slices.DeleteFunc(x.orders[p.session], func(q *filled) bool { return q == p })
	default:
		x.counts["refused"]++
	}
}

// beat is one to the stack, or to the engine itself.
func (x *sender) beat(to int) error {
	b, s := x.b, x.streams[to]
	ok, err := s.Taken()
	if !ok {
		return err
	}
	if to == 1 && len(x.want[1]) == 0 {
		if p, want := x.outOf(itself); p != nil {
			x.goes(p, want)
		}
	}
	if len(x.want[to]) == 0 {
		return fmt.Errorf("a beat of nothing: %X", b.Bytes(s.Fields[0]))
	}
	w := x.want[to][0]
	x.want[to] = x.want[to][1:]
	if got := b.Bytes(s.Fields[0]); !bytes.Equal(got[:len(w.data)], w.data) || b.Get(s.Fields[1]) != w.keep || b.Is(s.Fields[2]) != w.last || to == 0 && b.Get("send_session") != w.session {
		return fmt.Errorf("%X goes, keep %X, last %t; not %X, keep %X, last %t to %d", got, b.Get(s.Fields[1]), b.Is(s.Fields[2]), w.data, w.keep, w.last, w.session)
	}
	return nil
}
