package manual

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
)

// elementsOf lists what a generation names: records, registers and memories
// first, because they refer to the rest.
func elementsOf(g *abi.Generation) *elements {
	s := &elements{index: map[string]*element{}}
	for i := range g.Records {
		s.addRecord(&g.Records[i])
	}
	for i := range g.Registers {
		s.addRegisters(&g.Registers[i])
	}
	for i := range g.Memories {
		s.addMemory(&g.Memories[i])
	}
	for i := range g.Layouts {
		s.addLayout(&g.Layouts[i])
	}
	for i := range g.BitSets {
		s.addBitSet(&g.BitSets[i])
	}
	for i := range g.Enums {
		s.addEnum(&g.Enums[i], g)
	}
	return s
}

func (s *elements) addEnum(x *abi.Enum, g *abi.Generation) {
	e := &element{kind: "enum", name: x.Name, doc: x.Doc}
	for _, v := range x.Values {
		e.docs = append(e.docs, v.Doc)
	}
	e.tables = func() []Table {
		t := newTable("Code>", "Name", "Meaning")
		for _, v := range x.Values {
			t.add(number(v.Value), Code(v.Name), s.prose(v.Doc))
		}
		if x.Name == abi.Operations {
			return []Table{t, operandTable(g)}
		}
		return []Table{t}
	}
	s.add(e)
}

func (s *elements) addBitSet(x *abi.BitSet) {
	e := &element{kind: "bit set", name: x.Name, doc: x.Doc}
	for _, b := range x.Bits {
		e.docs = append(e.docs, b.Doc)
	}
	e.tables = func() []Table {
		t := newTable("Bit>", "Mask", "Name", "Meaning")
		for _, b := range x.Bits {
			meaning := s.prose(b.Doc)
			if b.Internal {
				meaning += " Inside the engine only."
			}
			t.add(number(b.At), mask(1<<b.At), Code(b.Name), meaning)
		}
		return []Table{t}
	}
	s.add(e)
}

func (s *elements) addLayout(x *abi.Layout) {
	e := &element{kind: "layout", name: x.Name, doc: fmt.Sprintf("%s %d bits; those without a field are zero.",
		x.Doc, x.Width)}
	for _, f := range x.Fields {
		e.docs = append(e.docs, f.Doc)
	}
	e.tables = func() []Table {
		t := newTable("Bits>", "Width>", "Field", "Meaning")
		for _, f := range x.Fields {
			t.add(bitRange(f.High, f.Low), number(f.Bits()), Code(f.Name), s.prose(f.Doc))
		}
		return []Table{t}
	}
	s.add(e)
}

func (s *elements) addRecord(x *abi.Record) {
	e := &element{kind: "record", name: x.Name, doc: x.Doc, docs: wordDocs(x.Words)}
	e.tables = func() []Table { return []Table{s.wordTable(x.Words, "Word")} }
	s.add(e)
}

func wordDocs(words []abi.RecordWord) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.Doc)
	}
	return out
}

func (s *elements) wordTable(words []abi.RecordWord, title string) Table {
	t := newTable(title+">", "Byte", "Name", "Meaning")
	for i, w := range words {
		t.add(number(i), hex(uint32(4*i)), Code(w.Name), s.prose(w.Doc))
	}
	return t
}

var access = map[string]string{"rw": "read, write", "ro": "read", "wo": "write"}

func (s *elements) addRegisters(x *abi.RegisterMap) {
	e := &element{kind: "registers", name: x.Name, doc: x.Doc, processor: x.Base != 0}
	for _, r := range x.Registers {
		e.docs = append(e.docs, r.Doc)
	}
	e.tables = func() []Table {
		t := newTable("Offset", "Name", "Bits>", "Access", "Meaning")
		if e.processor {
			t = newTable("Offset", "Address", "Name", "Bits>", "Access", "Meaning")
		}
		for _, r := range x.Registers {
			cells := []string{hex(r.At)}
			if e.processor {
				cells = append(cells, hex(x.Base+r.At))
			}
			t.add(append(cells, Code(r.Name), widths(r.Count, r.Width), access[r.Access], s.prose(r.Doc))...)
		}
		return []Table{t}
	}
	s.add(e)
}

