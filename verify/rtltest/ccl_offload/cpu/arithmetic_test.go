// Tests named after units check the parts of the control processor, each alone, by
// what the RISC-V manual says of them.

package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "rv32_align"}, block.Module{Name: "rv32_alu"}, block.Module{Name: "rv32_multiplier"},
	block.Module{Name: "rv32_divider"},
	block.Module{Name: "rv32_counters"}, block.Module{Name: "rv32_registers"},
	block.Module{Name: "rv32_trap"}, block.Module{Name: "rv32_posted"}, block.Module{Name: "rv32_decode"},
	block.Module{Name: "rv32_fetch", Params: map[string]string{"RAM_BYTES": "256"}},
	block.Module{Name: "rv32_predict", Params: map[string]string{"CALLS": "4", "BRANCHES": "16"}},
	block.Module{Name: "rv32_ram", Params: map[string]string{"BYTES": "256"}},
	block.Module{Name: "rv32_ram", As: "rv32_ram_filled", Params: map[string]string{"BYTES": "256",
		"CONTENT": `"testdata/ram.hex"`}},
)

var corners = []uint32{0, 1, 2, 31, 32, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x1FFFF, 0x20000, 0x7FFFFFFF, 0x80000000,
	0x80000001, 0xFFFF8000, 0xFFFFFFFE, 0xFFFFFFFF}

