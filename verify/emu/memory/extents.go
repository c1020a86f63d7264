package memory

import (
	"cmp"
	"slices"
)

// Extents is a set of addresses: ranges that are sorted, disjoint and do not
// touch.
type Extents []Extent

// Add unites the set with a range.
func (s *Extents) Add(e Extent) {
	if e.From >= e.To {
		return
	}
	// Those that overlap or touch the range.
	i := s.after(e.From)
	j := i
	for j < len(*s) && (*s)[j].From <= e.To {
		e.From, e.To = min(e.From, (*s)[j].From), max(e.To, (*s)[j].To)
		j++
	}
	*s = slices.Replace(*s, i, j, e)
}

// after is the index of the first range that ends at or after an address.
func (s Extents) after(addr uint64) int {
	i, _ := slices.BinarySearchFunc(s, addr, func(e Extent, a uint64) int { return cmp.Compare(e.To, a) })
	return i
}

// Missing is the first address of a range that the set lacks; ok is false if it
// has them all.
func (s Extents) Missing(e Extent) (addr uint64, ok bool) {
	if e.From >= e.To {
		return 0, false
	}
	i := s.after(e.From)
	if i < len(s) && s[i].To == e.From {
		i++
	}
	if i == len(s) || s[i].From > e.From {
		return e.From, true
	}
	if s[i].To < e.To {
		return s[i].To, true
	}
	return 0, false
}
