package rv32

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
)

func TestStep(t *testing.T) {
	bus := &recorder{
		load:  func(uint32) (uint32, error) { return 0xfff1, nil },
		store: func(uint32) error { return ErrYield },
	}
	text := []ins{
		upper("lui", a1, 0x20000),
		opi("addi", a0, zero, -2),
		opi("addi", zero, a0, 1),
		store("sb", a0, 0x101, zero),
		load("lb", a2, 0x101, zero),
		load("lhu", zero, 0x100, zero),
		load("lh", a3, 4, a1),
		store("sh", a0, -4, a1),
		branch("beq", a0, zero, 8),
		branch("bne", a0, zero, 8),
		bare("ecall"),
		jal(ra, 8),
		bare("ecall"),
		opi("csrrs", a4, zero, 0xc02),
		store("sw", a1, 56, zero), // onto itself
		bare("wfi"),
		load("lw", a0, 0, a0),
	}
	c := machine(t, bus, text)
	word := func(i int) uint32 { return text[i].Word() }
	for i, want := range []Retired{
		{PC: 0, Next: 4, Rd: a1, Value: 0x20000},
		{PC: 4, Next: 8, Rd: a0, Value: 0xfffffffe},
		{PC: 8, Next: 12},
		{PC: 12, Next: 16, Access: StoreAccess, Addr: 0x101, Size: 1, Data: 0xfe},
		{PC: 16, Next: 20, Rd: a2, Value: 0xfffffffe, Access: LoadAccess, Addr: 0x101, Size: 1, Data: 0xfe},
		{PC: 20, Next: 24, Access: LoadAccess, Addr: 0x100, Size: 2, Data: 0xfe00},
		{PC: 24, Next: 28, Rd: a3, Value: 0xfffffff1, Access: LoadAccess, Addr: 0x20004, Size: 2, Data: 0xfff1},
		{PC: 28, Next: 32, Access: StoreAccess, Addr: 0x1fffc, Size: 2, Data: 0xfffe},
		{PC: 32, Next: 36},
		{PC: 36, Next: 44},
		{PC: 44, Next: 52, Rd: ra, Value: 48},
		{PC: 52, Next: 56, Rd: a4, Value: 11},
		{PC: 56, Next: 60, Access: StoreAccess, Addr: 56, Size: 4, Data: 0x20000},
		{PC: 60, Next: 64},
	} {
		want.Instr = word(int(want.PC / 4))
		got, err := c.Step()
		assert.Check(t, got == want, "step %d:\n%+v, want\n%+v", i, got, want)
		if yields := want.Addr == 0x1fffc; errors.Is(err, ErrYield) != yields || err != nil && !yields {
			t.Errorf("step %d: %v", i, err)
		}
	}
	got, err := c.Step()
	assert.Check(t, got == (Retired{}), "a trap retires %+v", got)
	wantTrap(t, err, Trap{Cause: MisalignedLoad, PC: 64, Instr: word(16), Addr: 0xfffffffe})
	for _, pc := range []uint32{2, 4094, 1 << 20} {
		c.SetPC(pc)
		if got, err := c.Step(); got != (Retired{}) || !errors.Is(err, MisalignedFetch) && !errors.Is(err, UnmappedFetch) {
			t.Errorf("at 0x%x: %+v, %v", pc, got, err)
		}
	}
}
