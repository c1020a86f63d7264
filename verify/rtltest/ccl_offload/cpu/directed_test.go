package cpu

import (
	"errors"
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/emu/rv32"
	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

const (
	ra = 1
	s0 = 8
	s1 = 9
	a0 = 10
	a1 = 11
	a2 = 12
	a3 = 13
)

// ends runs a program that must end with a trap, and compares everything.
func (p *pair) ends(t *testing.T, cause rv32.Cause, parts ...any) *rv32.Trap {
	t.Helper()
	p.load(t, Program(parts...), [32]uint32{})
	trap, err := p.run(100_000)
	assert.NilError(t, err)
	assert.Assert(t, trap != nil && errors.Is(trap, cause), "ends with %v, want %v", trap, cause)
	return trap
}

// onBoth runs a test on our own core, and behind the buses of the vendor's.
func onBoth(t *testing.T, test func(*testing.T, Kind)) {
	for _, kind := range []Kind{Own, MicroBlazeV} {
		t.Run(string(kind), func(t *testing.T) { test(t, kind) })
	}
}

func nops(n int) []Instruction {
	list := make([]Instruction, n)
	for i := range list {
		list[i] = OpI("addi", 0, 0, 0)
	}
	return list
}

// Each operation on all pairs of corner values, with operands that were computed
// one, two or three instructions before, and onto both of its operands.
func TestArithmeticOfCorners(t *testing.T) { onBoth(t, arithmeticOfCorners) }

func arithmeticOfCorners(t *testing.T, kind Kind) {
	p := newPairOf(t, kind, 2, "")
	for name, e := range Encodings {
		if e.Format != 'R' {
			continue
		}
		var parts []any
		for n, a := range corners {
			for m, b := range corners {
				parts = append(parts, LI(a1, a), LI(a2, b), nops((n+m)%3), Op3(name, a0, a1, a2),
					Op3(name, a3, a0, a1), Op3(name, 0, a1, a2), Op3(name, a1, a1, a0), Op3(name, a2, a1, a2), Op3(name, a2, a2, a2))
			}
		}
		p.ends(t, rv32.Breakpoint, append(parts, Bare("ebreak"))...)
	}
}

// Jumps to the ends of the RAM, beyond it, and to the last words of the address space, which are written, too.
func TestEndsOfMemory(t *testing.T) { onBoth(t, endsOfMemory) }

func endsOfMemory(t *testing.T, kind Kind) {
	p := newPairOf(t, kind, 5, "")
	for _, target := range []uint32{0, 8, 9, 0xa, 0xb, 0x7ff8, ramBytes - 4, ramBytes, 0xffffff80, 0xfffffffc} {
		for _, offset := range []int32{0, 1, 2, 3, 4, -4, 2047, -2048} {
			p.load(t, Program(LI(a0, target-uint32(offset)), OpI("jalr", a0, a0, offset)), [32]uint32{})
			if _, err := p.run(20); err != nil {
				t.Fatalf("jalr to 0x%x by %d: %v", target, offset, err)
			}
		}
	}
	// These last words belong to the bus also after a trap, which the vendor's core tells by them.
	parts := []any{LI(s0, 0xfffffff0)}
	for at := int32(-16); at < 16; at++ {
		parts = append(parts, Store("sb", s0, at, s0), Load("lbu", a0, at, s0), Store("sw", s0, at&^3, s0))
	}
	for range 2 {
		p.ends(t, rv32.Breakpoint, append(parts, Bare("ebreak"))...)
	}
}

// Every trap, behind each kind of instruction that takes its time, and in the
// shadow of a jump, where it must not happen.
func TestTraps(t *testing.T) { onBoth(t, traps) }

func traps(t *testing.T, kind Kind) {
	p := newPairOf(t, kind, 6, "")
	fault := false
	p.answer = func(a Access) (uint32, uint32, bool) { return 2, 0x100, fault && a.Address >= 0x30000 }
	before := map[string][]Instruction{
		"addi": nops(1), "load": {Load("lw", a1, 0x200, 0)}, "store": {Store("sw", a1, 0x200, 0)},
		"mul": {Op3("mul", a1, s0, s0)}, "div": {Op3("div", a1, s0, s1)},
		"bus load": {Load("lw", a1, 0, s1)}, "bus store": {Store("sb", a1, 3, s1)}, "jump": {JAL(ra, 4)},
		"branch": {Branch("beq", 0, 0, 4)}, "jalr": {OpI("jalr", ra, 0, 8*4)},
		"fence.i": {Bare("fence.i")},
	}
	csr := func(name string, rd, rs1 int, number int32) Instruction { return OpI(name, rd, rs1, number) }
	for _, test := range []struct {
		name  string
		instr any
		cause rv32.Cause
	}{
		{"zero", uint32(0), rv32.IllegalInstruction}, {"ones", ^uint32(0), rv32.IllegalInstruction},
		{"compressed", uint32(0x00010001), rv32.IllegalInstruction},
		{"ecall", Bare("ecall"), rv32.EnvironmentCall}, {"ebreak", Bare("ebreak"), rv32.Breakpoint},
		{"mret", uint32(0x30200073), rv32.IllegalInstruction}, {"ecall with a register", uint32(0x000000f3),
			rv32.IllegalInstruction},
		{"flw", uint32(0x00052007), rv32.IllegalInstruction}, {"amoadd.w", uint32(0x00b5252f), rv32.IllegalInstruction},
		{"ld", uint32(0x00053503), rv32.IllegalInstruction}, {"lwu", uint32(0x00056503), rv32.IllegalInstruction},
		{"sd", uint32(0x00b53023), rv32.IllegalInstruction}, {"srai by 32", uint32(0x42055513), rv32.IllegalInstruction},
		{"slli by 32", uint32(0x02051513), rv32.IllegalInstruction}, {"fence 2", uint32(0x0000200f), rv32.IllegalInstruction},
		{"write cycle", csr("csrrw", a0, 0, 0xc00), rv32.IllegalInstruction},
		{"write cycle, immediate", csr("csrrwi", a0, 0, 0xc00), rv32.IllegalInstruction},
		{"set bits of cycle", csr("csrrs", 0, a1, 0xc00), rv32.IllegalInstruction},
		{"clear bits of cycle", csr("csrrci", 0, 1, 0xc00), rv32.IllegalInstruction},
		{"mstatus", csr("csrrs", a0, 0, 0x300), rv32.IllegalInstruction}, {"hpmcounter3", csr("csrrs", a0, 0, 0xc03),
			rv32.IllegalInstruction},
		{"jal", JAL(ra, 6), rv32.MisalignedFetch}, {"jalr", OpI("jalr", ra, s0, 2), rv32.MisalignedFetch},
		{"branch", Branch("beq", 0, 0, 2), rv32.MisalignedFetch},
		{"branch backwards", Branch("bne", s0, 0, -6), rv32.MisalignedFetch}, {"jalr out of the RAM", OpI("jalr", ra, s1, 0),
			rv32.UnmappedFetch},
		{"lh", Load("lh", a0, 1, s0), rv32.MisalignedLoad}, {"lhu", Load("lhu", a0, -1, s0), rv32.MisalignedLoad},
		{"lw by 1", Load("lw", a0, 1, s0), rv32.MisalignedLoad},
		{"lw by 2", Load("lw", a0, 2, s1), rv32.MisalignedLoad}, {"sh", Store("sh", a0, 3, s0), rv32.MisalignedStore},
		{"sw", Store("sw", a0, 2, s0), rv32.MisalignedStore},
		{"sw by 1 on the bus", Store("sw", a0, 1, s1), rv32.MisalignedStore},
		{"lb", Load("lb", a0, 1, s1), rv32.UnmappedLoad}, {"lw", Load("lw", a0, 0, s1), rv32.UnmappedLoad},
		{"sb", Store("sb", a0, 1, s1), rv32.UnmappedStore}, {"sw", Store("sw", a0, 0, s1), rv32.UnmappedStore},
	} {
		for name, first := range before {
			// 24 bytes of constants, a nop, what comes before, the trap at 32, and what must not happen.
			if fault = false; test.cause == rv32.UnmappedLoad || test.cause == rv32.UnmappedStore {
				fault = true
			}
			lead := []any{LI(s0, 0x100), LI(s1, 0x20000), LI(a0, 0x12345678), nops(1), first}
			if fault { // only the access in question fails
				lead = append(lead[:4:4], first, Upper("lui", s1, 0x30000))
			}
			if test.cause == rv32.UnmappedFetch && name == "jalr" {
				continue
			}
			if fault && name == "jalr" {
				continue
			}
			p.ends(t, test.cause, append(lead, test.instr, Store("sw", a0, 0x300, 0), OpI("addi", s0, 0, 1), Bare("ebreak"))...)
		}
		fault = false
		for _, jump := range []Instruction{JAL(ra, 12), Branch("beq", 0, 0, 12), OpI("jalr", ra, 0, 36)} {
			p.ends(t, rv32.Breakpoint, LI(s0, 0x100), LI(s1, 0x20000), LI(a0, 0x12345678), jump, test.instr,
				test.instr, Bare("ebreak"))
		}
	}
}

func TestProgramsChangeThemselvesBeforeFenceI(t *testing.T) {
	onBoth(t, programsChangeThemselvesBeforeFenceI)
}

func programsChangeThemselvesBeforeFenceI(t *testing.T, kind Kind) {
	p := newPairOf(t, kind, 7, "")
	changed := OpI("addi", a0, a0, 100).Word()
	p.ends(t, rv32.Breakpoint, OpI("addi", a2, 0, 3), LI(a1, changed), OpI("addi", a0, a0, 1), Store("sw", a1, 12, 0),
		Bare("fence.i"),
		OpI("addi", a2, a2, -1), Branch("bne", a2, 0, -16), Bare("ebreak"))
	assert.Check(t, is.Equal(p.core.Registers[a0], uint32(201)))
	p.ends(t, rv32.Breakpoint, LI(a1, changed), Store("sw", a1, 16, 0), Bare("fence.i"), Bare("ecall"), Bare("ebreak"))
	assert.Check(t, is.Equal(p.core.Registers[a0], uint32(100)))
}

func TestCounters(t *testing.T) { onBoth(t, counters) }

func counters(t *testing.T, kind Kind) {
	p := newPairOf(t, kind, 8, "")
	var parts []any
	for _, name := range []string{"csrrs", "csrrc", "csrrsi", "csrrci"} {
		for _, number := range []int32{0xc00, 0xc01, 0xc02, 0xc80, 0xc81, 0xc82} {
			parts = append(parts, OpI(name, a0, 0, number), OpI(name, 0, 0, number), OpI("addi", a0, a0, 0),
				Load("lw", a1, 0, 0), Op3("div", a1, a1, a0))
		}
	}
	p.ends(t, rv32.Breakpoint, append(parts, Bare("ebreak"))...)
}

// The cycles that instructions take, as rv32_core promises.
func TestCycles(t *testing.T) {
	p := newPair(t, 9, "")
	delay := uint32(0)
	p.answer = func(Access) (uint32, uint32, bool) { return delay, 5, false }
	p.core.Reset()
	for _, test := range []struct {
		name   string
		body   []any
		cycles int // of the whole body
		delay  uint32
	}{
		{"dependent additions", []any{OpI("addi", a0, a0, 1), OpI("addi", a0, a0, 1), Op3("add", a0, a0, a0)}, 3, 0},
		{"load", []any{Load("lw", a0, 0x400, 0)}, 1, 0},
		{"load and use", []any{Load("lw", a0, 0x400, 0), OpI("addi", a1, a0, 1)}, 3, 0},
		{"load, another, use", []any{Load("lw", a0, 0x400, 0), OpI("addi", a2, 0, 1), OpI("addi", a1, a0, 1)}, 3, 0},
		{"store and load", []any{Store("sw", a1, 0x400, 0), Load("lw", a0, 0x400, 0)}, 2, 0},
		{"jump", []any{JAL(0, 4)}, 2, 0},
		{"branch not taken", []any{Branch("bne", 0, 0, 8)}, 1, 0},
		{"branch taken forwards", []any{Branch("beq", 0, 0, 4)}, 3, 0},
		{"multiplication", []any{Op3("mulh", a0, a1, a1)}, 3, 0},
		{"division", []any{Op3("rem", a0, a1, a1)}, 34, 0},
		{"store to the bus", []any{Store("sw", a0, 0, s1)}, 1, 0},
		{"store to the bus after 3 cycles, and more", []any{OpI("addi", 0, 0, 0), OpI("addi", 0, 0, 0), OpI("addi", 0, 0, 0),
			Store("sw", a0, 0, s1)}, 4, 3},
		{"store to the bus after 3 cycles, and load", []any{Store("sw", a0, 0, s1), Load("lw", a1, 0, s1)}, 9, 3},
		{"load from the bus", []any{Load("lw", a0, 0, s1)}, 1, 0},
		{"load from the bus after a cycle", []any{Load("lw", a0, 0, s1)}, 2, 1},
		{"load from the bus and use", []any{Load("lw", a0, 0, s1), OpI("addi", a1, a0, 1)}, 3, 0},
		{"load from the bus after a cycle and use", []any{Load("lw", a0, 0, s1), OpI("addi", a1, a0, 1)}, 4, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			delay = test.delay
			parts := []any{LI(s1, 0x20000), nops(2)}
			const times = 20
			for range times {
				parts = append(parts, test.body...)
			}
			p.load(t, Program(append(parts, nops(4), Bare("ebreak"))...), [32]uint32{})
			before := p.count
			if trap, err := p.run(1000); err != nil || trap == nil {
				t.Fatal(trap, err)
			}
			body := p.count - before - 8
			// reset, 8 others, end: the same for all
			cycles := int(p.core.Cycle()) - 8 - overhead
			if body != times*len(test.body) || cycles != times*test.cycles {
				t.Errorf("%d instructions take %d cycles, want %s", body, cycles, fmt.Sprint(times*test.cycles))
			}
		})
	}
	// What was guessed rightly costs one cycle, as from the second time on.
	const times = 1000
	back, ret := OpI("addi", a0, a0, -1), OpI("jalr", 0, ra, 0)
	for _, loop := range []struct {
		name   string
		body   []any
		cycles int // once around
	}{
		{"backwards", []any{back, Branch("bne", a0, 0, -4), Bare("ebreak")}, 3},
		{"forwards", []any{Branch("beq", 0, 0, 8), Bare("ebreak"), back, Branch("bne", a0, 0, -12), Bare("ebreak")}, 5},
		{"not backwards", []any{JAL(0, 8), Bare("ebreak"), Branch("bne", 0, 0, -4), back, Branch("bne", a0, 0, -16),
			Bare("ebreak")}, 6},
		{"call and return", []any{JAL(ra, 16), back, Branch("bne", a0, 0, -8), Bare("ebreak"), ret}, 7},
		{"call through a register", []any{OpI("jalr", ra, a1, 0), back, Branch("bne", a0, 0, -8), Bare("ebreak"), ret}, 8},
		{"calls within", []any{JAL(ra, 16), back, Branch("bne", a0, 0, -8), Bare("ebreak"),
			OpI("addi", a2, ra, 0), JAL(ra, 12), OpI("addi", ra, a2, 0), ret, ret}, 13},
	} {
		p.load(t, Program(append([]any{OpI("addi", a0, 0, times)}, loop.body...)...), [32]uint32{a1: 20})
		if trap, err := p.run(20 * times); err != nil || trap == nil {
			t.Fatal(loop.name, trap, err)
		}
		if got, want := int(p.core.Cycle()), times*loop.cycles; got < want || got > want+25 {
			t.Errorf("%s: %d times around take %d cycles, want about %d", loop.name, times, got, want)
		}
	}
}

