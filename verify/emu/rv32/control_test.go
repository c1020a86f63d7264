package rv32

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// wantTrap checks an error against the trap it must be.
func wantTrap(t testing.TB, err error, want Trap) {
	t.Helper()
	var trap *Trap
	assert.Assert(t, errors.As(err, &trap), "%v, want a trap: %v", err, &want)
	got := *trap
	if got.Err = nil; got != want {
		t.Errorf("trap %+v, want %+v", got, want)
	}
	assert.Check(t, errors.Is(err, want.Cause) && !errors.Is(err, want.Cause+1),
		"errors.Is does not find exactly %v in %v", want.Cause, err)
}

func TestTraps(t *testing.T) {
	const atPC = 4 // the instruction under test comes second
	for _, test := range []struct {
		name  string
		instr any
		want  Trap
	}{
		{"zero", uint32(0), Trap{Cause: IllegalInstruction}},
		{"ecall", bare("ecall"), Trap{Cause: EnvironmentCall}},
		{"ebreak", bare("ebreak"), Trap{Cause: Breakpoint}},
		{"amoadd.w", uint32(0x00b5252f), Trap{Cause: IllegalInstruction}},
		{"slli by 32", uint32(0x02051513), Trap{Cause: IllegalInstruction}},
		{"write cycle", opi("csrrw", a0, zero, 0xc00), Trap{Cause: IllegalInstruction}},
		{"set bits of cycle", opi("csrrs", zero, a1, 0xc00), Trap{Cause: IllegalInstruction}},
		{"mstatus", opi("csrrs", a0, zero, 0x300), Trap{Cause: IllegalInstruction}},
		{"hpmcounter3", opi("csrrs", a0, zero, 0xc03), Trap{Cause: IllegalInstruction}},
		{"jal", jal(ra, 6), Trap{Cause: MisalignedFetch, Addr: 10}},
		{"jalr", opi("jalr", ra, a0, 3), Trap{Cause: MisalignedFetch, Addr: 0x102}},
		{"lh", load("lh", a0, 1, a0), Trap{Cause: MisalignedLoad, Addr: 0x101}},
		{"lw by 2", load("lw", a0, 2, a0), Trap{Cause: MisalignedLoad, Addr: 0x102}},
		{"sh", store("sh", a0, 3, a0), Trap{Cause: MisalignedStore, Addr: 0x103}},
		{"sw", store("sw", a0, 2, a0), Trap{Cause: MisalignedStore, Addr: 0x102}},
		{"misaligned outside", load("lw", a0, 2, a1), Trap{Cause: MisalignedLoad, Addr: 0xfffffffe}},
		{"lb", load("lb", a0, -1, zero), Trap{Cause: UnmappedLoad, Addr: math.MaxUint32}},
		{"lw above the RAM", load("lw", a0, 4, a2), Trap{Cause: UnmappedLoad, Addr: 4096}},
		{"lh above the RAM", load("lh", a0, 4, a2), Trap{Cause: UnmappedLoad, Addr: 4096}},
		{"sw above the RAM", store("sw", a0, 4, a2), Trap{Cause: UnmappedStore, Addr: 4096}},
		{"sb above the RAM", store("sb", a0, 4, a2), Trap{Cause: UnmappedStore, Addr: 4096}},
		{"sw", store("sw", a0, 0, a1), Trap{Cause: UnmappedStore, Addr: 0xfffffffc}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, bus := range []Bus{nil, nothing{}} {
				c := machine(t, bus, bare("fence"), test.instr)
				c.sym = &Symbols{list: []symbol{{0, "start"}}}
				c.SetX(a0, 0x100)
				c.SetX(a1, 0xfffffffc)
				c.SetX(a2, 4092)
				before, registers := string(c.RAM()), c.x
				want := test.want
				want.PC, want.Instr, want.Func = atPC, c.word(atPC), "start+0x4"
				n, err := c.Run(10)
				if n != 1 || c.PC() != atPC || c.Retired() != 1 {
					t.Errorf("%d executed, pc 0x%x, %d retired", n, c.PC(), c.Retired())
				}
				wantTrap(t, err, want)
				assert.Check(t, string(c.RAM()) == before && c.x == registers, "the trap changed registers or RAM")
				n, again := c.Run(10)
				assert.Check(t, n == 0, "%d executed at the trap", n)
				wantTrap(t, again, want)
				if unmapped := want.Cause == UnmappedLoad || want.Cause == UnmappedStore; errors.Is(err, ErrUnmapped) != unmapped {
					t.Errorf("errors.Is(err, ErrUnmapped) = %t", !unmapped)
				}
				if text := err.Error(); !strings.Contains(text, "start+0x4") ||
					!strings.Contains(text, Disassemble(want.Instr, atPC)) {
					t.Errorf("the message lacks function or instruction: %s", text)
				}
			}
		})
	}
}

