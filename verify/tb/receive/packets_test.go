package receive

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/tb/block"
)

func TestRxPackets(t *testing.T) { set.Check(t, "rx_packets", rxPackets) }
func TestRxPacketsTurns(t *testing.T) {
	for in, change := range map[string][2]string{
		"rx_offer":   {".advance(state == PICK && go)", ".advance(1'b0)"},
		"rx_packets": {"own_valid && !(row_valid && own_before)", "own_valid"},
	} {
		set.Finds(t, "rx_packets", in, change[0], change[1], rxPackets)
	}
}

// packet is one that comes; the last session is the engine itself.
type packet struct {
	session int
	data    []byte
	good    bool
	slot    int
	at      int // bytes that have come
	since   int // cycle since when it can be offered, if it is the first of its session
}

// stretch is what inbound has taken.
type stretch struct {
	session int
	data    []byte
}

// rxPackets gets packets of some sessions and of the engine itself. Inbound holds
// some up, drops some, and takes the others in part or as a whole.
func rxPackets(b *block.Bench, r *rand.Rand) error {
	const drop, hold, payload, whole = 0, 1, 2, 3
	const sessions, own = 7, 6
	rows := 1 << b.Width("row_number")
	numbers := make([]uint64, sessions)
	for i := range numbers {
		numbers[i] = uint64(i*150 + 3)
	}
	numbers[own] = 0
	var orders [sessions][]*packet // complete
	var asked *packet              // wants a slot
	var granted []*packet          // have one, are to be filled, in their order
	var looped *packet             // on its way to the engine itself
	var jobs []stretch             // that are to come out
	out := block.NewOutput(b, "rx_data_valid", "rx_data_ready", "rx_data", "rx_data_keep", "rx_data_last")
	row := block.NewInput(b, "row_valid", "row_ready")
	loop := block.NewInput(b, "loop_valid", "loop_ready")
	enabled, resetting := true, 0
	seen, came, resets := 0, 0, 0
	gives, loops, takes, verdicts := rhythm(r), rhythm(r), rhythm(r), rhythm(r)
	calm := 0
	stuck := -1 // session whose packets are held up
	since := 0
	rowsStall, loopStalls := 0, 0 // until then no data come
	its, passed, shown := turn{slots: 1 << b.Width("need_slot")}, 0, false
	var waits patience
	small := func(session int) *packet {
		n := length(r, rows*beat)
		if r.IntN(3) > 0 {
			n = 1 + r.IntN(300)
		}
		return &packet{session: session, data: random(r, n), good: session == own || r.IntN(10) > 0}
	}
	for cycle := range 10000 {
		if cycle%1000 == 0 {
			gives, loops, takes, verdicts = rhythm(r), rhythm(r), rhythm(r), rhythm(r)
			stuck = r.IntN(2*sessions) - sessions
		}
		b.Put("network_enable", enabled)
		// The front end.
		if asked == nil && len(granted) < 6 && gives.Next() && resetting == 0 {
			asked = small(r.IntN(own))
		}
		b.Scramble(r, "need_session")
		b.Put("need_valid", asked != nil)
		if asked != nil {
			b.Set("need_session", numbers[asked.session])
		}
		if !row.Offered() {
			b.Scramble(r, "row_slot", "row_number", "row_data", "row_keep", "row_last", "row_good", "row_bytes", "row_session")
			if len(granted) > 0 && cycle >= rowsStall && gives.Next() {
				p := granted[0]
				n := min(beat, len(p.data)-p.at)
				x := random(r, beat)
				copy(x, p.data[p.at:p.at+n])
				b.SetBytes("row_data", x)
				b.Set("row_keep", ^uint64(0)>>(beat-n))
				b.Set("row_slot", uint64(p.slot))
				b.Set("row_number", uint64(p.at/beat))
				if last := p.at+n == len(p.data); last {
					b.Set("row_last", 1)
					b.Put("row_good", p.good)
					b.Set("row_bytes", uint64(len(p.data)))
					b.Set("row_session", numbers[p.session])
				} else {
					b.Set("row_last", 0)
				}
				row.Offer()
			}
		}
		if !loop.Offered() {
			b.Scramble(r, "loop_data", "loop_keep", "loop_last")
			if looped == nil && loops.Next() && b.Is("loop_room") && resetting == 0 {
				looped = small(own)
			}
			if looped != nil && cycle >= loopStalls && loops.Next() {
				p := looped
				n := min(beat, len(p.data)-p.at)
				x := random(r, beat)
				copy(x, p.data[p.at:p.at+n])
				b.SetBytes("loop_data", x)
				b.Set("loop_keep", ^uint64(0)>>(beat-n))
				b.Put("loop_last", p.at+n == len(p.data))
				loop.Offer()
			}
		}
		// A reset drops all that has not been taken.
		if resetting == 0 && cycle > calm && r.IntN(1000) == 0 {
			resetting = 1
			resets++
			switch until := cycle + 300 + r.IntN(400); r.IntN(3) {
			case 0:
				rowsStall = until
			case 1:
				loopStalls = until
			}
		}
		b.Put("reset_network", resetting > 0)
		b.Put("source_busy", asked != nil || len(granted) > 0)
		// Inbound.
		b.Put("rx_data_ready", takes.Next() || resetting > 0)
		b.Put("rx_retry", r.IntN(40) == 0)
		verdict := verdicts.Next()
		b.Put("rx_verdict_valid", verdict)
		b.Scramble(r, "rx_verdict", "rx_take_bytes")
		b.Settle()
		kind, n := 0, 0
		var offered *packet
		if b.Is("rx_valid") {
			s := int(b.Get("rx_session")) / 150
			if b.Is("rx_loop") {
				s = own
			}
			if s >= sessions || b.Get("rx_session") != numbers[s] || len(orders[s]) == 0 {
				return fmt.Errorf("a packet of session %d is offered", b.Get("rx_session"))
			}
			offered = orders[s][0]
			if !shown {
				others, ownWaits := waiting(orders[:], s, cycle-8)
				if len(others) > 0 {
					passed++
				}
				slot := offered.slot
				if s == own {
					slot = nowhere
				}
				if err := its.next(slot, others, ownWaits); err != nil {
					return err
				}
			}
			first := make([]byte, beat)
			copy(first, offered.data)
			if int(b.Get("rx_bytes")) != len(offered.data) || !bytes.Equal(b.Bytes("rx_beat"), first) {
				return fmt.Errorf("%d bytes of session %d are offered: %X; not %d: %X", b.Get("rx_bytes"), b.Get("rx_session"), b.Bytes("rx_beat"), len(offered.data), first)
			}
			kind = r.IntN(4)
			if s == stuck {
				kind = hold
			}
			if n = len(offered.data); kind == payload {
				n -= beat
			}
			if n = max(n, 0); r.IntN(4) == 0 {
				n = r.IntN(n + 1)
			}
			b.Set("rx_verdict", uint64(kind))
			b.Set("rx_take_bytes", uint64(n))
		}
		retry := b.Is("rx_retry")
		b.Step()
		shown = offered != nil && !verdict && resetting == 0
		for _, o := range orders {
			if len(o) > 0 && (retry && o[0].since > cycle || resetting > 0) {
				o[0].since = cycle
			}
		}
		if resetting > 0 {
			its.forget()
			// What was offered or waits is gone; so is what was promised.
			orders = [sessions][]*packet{}
			for _, p := range granted {
				p.good = false
			}
			if looped != nil {
				looped.good = false
			}
		} else if offered != nil && verdict && enabled && kind != hold {
			s := offered.session
			if orders[s] = orders[s][1:]; len(orders[s]) > 0 {
				orders[s][0].since = cycle
			}
			seen++
			if kind == payload && n > 0 {
				jobs = append(jobs, stretch{s, offered.data[beat : beat+n]})
			} else if kind == whole && n > 0 {
				jobs = append(jobs, stretch{s, offered.data[:n]})
			}
			since = 0
		} else if offered != nil && verdict {
			offered.since = never // until there may be room again
		}
		if err := waits.check(b, asked, granted, orders[:], jobs, resetting > 0); err != nil {
			return err
		}
		if asked != nil && b.Is("need_ready") {
			asked.slot = int(b.Get("need_slot"))
			for _, p := range granted {
				if p.slot == asked.slot {
					return fmt.Errorf("slot %d is given twice", p.slot)
				}
			}
			if resetting > 0 {
				asked.good = false
			}
			granted = append(granted, asked)
			asked = nil
		}
		if row.Taken() {
			p := granted[0]
			if p.at += beat; p.at >= len(p.data) {
				granted = granted[1:]
				if p.good {
					p.since = cycle
					orders[p.session] = append(orders[p.session], p)
					came++
				}
			}
		}
		if loop.Taken() {
			p := looped
			if p.at += beat; p.at >= len(p.data) {
				looped = nil
				if p.good {
					p.since = cycle
					orders[own] = append(orders[own], p)
					came++
				}
			}
		}
		ok, err := out.Taken()
		if err != nil {
			return err
		}
		if ok {
			if len(jobs) == 0 {
				return errors.New("data come that nobody has taken")
			}
			j := jobs[0].data
			n := min(beat, len(j))
			if got := b.Bytes("rx_data"); !bytes.Equal(got[:n], j[:n]) || b.Get("rx_data_keep") != ^uint64(0)>>(beat-n) || b.Is("rx_data_last") != (n == len(j)) {
				return fmt.Errorf("data are %X keep %X last %t, not %X of %d", got, b.Get("rx_data_keep"), b.Is("rx_data_last"), j[:n], len(j))
			}
			if n < len(j) {
				jobs[0].data = j[n:]
			} else {
				jobs = jobs[1:]
			}
		}
		// A session that is not held up goes on.
		if waits := len(orders[0]) > 0 && stuck != 0 && resetting == 0; waits {
			if since++; since > 3000 {
				return errors.New("nothing is offered")
			}
		}
		left := len(granted) > 0 || looped != nil || asked != nil || len(jobs) > 0
		for _, o := range orders {
			left = left || len(o) > 0
		}
		if !b.Is("receive_busy") && len(jobs) > 0 {
			return errors.New("it is not busy with data to come")
		}
		if b.Is("receive_idle") && (resetting == 0 || left) {
			return fmt.Errorf("nothing is left, it says, with %d and %d packets to come", len(granted), len(jobs))
		}
		if resetting > 0 {
			if b.Is("receive_idle") {
				resetting, calm = 0, cycle+5
			} else if resetting++; resetting > 3000 {
				return errors.New("a reset does not end")
			}
			since = 0
		}
	}
	if seen < 150 || came < seen || passed < 50 {
		return fmt.Errorf("only %d packets, %d while others waited", seen, passed)
	}
	return nil
}
