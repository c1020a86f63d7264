package emit

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
)

// symbol is a number that every language has a name for.
type symbol struct {
	// Path is the name, from the outside in, as in the description.
	Path  []string
	Doc   string
	Value uint64
	// List holds several numbers instead of Value.
	List []uint64
	Form form
	From hcl.Range
	// Internal marks flags that never leave the engine in normal operation.
	Internal bool
	// Derived marks what another symbol of the group already says.
	Derived bool
	// Word marks what only code that handles 32-bit words has use for.
	Word bool
}

// form is how a number is written.
type form int

const (
	decimal form = iota
	address      // hexadecimal, an offset or an address
	mask         // hexadecimal, all eight digits of a word
	truth        // 0 or 1
)

// kind is what a group of symbols describes.
type kind string

const (
	plainKind  kind = "plain"
	enumKind   kind = "enum"
	bitsKind   kind = "bits"
	layoutKind kind = "layout"
	wordsKind  kind = "words" // records and tables
)

// group is a set of symbols that belong together. Their paths begin with its
// name, if it has one.
type group struct {
	Kind    kind
	Name    string
	Doc     string
	Symbols []symbol
	Layout  *abi.Layout // for layoutKind
	Structs []wordStruct

	from hcl.Range // of symbols that have no place of their own
}

// wordStruct is a sequence of 32-bit words: a record, or a part of a table.
type wordStruct struct {
	Path  []string
	Doc   string
	Words []abi.RecordWord
}

func (g *group) add(from hcl.Range, doc string, value uint64, f form, path ...string) *symbol {
	g.Symbols = append(g.Symbols, symbol{Path: slices.Clone(path), Doc: doc, Value: value, Form: f, From: from})
	return &g.Symbols[len(g.Symbols)-1]
}

// vocabulary lists everything that a generation names. Nobody changes the list.
func vocabulary(g *abi.Generation) []group {
	groups, _ := vocabularies.of(g) // no error is possible
	return groups
}

var vocabularies = perGeneration[[]group]{build: func(g *abi.Generation) ([]group, error) {
	groups := []group{constantGroup(g), featureGroup(g), typeGroup(g)}
	for i := range g.Enums {
		groups = append(groups, enumGroup(&g.Enums[i]))
	}
	for i := range g.BitSets {
		groups = append(groups, bitGroup(&g.BitSets[i]))
	}
	for i := range g.Layouts {
		groups = append(groups, layoutGroup(&g.Layouts[i]))
	}
	for i := range g.Records {
		groups = append(groups, recordGroup(&g.Records[i]))
	}
	for i := range g.Registers {
		groups = append(groups, registerGroup(&g.Registers[i]))
	}
	for i := range g.Memories {
		groups = append(groups, memoryGroup(&g.Memories[i]))
		for j := range g.Memories[i].Tables {
			groups = append(groups, tableGroup(&g.Memories[i], &g.Memories[i].Tables[j]))
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return g.Kind == plainKind && len(g.Symbols) == 0 }), nil
}}

func constantGroup(g *abi.Generation) group {
	out := group{Kind: plainKind, Doc: "Constants."}
	for _, c := range g.Constants {
		f := decimal
		if c.Value > 1<<24 {
			f = address
		}
		out.add(c.Range, c.Doc, c.Value, f, c.Name)
	}
	return out
}

func featureGroup(g *abi.Generation) group {
	out := group{Kind: plainKind, Name: "feature", Doc: "Features that generations differ in."}
	for _, name := range slices.Sorted(maps.Keys(g.Features)) {
		out.add(g.Range, "", oneIf(g.Features[name]), truth, "feature", name)
	}
	return out
}

func typeGroup(g *abi.Generation) group {
	out := group{Kind: plainKind, Name: "type", Doc: "Element types of buffers."}
	for _, t := range g.Types {
		out.add(t.Range, t.Doc, uint64(t.Bytes), decimal, "type", t.Name, "bytes")
	}
	return out
}

func enumGroup(e *abi.Enum) group {
	out := group{Kind: enumKind, Name: e.Name, Doc: e.Doc}
	for _, v := range e.Values {
		out.add(v.Range, v.Doc, uint64(v.Value), decimal, e.Name, v.Name)
	}
	return out
}

func bitGroup(b *abi.BitSet) group {
	out := group{Kind: bitsKind, Name: b.Name, Doc: b.Doc}
	for _, bit := range b.Bits {
		out.add(bit.Range, bit.Doc, 1<<bit.At, mask, b.Name, bit.Name).Internal = bit.Internal
		out.add(bit.Range, "", uint64(bit.At), decimal, b.Name, bit.Name, "bit").Derived = true
	}
	return out
}

