package rx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestSlotWriter(t *testing.T) { unitSet.Check(t, "slot_writer", slotWriter) }

// slotWriter writes packets, slice by slice.
func slotWriter(b *block.Bench, r *rand.Rand) error {
	slots, rows := 1<<b.Width("slot_write_slot"), 1<<b.Width("slot_write_row")
	type slice struct {
		slot, at int // from the beginning of the slot
		data     []byte
	}
	memory := map[[2]int]byte{} // what was written since the slice was told of
	var waiting []slice         // not done
	var beats [][]byte
	in := block.NewInput(b, "in_valid", "in_ready")
	packet := slice{slot: -1}
	headed, offset, left := 0, 0, 0
	for round := range 6 {
		if round > 0 && r.IntN(2) == 0 {
			b.Reset()
			waiting, beats, left = nil, nil, 0
			clear(memory)
			in.Withdraw()
		}
		tells, gives := block.NewRhythm(r), block.NewRhythm(r)
		for done, cycle := 0, 0; done < 60; cycle++ {
			if cycle > 20000 {
				return fmt.Errorf("only %d slices were written", done)
			}
			b.Scramble(r, "slice_bytes", "slice_slot", "slice_headed", "slice_offset")
			b.Set("slice_valid", 0)
			if len(waiting) < 8 && tells.Next() {
				if left == 0 {
					packet.slot = r.IntN(slots)
					headed, offset = r.IntN(2), 0
					if r.IntN(4) == 0 {
						offset = r.IntN(500)
					}
					left = length(r, rows*beat-headed*beat-offset)
				}
				n := min(left, length(r, 1024))
				if r.IntN(3) == 0 {
					n = min(left, 1+r.IntN(70))
				}
				s := slice{packet.slot, headed*beat + offset, random(r, n)}
				b.Set("slice_bytes", uint64(n))
				b.Set("slice_slot", uint64(s.slot))
				b.Set("slice_headed", uint64(headed))
				b.Set("slice_offset", uint64(offset))
				b.Set("slice_valid", 1)
				for at := 0; at < n; at += beat {
					x := random(r, beat) // behind the end there is anything
					copy(x, s.data[at:min(n, at+beat)])
					beats = append(beats, x)
				}
				waiting = append(waiting, s)
				offset, left = offset+n, left-n
			}
			if !in.Offered() {
				b.Scramble(r, "in_data")
				if len(beats) > 0 && gives.Next() {
					b.SetBytes("in_data", beats[0])
					in.Offer()
				}
			}
			b.Step()
			if in.Taken() {
				beats = beats[1:]
			}
			if b.Is("slot_write_valid") {
				slot, row := int(b.Get("slot_write_slot")), int(b.Get("slot_write_row"))
				data, strobe := b.Bytes("slot_write_data"), b.Get("slot_write_strobe")
				for i, x := range data {
					at := row*beat + i
					if strobe>>i&1 == 0 {
						continue
					}
					if len(waiting) == 0 || waiting[0].slot != slot || at < waiting[0].at || at >= waiting[0].at+len(waiting[0].data) {
						return fmt.Errorf("byte %d of slot %d is written, where no slice is", at, slot)
					}
					memory[[2]int{slot, at}] = x
				}
			}
			if b.Is("done") {
				if len(waiting) == 0 {
					return fmt.Errorf("a slice is done that is not there")
				}
				s := waiting[0]
				for i, x := range s.data {
					if got, there := memory[[2]int{s.slot, s.at + i}]; !there || got != x {
						return fmt.Errorf("byte %d of slot %d is %02X (written: %t), not %02X", s.at+i, s.slot, got, there, x)
					}
				}
				clear(memory)
				waiting = waiting[1:]
				done++
			}
		}
	}
	return nil
}
