package rv32

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Symbols finds the function that an address belongs to. A nil *Symbols knows none.
type Symbols struct {
	list []symbol // by ascending address, each address once
}

// symbol is where a function starts, or, without a name, where one ends and no other starts.
type symbol struct {
	addr uint32
	name string
}

// Func returns the function at a byte address as name+0xoffset, or "" if none is known there.
func (s *Symbols) Func(addr uint32) string {
	if s == nil {
		return ""
	}
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].addr > addr }) - 1
	if i < 0 || s.list[i].name == "" {
		return ""
	}
	return fmt.Sprintf("%s+0x%x", s.list[i].name, addr-s.list[i].addr)
}

// Addr returns the byte address of a function.
func (s *Symbols) Addr(name string) (addr uint32, ok bool) {
	if s == nil || name == "" {
		return 0, false
	}
	i := slices.IndexFunc(s.list, func(e symbol) bool { return e.name == name })
	if i < 0 {
		return 0, false
	}
	return s.list[i].addr, true
}

// MarshalText writes the symbols as ParseSymbols reads them.
func (s *Symbols) MarshalText() ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	var b bytes.Buffer
	for _, e := range s.list {
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%08x %s", e.addr, e.name), " "))
	}
	return b.Bytes(), nil
}

// ParseSymbols reads a list of functions by ascending address: a line holds the
// address in hexadecimal and the name, or the address alone where a function
// ends and no other starts.
func ParseSymbols(text []byte) (*Symbols, error) {
	s := &Symbols{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		addr, err := strconv.ParseUint(fields[0], 16, 32)
		if err != nil {
			return nil, fmt.Errorf("rv32: symbols, line %d: reading the address: %w", n, err)
		}
		e := symbol{addr: uint32(addr)}
		switch len(fields) {
		case 1:
		case 2:
			e.name = fields[1]
		default:
			return nil, fmt.Errorf("rv32: symbols, line %d: more than an address and a name", n)
		}
		if k := len(s.list); k > 0 && s.list[k-1].addr >= e.addr {
			return nil, fmt.Errorf("rv32: symbols, line %d: address %08x is not above the one before", n, e.addr)
		}
		s.list = append(s.list, e)
	}
	return s, nil
}

// ReadSymbols collects the functions of a linked 32-bit RISC-V ELF file,
// including the labels of assembly code that carry no type.
func ReadSymbols(file []byte) (*Symbols, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("rv32: reading an ELF file: %w", err)
	}
	if f.Machine != elf.EM_RISCV || f.Class != elf.ELFCLASS32 {
		return nil, fmt.Errorf("rv32: reading an ELF file: it is for %s, %s, not 32-bit RISC-V", f.Machine, f.Class)
	}
	all, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("rv32: reading the symbols of an ELF file: %w", err)
	}
	all = slices.DeleteFunc(all, func(s elf.Symbol) bool { return !isFunction(f, s) })
	slices.SortStableFunc(all, func(a, b elf.Symbol) int {
		return cmp.Or(
			cmp.Compare(a.Value, b.Value),
			-cmp.Compare(elf.ST_TYPE(a.Info), elf.ST_TYPE(b.Info)), // functions before labels
			-cmp.Compare(elf.ST_BIND(a.Info), elf.ST_BIND(b.Info)), // global before local
			cmp.Compare(a.Name, b.Name),
		)
	})
	return &Symbols{list: contiguous(all)}, nil
}

func isFunction(f *elf.File, s elf.Symbol) bool {
	switch elf.ST_TYPE(s.Info) {
	case elf.STT_FUNC:
		return s.Name != ""
	case elf.STT_NOTYPE:
		if s.Name == "" || s.Name[0] == '.' || s.Name[0] == '$' { // labels of the compiler
			return false
		}
		i := int(s.Section)
		return i < len(f.Sections) && f.Sections[i].Flags&elf.SHF_EXECINSTR != 0
	}
	return false
}

// contiguous keeps one name for each address, drops labels inside of functions
// and marks where a function ends and no other starts.
func contiguous(sorted []elf.Symbol) []symbol {
	var list []symbol
	end := uint64(0) // of the function before, 0 if unknown
	for _, s := range sorted {
		if len(list) > 0 && s.Value == uint64(list[len(list)-1].addr) || s.Value < end {
			continue
		}
		if end != 0 && end < s.Value {
			list = append(list, symbol{addr: uint32(end)})
		}
		list = append(list, symbol{addr: uint32(s.Value), name: s.Name})
		end = 0
		if s.Size != 0 {
			end = s.Value + s.Size
		}
	}
	if end != 0 && end <= 1<<32-1 {
		list = append(list, symbol{addr: uint32(end)})
	}
	return list
}