func recordGroup(r *abi.Record) group {
	out := group{Kind: wordsKind, Name: r.Name, Doc: r.Doc}
	out.add(r.Range, "Number of words.", uint64(len(r.Words)), decimal, r.Name, "words")
	out.words(r.Range, r.Name, r.Words)
	out.Structs = []wordStruct{{[]string{r.Name}, r.Doc, r.Words}}
	return out
}

func (g *group) words(from hcl.Range, owner string, words []abi.RecordWord) {
	for i, w := range words {
		g.add(from, w.Doc, uint64(i), decimal, owner, w.Name, "word")
	}
}

func tableGroup(m *abi.Memory, t *abi.Table) group {
	out := group{Kind: wordsKind, Name: t.Name, Doc: t.Doc}
	if t.After == "" {
		out.add(t.Range, "Of the header, in the memory "+m.Name+".", uint64(t.At), address, t.Name, "offset")
		out.add(t.Range, "The same, as the control processor sees it.", uint64(m.ProcessorBase+t.At-m.Base),
			address, t.Name, "address")
	}
	out.add(t.Range, "Size of the header.", uint64(t.HeaderBytes()), decimal, t.Name, "header_bytes")
	out.add(t.Range, "Size of each record.", uint64(t.RecordBytes()), decimal, t.Name, "record_bytes")
	out.words(t.Range, t.Name, t.Header)
	out.words(t.Range, t.Name, t.Record)
	if len(t.Header) > 0 {
		out.Structs = append(out.Structs, wordStruct{[]string{t.Name, "header"}, "Header of the table " + t.Name + ".",
			t.Header})
	}
	out.Structs = append(out.Structs, wordStruct{[]string{t.Name, "record"}, "Record of the table " + t.Name + ".",
		t.Record})
	return out
}

func registerGroup(r *abi.RegisterMap) group {
	out := group{Kind: plainKind, Name: r.Name, Doc: r.Doc}
	if r.Base != 0 {
		out.add(r.Range, "First address, as the control processor sees it.", uint64(r.Base), address, r.Name, "base")
	}
	for _, reg := range r.Registers {
		doc := reg.Doc
		if access := map[string]string{"ro": "Read only.", "wo": "Write only."}[reg.Access]; access != "" {
			doc += " " + access
		}
		out.place(reg.Range, doc, r.Base, reg.At, r.Name, reg.Name)
		switch {
		case reg.Count > 1:
			out.add(reg.Range, "Number of registers.", uint64(reg.Count), decimal, r.Name, reg.Name, "count")
			out.add(reg.Range, "Bytes of a register.", uint64(reg.Width/8), decimal, r.Name, reg.Name, "bytes")
		case reg.Width > 32:
			out.place(reg.Range, "", r.Base, reg.At+4, r.Name, reg.Name+"_high")
		}
	}
	return out
}

// place adds the offset of a register and, where the control processor sees
// it, its address.
func (g *group) place(from hcl.Range, doc string, base, at uint32, owner, name string) {
	g.add(from, doc, uint64(at), address, owner, name, "offset")
	if base != 0 {
		g.add(from, "", uint64(base+at), address, owner, name, "address")
	}
}

func memoryGroup(m *abi.Memory) group {
	out := group{Kind: plainKind, Name: m.Name, Doc: m.Doc}
	out.add(m.Range, "First byte, as the host sees it.", uint64(m.Base), address, m.Name, "base")
	out.add(m.Range, "First byte, as the control processor sees it.", uint64(m.ProcessorBase), address,
		m.Name, "processor_base")
	out.add(m.Range, "Size.", uint64(m.Size), address, m.Name, "bytes")
	if len(m.Tables) > 0 {
		out.add(m.Range, "Where tables must end, as the host sees it.", uint64(m.TableLimit()), address,
			m.Name, "table_limit")
	}
	for _, w := range m.Words {
		out.add(w.Range, w.Doc, uint64(w.At), address, m.Name, w.Name, "offset")
		out.add(w.Range, "", uint64(m.ProcessorBase+w.At-m.Base), address, m.Name, w.Name, "address")
		if w.Count > 1 {
			out.add(w.Range, "Number of values.", uint64(w.Count), decimal, m.Name, w.Name, "count")
			out.add(w.Range, "Bytes of a value.", uint64(w.Width/8), decimal, m.Name, w.Name, "bytes")
		}
	}
	return out
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
