package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestPosted(t *testing.T) { set.Check(t, "rv32_posted", posted) }

// access is one of the core.
type access struct {
	write                    bool
	address, data, lanes, pc uint64
}

// posted takes the side of the core and of the bus: writes come to the bus in
// order and none is lost, a read comes when there is none before it, and what is
// behind a write that fails does not come.
func posted(b *block.Bench, r *rand.Rand) error {
	depth := int(b.Const("DEPTH"))
	var kept []access
	var now *access // of the core, until it is ready
	waiting, quiet := false, 0
	var held access // on the bus
	for range 40_000 {
		if now == nil && r.IntN(3) != 0 && quiet == 0 {
			now = &access{r.IntN(4) != 0, uint64(r.Uint32()), uint64(r.Uint32()), uint64(1 + r.IntN(15)), uint64(r.Uint32())}
		}
		if now != nil {
			b.Set("core_valid", 1)
			b.Put("core_write", now.write)
			b.Set("core_address", now.address)
			b.Set("core_wdata", now.data)
			b.Set("core_strobe", now.lanes)
			b.Set("core_pc", now.pc)
		} else {
			b.Set("core_valid", 0)
			b.Scramble(r, "core_write", "core_address", "core_wdata", "core_strobe", "core_pc")
		}
		ready := r.IntN(4) != 0
		if b.Cycle%2000 < 500 {
			ready = r.IntN(16) == 0
		}
		fails := ready && r.IntN(60) == 0
		b.Put("bus_ready", ready)
		b.Put("bus_error", fails || !ready && r.IntN(2) == 0)
		answer := uint64(r.Uint32())
		b.Set("bus_rdata", answer)
		b.Step()

		if quiet > 0 {
			quiet--
		}
		if b.Is("late") != (len(kept) > 0) {
			return fmt.Errorf("late is %v with %d kept", b.Is("late"), len(kept))
		}
		var want *access // on the bus
		if len(kept) > 0 {
			want = &kept[0]
		} else if now != nil && !now.write {
			want = now
		}
		if b.Is("bus_valid") != (want != nil) {
			return fmt.Errorf("an access on the bus: %v, wanted %+v", b.Is("bus_valid"), want)
		}
		if want != nil {
			got := access{b.Is("bus_write"), b.Get("bus_address"), b.Get("bus_wdata"), b.Get("bus_strobe"), want.pc}
			if !got.write {
				got.data = want.data
			}
			if got != *want {
				return fmt.Errorf("the bus gets %+v, not %+v", got, *want)
			}
			if waiting && got != held {
				return fmt.Errorf("%+v became %+v before it was answered", held, got)
			}
			waiting, held = !ready, got
		} else {
			waiting = false
		}
		popped := len(kept) > 0 && ready
		failed := popped && fails
		if b.Is("late_error") != failed || failed &&
			(b.Get("late_address") != kept[0].address || b.Get("late_pc") != kept[0].pc) {
			return fmt.Errorf("a failure is told: %v, wanted %v", b.Is("late_error"), failed)
		}
		if now != nil {
			can := ready && len(kept) == 0
			if now.write {
				can = len(kept) < depth
			}
			if b.Is("core_ready") != can {
				return fmt.Errorf("%+v is ready: %v, with %d kept", *now, b.Is("core_ready"), len(kept))
			}
			if can && !now.write && (b.Is("core_error") != fails || b.Get("core_rdata") != answer) {
				return fmt.Errorf("the core reads %x, error %v", b.Get("core_rdata"), b.Is("core_error"))
			}
			if can && now.write && b.Is("core_error") {
				return fmt.Errorf("a write that is kept fails")
			}
			if can && now.write {
				kept = append(kept, *now)
			}
			if can {
				now = nil
			}
		}
		switch {
		case failed: // the core stands from then on
			kept, now, quiet, waiting = nil, nil, 2, false
		case popped:
			kept = kept[1:]
		}
		if r.IntN(3000) == 0 {
			kept, now, waiting = nil, nil, false
			b.Set("core_valid", 0)
			b.InReset = true
			b.Step()
			b.InReset = false
		}
	}
	return nil
}
