// Package abi holds the interface generations: what host, firmware and
// hardware agree on. A generation is data, read from HCL; everything that
// names an offset, an opcode, a field or an error bit is rendered from it.
//
// All words are 32-bit little-endian; all addresses are byte offsets.
package abi

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Generation is one interface generation, for example accl-2024, with what it
// inherits already merged in.
type Generation struct {
	Name string // "accl-2024"
	Doc  string
	// Features are capabilities that differ between generations and that
	// kernels ask for by name, for example engine_sessions.
	Features map[string]bool

	Types      []Type
	Constants  []Constant
	Enums      []Enum
	Operations []Operation // by code; another form of a call follows it
	BitSets    []BitSet
	Layouts    []Layout
	Records    []Record
	Registers  []RegisterMap
	Memories   []Memory

	Range hcl.Range
}

// Type is an element type of buffers.
type Type struct {
	Name  string // "float32"
	Doc   string
	Bytes int
	Align int // bytes
	Range hcl.Range
}

// NaturalAlign is the alignment of an element that says nothing: the largest
// power of two that divides its size, at most a beat's.
func NaturalAlign(bytes int) int { return min(bytes&-bytes, maxAlign) }

const maxAlign = 64

// Constant is a named number.
type Constant struct {
	Name, Doc string
	Value     uint64
	Range     hcl.Range
}

// Enum is a set of named codes that exclude each other, sorted by value.
type Enum struct {
	Name, Doc string
	Values    []EnumValue
	Range     hcl.Range
}

// EnumValue is one code of an Enum.
type EnumValue struct {
	Name, Doc string
	Value     uint32
	Range     hcl.Range
}

// BitSet is a word of flags, sorted by position.
type BitSet struct {
	Name, Doc string
	Bits      []Bit
}

// Bit is one flag of a BitSet. An internal flag never leaves the engine in
// normal operation.
type Bit struct {
	Name, Doc string
	At        int
	Internal  bool
	Range     hcl.Range
}

// Layout is a packed vector of Width bits with named fields, sorted from bit 0
// up. Bits that no field names are zero.
type Layout struct {
	Name, Doc string
	Width     int
	Fields    []Field
	Range     hcl.Range
}

// Field is the bits High:Low of a Layout.
type Field struct {
	Name, Doc string
	High, Low int
	Range     hcl.Range
}

// Bits is the field's width in bits.
func (f Field) Bits() int { return f.High - f.Low + 1 }

// Mask is where the field stands in a word.
func (f Field) Mask() uint32 { return uint32(1<<f.Bits()-1) << f.Low }

// Of is the field's value in a word.
func (f Field) Of(word uint32) uint32 { return word & f.Mask() >> f.Low }

// Record is a sequence of 32-bit words whose order is the layout.
type Record struct {
	Name, Doc string
	Words     []RecordWord
	Range     hcl.Range
}

// RecordWord is one 32-bit word of a Record or Table.
type RecordWord struct {
	Name, Doc string
}

// RegisterMap is a set of memory-mapped registers, sorted by offset. Base is
// where the map stands in the address space of the control processor, 0 for
// maps that only the host sees.
type RegisterMap struct {
	Name, Doc string
	Base      uint32
	Registers []Register
	Range     hcl.Range
}

// Register is one register, or Count of them, one behind the other. A 64-bit
// register is two words, low first, at At and At + 4 (bytes).
type Register struct {
	Name, Doc string
	At        uint32
	Width     int    // bits: 32 or 64
	Count     int    // at least 1
	Access    string // "rw", "ro" or "wo"
	// Extension says that it is ours: kernels with these registers have no
	// argument there, and those of others may not have it.
	Extension bool
	Range     hcl.Range
}

// End is the offset behind the register, in bytes; of one that nobody has checked
// it may be larger than an address.
func (r Register) End() uint64 { return uint64(r.At) + uint64(r.Width/8*r.Count) }

// Memory is an address range with words at fixed places and tables.
type Memory struct {
	Name, Doc string
	// Base is the first byte as the host sees it, ProcessorBase as the control
	// processor does. Word and table offsets count from the host's view.
	Base, ProcessorBase uint32
	Size                uint32 // bytes
	Words               []Word
	Tables              []Table
	Range               hcl.Range
}

// Word is a value at a fixed place of a Memory: Count consecutive values of
// Width bits.
type Word struct {
	Name, Doc string
	At        uint32
	Width     int    // bits: 32 or 64
	Count     int    // at least 1
	Group     string // "" or the group it belongs to, for example "tuning"
	Range     hcl.Range
}

// Table is a header of words followed by records of words. A table without a
// fixed place follows the one named in After.
type Table struct {
	Name, Doc string
	At        uint32 // only if After is ""
	After     string
	Header    []RecordWord
	Record    []RecordWord
	Range     hcl.Range
}

// HeaderBytes is the size of the table's header.
func (t Table) HeaderBytes() uint32 { return 4 * uint32(len(t.Header)) }

