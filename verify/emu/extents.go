package emu

import (
	"cmp"
	"slices"
)

// extents is a set of addresses: ranges that are sorted, disjoint and do not
// touch.
type extents []extent

// add unites the set with a range.
func (s *extents) add(e extent) {
	if e.from >= e.to {
		return
	}
	// Those that overlap or touch the range.
	i := s.after(e.from)
	j := i
	for j < len(*s) && (*s)[j].from <= e.to {
		e.from, e.to = min(e.from, (*s)[j].from), max(e.to, (*s)[j].to)
		j++
	}
	*s = slices.Replace(*s, i, j, e)
}

// after is the index of the first range that ends at or after an address.
func (s extents) after(addr uint64) int {
	i, _ := slices.BinarySearchFunc(s, addr, func(e extent, a uint64) int { return cmp.Compare(e.to, a) })
	return i
}

// missing is the first address of a range that the set lacks; ok is false if it
// has them all.
func (s extents) missing(e extent) (addr uint64, ok bool) {
	if e.from >= e.to {
		return 0, false
	}
	i := s.after(e.from)
	if i < len(s) && s[i].to == e.from {
		i++
	}
	if i == len(s) || s[i].from > e.from {
		return e.from, true
	}
	if s[i].to < e.to {
		return s[i].to, true
	}
	return 0, false
}
