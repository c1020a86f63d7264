package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestCounters(t *testing.T) { set.Check(t, "rv32_counters", counters) }

func counters(b *block.Bench, r *rand.Rand) error {
	reset := func() {
		b.Set("executed", 0)
		b.InReset = true
		b.Step()
		b.InReset = false
	}
	reset()
	cycle, instructions := uint64(0), uint64(0)
	for range 20_000 {
		executed, which, high := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(4) == 0
		b.Put("executed", executed)
		b.Put("instructions", which)
		b.Put("high", high)
		b.Step()
		want := cycle
		if which {
			want = instructions
		}
		if want &= 0xFFFFFFFF; high {
			want = 0 // 2^32 cycles are too many to wait for
		}
		if got := b.Get("value"); got != want {
			return fmt.Errorf("the counter (instructions %v, high %v) is %d, not %d", which, high, got, want)
		}
		cycle++
		instructions += bit(executed)
		if r.IntN(1000) == 0 {
			reset()
			cycle, instructions = 0, 0
		}
	}
	return nil
}

func TestRegisters(t *testing.T) { set.Check(t, "rv32_registers", registers) }

// What is written is read from the next cycle on, and the others keep what they have.
func registers(b *block.Bench, r *rand.Rand) error {
	values := [32]uint64{}
	known := [32]bool{}
	for range 20_000 {
		rs1, rs2, rd, value, write := r.IntN(32), r.IntN(32), 1+r.IntN(31), uint64(r.Uint32()), r.IntN(2) == 0
		b.Set("rs1", uint64(rs1))
		b.Set("rs2", uint64(rs2))
		b.Set("rd", uint64(rd))
		b.Set("value", value)
		b.Put("write", write)
		b.Step()
		for slot, reg := range map[string]int{"value1": rs1, "value2": rs2} {
			if got := b.Get(slot); (known[reg] || reg == 0) && got != values[reg] {
				return fmt.Errorf("%s of x%d is %x, not %x", slot, reg, got, values[reg])
			}
		}
		if write {
			values[rd], known[rd] = value, true
		}
	}
	return nil
}

func TestTrap(t *testing.T) { set.Check(t, "rv32_trap", trap) }

// What is wrong first counts; loads, stores and jumps trap by their addresses.
func trap(b *block.Bench, r *rand.Rand) error {
	for range 40_000 {
		is := map[string]bool{}
		kinds := []string{"illegal", "ebreak", "ecall", "load", "store", "jalr", "jump", "none"}
		kind := kinds[r.IntN(len(kinds))]
		is[kind] = true
		is["unmapped"] = r.IntN(10) == 0
		is["misaligned"] = r.IntN(2) == 0
		pc, address, target := uint64(r.Uint32())&^3, uint64(r.Uint32()), uint64(r.Uint32())&^1
		for _, name := range []string{"unmapped", "illegal", "ebreak", "ecall", "load", "store", "jalr",
			"misaligned", "jump"} {
			b.Put(name, is[name])
		}
		b.Set("pc", pc)
		b.Set("address", address)
		b.Set("target", target)
		b.Settle()
		cause, where, traps := uint64(0), uint64(0), true
		switch {
		case is["unmapped"]:
			cause, where = 1, pc
		case kind == "illegal":
			cause = 2
		case kind == "ebreak":
			cause = 3
		case kind == "ecall":
			cause = 11
		case kind == "load":
			cause, where, traps = 4, address, is["misaligned"]
		case kind == "store":
			cause, where, traps = 6, address, is["misaligned"]
		case kind == "jalr":
			where, traps = address&^1, address&2 != 0
		case kind == "jump":
			where, traps = target, target&2 != 0
		default:
			traps = false
		}
		if b.Is("trap") != traps || traps && (b.Get("cause") != cause || b.Get("trap_address") != where) {
			return fmt.Errorf("%v: trap %v, cause %d, address %x; not %v, %d, %x", is, b.Is("trap"), b.Get("cause"),
				b.Get("trap_address"), traps, cause, where)
		}
	}
	return nil
}
