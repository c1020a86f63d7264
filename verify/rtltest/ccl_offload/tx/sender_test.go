package transmit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// packets drives what keeps packets until they go. What surrounds the end where they
// leave is an outlet; needed is what must have happened.
func packets(of func(x *sender) outlet, sent []string, needed ...string) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		counts := map[string]int{}
		for range 6 {
			b.Reset()
			x := &sender{b: b, r: r, counts: counts, abandons: -1, closes: -1, swept: b.Cycle + 2100,
				paces: map[string]func() bool{}}
			for i := range sessions {
				x.numbers[i] = uint64(1000*i/sessions + min(i, 1)*r.IntN(100)) // the first is 0
			}
			for _, name := range []string{"open", "write", "numbers", "asks", "answers", "room"} {
				x.paces[name] = block.NewRhythm(r).Next
			}
			x.streams = [2]*block.Drain{
				drain(b, r, sent[0], sent[1], sent[2:]...),
				drain(b, r, "loop_valid", "loop_ready", "loop_data", "loop_keep", "loop_last"),
			}
			x.out = of(x)
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
					return fmt.Errorf("it does not end: busy %t, idle %t, %d and %d beats, %v", b.Is("transmit_busy"),
						b.Is("transmit_idle"), len(x.want[0]), len(x.want[1]), x.orders)
				}
			}
		}
		for _, what := range append(needed, "whole", "rest", "fill", "drop", "reset", "closed") {
			if counts[what] == 0 {
				return fmt.Errorf("only %v", counts)
			}
		}
		return nil
	}
}

// done tells whether nothing is left; what is dropped is not seen.
func (x *sender) done() bool {
	for s := range x.orders {
		if p, _ := x.outOf(s); p != nil {
			return false
		}
	}
	return len(x.building)+len(x.asked)+len(x.want[0])+len(x.want[1]) == 0 && x.opening == nil && x.abandons < 0 &&
		x.resets == 0 && x.closes < 0 && x.out.rests()
}

func (x *sender) cycle(ends bool) error {
	b, r := x.b, x.r
	// A reset drops what the back end does not know of.
	if x.resets == 0 && x.closes < 0 && !ends && r.IntN(1500) == 0 {
		x.resets, x.mute = 1, r.IntN(2)*400
		x.opening, x.offered, x.building, x.abandons = nil, nil, nil, -1
	}
	b.Put("reset_network", x.resets > 0)
	x.close(ends)
	if x.enabled = x.enabled != (r.IntN(100) == 0); ends || x.resets > 0 {
		x.enabled = true
	}
	x.enabled = x.enabled && !x.silent()
	b.Put("network_enable", x.enabled)
	x.open(ends)
	b.Put("loop_room", ends || x.paces["room"]())
	own := r.IntN(sessions) // of what is looked at it may be said too late
	x.says(own, r.IntN(50) == 0)
	b.Scramble(r, "exchange_response", "number_value")
	b.Settle()
	ready := ends || x.paces["numbers"]()
	b.Put("exchange_response.done", ready && b.Is("exchange_request.valid"))
	b.Put("number_done", ready && b.Is("number_valid"))
	x.out.drive(ends)
	for _, s := range x.streams {
		if ends {
			s.Pace, s.Late = nil, false
		}
		if s.Drive(); x.silent() {
			b.Set(s.Ready, 1)
		}
	}
	b.Step()
	if err := x.opened(); err != nil {
		return err
	}
	if x.before > 0 && len(x.building) > 0 && (b.Is("transmit_idle") || !b.Is("transmit_busy")) {
		return errors.New("it is idle with packets that have not been completed")
	}
	x.before = len(x.building)
	if err := x.out.check(); err != nil {
		return err
	}
	for i := range x.streams {
		if err := x.beat(i); err != nil {
			return err
		}
	}
	return x.reset()
}

// says says that a session leads to an engine of this make, while nothing of it waits.
func (x *sender) says(session int, it bool) {
	its := func(p *filled) bool { return p != nil && p.session == session }
	it = it && x.b.Cycle > x.swept && x.closes < 0 && len(x.orders[session]) == 0 && !its(x.last)
	x.b.Put("own_valid", it)
	x.b.Set("own_session", x.numbers[session])
	x.owns[session] = x.owns[session] || it && x.fillers
}

// silent tells whether nothing may go, and all is taken at once, so that what goes
// before the end of a session is seen.
func (x *sender) silent() bool { return x.hides && x.closes >= 0 && x.closing > 0 }

