package abi

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
)

// maxLayoutBits is one beat of the widest stream, twice over.
const maxLayoutBits = 1024

var bitRange = regexp.MustCompile(`^([0-9]{1,4})(?::([0-9]{1,4}))?$`)

func (b *builder) layout(n *node) Layout {
	l := Layout{Name: n.label, Doc: n.text("doc"), Range: n.rng}
	width, sized := b.number(n, "width", 1, maxLayoutBits, nil)
	l.Width = int(width)
	b.distinct(n.of("field"))
	var placed []span
	for _, c := range n.of("field") {
		f := Field{Name: c.label, Doc: c.text("doc"), Range: c.rng}
		var ok bool
		if f.High, f.Low, ok = b.bits(c); ok {
			if sized && f.High >= l.Width {
				b.errorf(c.at("bits"), "Field outside its layout", "%s reaches to bit %d, but %s is %d bits wide.", c.capital(),
					f.High, n, l.Width)
			}
			placed = append(placed, span{c.String(), c.at("bits"), b.age(c, "bits"), uint64(f.Low), uint64(f.High) + 1})
		}
		l.Fields = append(l.Fields, f)
	}
	b.disjoint(placed, "bit %d")
	slices.SortStableFunc(l.Fields, func(a, b Field) int { return cmp.Compare(a.Low, b.Low) })
	return l
}

// bits reads the bits of a field: "high:low", or "7" for one bit.
func (b *builder) bits(n *node) (high, low int, ok bool) {
	s, usable := n.usable("bits")
	if !usable {
		if _, set := n.attrs["bits"]; !set {
			b.missing(n, "bits")
		}
		return 0, 0, false
	}
	m := bitRange.FindStringSubmatch(s.value.AsString())
	if m == nil {
		b.errorf(s.rng, "Bits expected",
			`The bits of %s are written "high:low", for example "63:32", or "7" for one; %q is neither.`, n, s.value.AsString())
		return 0, 0, false
	}
	high, _ = strconv.Atoi(m[1])
	low = high
	if m[2] != "" {
		low, _ = strconv.Atoi(m[2])
	}
	if low > high {
		b.errorf(s.rng, "Bits expected", `The bits of %s are written with the higher one first: "%d:%d".`, n, low, high)
		return 0, 0, false
	}
	return high, low, true
}

// words reads a list of word names. Seen holds the names of earlier lists that
// share the namespace.
func (b *builder) words(n *node, seen map[string]hcl.Range, attr string) []RecordWord {
	s, usable := n.usable(attr)
	if !usable {
		if _, set := n.attrs[attr]; !set {
			b.missing(n, attr)
		}
		return nil
	}
	var words []RecordWord
	for i, name := range s.strings() {
		rng := s.element(i)
		b.diags = append(b.diags, checkWord(rng, "word", name, false)...)
		if prev, dup := seen[squash(name)]; dup {
			b.errorf(rng, "Duplicate name", "%s already has a word %q (%s).", n.capital(), name, place(prev, rng))
			continue
		}
		seen[squash(name)] = rng
		doc := ""
		if d, ok := n.maps["docs"][name]; ok {
			b.documented[d.rng] = true
			doc = d.value.AsString()
		}
		words = append(words, RecordWord{name, doc})
	}
	if len(words) == 0 && attr != "header" {
		b.errorf(s.rng, "Words expected", "%s has no words; name at least one.", n.capital())
	}
	return words
}
