package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRxPackets(t *testing.T)    { packetSet.Check(t, "rx_packets", rxPackets) }
func TestRxPacketsUDP(t *testing.T) { packetSet.Check(t, "rx_packets_udp", rxPackets) }
func TestRxPacketsTurns(t *testing.T) {
	for in, change := range map[string][2]string{
		"rx_offer":   {".advance(state == PICK && go)", ".advance(1'b0)"},
		"rx_packets": {"own_valid && !(row_valid && own_before)", "own_valid"},
	} {
		packetSet.Finds(t, "rx_packets", in, change[0], change[1], rxPackets)
	}
}

// A packet that is read while it comes has its slot until both have ended.
func TestRxPacketsGrow(t *testing.T) {
	nightly.Only(t) // four modules are built
	for old, with := range map[string]string{
		"read_row > come":                                   "1'b0",
		"drop && !filling[leave_slot]":                      "drop",
		"read_final && !filling[read_slot]":                 "read_final",
		"(job_ready ? next_slot : read_slot) == write_slot": "1'b0",
	} {
		packetSet.Finds(t, "rx_packets", "rx_packets", old, with, rxPackets)
	}
}

// rxPackets gets packets of some sessions and of the engine itself.
func rxPackets(b *block.Bench, r *rand.Rand) error {
	x, loop := newTaker(b, r), newLooper(b, r)
	var asked *packet     // wants a slot
	var granted []*packet // have one, are to be filled, in their order
	row := block.NewInput(b, "row_valid", "row_ready")
	gives := block.NewRhythm(r)
	calm, stalls, resetting, nones := 0, 0, 0, 0
	var waits patience
	for cycle := range 20000 {
		if cycle%1000 == 0 {
			gives, loop.gives = block.NewRhythm(r), block.NewRhythm(r)
			x.pace()
		}
		// The front end.
		if asked == nil && len(granted) < 6 && gives.Next() && resetting == 0 {
			asked = &packet{session: r.IntN(own), data: small(r), good: x.told || r.IntN(10) > 0}
		}
		about := r.IntN(own) // the front end also looks whether a session has ended
		if asked != nil {
			about = asked.session
		}
		b.Put("need_valid", asked != nil)
		b.Set("need_session", x.numbers[about])
		if !row.Offered() {
			b.Scramble(r, "row_slot", "row_number", "row_data", "row_keep", "row_last", "row_good", "row_bytes", "row_session")
			if len(granted) > 0 && cycle >= stalls && gives.Next() {
				p := granted[0]
				last := p.beats(b, r, "row_data", "row_keep")
				b.Set("row_slot", uint64(p.slot))
				b.Set("row_number", uint64(p.at/beat))
				b.Put("row_last", last)
				if last || x.told {
					b.Put("row_good", x.told || p.good)
					b.Set("row_bytes", uint64(len(p.data)))
					b.Set("row_session", x.numbers[p.session])
				}
				row.Offer()
			}
		}
		loop.drive(cycle, resetting > 0)
		// A reset drops all that has not been taken.
		if resetting == 0 && cycle > calm && r.IntN(1000) == 0 {
			resetting = 1
			switch until := cycle + 300 + r.IntN(400); r.IntN(3) {
			case 0:
				stalls = until
			case 1:
				loop.stalls = until
			}
		}
		b.Put("reset_network", resetting > 0)
		b.Put("source_busy", asked != nil || len(granted) > 0)
		x.drive(resetting > 0)
		b.Settle()
		if err := x.look(cycle); err != nil {
			return err
		}
		has := len(x.orders[about]) > 0 || slices.ContainsFunc(granted, func(p *packet) bool { return p.session == about })
		b.Step()
		if b.Is("need_none") {
			if nones++; has && resetting == 0 {
				return fmt.Errorf("there is nothing of session %d, it says", about)
			}
		}
		if resetting > 0 { // what was promised is gone
			for _, p := range granted {
				p.good = false
			}
		}
		if err := x.took(cycle, resetting > 0); err != nil {
			return err
		}
		if err := waits.check(b, asked, granted, x.orders[:], x.jobs, resetting > 0); err != nil {
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
		if row.Taken() && x.beat(granted[0], cycle) {
			granted = granted[1:]
		}
		if p := loop.took(resetting > 0); p != nil {
			x.complete(p, cycle)
		}
		left := len(granted) > 0 || loop.begun() || asked != nil || x.left()
		if !b.Is("receive_busy") && len(x.jobs) > 0 {
			return errors.New("it is not busy with data to come")
		}
		if b.Is("receive_idle") && (resetting == 0 || left) {
			return fmt.Errorf("nothing is left, it says, with %d and %d packets to come", len(granted), len(x.jobs))
		}
		if resetting > 0 {
			if b.Is("receive_idle") {
				resetting, calm = 0, cycle+5
			} else if resetting++; resetting > 3000 {
				return errors.New("a reset does not end")
			}
		}
	}
	if x.cuts && x.again < 100 || x.seen < 300 || x.came+x.again < x.seen || x.passed < 50 || nones < 100 {
		return fmt.Errorf("only %d packets, %d while others waited, %d times nothing of a session, %d offered again", x.seen,
			x.passed, nones, x.again)
	}
	return nil
}
