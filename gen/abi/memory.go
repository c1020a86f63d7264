package abi

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// addressSpace is the size of every address space: addresses have 32 bits.
const addressSpace = 1 << 32

// maxCount bounds how many registers or values of a word lie one behind the
// other, far above what anybody has.
const maxCount = 1 << 20

// span is what something occupies, in bits or bytes: from to below to.
type span struct {
	name     string
	rng      hcl.Range
	age      int
	from, to uint64
}

// disjoint reports spans that overlap, each at the one that was written later.
// Position is how a place is written, for example "bit %d".
func (b *builder) disjoint(spans []span, position string) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		low, high := spans[i-1], spans[i]
		if high.from >= low.to {
			continue
		}
		if low.age > high.age {
			b.errorf(low.rng, "Overlap", "%s reaches to "+position+", but %s (%s) starts at "+position+".",
				capital(low.name), low.to-1, high.name, place(high.rng, low.rng), high.from)
		} else {
			b.errorf(high.rng, "Overlap", "%s starts at "+position+", but %s (%s) reaches to "+position+".",
				capital(high.name), high.from, low.name, place(low.rng, high.rng), low.to-1)
		}
		if high.to < low.to {
			spans[i] = low // what reaches furthest is what the next may run into
		}
	}
}

func (b *builder) registerMap(n *node) RegisterMap {
	m := RegisterMap{Name: n.label, Doc: n.text("doc"), Range: n.rng}
	m.Base, _ = b.aligned(n, "base", ptr(0))
	b.distinct(n.children)
	var placed []span
	for _, c := range n.of("register") {
		r := Register{Name: c.label, Doc: c.text("doc"), Access: "rw", Range: c.rng}
		at, ok := b.aligned(c, "at", nil)
		count, _ := b.number(c, "count", 1, maxCount, ptr(1))
		r.At, r.Count, r.Width, r.Extension = at, int(count), b.oneOf(c, "width", ptr(32), 32, 64), c.flag("extension")
		if _, set := c.usable("access"); set {
			r.Access = c.text("access")
		}
		if access := []string{"rw", "ro", "wo"}; !slices.Contains(access, r.Access) {
			b.errorf(c.at("access"), "Unknown access", "%q is no way to access %s. %s", r.Access, c,
				lang.Choices(r.Access, access))
		}
		if ok {
			placed = append(placed, span{c.String(), c.at("at"), b.age(c, "at"), uint64(at), r.End()})
			if uint64(m.Base)+r.End() > addressSpace {
				b.errorf(c.at("at"), "Value out of range", "%s would end above the 32-bit address space.", c.capital())
			}
		}
		m.Registers = append(m.Registers, r)
	}
	b.disjoint(placed, "0x%X")
	slices.SortStableFunc(m.Registers, func(a, b Register) int { return cmp.Compare(a.At, b.At) })
	return m
}

func (b *builder) memory(n *node) Memory {
	m := Memory{Name: n.label, Doc: n.text("doc"), Range: n.rng}
	m.Base, _ = b.aligned(n, "base", ptr(0))
	m.ProcessorBase, _ = b.aligned(n, "processor_base", ptr(0))
	size, sized := b.aligned(n, "size", nil)
	m.Size = size
	for _, attr := range []string{"base", "processor_base"} {
		base := map[string]uint32{"base": m.Base, "processor_base": m.ProcessorBase}[attr]
		if uint64(base)+uint64(size) > addressSpace {
			b.errorf(n.at(attr), "Value out of range", "%s would end above the 32-bit address space.", n.capital())
		}
	}
	b.distinct(n.children)
	b.memoryWords(n, &m, sized)
	b.tables(n, &m, sized)
	return m
}

func (b *builder) memoryWords(n *node, m *Memory, sized bool) {
	var placed []span
	for _, c := range n.of("word") {
		w := Word{Name: c.label, Doc: c.text("doc"), Group: c.text("group"), Range: c.rng}
		at, ok := b.aligned(c, "at", nil)
		count, _ := b.number(c, "count", 1, maxCount, ptr(1))
		w.At, w.Count, w.Width = at, int(count), b.oneOf(c, "width", ptr(32), 32, 64)
		if w.Group != "" {
			b.diags = append(b.diags, checkWord(c.at("group"), "group", w.Group, false)...)
		}
		if ok {
			s := span{c.String(), c.at("at"), b.age(c, "at"), uint64(at), uint64(at) + uint64(w.Count*w.Width/8)}
			placed = append(placed, s)
			// Registers of the hardware may lie behind the memory.
			if !sized || c.flag("hardware") && at >= m.Base+m.Size || b.inside(s, n, m) {
				m.Words = append(m.Words, w)
			}
		}
	}
	b.disjoint(placed, "0x%X")
	slices.SortStableFunc(m.Words, func(a, b Word) int { return cmp.Compare(a.At, b.At) })
}

