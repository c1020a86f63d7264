package rx

import (
	"fmt"
	"math"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// turn watches that packets get their turns in the order of slots.
type turn struct {
	slots int
	last  int // slot whose turn it was, + 1
	seen  map[int]bool
}

const (
	nowhere = -1          // a slot that nobody knows
	never   = math.MaxInt // a cycle that does not come
)

func (t *turn) forget() { t.last, t.seen = 0, nil }

// next is a turn of a slot; others were waiting all the time since the last one
// was chosen, among them maybe one whose slot nobody knows.
func (t *turn) next(slot int, waiting []int, unknown bool) error {
	if !unknown || t.seen == nil {
		t.seen = map[int]bool{}
	}
	if slot == nowhere {
		t.last = 0
		return nil
	}
	if t.seen[slot] {
		return fmt.Errorf("it is the turn of slot %d again, and another one still waits", slot)
	}
	t.seen[slot] = unknown
	defer func() { t.last = slot + 1 }()
	if t.last == 0 {
		return nil
	}
	ahead := func(of int) int { return (of - t.last + t.slots) % t.slots }
	for _, w := range waiting {
		if ahead(w) < ahead(slot) {
			return fmt.Errorf("it is the turn of slot %d, not of %d, behind that of %d", w, slot, t.last-1)
		}
	}
	return nil
}

// wait counts the cycles in which somebody has to wait.
type wait int

func (w *wait) check(waits bool, most int, what string) error {
	if !waits {
		*w = 0
	} else if *w++; int(*w) > most {
		return fmt.Errorf("%s waits for more than %d cycles", what, most)
	}
	return nil
}

// waiting are the slots of the sessions but one that have waited since a cycle; the
// last session is the engine itself, of whose slots nobody knows.
func waiting(orders [][]*packet, but, since int) (slots []int, own bool) {
	for s, o := range orders {
		switch {
		case s == but || len(o) == 0 || o[0].since > since:
		case s == len(orders)-1:
			own = true
		default:
			slots = append(slots, o[0].slot)
		}
	}
	return slots, own
}

// patience watches that nobody who could go on waits for others.
type patience struct{ row, loop, slot, room wait }

func (p *patience) check(b *block.Bench, asked *packet, granted []*packet, orders [][]*packet, jobs []stretch,
	resetting bool) error {
	uses, all := make([]int, len(orders)), 3 // slots, and those that wait for packets of the engine itself
	for _, g := range granted {
		uses[g.session]++
	}
	for s, o := range orders {
		uses[s] += len(o)
	}
	for _, j := range jobs {
		uses[j.session]++
	}
	for _, n := range uses {
		all += n
	}
	room := func(s, more int) bool {
		return uses[s]+more < int(b.Const("engine_pkg::SESSION_SLOTS")) && all < int(b.Const("engine_pkg::SLOTS")) &&
			!resetting
	}
	for _, w := range []struct {
		*wait
		is   bool
		most int
		what string
	}{
		{&p.row, b.Is("row_valid") && !b.Is("row_ready"), 1, "a row of the network"},
		{&p.loop, b.Is("loop_valid") && !b.Is("loop_ready") && b.Is("loop_room"), 1, "a row of the engine itself"},
		{&p.slot, asked != nil && room(asked.session, 0) && !b.Is("need_ready"), 8, "who wants a slot"},
		{&p.room, !b.Is("loop_room") && room(len(orders)-1, 3), 40, "what comes from the engine itself"},
	} {
		if err := w.check(w.is, w.most, w.what); err != nil {
			return err
		}
	}
	return nil
}
