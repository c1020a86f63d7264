package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "rv32_predict", Params: map[string]string{"CALLS": "4", "BRANCHES": "16"}},
	block.Module{Name: "rv32_ram", Params: map[string]string{"BYTES": "256"}},
	block.Module{Name: "rv32_ram", As: "rv32_ram_filled", Params: map[string]string{"BYTES": "256",
		"CONTENT": `"testdata/ram.hex"`}},
)

func TestPredict(t *testing.T) { set.Check(t, "rv32_predict", predict) }

// predict returns to the last caller, as long as there are not too many, and goes
// the way that a branch went the last time, at first backwards.
func predict(b *block.Bench, r *rand.Rand) error {
	const depth, branches = 4, 16
	var callers []uint64
	unlike := map[uint64]bool{}
	place := func() uint64 {
		if r.IntN(2) == 0 {
			return uint64(r.IntN(2 * branches))
		}
		return uint64(r.Uint32() >> 2)
	}
	const ret = 0x8067
	for range 20_000 {
		pc, at := place(), place()
		instruction := r.Uint32()
		switch r.IntN(4) {
		case 0:
			instruction = ret
		case 1:
			instruction = ret ^ 1<<r.IntN(32)
		}
		b.Set("pc", pc)
		b.Set("instruction", uint64(instruction))
		kind := r.IntN(8) // a call, a return, a jump, a branch, or nothing of these
		executed, links, backwards, taken := r.IntN(4) > 0, r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
		jumps, back, branch := kind < 3, kind == 3, kind > 4
		if kind < 2 {
			links = true
		}
		for name, v := range map[string]bool{"executed": executed, "jumps": jumps || back, "links": links && !back,
			"came_back": back, "branches": branch, "backwards": backwards, "taken": taken} {
			b.Put(name, v)
		}
		b.Set("executed_pc", at)
		resets := r.IntN(1000) == 0
		b.InReset = resets
		b.Step()
		b.InReset = false
		if b.Is("returns") != (instruction == ret) || b.Is("likely") != (instruction>>31 == 1 != unlike[pc%branches]) {
			return fmt.Errorf("%08X at %X returns: %t, is likely: %t", instruction, pc, b.Is("returns"), b.Is("likely"))
		}
		if n := len(callers); n > 0 && b.Get("caller") != callers[n-1] {
			return fmt.Errorf("it comes back to %X, not to %X", b.Get("caller"), callers[n-1])
		}
		switch {
		case resets:
			callers, unlike = nil, map[uint64]bool{}
			continue
		case !executed:
			continue
		case jumps && links:
			if callers = append(callers, (at+1)%(1<<30)); len(callers) > depth {
				callers = callers[1:]
			}
		case back && len(callers) > 0:
			callers = callers[:len(callers)-1]
		}
		if branch {
			unlike[at%branches] = taken != backwards
		}
	}
	return nil
}

func TestRAM(t *testing.T) {
	set.Check(t, "rv32_ram", func(b *block.Bench, r *rand.Rand) error { return ram(b, r, nil) })
	set.Check(t, "rv32_ram_filled", func(b *block.Bench, r *rand.Rand) error {
		return ram(b, r, map[int]uint64{0: 0xDEADBEEF, 2: 0x12345678, 3: 0xFFFFFFFF, 8: 0xCAFE0001}) // as in testdata
	})
}

// ram is 0 at first where nothing else is said. Each side shows what it read last; a write shows what was
// there before.
func ram(b *block.Bench, r *rand.Rand, content map[int]uint64) error {
	const words = 64
	var memory [words]uint64
	for i, v := range content {
		memory[i] = v
	}
	var fetched, data uint64
	fetches, reads := false, false
	for range 20_000 {
		at, to, value, lanes := r.IntN(words), r.IntN(words), uint64(r.Uint32()), r.Uint64N(16)
		if r.IntN(2) == 0 {
			lanes = 0
		}
		if r.IntN(4) == 0 {
			at = to
		}
		fetch, access := r.IntN(3) > 0, r.IntN(3) > 0
		b.Put("fetch_enable", fetch)
		b.Put("data_enable", access)
		b.Set("fetch_address", uint64(at))
		b.Set("data_address", uint64(to))
		b.Set("data_wdata", value)
		b.Set("data_write", lanes)
		b.Step()
		if fetches && b.Get("fetch_word") != fetched || reads && b.Get("data_rdata") != data {
			return fmt.Errorf("%X and %X are read, not %X and %X", b.Get("fetch_word"), b.Get("data_rdata"), fetched, data)
		}
		if fetch {
			fetched, fetches = memory[at], true
		}
		if !access {
			continue
		}
		data, reads = memory[to], true
		for i := range 4 {
			if mask := uint64(0xFF) << (8 * i); lanes>>i&1 != 0 {
				memory[to] = memory[to]&^mask | value&mask
			}
		}
	}
	return nil
}