func (b *builder) inside(s span, n *node, m *Memory) bool {
	end := uint64(m.Base) + uint64(m.Size)
	ok := s.from >= uint64(m.Base) && s.to <= end
	if !ok {
		b.errorf(s.rng, "Outside its memory", "%s lies at 0x%X to 0x%X, but %s reaches from 0x%X to 0x%X.", capital(s.name),
			s.from, s.to-1, n, m.Base, end-1)
	}
	return ok
}

func (b *builder) tables(n *node, m *Memory, sized bool) {
	blocks := n.of("table")
	var placed []span
	for _, c := range blocks {
		seen := map[string]hcl.Range{}
		t := Table{Name: c.label, Doc: c.text("doc"), Range: c.rng}
		t.Header, t.Record = b.words(c, seen, "header"), b.words(c, seen, "record")
		if _, set := c.attrs["after"]; set {
			t.After = c.text("after")
		} else if at, ok := b.tableAt(c); ok {
			t.At = at
			s := span{c.String(), c.at("at"), b.age(c, "at"), uint64(at), uint64(at) + uint64(t.HeaderBytes()) +
				uint64(t.RecordBytes())}
			placed = append(placed, s)
			if limit := uint64(m.TableLimit()); sized && b.inside(s, n, m) && s.to > limit {
				b.errorf(s.rng, "No room for the table",
					"%s with one record reaches to 0x%X, but words of %s stand behind the tables, and the first one lies at 0x%X.",
					c.capital(), s.to-1, n, limit)
			}
		}
		m.Tables = append(m.Tables, t)
	}
	b.disjoint(placed, "0x%X")
	b.follow(n, blocks, m)
}

func (b *builder) tableAt(n *node) (uint32, bool) {
	if _, set := n.attrs["at"]; !set {
		b.errorf(n.rng, "Missing value", `%s has no place: set "at" to its offset or "after" to the table that it follows.`,
			n.capital())
		return 0, false
	}
	return b.aligned(n, "at", nil)
}

// follow checks which table follows which, and sorts tables as they lie.
func (b *builder) follow(n *node, blocks []*node, m *Memory) {
	follower := map[string]*node{}
	byName := map[string]*node{}
	var all []string
	for _, c := range blocks {
		byName[c.label] = c
		all = append(all, c.label)
	}
	for _, c := range blocks {
		after, ok := c.usable("after")
		if !ok {
			continue
		}
		name := after.value.AsString()
		if byName[name] == nil {
			b.errorf(after.rng, "Unknown table", "%s has no table %q. %s", n.capital(), name, lang.Choices(name, all))
			continue
		}
		if prev := follower[name]; prev != nil {
			b.errorf(after.rng, "Place already taken", "%s follows %q, as does %s (%s).", c.capital(), name, prev,
				place(prev.rng, after.rng))
			continue
		}
		follower[name] = c
	}
	rank := map[string]int{}
	slices.SortStableFunc(m.Tables, func(x, y Table) int { return cmp.Compare(x.At, y.At) })
	for _, t := range m.Tables {
		if t.After != "" {
			continue
		}
		for name := t.Name; rank[name] == 0; {
			rank[name] = len(rank) + 1
			next := follower[name]
			if next == nil {
				break
			}
			name = next.label
		}
	}
	b.cycles(blocks, byName)
	slices.SortStableFunc(m.Tables, func(x, y Table) int {
		return cmp.Compare(orLast(rank[x.Name]), orLast(rank[y.Name]))
	})
}

func orLast(rank int) int {
	if rank == 0 {
		return math.MaxInt
	}
	return rank
}

// cycles reports tables that follow themselves, each cycle once.
func (b *builder) cycles(blocks []*node, byName map[string]*node) {
	done := map[string]bool{}
	for _, start := range blocks {
		var path []string
		for c := start; c != nil && !done[c.label]; c = byName[c.text("after")] {
			if i := slices.Index(path, c.label); i >= 0 {
				cycle := append(slices.Clone(path[i:]), c.label)
				b.errorf(c.at("after"), "Follows itself", "%s follows itself: %s.", c.capital(), strings.Join(cycle, " -> "))
				break
			}
			path = append(path, c.label)
		}
		for _, name := range path {
			done[name] = true
		}
	}
}

// separate reports memories and register maps that overlap in the address
// space of the control processor.
func (b *builder) separate(g *Generation) {
	var placed []span
	for _, m := range g.Memories {
		placed = append(placed, span{fmt.Sprintf("the memory %q", m.Name), m.Range, 0, uint64(m.ProcessorBase),
			uint64(m.ProcessorBase) + uint64(m.Size)})
	}
	for _, r := range g.Registers {
		if r.Base == 0 || len(r.Registers) == 0 {
			continue
		}
		last := r.Registers[len(r.Registers)-1]
		placed = append(placed, span{fmt.Sprintf("the register map %q", r.Name), r.Range, 0, uint64(r.Base),
			uint64(r.Base) + last.End()})
	}
	b.disjoint(placed, "processor address 0x%X")
}
