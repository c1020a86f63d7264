package transmit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// TestRefusals compares the watch over refused packets with a model, cycle by cycle.
func TestRefusals(t *testing.T) {
	set.Check(t, "tx_refusals", watches)
}

// watches gives random answers for few slots, which are used in turn.
func watches(b *block.Bench, r *rand.Rand) error {
	const slots, limit = 3, 6
	b.Set("remote_milliseconds", limit)
	var sessions [slots]uint64
	var used, stuck uint64
	watched, waited, found := -1, 0, 0
	refused, given, lost := false, false, uint64(0)
	for range 20000 {
		for slot := range slots {
			if r.IntN(40) == 0 {
				used ^= 1 << slot
			}
		}
		ask, answers, good, tick := r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(6) == 0, r.IntN(4) == 0
		slot, answered := r.IntN(slots), r.IntN(slots)
		answers = answers && used>>answered&1 != 0
		session := uint64(r.IntN(1 << 16))
		b.Set("used", used)
		b.Put("ask", ask)
		b.Set("ask_slot", uint64(slot))
		b.Set("ask_session", session)
		b.Put("answer_valid", answers)
		b.Set("answer_slot", uint64(answered))
		b.Put("answer_good", good)
		b.Put("tick_millisecond", tick)
		b.Settle()
		if got := b.Get("stuck"); got != stuck || b.Is("refused") != refused || b.Is("given_up") != given ||
			given && b.Get("given_up_session") != lost {
			return fmt.Errorf("stuck %b, refused %t, given up %t %d; want %b, %t, %t %d", got, b.Is("refused"), b.Is("given_up"),
				b.Get("given_up_session"), stuck, refused, given, lost)
		}
		b.Step()
		bad := answers && !good
		refused, given = bad, bad && watched == answered && waited > limit
		stuck &= used
		if given {
			stuck |= 1 << answered
			lost = sessions[answered]
			found++
		}
		switch {
		case watched < 0:
			if bad {
				watched, waited = answered, 0
			}
		case given || used>>watched&1 == 0 || answers && good && watched == answered:
			watched = -1
		case tick:
			waited++
		}
		if ask {
			sessions[slot] = session
		}
	}
	if found < 20 {
		return fmt.Errorf("only %d packets were given up: the stimulus is bad", found)
	}
	return nil
}
