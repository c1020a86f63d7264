package rv32

import (
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
