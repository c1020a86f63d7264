package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestMessageWants(t *testing.T) { messageSet.Check(t, "message_wants", messageWants) }

const anyTag = 0xFFFFFFFF

// messageWants adds wants, searches them, and removes those that were answered.
func messageWants(b *block.Bench, r *rand.Rand) error {
	type want struct{ record, session, rank, context, tag uint64 }
	const room = 64
	var wants []want // oldest first
	tag := func() uint64 {
		if r.IntN(4) == 0 {
			return anyTag
		}
		return few(r, 4)
	}
	random := func() want {
		if len(wants) > 0 && r.IntN(2) == 0 {
			w := wants[r.IntN(len(wants))]
			switch r.IntN(8) { // nearly the same
			case 0:
				w.record ^= 1 << r.IntN(16)
			case 1:
				w.session ^= 1 << r.IntN(16)
			case 2:
				w.rank ^= 1 << r.IntN(32)
			case 3:
				w.context ^= 1 << r.IntN(32)
			case 4:
				w.tag = tag()
			}
			return w
		}
		return want{few(r, 4) & 0xFFFF, few(r, 3) & 0xFFFF, few(r, 3), uint64(r.IntN(3)), tag()}
	}
	do := func(how string, w want) {
		for name, v := range map[string]uint64{"record": w.record, "session": w.session, "rank": w.rank,
			"context_": w.context, "tag": w.tag} {
			b.Set(name, v)
		}
		pulse(b, how)
		b.Scramble(r, "record", "session", "rank", "context_", "tag")
	}
	meet := func(a, b uint64) bool { return a == b || a == anyTag || b == anyTag }
	forgotten := 0 // since there was no room
	for i := range 4000 {
		filling := i/500%4 == 1 // until the oldest are forgotten
		if !filling && r.IntN(400) == 0 {
			if len(wants) > 0 && r.IntN(2) == 0 { // in the middle of a search
				do("start", random())
				for range r.IntN(5) {
					b.Step()
				}
			}
			if r.IntN(2) == 0 {
				b.Reset()
			} else {
				pulse(b, "clear")
			}
			for range 4 {
				if b.Step(); b.Is("done") {
					return errors.New("it is done with what was forgotten")
				}
			}
			wants = nil
		}
		w := random()
		switch k := r.IntN(8); {
		case k < 4 && i/500%2 == 0 || k == 0 || filling && k < 7:
			do("add", w)
			if err := until(b, "done", 10+8*room); err != nil {
				return err
			}
			there := slices.Contains(wants, w)
			if b.Is("found") == there {
				return fmt.Errorf("%+v is new: %t", w, b.Is("found"))
			}
			if !there {
				if len(wants) == room {
					wants = wants[1:]
					forgotten++
				}
				wants = append(wants, w)
			}
		case k < 6:
			do("answer", w)
			if err := until(b, "done", 10+8*room); err != nil {
				return err
			}
			wants = slices.DeleteFunc(wants, func(o want) bool { return o.record == w.record && meet(o.tag, w.tag) })
		default:
			if r.IntN(3) == 0 {
				w.context = 0
			}
			do("start", w)
			var all []uint64 // records that it would answer
			for _, o := range wants {
				if o.session == w.session && o.rank == w.rank && (o.context == w.context || w.context == 0) && meet(o.tag, w.tag) {
					all = append(all, o.record)
				}
			}
			stop := r.IntN(len(all) + 2)
			for n := 0; ; n++ {
				if err := until(b, "done", 10+8*room); err != nil {
					return err
				}
				if b.Is("found") != (n < len(all)) {
					return fmt.Errorf("want %d of %d that meet %+v is found: %t", n, len(all), w, b.Is("found"))
				}
				if n == len(all) || n == stop {
					break
				}
				if got := b.Get("found_record"); got != all[n] {
					return fmt.Errorf("want %d that meets %+v is of record 0x%X, not 0x%X", n, w, got, all[n])
				}
				for range r.IntN(3) {
					b.Step()
				}
				pulse(b, "step")
			}
		}
	}
	if forgotten < 10 {
		return fmt.Errorf("only %d wants were forgotten for others", forgotten)
	}
	return nil
}
