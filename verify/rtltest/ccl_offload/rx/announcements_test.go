package rx

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestAnnouncements(t *testing.T)      { unitSet.Check(t, "announcements", announcements) }
func TestAnnouncementsLossy(t *testing.T) { unitSet.Check(t, "announcements_udp", announcements) }

const anyTag = 0xFFFFFFFF

func meet(a, b uint64) bool { return a == b || a == anyTag || b == anyTag }

// announcement is one of a remote rank's buffer.
type announcement struct {
	session, src, context, tag, count, address, host, number uint64
	of                                                       block.Collective
}

// announcements come, are found and taken; where they can be lost they come
// twice, late, and before those that go before them.
func announcements(b *block.Bench, r *rand.Rand) error {
	lossy := b.Const("engine_pkg::LOSSY") != 0
	room := int(b.Const("engine_pkg::ANNOUNCEMENTS"))
	noRoom, stale := b.Const("engine_pkg::EVENT_NO_ANNOUNCEMENT"), b.Const("engine_pkg::EVENT_STALE")
	sessions := []uint64{0, 1, 77, uint64(b.Const("engine_pkg::SESSIONS") - 1)}
	var order []announcement // that can be found, oldest first
	var found *announcement
	apart := false // what was found is of another collective
	olds, others := 0, 0
	early := map[uint64]map[uint64]announcement{} // by session and number
	expected := map[uint64]uint64{}               // numbers
	sent := map[uint64][]announcement{}           // by session, all that were ever sent
	total := 0
	kept := 0 // pulses that are to come
	step := func() {
		b.Step()
		if b.Is("kept") {
			kept--
		}
	}
	held := func(valid, done string) error {
		b.Set(valid, 1)
		for range 10000 {
			if step(); b.Is(done) {
				b.Set(valid, 0)
				return nil
			}
		}
		return fmt.Errorf("%s does not come", done)
	}
	forget := func() error {
		order, found, apart, total, kept = nil, nil, false, 0, 0
		clear(early)
		clear(expected)
		clear(sent)
		for range 5000 {
			if b.Step(); b.Is("sought") || b.Is("sought_other") {
				return fmt.Errorf("one is found after a reset")
			}
			if b.Is("idle") {
				return nil
			}
		}
		return fmt.Errorf("it is never idle")
	}
	if err := forget(); err != nil {
		return err
	}
	tag := func() uint64 {
		if r.IntN(4) == 0 {
			return anyTag
		}
		return uint64(r.IntN(3))
	}
	for i := range 2500 {
		if r.IntN(700) == 0 {
			if r.IntN(2) == 0 {
				b.Reset()
			} else {
				b.Set("clear", 1)
				b.Step()
				b.Set("clear", 0)
			}
			if err := forget(); err != nil {
				return err
			}
		}
		fills := i/400%2 == 0
		switch k := r.IntN(6); {
		case k < 4 && fills || k == 0: // one comes
			s := sessions[r.IntN(len(sessions))]
			a := announcement{s, uint64(r.IntN(2)), uint64(r.IntN(3)), tag(), r.Uint64() & 0xFFFFFFFF, r.Uint64(),
				uint64(r.IntN(2)), 0, block.RandomCollective(r)}
			if lossy {
				a.number = expected[s]
				switch r.IntN(6) {
				case 0: // it has overtaken others
					a.number = (expected[s] + uint64(r.IntN(6))) & 0xFFFFFFFF
				case 1: // again
					if len(sent[s]) > 0 {
						a = sent[s][r.IntN(len(sent[s]))]
					}
				}
			} else {
				a.number = r.Uint64() & 0xFFFFFFFF
			}
			b.Set("announce_session", s)
			b.Scramble(r, "announce_header")
			for name, v := range map[string]uint64{"src": a.src, "context_": a.context, "tag": a.tag, "count": a.count,
				"vaddr": a.address, "host": a.host * uint64(1+r.IntN(255)), "seq": a.number} {
				b.Set("announce_header."+name, v)
			}
			b.SetCollective("announce_header.collective", a.of)
			want := uint64(0)
			_, twice := early[s][a.number]
			switch late := lossy && uint32(a.number-expected[s]) >= 1<<31; {
			case total == room:
				want = noRoom
			case late || lossy && twice:
				want = stale
			default:
				total++
				sent[s] = append(sent[s], a)
				if early[s] == nil {
					early[s] = map[uint64]announcement{}
				}
				if !lossy {
					a.number = 0
					order = append(order, a)
					kept++
					break
				}
				early[s][a.number] = a
				for next, ok := early[s][expected[s]]; ok; next, ok = early[s][expected[s]] {
					order = append(order, next)
					kept++
					delete(early[s], expected[s])
					expected[s]++
				}
			}
			if err := held("announce_valid", "announce_done"); err != nil {
				return err
			}
			if got := b.Get("announce_event"); got != want {
				return fmt.Errorf("%+v ends with event %b, not %b", a, got, want)
			}
			b.Scramble(r, "announce_session", "announce_header")
			step()
			step()
			if kept != 0 {
				return fmt.Errorf("%d more can be found than it says", kept)
			}
		case k == 1: // take
			if err := held("take_valid", "take_done"); err != nil {
				return err
			}
			if found != nil && !apart {
				at := slices.Index(order, *found)
				order = slices.Delete(order, at, at+1)
				total--
			}
			found, apart = nil, false
			b.Settle()
			if b.Is("sought") || b.Is("sought_other") {
				return fmt.Errorf("one is found that was taken")
			}
		default:
			s, rank, context, tag, of := sessions[r.IntN(len(sessions))], uint64(r.IntN(2)), uint64(r.IntN(3)), tag(),
				block.RandomCollective(r)
			known := r.IntN(10) > 0
			b.Put("seek_known", known)
			b.Set("seek_session", s)
			b.Set("seek_rank", rank)
			b.Set("seek_context", context)
			b.Set("seek_tag", tag)
			b.SetCollective("seek_collective", of)
			if err := held("seek_valid", "seek_done"); err != nil {
				return err
			}
			b.Scramble(r, "seek_known", "seek_session", "seek_rank", "seek_context", "seek_tag", "seek_collective")
			found, apart = nil, false
			for _, a := range slices.Clone(order) {
				switch odd := context%2 == 1; {
				case !known || found != nil || a.session != s || a.src != rank || a.context != context && (a.context != 0 || odd):
				case odd && a.of.Before(of):
					at := slices.Index(order, a)
					order = slices.Delete(order, at, at+1)
					total--
					olds++
				case odd && a.of != of:
					found, apart = &a, true
					others++
				case meet(a.tag, tag):
					found = &a
				}
			}
			if b.Is("sought") != (found != nil && !apart) || b.Is("sought_other") != apart {
				return fmt.Errorf("session %d rank %d context %d tag %X %+v: found %t, or one of another collective: %t, among %+v",
					s, rank, context, tag, of, b.Is("sought"), b.Is("sought_other"), order)
			}
		}
		for range r.IntN(4) {
			step()
		}
		if kept != 0 {
			return fmt.Errorf("%d can be found that are not told of", kept)
		}
		if found != nil {
			if got := (announcement{found.session, found.src, found.context, found.tag, b.Get("sought_count"),
				b.Get("sought_address"), b.Get("sought_host"), b.Get("sought_transfer"), b.Collective(
					"sought_collective")}); got != *found {
				return fmt.Errorf("%+v is found, not %+v", got, *found)
			}
		}
		if r.IntN(30) == 0 { // nothing begins while it is stopped
			b.Set("stop", 1)
			b.Set([]string{"announce_valid", "seek_valid", "take_valid"}[r.IntN(3)], 1)
			for range 5 {
				step()
				if !b.Is("idle") || b.Is("announce_done") || b.Is("seek_done") || b.Is("take_done") {
					return fmt.Errorf("something begins while it is stopped")
				}
			}
			b.Set("announce_valid", 0)
			b.Set("seek_valid", 0)
			b.Set("take_valid", 0)
			b.Set("stop", 0)
		}
	}
	if olds < 5 || others < 5 {
		return fmt.Errorf("only %d were of older collectives, %d of others", olds, others)
	}
	return nil
}
