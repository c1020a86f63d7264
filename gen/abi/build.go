package abi

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// builder turns the merged description of one generation into values and
// collects everything that is wrong with it.
type builder struct {
	diags      hcl.Diagnostics
	documented map[hcl.Range]bool
	line       []string // the abi blocks that were merged, in order
}

func (b *builder) errorf(rng hcl.Range, summary, format string, args ...any) {
	b.diags = append(b.diags, lang.Errorf(rng, summary, format, args...))
}

// build builds the generation that the abi blocks of a line are merged to. It
// is whole if all that it extends is there.
func (l *loader) build(n *node, line []string, whole bool) (*Generation, hcl.Diagnostics) {
	b := &builder{documented: l.documented, line: line}
	g := &Generation{Name: n.label, Doc: l.blocks[n.label].text("doc"), Features: map[string]bool{}, Range: n.rng}
	features := n.maps["features"]
	for _, name := range slices.Sorted(maps.Keys(features)) {
		s := features[name]
		b.diags = append(b.diags, checkWord(s.rng, "feature", name, true)...)
		g.Features[name] = s.value.True()
	}
	b.distinct(slices.DeleteFunc(slices.Clone(n.children), func(c *node) bool { return c.kind.block == "operation" }))
	b.distinct(n.of("operation"))
	for _, c := range n.children {
		switch c.kind.block {
		case "type":
			bytes := b.oneOf(c, "bytes", nil, 1, 2, 4, 8, 16, 32, 64)
			g.Types = append(g.Types, Type{c.label, c.text("doc"), bytes, NaturalAlign(bytes), c.rng})
		case "constant":
			value, _ := b.number(c, "is", 0, math.MaxUint64, nil)
			g.Constants = append(g.Constants, Constant{c.label, c.text("doc"), value, c.rng})
		case "enum":
			g.Enums = append(g.Enums, b.enum(c))
		case "bits":
			g.BitSets = append(g.BitSets, b.bitSet(c))
		case "layout":
			g.Layouts = append(g.Layouts, b.layout(c))
		case "record":
			g.Records = append(g.Records, Record{c.label, c.text("doc"), b.words(c, map[string]hcl.Range{}, "words"), c.rng})
		case "registers":
			g.Registers = append(g.Registers, b.registerMap(c))
		case "memory":
			g.Memories = append(g.Memories, b.memory(c))
		}
	}
	if whole {
		b.operations(n, g)
		b.complete(g)
	}
	b.separate(g)
	return g, b.diags
}

// age says when something was laid over what it extends: 0 for the first abi
// block.
func (b *builder) age(n *node, attr string) int {
	if s, ok := n.attrs[attr]; ok {
		return slices.Index(b.line, s.block)
	}
	return slices.Index(b.line, n.block)
}

// byAge returns the block whose attribute was set later, at which an error is
// reported, and the other one. Of two in one abi block, c is the later.
func (b *builder) byAge(c, prev *node, attr string) (late, early *node) {
	if b.age(prev, attr) > b.age(c, attr) {
		return prev, c
	}
	return c, prev
}

// distinct reports names that differ at most in underscores: rendered in
// another style (Addr0) they would be one.
func (b *builder) distinct(siblings []*node) {
	first := map[string]*node{}
	for _, n := range siblings {
		key := squash(n.label)
		if prev, dup := first[key]; dup {
			b.errorf(n.labelRng, "Name already used",
				"%s is hard to tell from %s (%s); rendered as code, both would be one name.",
				n.capital(), prev, place(prev.labelRng, n.labelRng))
			continue
		}
		first[key] = n
	}
}