// reset goes on with a reset, until nothing is left.
func (x *sender) reset() error {
	b := x.b
	if x.resets == 0 {
		return nil
	}
	for _, o := range x.orders {
		for _, p := range o {
			p.doomed = !x.unseen // else it may have gone before
		}
	}
	if x.resets++; x.resets > 4000 || x.resets == 350 && x.mute > 350 && len(x.asked) > 0 && !b.Is("transmit_idle") {
		return errors.New("a reset does not end, or waits for answers")
	}
	if x.resets > 10 && b.Is("transmit_idle") && len(x.asked) == 0 && len(x.want[0])+len(x.want[1]) == 0 &&
		!b.Is("transmit_busy") && x.out.rests() {
		for s := range x.orders {
			x.orders[s] = nil
		}
		x.resets, x.last = 0, nil
		x.counts["reset"]++
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
		return its(x.last) && !x.last.committed || slices.ContainsFunc(x.building, its) || its(x.opening) ||
			x.abandons == x.closes
	}
	switch {
	case x.closes < 0:
		if ends || b.Cycle <= x.swept || x.resets > 0 {
			break
		}
		if x.r.IntN(300) == 0 {
			x.closes, x.closing, x.amid = x.r.IntN(sessions), 0, false
		} else if i := slices.IndexFunc(x.asked, func(p *filled) bool { return p.plan.state.owed > 0 }); i >= 0 &&
			x.r.IntN(10) == 0 {
			if x.closes, x.closing, x.amid = x.asked[i].session, 1, true; comes() {
				x.closes = -1
			}
		}
	case x.closing < 200 && (comes() || !x.amid && (slices.ContainsFunc(x.asked, its) || x.hides && !x.out.rests())):
		x.closing = 0
	default:
		switch x.closing++; x.closing {
		case 200: // the last one that was completed has its number
			b.Set("session_closed_valid", 1)
			b.Set("session_closed", x.numbers[x.closes])
		case 280:
			if len(x.orders[x.closes]) > 0 || x.states[x.closes].owed > 0 {
				x.counts["closed"]++
			}
			x.orders[x.closes] = slices.DeleteFunc(x.orders[x.closes], func(p *filled) bool { return !p.asked })
			for _, p := range x.orders[x.closes] {
				p.doomed, p.closed = true, true
			}
			x.states[x.closes], x.owns[x.closes], x.closes = state{}, false, -1
		}
	}
}

// first is the first packet of a session, by its number: it goes.
func (x *sender) first(number uint64) (*filled, plan, error) {
	s := slices.Index(x.numbers[:sessions], number)
	if s < 0 {
		return nil, plan{}, fmt.Errorf("a packet of session %d goes", number)
	}
	p, want := x.outOf(s)
	if p == nil || p.asked {
		return nil, plan{}, fmt.Errorf("a packet of session %d goes: %+v", number, p)
	}
	return p, want, nil
}

// ask notes that the back end was asked for a packet.
func (x *sender) ask(p *filled, want plan) {
	p.asked, p.plan = true, want
	x.asked = append(x.asked, p)
}

// due is a packet that is answered for, if one is.
func (x *sender) due(ends, inOrder bool) *filled {
	pause := !ends && !x.paces["answers"]()
	if x.closes >= 0 && x.closing > 0 { // while the end of a session is told, others are answered one behind the other
		pause = x.closing < 200 || x.r.IntN(3) > 0
	}
	if len(x.asked) == 0 || pause || x.resets > 0 && x.resets <= x.mute {
		return nil
	}
	p := x.asked[0]
	if !inOrder {
		p = x.asked[x.r.IntN(len(x.asked))]
	}
	if p.session == x.closes && x.closing > 0 {
		return nil // whether that is before or after the end of the session is not seen
	}
	return p
}

func (x *sender) answered(p *filled, good bool) {
	x.asked = slices.DeleteFunc(x.asked, func(q *filled) bool { return q == p })
	p.asked = false
	switch {
	case good:
		if p.closed && p.plan.state.owed > 0 {
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
	if to == 0 && len(x.want[0]) == 0 && x.unseen {
		p, want, err := x.first(b.Get(s.Fields[3]))
		if err != nil {
			return err
		}
		x.goes(p, want)
	}
	if len(x.want[to]) == 0 {
		return fmt.Errorf("a beat of nothing: %X", b.Bytes(s.Fields[0]))
	}
	w := x.want[to][0]
	x.want[to] = x.want[to][1:]
	if got := b.Bytes(s.Fields[0]); !bytes.Equal(got[:len(w.data)], w.data) || b.Get(s.Fields[1]) != w.keep ||
		b.Is(s.Fields[2]) != w.last || to == 0 && (b.Get(s.Fields[3]) != w.session || b.Is(s.Fields[4]) != w.headed) {
		return fmt.Errorf("%X goes, keep %X, last %t; not %X, keep %X, last %t to %d, headed %t", got, b.Get(s.Fields[1]),
			b.Is(s.Fields[2]), w.data, w.keep, w.last, w.session, w.headed)
	}
	return nil
}
