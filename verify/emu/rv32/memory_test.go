package rv32

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
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
	if !slices.Equal(r.calls, calls) {
		t.Errorf("the bus saw %q, want %q", r.calls, calls)
	}
	r.calls = nil
}

func TestLoads(t *testing.T) {
	bytesAt := []byte{0x80, 0x7f, 0xff, 0x00, 0x01, 0x80, 0xfe, 0xff}
	for _, test := range []struct {
		name string
		size int
		want []uint32 // at each aligned offset
	}{
		{"lb", 1, []uint32{0xffffff80, 0x7f, 0xffffffff, 0, 1, 0xffffff80, 0xfffffffe, 0xffffffff}},
		{"lbu", 1, []uint32{0x80, 0x7f, 0xff, 0, 1, 0x80, 0xfe, 0xff}},
		{"lh", 2, []uint32{0x7f80, 0xff, 0xffff8001, 0xfffffffe}},
		{"lhu", 2, []uint32{0x7f80, 0xff, 0x8001, 0xfffe}},
		{"lw", 4, []uint32{0x00ff7f80, 0xfffe8001}},
	} {
		for i, want := range test.want {
			offset := int32(i * test.size)
			for _, base := range []uint32{0x400, 4088} { // also the last bytes of the RAM
				c := machine(t, nil, load(test.name, a0, offset, a1), load(test.name, a1, offset, a1),
					load(test.name, zero, offset, a2))
				copy(c.RAM()[base:], bytesAt)
				c.SetX(a1, base)
				c.SetX(a2, base)
				run(t, c, 3)
				if c.X(a0) != want || c.X(a1) != want || c.X(0) != 0 {
					t.Errorf("%s %d: 0x%x, onto its base 0x%x, x0 %d, want 0x%x", test.name, offset, c.X(a0), c.X(a1), c.X(0), want)
				}
			}
			// The same from the bus, which answers with more bits than were asked for.
			bus := &recorder{load: func(addr uint32) (uint32, error) {
				v := uint32(0xdddd0000)
				for k := range test.size {
					v = v&^(0xff<<(8*k)) | uint32(bytesAt[int(addr-0x20000)+k])<<(8*k)
				}
				return v, nil
			}}
			c := machine(t, bus, upper("lui", a1, 0x20000), load(test.name, a0, offset, a1), load(test.name, zero, offset, a1))
			run(t, c, 3)
			call := fmt.Sprintf("load %x %d", 0x20000+offset, test.size)
			bus.want(t, call, call) // a load to x0 happens too
			if c.X(a0) != want || c.X(0) != 0 || c.Retired() != 3 {
				t.Errorf("%s %d from the bus: 0x%x, x0 %d, want 0x%x", test.name, offset, c.X(a0), c.X(0), want)
			}
		}
	}
}

func TestStores(t *testing.T) {
	const v = 0x89abcdef
	for _, test := range []struct {
		name  string
		size  int
		bytes []byte
	}{
		{"sb", 1, []byte{0xef}}, {"sh", 2, []byte{0xef, 0xcd}}, {"sw", 4, []byte{0xef, 0xcd, 0xab, 0x89}},
	} {
		for offset := int32(-8); offset < 8; offset += int32(test.size) {
			c := machine(t, nil, store(test.name, a0, offset, a1), store(test.name, zero, offset, a2))
			for i := 0x400; i < len(c.RAM()); i++ {
				c.RAM()[i] = byte(i)
			}
			want := bytes.Clone(c.RAM())
			copy(want[0x800+offset:], test.bytes)
			clear(want[4088+offset:][:test.size])
			c.SetX(a0, v)
			c.SetX(a1, 0x800)
			c.SetX(a2, 4088)
			run(t, c, 2)
			if !bytes.Equal(c.RAM(), want) {
				t.Errorf("%s %d: the RAM differs", test.name, offset)
			}
		}
		bus := &recorder{store: func(uint32) error { return nil }}
		c := machine(t, bus, upper("lui", a1, 0x20000), store(test.name, a0, -8, a1))
		c.SetX(a0, v)
		run(t, c, 2)
		bus.want(t, fmt.Sprintf("store 1fff8 %d %x", test.size, uint64(v)&(1<<(8*test.size)-1)))
	}
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
		if !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "start+0x4") {
			t.Errorf("the message lacks the access or the function: %v", err)
		}
	}
}

func TestUnmappedReason(t *testing.T) {
	reason := fmt.Errorf("%w: lane 7 does not exist", ErrUnmapped)
	bus := &recorder{load: func(uint32) (uint32, error) { return 0, reason }}
	_, err := machine(t, bus, load("lb", a0, -1, zero)).Run(1)
	if !errors.Is(err, UnmappedLoad) || !errors.Is(err, reason) {
		t.Errorf("%v does not hold cause and reason", err)
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
	if c.X(a0) != 18 {
		t.Errorf("the first instruction is still the one before: a0 = %d", c.X(a0))
	}

	// Changes from outside need Invalidate.
	copy(c.RAM(), program(opi("addi", a0, zero, 5)))
	c.Invalidate()
	c.SetPC(0)
	run(t, c, 1)
	if c.X(a0) != 5 {
		t.Errorf("after Invalidate: a0 = %d", c.X(a0))
	}
}

// TestBusChangesProgram lets a device write the RAM in the middle of an instruction.
func TestBusChangesProgram(t *testing.T) {
	bus := &recorder{}
	c := machine(t, bus, load("lw", zero, -4, zero), bare("ebreak"))
	bus.load = func(uint32) (uint32, error) {
		copy(c.RAM(), program(opi("addi", a0, zero, 1), opi("addi", a0, zero, 5)))
		c.Invalidate()
		return 99, nil
	}
	run(t, c, 2)
	if c.X(a0) != 5 || c.X(0) != 0 {
		t.Errorf("a0 = %d, x0 = %d", c.X(a0), c.X(0))
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	c := machine(t, constant(1), upper("lui", a1, 0x20000), load("lw", a0, 0, a1), store("sw", a0, 0, a1),
		opi("csrrs", a2, zero, 0xc00), store("sw", a0, 40, zero), jal(zero, -20))
	if got := testing.AllocsPerRun(10, func() { run(t, c, 1000) }); got != 0 {
		t.Errorf("%g allocations for 1000 instructions", got)
	}
}