// nothing is a bus without any device.
type nothing struct{}

func (nothing) Load(uint32, int) (uint32, error) { return 77, ErrUnmapped }
func (nothing) Store(uint32, int, uint32) error  { return ErrUnmapped }

func TestFetch(t *testing.T) {
	c := machine(t, constant(0x00000013), bare("fence"), jal(ra, 4092)) // to the end of the RAM, where the bus has nops
	n, err := c.Run(10)
	if n != 2 || c.X(ra) != 8 {
		t.Errorf("%d executed, ra 0x%x", n, c.X(ra))
	}
	wantTrap(t, err, Trap{Cause: UnmappedFetch, PC: 4096, Addr: 4096})

	copy(c.RAM()[4092:], program(bare("fence"))) // straight over the end
	c.SetPC(4092)
	n, err = c.Run(10)
	assert.Check(t, n == 1, "%d executed", n)
	wantTrap(t, err, Trap{Cause: UnmappedFetch, PC: 4096, Addr: 4096})

	for _, pc := range []uint32{1, 2, 3, 4098, math.MaxUint32} {
		c.SetPC(pc)
		n, err = c.Run(10)
		if n != 0 || c.PC() != pc {
			t.Errorf("%d executed, pc 0x%x", n, c.PC())
		}
		wantTrap(t, err, Trap{Cause: MisalignedFetch, PC: pc, Addr: pc})
		if got := err.Error(); strings.Contains(got, "word") {
			t.Errorf("the message shows an instruction: %s", got)
		}
	}
	c.SetPC(0xfffffffc)
	_, err = c.Run(1)
	wantTrap(t, err, Trap{Cause: UnmappedFetch, PC: 0xfffffffc, Addr: 0xfffffffc})
}

func TestLimit(t *testing.T) {
	c := machine(t, nil, opi("addi", a0, a0, 1), jal(zero, -4))
	total := 0
	for _, limit := range []int{0, 1, 2, 3, -1, 1000, 7} {
		n, err := c.Run(limit)
		assert.Check(t, n == max(limit, 0) && err == nil, "Run(%d) = %d, %v", limit, n, err)
		total += n
		if got, want := c.X(a0), uint32(total+1)/2; got != want || c.Retired() != uint64(total) {
			t.Errorf("after %d instructions: counted %d, retired %d", total, got, c.Retired())
		}
	}
	c = machine(t, nil) // the limit comes before the trap
	if n, err := c.Run(0); n != 0 || err != nil {
		t.Errorf("Run(0) = %d, %v", n, err)
	}
}

func TestLoad(t *testing.T) {
	c := New(9, nil)
	if len(c.RAM()) != 12 {
		t.Errorf("%d bytes of RAM", len(c.RAM()))
	}
	assert.Check(t, c.Load(make([]byte, 13), nil) != nil, "an image larger than the RAM loads")
	image := program(opi("addi", a0, a0, 1), opi("addi", a0, a0, 2), opi("addi", a0, a0, 3))
	assert.NilError(t, c.Load(image, nil))
	run(t, c, 3)
	assert.NilError(t, c.Load(program(opi("addi", a0, a0, 4))[:4], nil))
	n, err := c.Run(3)
	if n != 1 || c.X(a0) != 4 {
		t.Errorf("%d executed, a0 = %d: the program before is still there", n, c.X(a0))
	}
	wantTrap(t, err, Trap{Cause: IllegalInstruction, PC: 4})
}
