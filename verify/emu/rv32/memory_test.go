package rv32

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// recorder is a bus that keeps what it was asked and answers from functions.
type recorder struct {
	calls []string
	load  func(addr uint32) (uint32, error)
	store func(addr uint32) error
}

func (r *recorder) Load(addr uint32, size int) (uint32, error) {
	r.calls = append(r.calls, fmt.Sprintf("load %x %d", addr, size))
	return r.load(addr)
}

func (r *recorder) Store(addr uint32, size int, v uint32) error {
	r.calls = append(r.calls, fmt.Sprintf("store %x %d %x", addr, size, v))
	return r.store(addr)
}

func (r *recorder) want(t *testing.T, calls ...string) {
	t.Helper()
	assert.Check(t, slices.Equal(r.calls, calls), "the bus saw %q, want %q", r.calls, calls)
	r.calls = nil
}

func TestWait(t *testing.T) {
	answers := []error{ErrWait, fmt.Errorf("an empty queue: %w", ErrWait), nil}
	bus := &recorder{}
	bus.load = func(uint32) (uint32, error) {
		err := answers[0]
		answers = answers[1:]
		return 42, err
	}
	c := machine(t, bus, upper("lui", a1, 0x20000), load("lw", a0, 8, a1), opi("addi", a0, a0, 1), bare("ebreak"))
	for i := range 2 {
		n, err := c.Run(10)
		if want := 1 - i; n != want || !errors.Is(err, ErrWait) || c.PC() != 4 || c.X(a0) != 0 || c.Retired() != 1 {
			t.Fatalf("Run = %d, %v; pc %d, a0 %d, retired %d", n, err, c.PC(), c.X(a0), c.Retired())
		}
	}
	n, err := c.Run(10)
	if n != 2 || c.X(a0) != 43 {
		t.Errorf("%d executed, a0 = %d", n, c.X(a0))
	}
	wantTrap(t, err, Trap{Cause: Breakpoint, PC: 12, Instr: c.word(12)})
	bus.want(t, "load 20008 4", "load 20008 4", "load 20008 4")
}

func TestYield(t *testing.T) {
	bus := &recorder{
		load:  func(uint32) (uint32, error) { return 42, ErrYield },
		store: func(uint32) error { return ErrYield },
	}
	c := machine(t, bus, upper("lui", a1, 0x20000), load("lw", a0, 0, a1), store("sw", a0, 4, a1), bare("ebreak"))
	for i, want := range []int{2, 1} {
		n, err := c.Run(10)
		if n != want || !errors.Is(err, ErrYield) || c.PC() != uint32(8+4*i) || c.X(a0) != 42 || c.Retired() != uint64(2+i) {
			t.Fatalf("Run = %d, %v; pc %d, a0 %d, retired %d", n, err, c.PC(), c.X(a0), c.Retired())
		}
	}
	bus.want(t, "load 20000 4", "store 20004 4 2a")
	c.SetPC(4)
	if n, err := c.Run(1); n != 1 || !errors.Is(err, ErrYield) {
		t.Errorf("at the limit: Run = %d, %v, want 1 and the yield", n, err)
	}
}

func TestBusError(t *testing.T) {
	broken := errors.New("broken")
	bus := &recorder{
		load:  func(uint32) (uint32, error) { return 1, broken },
		store: func(uint32) error { return broken },
	}
	for text, access := range map[string]ins{
		"loading 2 bytes at 0x00020002": load("lh", a0, 2, a1),
		"storing 2 bytes at 0x00020002": store("sh", a0, 2, a1),
	} {
		c := machine(t, bus, upper("lui", a1, 0x20000), access)
		c.sym = &Symbols{list: []symbol{{0, "start"}}}
		n, err := c.Run(10)
		var trap *Trap
		if n != 1 || !errors.Is(err, broken) || errors.As(err, &trap) || c.PC() != 4 || c.X(a0) != 0 {
			t.Errorf("Run = %d, %v; pc %d", n, err, c.PC())
		}
		assert.Check(t, strings.Contains(err.Error(), text) && strings.Contains(err.Error(), "start+0x4"),
			"the message lacks the access or the function: %v", err)
	}
}

func TestSelfModifying(t *testing.T) {
	// A loop whose body, "addi a0, a0, 1", changes itself to add more: by a word, a half word and a byte.
	body := opi("addi", a0, a0, 1).Word()
	for _, test := range []struct {
		store  string
		offset int32
		value  uint32
	}{
		{"sw", 0, opi("addi", a0, a0, 100).Word()},
		{"sh", 2, opi("addi", a0, a0, 100).Word() >> 16},
		{"sb", 3, opi("addi", a0, a0, 16).Word() >> 24},
	} {
		const at = 12
		c := machine(t, nil, opi("addi", a2, zero, 3), li(a1, test.value), body,
			store(test.store, a1, at+test.offset, zero),
			opi("addi", a2, a2, -1), branch("bne", a2, zero, -12), bare("ebreak"))
		n, err := c.Run(100)
		wantTrap(t, err, Trap{Cause: Breakpoint, PC: 28, Instr: c.word(28)})
		added := int32(c.word(at)) >> 20
		if want := uint32(1 + 2*added); n != 15 || added <= 1 || c.X(a0) != want {
			t.Errorf("%s: %d executed, a0 = %d, want %d", test.store, n, c.X(a0), want)
		}
	}

	// An instruction that overwrites itself, and one that overwrites the next.
	next := opi("addi", a0, a0, 9)
	c := machine(t, nil, store("sw", a1, 0, zero), bare("ecall"), jal(zero, -8))
	c.SetX(a1, next.Word())
	copy(c.RAM()[4:], program(store("sw", a1, 8, zero), bare("ecall")))
	run(t, c, 3)
	if c.word(0) != next.Word() || c.X(a0) != 9 || c.PC() != 12 {
		t.Errorf("a0 = %d, pc %d", c.X(a0), c.PC())
	}
	c.SetPC(0)
	run(t, c, 1)
	assert.Check(t, is.Equal(c.X(a0), uint32(18)), "the first instruction is still the one before: a0")

	// Changes from outside need Invalidate.
	copy(c.RAM(), program(opi("addi", a0, zero, 5)))
	c.Invalidate()
	c.SetPC(0)
	run(t, c, 1)
	assert.Check(t, is.Equal(c.X(a0), uint32(5)), "after Invalidate: a0")
}

func TestRunAllocatesNothing(t *testing.T) {
	c := machine(t, constant(1), upper("lui", a1, 0x20000), load("lw", a0, 0, a1), store("sw", a0, 0, a1),
		opi("csrrs", a2, zero, 0xc00), store("sw", a0, 40, zero), jal(zero, -20))
	if got := testing.AllocsPerRun(10, func() { run(t, c, 1000) }); got != 0 {
		t.Errorf("%g allocations for 1000 instructions", got)
	}
}
