package transmit

import (
	"fmt"
	"slices"
)

// check compares what the module does in a cycle.
func (x *scheduler) check(answered *packet) error {
	b := x.b
	var mask, own uint64
	for _, p := range x.asked {
		mask |= 1 << p.slot
	}
	for _, p := range x.orders[self] {
		own |= 1 << p.slot
	}
	if got := b.Get("asked"); got&^own != mask {
		return fmt.Errorf("the back end knows of %b, not of %b", got, mask)
	}
	if x.empty++; x.busy() {
		x.empty = 0
	}
	if b.Is("idle") && b.Is("ask_valid") || !b.Is("idle") && x.empty > 5 {
		return fmt.Errorf("it is idle: %t, without packets for %d cycles", b.Is("idle"), x.empty)
	}
	if b.Is("ask_valid") && b.Is("ask_ready") {
		if err := x.ask(); err != nil {
			return err
		}
	}
	reply := answered
	if answered != nil {
		x.asked = slices.DeleteFunc(x.asked, func(p *packet) bool { return p == answered })
	}
	good := answered != nil && b.Is("answer_good")
	if b.Is("job_valid") && answered == nil { // to itself
		if reply = x.slots[b.Get("job_slot")]; reply == nil || reply.session != self || x.orders[self][0] != reply {
			return fmt.Errorf("slot %d goes and was not asked for", b.Get("job_slot"))
		}
		good = true
	}
	if b.Is("job_valid") != good {
		return fmt.Errorf("an answer that is good: %t lets go: %t", good, b.Is("job_valid"))
	}
	if b.Is("job_done") {
		x.jobs--
	}
	leaves, sends := false, false
	switch {
	case reply != nil:
		if good {
			fill, err := x.job(reply)
			if err != nil {
				return err
			}
			sends = !fill
			x.jobs++
		} else {
			x.counts["refused"]++
			reply.refused = b.Cycle
		}
		if leaves = sends || reply.doomed; leaves && !sends {
			x.counts["doomed"]++
		}
	case b.Is("leave"):
		p := x.slots[b.Get("leave_slot")]
		if p == nil || x.orders[p.session][0] != p || p.asked || !x.planned(p).drop {
			return fmt.Errorf("slot %d is dropped: %+v", b.Get("leave_slot"), p)
		}
		x.counts["drop"]++
		reply, leaves = p, true
	}
	if b.Is("leave") != leaves || b.Is("send") != sends || b.Is("give_back") != (leaves && !sends) || leaves &&
		int(b.Get("leave_slot")) != reply.slot {
		return fmt.Errorf("slot %d leaves: %t, is sent: %t, given back: %t; not %t, %t", b.Get("leave_slot"), b.Is("leave"),
			b.Is("send"), b.Is("give_back"), leaves, sends)
	}
	if reply != nil {
		reply.asked = false
	}
	if leaves {
		x.slots[reply.slot], x.gone[reply.slot] = nil, x.b.Cycle
		x.orders[reply.session] = x.orders[reply.session][1:]
	}
	return nil
}

// ask is what the back end is asked for.
func (x *scheduler) ask() error {
	b := x.b
	p := x.slots[b.Get("ask_slot")]
	if p == nil || p.session == self || p.asked || x.orders[p.session][0] != p {
		return fmt.Errorf("slot %d is asked for: %+v", b.Get("ask_slot"), p)
	}
	want := x.planned(p)
	if want.drop || int(b.Get("ask_bytes")) != want.bytes || int(b.Get("ask_session")) != p.session ||
		b.Is("ask_written") != (want.row && !want.fill) || b.Get("ask_vaddr") != p.vaddr || b.Get("ask_host") != p.host {
		return fmt.Errorf("%d bytes of %+v are asked for, written: %t; not %+v", b.Get("ask_bytes"), *p,
			b.Is("ask_written"), want)
	}
	if p.refused > 0 {
		if x.counts["again"]++; b.Cycle < p.refused+20 {
			x.counts["at once"]++
		}
		p.refused = 0
	}
	p.asked, p.plan = true, want
	x.asked = append(x.asked, p)
	return nil
}

func (x *scheduler) planned(p *packet) plan {
	return p.planned(x.states[p.session], x.owns[p.session], x.largest)
}

// job is a packet that goes; it tells whether it is what fills up a message.
func (x *scheduler) job(p *packet) (bool, error) {
	b, want := x.b, p.plan
	if p.session == self {
		want = x.planned(p)
	}
	if int(b.Get("job_slot")) != p.slot || int(b.Get("job_bytes")) != want.bytes || b.Is("job_fill") != want.fill ||
		!want.fill && b.Is("job_row") != want.row || b.Is("job_self") != (p.session == self) ||
		int(b.Get("job_session")) != p.session || want.drop || b.Is("job_filler") != (want.pad > 0) {
		return false, fmt.Errorf("%d bytes go of slot %d, row %t, fill %t; not %+v of %+v", b.Get("job_bytes"),
			b.Get("job_slot"), b.Is("job_row"), b.Is("job_fill"), want, *p)
	}
	if p.closed { // the session that owes is no more
		x.counts["closed"]++
	} else {
		x.states[p.session] = want.state
	}
	for what, is := range map[string]bool{"fill": want.fill, "row": want.row, "whole": p.headed && !want.row && !want.fill,
		"rest": !p.headed && !want.fill, "self": p.session == self, "filler": want.pad > 0} {
		if is {
			x.counts[what]++
		}
	}
	return want.fill, nil
}

// doom is for sessions that were closed, or are reset: what the back end does not
// know of goes.
func (x *scheduler) doom(session int, closed bool) {
	x.orders[session] = slices.DeleteFunc(x.orders[session], func(p *packet) bool {
		p.closed = p.closed || closed
		if p.doomed = true; !p.asked {
			x.slots[p.slot], x.gone[p.slot] = nil, x.b.Cycle
		}
		return !p.asked
	})
}