func (s *elements) addMemory(x *abi.Memory) {
	host := x.Name == abi.Exchange
	e := &element{kind: "memory", name: x.Name, doc: x.Doc, processor: !host}
	for _, w := range x.Words {
		e.docs = append(e.docs, w.Doc)
	}
	for _, t := range x.Tables {
		e.docs = slices.Concat(e.docs, []string{t.Doc}, wordDocs(t.Header), wordDocs(t.Record))
	}
	e.tables = func() []Table {
		var out []Table
		if len(x.Words) > 0 {
			out = append(out, s.placedWords(x, host))
		}
		for _, t := range x.Tables {
			out = append(out, s.tablesOf(t)...)
		}
		return out
	}
	e.doc += fmt.Sprintf(" %d bytes.", x.Size)
	s.add(e)
}

func (s *elements) placedWords(x *abi.Memory, host bool) Table {
	t := newTable("Offset", "Address", "Name", "Bits>", "Meaning")
	for _, w := range x.Words {
		meaning := s.prose(w.Doc)
		if w.Group != "" && host {
			meaning += fmt.Sprintf(" (%s)", Text(w.Group))
		}
		t.add(hex(w.At), hex(x.ProcessorBase+w.At-x.Base), Code(w.Name), widths(w.Count, w.Width), meaning)
	}
	return t
}

// widths are the bits of so many values.
func widths(count, bits int) string {
	if count > 1 {
		return fmt.Sprintf("%d × %d", count, bits)
	}
	return number(bits)
}

// tablesOf describes the header and the record of a table of a memory.
func (s *elements) tablesOf(t abi.Table) []Table {
	place := "at " + hex(t.At)
	if t.After != "" {
		place = "after " + Code(t.After)
	}
	var out []Table
	if len(t.Header) > 0 {
		header := s.wordTable(t.Header, "Word")
		header.Caption = fmt.Sprintf("Header of %s, %s. %s", Code(t.Name), place, s.prose(t.Doc))
		out = append(out, header)
	}
	record := s.wordTable(t.Record, "Word")
	record.Caption = fmt.Sprintf("Record of %s, %d bytes.", Code(t.Name), t.RecordBytes())
	return append(out, record)
}

func typeTable(g *abi.Generation, s *elements) Table {
	t := newTable("Type", "Bytes>", "Meaning")
	for _, x := range g.Types {
		t.add(Code(x.Name), number(x.Bytes), s.prose(x.Doc))
	}
	return t
}

func constantTable(g *abi.Generation, s *elements) Table {
	t := newTable("Constant", "Value>", "Meaning")
	for _, x := range g.Constants {
		value := number(x.Value)
		if x.Value > 1<<24 {
			value = fmt.Sprintf("`0x%X`", x.Value)
		}
		t.add(Code(x.Name), value, s.prose(x.Doc))
	}
	return t
}

// processorMap lists what the control processor can address.
func processorMap(g *abi.Generation) *Table {
	type area struct {
		first, last uint32
		what        string
	}
	var areas []area
	for _, m := range g.Memories {
		areas = append(areas, area{m.ProcessorBase, m.ProcessorBase + m.Size - 1, "memory " + m.Name})
	}
	for _, r := range g.Registers {
		if r.Base != 0 && len(r.Registers) > 0 {
			last := r.Registers[len(r.Registers)-1]
			areas = append(areas, area{r.Base, r.Base + uint32(last.End()) - 1, "registers " + r.Name})
		}
	}
	slices.SortStableFunc(areas, func(a, b area) int { return cmp.Compare(a.first, b.first) })
	t := newTable("First byte", "Last byte", "What")
	for _, a := range areas {
		t.add(mask(a.first), mask(a.last), fmt.Sprintf("[%s](#%s)", Text(a.what), anchor(a.what)))
	}
	return &t
}