// RecordBytes is the size of one record.
func (t Table) RecordBytes() uint32 { return 4 * uint32(len(t.Record)) }

// Names of what every generation must describe, because the elaboration of a
// platform computes with it. Everything else is only rendered.
const (
	Operations        = "operation"                 // Enum
	ReduceFunctions   = "reduce_function"           // Enum
	ConfigFunctions   = "config_function"           // Enum
	Stacks            = "stack"                     // Enum
	ReturnCode        = "return_code"               // BitSet
	HardwareID        = "hardware_id"               // Layout
	MessageHeader     = "message_header"            // Layout
	Call              = "call"                      // Record
	HostControl       = "hostctrl"                  // RegisterMap
	Exchange          = "exchange"                  // Memory
	RxBuffers         = "rx_buffers"                // Table of Exchange
	Communicators     = "communicators"             // Table of Exchange
	ArithmeticConfigs = "arithmetic_configurations" // Table of Exchange
	TuningGroup       = "tuning"                    // Group of Words of Exchange
	BeatBytes         = "beat_bytes"                // Constant
	DefaultTimeout    = "default_timeout_cycles"    // Constant
	MinTimeout        = "min_timeout_cycles"        // Constant
)

// Constant returns the named number, or nil.
func (g *Generation) Constant(name string) *Constant {
	return find(g.Constants, func(c *Constant) bool { return c.Name == name })
}

// Enum returns the named enum, or nil.
func (g *Generation) Enum(name string) *Enum {
	return find(g.Enums, func(e *Enum) bool { return e.Name == name })
}

// BitSet returns the named flag word, or nil.
func (g *Generation) BitSet(name string) *BitSet {
	return find(g.BitSets, func(b *BitSet) bool { return b.Name == name })
}

// Layout returns the named bit layout, or nil.
func (g *Generation) Layout(name string) *Layout {
	return find(g.Layouts, func(l *Layout) bool { return l.Name == name })
}

// Field returns the named field, or nil, which is also what no layout has.
func (l *Layout) Field(name string) *Field {
	if l == nil {
		return nil
	}
	return find(l.Fields, func(f *Field) bool { return f.Name == name })
}

// RegisterMap returns the named register map, or nil.
func (g *Generation) RegisterMap(name string) *RegisterMap {
	return find(g.Registers, func(r *RegisterMap) bool { return r.Name == name })
}

// Record returns the named record, or nil.
func (g *Generation) Record(name string) *Record {
	return find(g.Records, func(r *Record) bool { return r.Name == name })
}

// Memory returns the named memory, or nil.
func (g *Generation) Memory(name string) *Memory {
	return find(g.Memories, func(m *Memory) bool { return m.Name == name })
}

// Register returns the named register, or nil, also of no register map.
func (m *RegisterMap) Register(name string) *Register {
	if m == nil {
		return nil
	}
	return find(m.Registers, func(r *Register) bool { return r.Name == name })
}

// Value returns the named code, or nil, also of no enum.
func (e *Enum) Value(name string) *EnumValue {
	if e == nil {
		return nil
	}
	return find(e.Values, func(v *EnumValue) bool { return v.Name == name })
}

// NameOf is the name of a code, "" if there is none, also of no enum.
func (e *Enum) NameOf(code uint32) string {
	if e == nil {
		return ""
	}
	if v := find(e.Values, func(v *EnumValue) bool { return v.Value == code }); v != nil {
		return v.Name
	}
	return ""
}

// Bit returns the named flag, or nil, also of no flag word.
func (s *BitSet) Bit(name string) *Bit {
	if s == nil {
		return nil
	}
	return find(s.Bits, func(b *Bit) bool { return b.Name == name })
}

// Offset is where the named word stands among those of a record, in bytes; -1 if it is not there.
func Offset(words []RecordWord, name string) int {
	i := slices.IndexFunc(words, func(w RecordWord) bool { return w.Name == name })
	if i < 0 {
		return -1
	}
	return 4 * i
}

// Names lists the codes' names in order of value.
func (e *Enum) Names() []string {
	return lang.Names(e.Values, func(v EnumValue) string { return v.Name })
}

// Table returns the named table, or nil.
func (m *Memory) Table(name string) *Table {
	return find(m.Tables, func(t *Table) bool { return t.Name == name })
}

// Word returns the named word, or nil.
func (m *Memory) Word(name string) *Word {
	return find(m.Words, func(w *Word) bool { return w.Name == name })
}

// WordGroup returns the words of a group, by offset.
func (m *Memory) WordGroup(group string) []Word {
	var out []Word
	for _, w := range m.Words {
		if w.Group == group {
			out = append(out, w)
		}
	}
	return out
}

// TableLimit is the offset at which tables must end: that of the first word.
func (m *Memory) TableLimit() uint32 {
	limit := m.Base + m.Size
	for _, w := range m.Words {
		limit = min(limit, w.At)
	}
	return limit
}

func find[T any](list []T, match func(*T) bool) *T {
	for i := range list {
		if match(&list[i]) {
			return &list[i]
		}
	}
	return nil
}
