package emu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
)

// ErrMissing says that the interface version lacks a name that the engine needs.
var ErrMissing = errors.New("emu: the interface generation lacks what the engine needs")

// resolver looks up what the interface generation defines by name, and
// remembers what it lacks, so that one error can name it all.
type resolver struct {
	g       *abi.Generation
	missing []string
}

func (r *resolver) lack(format string, a ...any) {
	r.missing = append(r.missing, fmt.Sprintf(format, a...))
}

func (r *resolver) err() error {
	if len(r.missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s lacks %s", ErrMissing, r.g.Name, strings.Join(r.missing, ", "))
}

func (r *resolver) constant(name string) uint64 {
	if c := r.g.Constant(name); c != nil {
		return c.Value
	}
	r.lack("the constant %s", name)
	return 0
}

// code is a value of an enum.
func (r *resolver) code(enum, value string) uint32 {
	if v := r.g.Enum(enum).Value(value); v != nil {
		return v.Value
	}
	r.lack("the value %s of %s", value, enum)
	return 0
}

// bit is the mask of a flag.
func (r *resolver) bit(set, bit string) uint32 {
	if b := r.g.BitSet(set).Bit(bit); b != nil {
		return 1 << b.At
	}
	r.lack("the bit %s of %s", bit, set)
	return 0
}

func (r *resolver) layoutField(layout, name string) (abi.Field, bool) {
	if f := r.g.Layout(layout).Field(name); f != nil {
		return *f, true
	}
	r.lack("the field %s of %s", name, layout)
	return abi.Field{}, false
}

// field is a field of a one-word layout.
func (r *resolver) field(layout, name string) field {
	f, ok := r.layoutField(layout, name)
	if !ok {
		return field{}
	}
	if f.High > 31 {
		r.lack("the field %s of %s within 32 bits", name, layout)
		return field{}
	}
	return field{shift: uint8(f.Low), mask: uint32(1<<f.Bits() - 1)}
}

func (r *resolver) memory(name string) *abi.Memory {
	if m := r.g.Memory(name); m != nil {
		return m
	}
	r.lack("the memory %s", name)
	return &abi.Memory{}
}

func (r *resolver) table(m *abi.Memory, name string) *abi.Table {
	if t := m.Table(name); t != nil {
		return t
	}
	r.lack("the table %s", name)
	return &abi.Table{}
}

// column is the offset in bytes of a word in each record of a table.
func (r *resolver) column(t *abi.Table, name string) uint32 { return r.word(t, t.Record, name) }

// word is the offset in bytes of a word among those of a table.
func (r *resolver) word(t *abi.Table, words []abi.RecordWord, name string) uint32 {
	at := abi.Offset(words, name)
	if at < 0 {
		r.lack("the word %s of %s", name, t.Name)
		return 0
	}
	return uint32(at)
}

// field is some bits of a word. The zero value is a field that the generation
// does not have: it reads as 0.
type field struct {
	shift uint8
	mask  uint32
}

func (f field) get(word uint32) uint32 { return word >> f.shift & f.mask }

func (f field) put(v uint32) uint32 { return v & f.mask << f.shift }

func (f field) flag(word uint32) bool { return f.get(word) != 0 }
