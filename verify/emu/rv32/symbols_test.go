package rv32

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestParseSymbols(t *testing.T) {
	const text = "00000000 _start\n00000010 main\n00000020\n00000100 helper.part.0\n"
	s, err := ParseSymbols([]byte(text))
	assert.NilError(t, err)
	for addr, want := range map[uint32]string{
		0: "_start+0x0", 12: "_start+0xc", 16: "main+0x0", 31: "main+0xf", 32: "", 255: "", 256: "helper.part.0+0x0",
		0xffffffff: "helper.part.0+0xfffffeff",
	} {
		assert.Check(t, is.Equal(s.Func(addr), want), "Func(0x%x)", addr)
	}
	if addr, ok := s.Addr("main"); addr != 16 || !ok {
		t.Errorf("main is at 0x%x, %t", addr, ok)
	}
	if addr, ok := s.Addr("_start"); addr != 0 || !ok {
		t.Errorf("_start is at 0x%x, %t", addr, ok)
	}
	if _, ok := s.Addr("absent"); ok {
		t.Error("a function that is not there has an address")
	}
	if _, ok := s.Addr(""); ok {
		t.Error("the end of a function has an address")
	}
	tolerant, err := ParseSymbols([]byte("\n 0 a\r\n\n10\tb"))
	assert.Check(t, err == nil && tolerant.Func(4) == "a+0x4" && tolerant.Func(0x11) == "b+0x1",
		"other white space: %+v, %v", tolerant, err)
	for _, bad := range []string{"x main", "00000000 a b", "100000000 a", "-1 a", "4 a\n4 b", "8 a\n4 b"} {
		if s, err := ParseSymbols([]byte(bad)); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
	var none *Symbols
	assert.Check(t, is.Equal(none.Func(0), ""), "nil symbols know something")
	if _, ok := none.Addr("main"); ok {
		t.Error("nil symbols know an address")
	}
	if empty, err := ParseSymbols(nil); err != nil || empty.Func(7) != "" {
		t.Errorf("no symbols: %+v, %v", empty, err)
	}
}

func TestTrapMessage(t *testing.T) {
	for _, test := range []struct {
		trap Trap
		want string
	}{
		{Trap{Cause: IllegalInstruction, PC: 0x14, Instr: 0, Func: "main+0x4"},
			"rv32: illegal instruction, pc 0x00000014 (main+0x4): .word 0x00000000 (0x00000000)"},
		{Trap{Cause: UnmappedLoad, PC: 0x14, Instr: 0x00052503, Addr: 0x30000, Err: ErrUnmapped},
			"rv32: unmapped load, address 0x00030000, pc 0x00000014: lw a0,0(a0) (0x00052503)"},
		{Trap{Cause: UnmappedFetch, PC: 0x30000, Addr: 0x30000},
			"rv32: unmapped fetch, pc 0x00030000"},
		{Trap{Cause: MisalignedFetch, PC: 0x14, Instr: 0x0060006f, Addr: 0x1a},
			"rv32: misaligned fetch, address 0x0000001a, pc 0x00000014: jal zero,0x1a (0x0060006f)"},
		{Trap{Cause: Cause(9)}, "rv32: cause 9, pc 0x00000000: .word 0x00000000 (0x00000000)"},
	} {
		assert.Check(t, is.Equal(test.trap.Error(), test.want))
		assert.Check(t, !errors.Is(&test.trap, ErrWait), "a trap is no wait")
	}
}
