package rv32

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
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
	if got, err := s.MarshalText(); string(got) != text || err != nil {
		t.Errorf("written again: %q, %v", got, err)
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
	if got, err := none.MarshalText(); none.Func(0) != "" || len(got) != 0 || err != nil {
		t.Error("nil symbols know something")
	}
	if _, ok := none.Addr("main"); ok {
		t.Error("nil symbols know an address")
	}
	if empty, err := ParseSymbols(nil); err != nil || empty.Func(7) != "" {
		t.Errorf("no symbols: %+v, %v", empty, err)
	}
}

// object writes an ELF file with a text and a data section and these symbols.
func object(t *testing.T, machine elf.Machine, symbols []elf.Sym32, names []string) []byte {
	t.Helper()
	strtab := []byte{0}
	for i := range symbols {
		symbols[i].Name = uint32(len(strtab))
		strtab = append(append(strtab, names[i]...), 0)
	}
	symbols = append([]elf.Sym32{{}}, symbols...)
	const headers = 5
	at := uint32(binary.Size(elf.Header32{}) + headers*binary.Size(elf.Section32{}))
	symbolBytes := uint32(binary.Size(symbols))
	head := elf.Header32{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Shoff: 52, Ehsize: 52,
		Shentsize: 40, Shnum: headers}
	copy(head.Ident[:], elf.ELFMAG+"\x01\x01\x01")
	var b bytes.Buffer
	for _, part := range []any{
		head,
		elf.Section32{},
		elf.Section32{Type: uint32(elf.SHT_NOBITS), Flags: uint32(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Size: 0x1000},
		elf.Section32{Type: uint32(elf.SHT_NOBITS), Flags: uint32(elf.SHF_ALLOC | elf.SHF_WRITE), Addr: 0x1000, Size: 0x1000},
		elf.Section32{Type: uint32(elf.SHT_SYMTAB), Off: at, Size: symbolBytes, Link: 4, Entsize: 16},
		elf.Section32{Type: uint32(elf.SHT_STRTAB), Off: at + symbolBytes, Size: uint32(len(strtab))},
		symbols,
		strtab,
	} {
		assert.NilError(t, binary.Write(&b, binary.LittleEndian, part))
	}
	return b.Bytes()
}

func TestReadSymbols(t *testing.T) {
	const text, data = 1, 2
	global, local := func(k elf.SymType) uint8 { return elf.ST_INFO(elf.STB_GLOBAL, k) }, func(k elf.SymType) uint8 {
		return elf.ST_INFO(elf.STB_LOCAL, k)
	}
	file := object(t, elf.EM_RISCV, []elf.Sym32{
		{Value: 0x40, Size: 0x10, Info: global(elf.STT_FUNC), Shndx: text},
		{Value: 0x00, Info: global(elf.STT_NOTYPE), Shndx: text},
		{Value: 0x10, Size: 0x20, Info: local(elf.STT_FUNC), Shndx: text},
		{Value: 0x10, Size: 0x20, Info: global(elf.STT_FUNC), Shndx: text},
		{Value: 0x18, Info: local(elf.STT_NOTYPE), Shndx: text}, // inside of a function
		{Value: 0x40, Info: global(elf.STT_NOTYPE), Shndx: text},
		{Value: 0x04, Info: local(elf.STT_NOTYPE), Shndx: text},
		{Value: 0x08, Info: local(elf.STT_NOTYPE), Shndx: text},
		{Value: 0x1000, Size: 4, Info: global(elf.STT_OBJECT), Shndx: data},
		{Value: 0x1004, Info: global(elf.STT_NOTYPE), Shndx: data},
		{Value: 0x20, Info: global(elf.STT_NOTYPE), Shndx: uint16(elf.SHN_ABS)},
		{Value: 0x60, Info: global(elf.STT_NOTYPE), Shndx: 5}, // a section that is not there
		{Value: 0xfffffff0, Size: 0x10, Info: global(elf.STT_FUNC), Shndx: text},
	}, []string{"last", "_start", "alias", "main", "label", "_text_end", ".L3", "$x", "table", "_end",
		"__size", "lost", "top"})
	s, err := ReadSymbols(file)
	assert.NilError(t, err)
	const want = "00000000 _start\n00000010 main\n00000030\n00000040 last\n00000050\nfffffff0 top\n"
	if got, _ := s.MarshalText(); string(got) != want {
		t.Errorf("symbols\n%s, want\n%s", got, want)
	}
	for name, bad := range map[string][]byte{
		"nothing":         nil,
		"text":            []byte("00000000 _start\n"),
		"another machine": object(t, elf.EM_386, nil, nil),
		"cut off":         file[:100],
	} {
		if s, err := ReadSymbols(bad); err == nil {
			t.Errorf("%s: symbols %+v", name, s)
		}
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