func some(r *rand.Rand) uint32 {
	if r.IntN(2) == 0 {
		return corners[r.IntN(len(corners))]
	}
	return r.Uint32() >> r.IntN(32)
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func TestAlign(t *testing.T) { set.Check(t, "rv32_align", align) }

func align(b *block.Bench, r *rand.Rand) error {
	for range 20_000 {
		word, lane := r.Uint32(), r.Uint32N(4)
		funct3 := []uint32{0, 1, 2, 4, 5}[r.IntN(5)]
		var want uint32
		switch funct3 {
		case 0:
			want = uint32(int8(word >> (8 * lane)))
		case 4:
			want = uint32(uint8(word >> (8 * lane)))
		case 1:
			lane &^= 1
			want = uint32(int16(word >> (8 * lane)))
		case 5:
			lane &^= 1
			want = uint32(uint16(word >> (8 * lane)))
		case 2:
			lane, want = 0, word
		}
		b.Set("word", uint64(word))
		b.Set("lane", uint64(lane))
		b.Set("funct3", uint64(funct3))
		b.Settle()
		if got := b.Get("value"); got != uint64(want) {
			return fmt.Errorf("load %d at byte %d of %x is %x, not %x", funct3, lane, word, got, want)
		}
	}
	return nil
}

func TestALU(t *testing.T) { set.Check(t, "rv32_alu", alu) }

func alu(b *block.Bench, r *rand.Rand) error {
	for range 40_000 {
		x, y := some(r), some(r)
		if r.IntN(4) == 0 {
			y = x
		}
		funct3, subtract, arithmetic := r.Uint32N(8), r.IntN(2) == 0, r.IntN(2) == 0
		var want uint32
		switch funct3 {
		case 0:
			if want = x + y; subtract {
				want = x - y
			}
		case 1:
			want = x << (y % 32)
		case 2:
			subtract, want = true, uint32(bit(int32(x) < int32(y)))
		case 3:
			subtract, want = true, uint32(bit(x < y))
		case 4:
			want = x ^ y
		case 5:
			if want = x >> (y % 32); arithmetic {
				want = uint32(int32(x) >> (y % 32))
			}
		case 6:
			want = x | y
		case 7:
			want = x & y
		}
		b.Set("a", uint64(x))
		b.Set("b", uint64(y))
		b.Set("funct3", uint64(funct3))
		b.Put("subtract", subtract)
		b.Put("arithmetic", arithmetic)
		b.Settle()
		if got := b.Get("result"); got != uint64(want) {
			return fmt.Errorf("operation %d (%v, %v) of %x and %x is %x, not %x", funct3, subtract, arithmetic, x, y, got, want)
		}
		if funct3 == 2 || funct3 == 3 { // no branches
			continue
		}
		holds := [8]bool{x == y, x != y, false, false, int32(x) < int32(y), int32(x) >= int32(y), x < y, x >= y}
		b.Put("subtract", true)
		b.Settle()
		if got := b.Is("condition"); got != holds[funct3] {
			return fmt.Errorf("condition %d of %x and %x is %v", funct3, x, y, got)
		}
	}
	return nil
}

func TestMultiplier(t *testing.T) { set.Check(t, "rv32_multiplier", multiplier) }

// The result is there two cycles after operands that stay, and stays with them.
func multiplier(b *block.Bench, r *rand.Rand) error {
	for range 20_000 {
		x, y, funct3 := some(r), some(r), r.Uint32N(4)
		b.Set("a", uint64(x))
		b.Set("b", uint64(y))
		b.Set("funct3", uint64(funct3))
		want := uint32(uint64(int64(int32(x))*int64(int32(y))) >> 32)
		switch funct3 {
		case 0:
			want = x * y
		case 2:
			want = uint32(uint64(int64(int32(x))*int64(y)) >> 32)
		case 3:
			want = uint32(uint64(x) * uint64(y) >> 32)
		}
		b.Step()
		b.Step()
		for range 1 + r.IntN(3) {
			b.Step()
			if got := b.Get("result"); got != uint64(want) {
				return fmt.Errorf("product %d of %x and %x is %x, not %x", funct3, x, y, got, want)
			}
		}
	}
	return nil
}

func TestDivider(t *testing.T) { set.Check(t, "rv32_divider", divider) }

// The result stays until it is taken, and does not depend on what the operands
// become after the beginning.
func divider(b *block.Bench, r *rand.Rand) error {
	const most = 40 // cycles
	for range 3_000 {
		x, y, unsigned, remainder := some(r), some(r), r.IntN(2) == 0, r.IntN(2) == 0
		quotient, rest := ^uint32(0), x
		switch {
		case y == 0:
		case unsigned:
			quotient, rest = x/y, x%y
		case x == 1<<31 && y == ^uint32(0):
			quotient, rest = x, 0
		default:
			quotient, rest = uint32(int32(x)/int32(y)), uint32(int32(x)%int32(y))
		}
		want := quotient
		if remainder {
			want = rest
		}
		b.Put("start", true)
		b.Set("a", uint64(x))
		b.Set("b", uint64(y))
		b.Put("no_sign", unsigned)
		b.Put("for_remainder", remainder)
		b.Set("taken", 0)
		if b.Step(); b.Is("done") {
			return fmt.Errorf("a result is there at the beginning")
		}
		reset := r.IntN(20) == 0
		cut := r.IntN(30)
		for cycle := 0; ; cycle++ {
			b.Scramble(r, "a", "b")
			if reset && cycle == cut {
				b.Put("start", false)
				b.InReset = true
				b.Step()
				b.InReset = false
				break
			}
			if b.Step(); b.Is("done") {
				break
			}
			if cycle == most {
				return fmt.Errorf("no result after %d cycles", cycle)
			}
		}
		if reset && !b.Is("done") {
			for range most {
				if b.Step(); b.Is("done") {
					return fmt.Errorf("a division goes on after a reset")
				}
			}
			continue
		}
		for range 1 + r.IntN(3) {
			if got := b.Get("result"); got != uint64(want) || !b.Is("done") {
				return fmt.Errorf("%x by %x (unsigned %v, remainder %v) is %x, not %x", x, y, unsigned, remainder, got, want)
			}
			b.Step()
		}
		b.Set("taken", 1)
		b.Step()
		b.Set("taken", 0)
		b.Set("start", 0)
		for range r.IntN(3) {
			if b.Step(); b.Is("done") {
				return fmt.Errorf("a result is there after it was taken")
			}
		}
	}
	return nil
}