// overhead is the cycles from reset to the first execution, and those that a
// halted core is watched.
const overhead = 11

func TestResetStartsAgainAndKeepsTheRAM(t *testing.T) {
	p := newPair(t, 10, "")
	p.ends(t, rv32.Breakpoint, Load("lw", a0, 0x400, 0), OpI("addi", a0, a0, 1), Store("sw", a0, 0x400, 0),
		Op3("div", a1, a0, a0), Bare("ebreak"))
	for want := uint32(2); want < 5; want++ {
		p.core.Reset()
		if stop, executed := p.core.Run(1000); stop != Halted || len(executed) != 4 || p.core.RAM[0x400/4] != want {
			t.Fatalf("run %d: %v, %d instructions, the RAM holds %d", want, stop, len(executed), p.core.RAM[0x400/4])
		}
		p.core.Reset() // in the middle of the division
		if stop, executed := p.core.Run(20); stop != Cycles || len(executed) != 3 {
			t.Fatalf("%v, %d instructions", stop, len(executed))
		}
		p.core.RAM[0x400/4] = want
	}
}

// More writes than are kept, on a slow bus; what fails is any of them, and those
// behind it do not come.
func TestWritesFollowInOrder(t *testing.T) {
	p := newPair(t, 11, "")
	const writes = 40
	for fails := -1; fails < writes; fails++ {
		seen := 0
		p.answer = func(a Access) (uint32, uint32, bool) {
			seen++
			return uint32(seen*7) % 6, a.Address, a.Write == 1 && seen == fails+1
		}
		parts := []any{LI(s1, 0x20000), LI(a0, 0x12345678)}
		for i := range int32(writes) {
			parts = append(parts, Store([]string{"sw", "sh", "sb"}[i%3], a0, 4*i, s1), OpI("addi", a0, a0, 3))
		}
		cause := rv32.Breakpoint
		if fails >= 0 {
			cause = rv32.UnmappedStore
		}
		trap := p.ends(t, cause, append(parts, Load("lw", a1, 8, s1), OpI("addi", a1, a1, 1), Store("sw", a1, 12, s1),
			Bare("ebreak"))...)
		if fails >= 0 && (seen != fails+1 || trap.Addr != uint32(0x20000+4*fails)) {
			t.Errorf("write %d fails: %d accesses, %v", fails, seen, trap)
		}
		if fails < 0 && (seen != writes+2 || p.core.Registers[a1] != 0x20009) {
			t.Errorf("%d accesses, a1 = 0x%x", seen, p.core.Registers[a1])
		}
	}
}

