package rx

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// taker is a queue that wants messages.
type offerTaker struct {
	wanted
	asks, waits bool
	changed     bool // others may be found since it was told of none
	stuck       int
}

// fitting is mostly what a message could answer that is there, or on its way.
func (x *joined) fitting() wanted {
	m := x.all[0].model
	for _, i := range x.r.Perm(len(m.notes)) {
		n := m.notes[i]
		if record := 0x1000 + 64*n.session + 128*n.src; m.counts[record] == n.seq && x.r.IntN(4) > 0 {
			w := wanted{record, n.session, n.src, n.context, n.tag, n.of}
			switch x.r.IntN(6) {
			case 0:
				w.of = block.RandomCollective(x.r)
			case 1: // it is of an older one
				w.of.Number = (w.of.Number + 1<<16) & 0xFFFFFFFF
			}
			return w
		}
	}
	return x.some()
}

// driveTakers has queues ask, wait, ask again, and give up.
func (x *joined) driveTakers(quiet bool) {
	b, r := x.b, x.r
	for q := range x.takers {
		t := &x.takers[q]
		port := fmt.Sprintf("match_request_%d.", q)
		switch {
		case t.asks || quiet:
		case t.waits && (!t.changed || r.IntN(4) > 0) && r.IntN(1000) > 0:
		case !t.waits && r.IntN(100) > 0:
		default:
			if !t.waits || r.IntN(8) == 0 {
				t.wanted = x.fitting()
			}
			*t = offerTaker{wanted: t.wanted, asks: true}
		}
		if !t.asks && !t.waits {
			b.Scramble(r, port[:len(port)-1])
		}
		b.Put(port+"valid", t.asks)
		b.Put(port+"waits", t.waits)
		if t.asks || t.waits {
			for name, v := range map[string]uint64{"record": t.record, "session": t.session, "rank": t.rank,
				"context_": t.context, "tag": t.tag} {
				b.Set(port+name, v)
			}
			b.SetCollective(port+"collective", t.of)
		}
	}
}

// lull tells whether nobody asks for anything new. When all else has ended, a queue
// wants a message that is on its way, which then is complete.
func (x *joined) lull() bool {
	now := int(x.b.Cycle)
	if now >= x.calm && x.resetting == 0 && x.r.IntN(1000) == 0 {
		x.calm = now + 400
	}
	if now >= x.calm || x.resetting > 0 {
		return false
	}
	busy := x.offered != nil || x.reg != nil || len(x.plan) > 0 || len(x.completes.Queue) > 0
	if busy || slices.ContainsFunc(x.takers[:], func(t offerTaker) bool { return t.asks }) {
		return true
	}
	m := x.all[0].model
	for i, n := range x.coming {
		w := wanted{0x1000 + 64*n.session + 128*n.src, n.session, n.src, n.context, n.tag, n.of}
		if m.counts[w.record] != n.seq {
			continue
		}
		if t := &x.takers[0]; t.wanted == w && t.waits {
			x.coming = slices.Delete(x.coming, i, i+1)
			x.completes.Queue = append(x.completes.Queue, result{n.number, good})
		} else {
			*t = offerTaker{wanted: w, asks: true}
		}
		return true
	}
	x.calm = 0
	return true
}
