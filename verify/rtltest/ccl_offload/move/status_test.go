package moves

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var statuses = block.NewSet(block.Module{Name: "move_status"}, block.Module{Name: "move_registers"})

func TestMoveStatus(t *testing.T)    { statuses.Check(t, "move_status", moveStatus) }
func TestMoveRegisters(t *testing.T) { statuses.Check(t, "move_registers", moveRegisters) }

// fate is what has become of the moves of a queue.
type fate struct {
	total, errors uint32
	occupied      int       // not counted yet
	waiting       int       // of these, not started
	moved         [3]uint64 // source, tag and bytes of the move that failed last
}

// offsets are those of a page of registers, by name, and which of them are wide.
func offsets(page string) (at map[string]uint64, wide map[string]bool, err error) {
	d, err := block.Design(platform)
	if err != nil {
		return nil, nil, err
	}
	at, wide = map[string]uint64{}, map[string]bool{}
	for _, r := range d.ABI().RegisterMap(page).Registers {
		at[r.Name], wide[r.Name] = uint64(r.At), r.Width == 64
	}
	return at, wide, nil
}

// moveStatus counts what becomes of moves, and says so.
func moveStatus(b *block.Bench, r *rand.Rand) error {
	at, _, err := offsets("move_status")
	if err != nil {
		return err
	}
	d, err := block.Design(platform)
	if err != nil {
		return err
	}
	code := block.Masks(d.ABI().BitSet(abi.ReturnCode))
	depth := int(d.ABI().Constant("move_queue_depth").Value)
	state := d.ABI().Layout("move_state").Fields
	var all [queues]fate
	var abort uint64
	event, rest, asks, answers := false, false, false, false
	writes, address, data := false, uint64(0), uint64(0)
	good, want := false, uint64(0) // of the answer
	issues, starts, finishes := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	seen := map[string]int{}
	for cycle := range 24000 {
		if r.IntN(3000) == 0 {
			b.Reset()
			all, abort, event, rest, asks, answers = [queues]fate{}, 0, false, false, false, false
		}
		reset := r.IntN(200) == 0
		var accepted, dropped, overflowed, completed, failed uint64
		failures := make([]byte, 4*queues)
		waiting := make([]byte, queues)
		for q := range all {
			f := &all[q]
			if f.waiting > 0 && starts.Next() && r.IntN(4) == 0 {
				f.waiting--
			}
			waiting[q] = byte(f.waiting)
			switch {
			case f.occupied > 0 && r.IntN(150) == 0:
				failed |= 1 << q
			case f.occupied > f.waiting && finishes.Next() && cycle/300%2 == 0: // at times they pile up
				completed |= 1 << q
			}
			for i := range 4 {
				failures[4*q+i] = byte(r.Uint32())
			}
			if failed>>q&1 != 0 && r.IntN(4) == 0 {
				clear(failures[4*q : 4*q+4])
			}
		}
		deciding := issues.Next() && r.IntN(2) == 0
		q := r.IntN(queues)
		refuses := all[q].errors != 0 || reset
		if deciding && failed|abort == 0 {
			switch {
			case refuses:
				dropped = 1 << q
			case all[q].occupied == depth:
				overflowed = 1 << q
			default:
				accepted = 1 << q
			}
		}
		if !asks && r.IntN(3) == 0 {
			asks, writes, data = true, r.IntN(3) == 0, uint64(r.Uint32())
			address = uint64(r.IntN(64)) * 4
			if q := r.IntN(queues); r.IntN(4) > 0 {
				address = at[[]string{"room", "state", "abort", fmt.Sprint("completed_", q), fmt.Sprint("error_", q),
					fmt.Sprint([]string{"failed_source_", "failed_tag_", "failed_bytes_"}[r.IntN(3)], q)}[r.IntN(6)]]
			}
			if address == at["abort"] && r.IntN(3) > 0 {
				data &= 15 << r.IntN(4)
			}
		}
		b.Scramble(r, "request")
		b.Put("request.valid", asks)
		if asks {
			b.Put("request.write", writes)
			b.Set("request.address", address)
			b.Set("request.wdata", data)
		}
		b.Put("reset_moves", reset)
		b.Put("deciding", deciding)
		for name, v := range map[string]uint64{"accepted": accepted, "dropped": dropped, "overflowed": overflowed,
			"completed": completed, "failed": failed} {
			b.Set(name, v)
		}
		b.SetBytes("failure", failures)
		b.Scramble(r, "failing")
		failing := b.Bytes("failing")
		b.SetBytes("waiting", waiting)
		b.Settle()
		full, refused := uint64(0), uint64(0)
		for q, f := range all {
			full |= block.Bit(f.occupied == depth) << q
			refused |= block.Bit(f.errors != 0 || reset) << q
		}
		if b.Is("at_rest") != rest {
			return fmt.Errorf("all moves are over: %t", b.Is("at_rest"))
		}
		rest = refused == 0 && !deciding
		for _, f := range all {
			rest = rest && f.occupied == 0
		}
		if b.Get("full") != full || b.Get("refuses") != refused || b.Get("abort") != abort || b.Is("event_move") != event {
			return fmt.Errorf("full %04b, refuses %04b, aborts %04b, event %t; not %04b, %04b, %04b, %t",
				b.Get("full"), b.Get("refuses"), b.Get("abort"), b.Is("event_move"), full, refused, abort, event)
		}
		if b.Is("response.ready") != answers {
			return fmt.Errorf("an access is answered: %t", b.Is("response.ready"))
		}
		if answers {
			if b.Is("response.error") == good || good && !writes && b.Get("response.rdata") != want {
				return fmt.Errorf("register 0x%X, written %t, is 0x%X, error %t; not 0x%X, good %t", address, writes,
					b.Get("response.rdata"), b.Is("response.error"), want, good)
			}
			seen["access"]++
		}
		taken := asks && !answers && !(deciding && address == at["abort"])
		cleared := uint64(0)
		var next uint64
		if taken {
			good, want = false, 0
			switch {
			case address == at["room"]:
				good = !writes
				for q, f := range all {
					want |= uint64(depth-f.occupied) << (8 * q)
				}
			case address == at["state"]:
				good = !writes
				for q, f := range all {
					for _, s := range state {
						if s.Name == "busy" {
							want |= block.Bit(f.occupied > 0) << (s.Low + q)
						} else if s.Name == "failed" {
							want |= block.Bit(f.errors != 0 || reset) << (s.Low + q)
						}
					}
				}
			case address == at["abort"]:
				if good = writes; writes {
					next = data & (1<<queues - 1)
				}
			}
			for q, f := range all {
				switch address {
				case at[fmt.Sprint("completed_", q)]:
					good, want = !writes, uint64(f.total)
				case at[fmt.Sprint("error_", q)]:
					good, want = true, uint64(f.errors)
					cleared |= block.Bit(writes) << q
				case at[fmt.Sprint("failed_source_", q)]:
					good, want = !writes, f.moved[0]
				case at[fmt.Sprint("failed_tag_", q)]:
					good, want = !writes, f.moved[1]
				case at[fmt.Sprint("failed_bytes_", q)]:
					good, want = !writes, f.moved[2]
				}
			}
		}
		b.Step()
		seen["at rest"] += int(block.Bit(rest))
		event = false
		for q := range all {
			f, bit := &all[q], uint64(1)<<q
			ended := int(completed >> q & 1)
			if failed&bit != 0 {
				ended = f.occupied
				f.waiting = 0
				seen["failed"]++
			} else if abort&bit != 0 {
				ended += f.waiting
				seen["aborted"] += f.waiting
				f.waiting = 0
			}
			gone := int((dropped | overflowed) >> q & 1)
			f.total += uint32(ended + gone)
			event = event || ended+gone > 0
			f.occupied -= ended
			if accepted&bit != 0 {
				f.occupied++
				f.waiting++
			}
			if cleared&bit != 0 {
				f.errors = 0
			}
			if failed&bit != 0 {
				for i := range 4 {
					f.errors |= uint32(failures[4*q+i]) << (8 * i)
				}
				if [4]byte(failures[4*q:]) != [4]byte{} { // else it was a reset
					word := func(n int) uint64 { return uint64(binary.LittleEndian.Uint32(failing[12*q+4*n:])) }
					f.moved = [3]uint64{word(2), word(1), word(0)}
				}
			}
			if overflowed&bit != 0 {
				f.errors |= uint32(code["CONFIG_SWITCH"])
				seen["overflowed"]++
			}
			if reset {
				f.errors = 0
			}
		}
		abort = next
		if answers {
			asks, answers = false, false
		} else {
			answers = taken
		}
	}
	if seen["access"] < 1000 || seen["at rest"] < 30 || seen["failed"] < 30 || seen["aborted"] < 30 || seen["overflowed"] < 10 {
		return fmt.Errorf("too few of something: %v", seen)
	}
	return nil
}