// Returns that do not go where the last call came from: without one, elsewhere, to
// the word half way, and from more calls within each other than are known.
func TestReturnsGoWhereTheyAreTold(t *testing.T) {
	p := newPair(t, 12, "")
	ret := OpI("jalr", 0, ra, 0)
	elsewhere := []any{JAL(ra, 8), Bare("ecall"), OpI("addi", ra, ra, 12), ret, OpI("addi", a0, a0, 1), Bare("ebreak")}
	p.ends(t, rv32.Breakpoint, elsewhere...)
	assert.Check(t, is.Equal(p.core.Registers[a0], uint32(1)), "elsewhere: a0")
	p.ends(t, rv32.Breakpoint, OpI("addi", ra, 0, 12), ret, Bare("ecall"), Bare("ebreak"))
	p.ends(t, rv32.MisalignedFetch, JAL(ra, 8), Bare("ebreak"), OpI("addi", ra, ra, 2), ret)
	p.ends(t, rv32.Breakpoint, JAL(ra, 8), Bare("ebreak"), OpI("addi", ra, ra, 1), ret) // the lowest bit does not count
	for _, depth := range []int32{1, 7, 8, 9, 20} {
		// f: keeps ra on a stack, counts, calls itself or not, and returns.
		p.ends(t, rv32.Breakpoint, OpI("addi", s0, 0, 0x400), OpI("addi", a0, 0, depth), JAL(ra, 8), Bare("ebreak"),
			Store("sw", ra, 0, s0), OpI("addi", s0, s0, 4), OpI("addi", a0, a0, -1), Branch("beq", a0, 0, 8), JAL(ra, -16),
			OpI("addi", s0, s0, -4), Load("lw", ra, 0, s0), OpI("addi", a1, a1, 1), ret)
		if p.core.Registers[a1] != uint32(depth) || p.core.Registers[s0] != 0x400 {
			t.Errorf("%d calls: %d returns, the stack ends at 0x%x", depth, p.core.Registers[a1], p.core.Registers[s0])
		}
	}
}