// squash maps names to the same text that are one name in some style.
func squash(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// number returns a whole number in a range. If it is not set, the fallback
// stands for it; if there is none either, it is missing.
func (b *builder) number(n *node, attr string, low, high uint64, fallback *uint64) (uint64, bool) {
	s, usable := n.usable(attr)
	if !usable {
		if _, set := n.attrs[attr]; !set {
			if fallback != nil {
				return *fallback, true
			}
			b.missing(n, attr)
		}
		return 0, false
	}
	value, ok := s.whole()
	if !ok || value < low || value > high {
		b.errorf(s.rng, "Value out of range", "%q of %s must be a whole number from %s to %s.", attr, n,
			written(low), written(high))
		return 0, false
	}
	return value, true
}

func (b *builder) missing(n *node, attr string) {
	b.errorf(n.rng, "Missing value", "%s has no %q; it must be set here or in what the generation extends.",
		n.capital(), attr)
}

// oneOf returns a number that must be one of a few; the first is what a broken
// one is replaced by.
func (b *builder) oneOf(n *node, attr string, fallback *uint64, allowed ...int) int {
	s, usable := n.usable(attr)
	if !usable {
		if _, set := n.attrs[attr]; !set && fallback != nil {
			return int(*fallback)
		} else if !set {
			b.missing(n, attr)
		}
		return allowed[0]
	}
	if value, ok := s.whole(); ok {
		for _, a := range allowed {
			if value == uint64(a) {
				return a
			}
		}
	}
	list := make([]string, len(allowed))
	for i, a := range allowed {
		list[i] = fmt.Sprint(a)
	}
	last := len(list) - 1
	b.errorf(s.rng, "Value out of range", "%q of %s must be %s or %s.", attr, n, strings.Join(list[:last], ", "),
		list[last])
	return allowed[0]
}

// aligned returns a byte offset of 32-bit words.
func (b *builder) aligned(n *node, attr string, fallback *uint64) (uint32, bool) {
	value, ok := b.number(n, attr, 0, math.MaxUint32, fallback)
	if ok && value%4 != 0 {
		b.errorf(n.at(attr), "Misaligned", "%q of %s must be a multiple of 4 bytes; %s is none.", attr, n, written(value))
		return 0, false
	}
	return uint32(value), ok
}

func ptr(n uint64) *uint64 { return &n }

func (b *builder) enum(n *node) Enum {
	e := Enum{Name: n.label, Doc: n.text("doc"), Range: n.rng}
	b.distinct(n.of("value"))
	first := map[uint64]*node{}
	for _, c := range n.of("value") {
		code, ok := b.number(c, "is", 0, math.MaxUint32, nil)
		if prev, dup := first[code]; ok && dup {
			late, early := b.byAge(c, prev, "is")
			b.errorf(late.at("is"), "Value already used", "%s of %s is %s, as is %s (%s).", late.capital(), n, written(code),
				early, place(early.at("is"), late.at("is")))
		} else if ok {
			first[code] = c
		}
		e.Values = append(e.Values, EnumValue{c.label, c.text("doc"), uint32(code), c.rng})
	}
	slices.SortStableFunc(e.Values, func(a, b EnumValue) int { return cmp.Compare(a.Value, b.Value) })
	return e
}

func (b *builder) bitSet(n *node) BitSet {
	set := BitSet{Name: n.label, Doc: n.text("doc")}
	b.distinct(n.of("bit"))
	first := map[uint64]*node{}
	for _, c := range n.of("bit") {
		at, ok := b.number(c, "at", 0, 31, nil)
		if prev, dup := first[at]; ok && dup {
			late, early := b.byAge(c, prev, "at")
			b.errorf(late.at("at"), "Bit already used", "%s of %s is at position %d, as is %s (%s).", late.capital(), n, at,
				early, place(early.at("at"), late.at("at")))
		} else if ok {
			first[at] = c
		}
		set.Bits = append(set.Bits, Bit{c.label, c.text("doc"), int(at), c.flag("internal"), c.rng})
	}
	slices.SortStableFunc(set.Bits, func(a, b Bit) int { return cmp.Compare(a.At, b.At) })
	return set
}
