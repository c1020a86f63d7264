package floorplan

import (
	"cmp"
	"slices"
)

const (
	rowPitch     = 26 // between lines at one side of a box
	rowMargin    = 14 // from the end of a box to its first line
	boxHeight    = 54
	boxGap       = 12
	centreHeight = 72
	sectionGap   = 46 // between a node of the centre and the one below it
	lanePitch    = 16
	labelRoom    = 13 // over a box whose top lines have labels, beside them
)

// item is one row of a side column, at the height of a node of the centre: a
// box, or lines that pass.
type item struct {
	node *node
	part part
	ends []*end // from top to bottom
	y, h int
}

// part of a box that stands between two nodes of the centre.
type part int

const (
	whole part = iota
	upper
	lower
)

// section is one node of the centre with the items beside it.
type section struct {
	centre *node // nil if the anchor is elsewhere
	sides  [2][]*item
}

// sections of a band from top to bottom.
func (b *band) sections() []*section {
	out := []*section{{}}
	for i, n := range b.centre {
		if i > 0 {
			out = append(out, &section{})
		}
		out[i].centre = n
	}
	for s := range b.sides {
		for _, n := range b.sides[s] {
			b.addNode(out, s, n)
		}
		for _, sec := range out {
			sec.sides[s] = b.withPasses(sec, s)
		}
	}
	return out
}

func (b *band) addNode(sections []*section, s int, n *node) {
	at := func(c *node) *section {
		return sections[max(slices.Index(b.centre, c), 0)]
	}
	if len(n.straight) < 2 {
		sec := sections[0]
		if len(n.straight) == 1 {
			sec = at(n.straight[0])
		}
		sec.sides[s] = append(sec.sides[s], &item{node: n, ends: sortEnds(n.inner)})
		return
	}
	var first, second []*end
	for _, e := range sortEnds(n.inner) {
		if other(e.wire, n) == n.straight[1] {
			second = append(second, e)
		} else {
			first = append(first, e)
		}
	}
	up, down := at(n.straight[0]), at(n.straight[1])
	up.sides[s] = append(up.sides[s], &item{node: n, part: upper, ends: first})
	down.sides[s] = append(down.sides[s], &item{node: n, part: lower, ends: second})
}

// withPasses orders the items of one side: the lower part of a box that began
// above, lines that lead up, boxes, lines that lead down, and the upper part
// of a box that ends below.
func (b *band) withPasses(sec *section, s int) []*item {
	var up, down []*end
	for _, e := range b.passes[s] {
		if e.node != sec.centre {
			continue
		}
		if e.reach < 0 {
			up = append(up, e)
		} else {
			down = append(down, e)
		}
	}
	var first, middle, last []*item
	for _, it := range sec.sides[s] {
		switch it.part {
		case lower:
			first = append(first, it)
		case upper:
			last = append(last, it)
		default:
			middle = append(middle, it)
		}
	}
	if len(up) > 0 {
		first = append(first, &item{ends: sortEnds(up)})
	}
	if len(down) > 0 {
		last = append([]*item{{ends: sortEnds(down)}}, last...)
	}
	return slices.Concat(first, middle, last)
}

// sortEnds puts ends that lead up first, the nearest first, and ends that lead
// down last, the nearest last, so that the wires nest. Otherwise they stand in the
// order of the boxes that they lead to, and what the centre sends over what it
// receives.
func sortEnds(ends []*end) []*end {
	out := slices.Clone(ends)
	slices.SortStableFunc(out, func(a, b *end) int {
		if (a.reach < 0) != (b.reach < 0) {
			return a.reach - b.reach // the one that leads up
		}
		return cmp.Or(b.reach-a.reach, a.row()-b.row(), a.fromSide()-b.fromSide())
	})
	return out
}

// row is the place of the other end's box in its side column.
func (e *end) row() int {
	if e.wire.toRail != nil {
		return 0
	}
	return other(e.wire, e.node).row
}

// fromSide is 1 if the wire leads from a side column to the centre.
func (e *end) fromSide() int {
	if (e.wire.from == e.node) == (e.node.column == centre) {
		return 0
	}
	return 1
}

// height of an item: room for its lines, and for its text if it is a box.
func (it *item) height() int {
	h := 2*rowMargin + it.span()
	if it.node != nil {
		if it.part == whole {
			h = max(h, boxHeight)
		}
		h = max(h, rowPitch*len(it.node.outer)+labelsAbove(it.node.outer)+4)
	}
	return h
}

// span is how far the last line is below the first, with room for labels of
// more than one line.
func (it *item) span() int {
	return rowPitch*(len(it.ends)-1) + labelsAbove(it.ends)
}

func labelsAbove(ends []*end) int {
	h := 0
	for _, e := range ends {
		h += e.labelAbove()
	}
	return h
}

// labelAbove is the room that a label takes over and above that of one line.
func (e *end) labelAbove() int { return max(len(e.wire.label)-1, 0) * labelPitch }

// layOut gives everything of the band its y and height, from top on, and
// returns the bottom.
func (b *band) layOut(top int) int {
	b.y = top
	for i, l := range b.corridor {
		l.y = top + i*lanePitch + lanePitch/2
	}
	y := top + len(b.corridor)*lanePitch
	for i, sec := range b.sections() {
		room := 0
		if sec.centre != nil {
			room = sec.centre.topRoom
		}
		if i > 0 {
			room = max(room+8, sectionGap)
		}
		y += room
		h := sec.minHeight()
		for s := range sec.sides {
			spread(sec.sides[s], y, h)
		}
		if sec.centre != nil {
			sec.centre.y, sec.centre.h = y, h
		}
		y += h
	}
	for s := range b.sides {
		for _, n := range b.sides[s] {
			n.placeOuter()
		}
	}
	b.h = y - b.y
	return y
}

func (sec *section) minHeight() int {
	h := 0
	if sec.centre != nil {
		h = centreHeight
	}
	for _, items := range sec.sides {
		sum := 0
		for i, it := range items {
			it.h = it.height()
			sum += it.h
			if i > 0 {
				sum += boxGap
			}
		}
		h = max(h, sum)
	}
	return h
}

// spread places items from top on so that they fill the height.
func spread(items []*item, top, height int) {
	spare := height
	for _, it := range items {
		spare -= it.h
	}
	gaps := len(items) - 1
	y := top
	if gaps == 0 {
		switch items[0].part {
		case upper:
			y += spare
		case whole:
			y += spare / 2
		}
	}
	for i, it := range items {
		if i > 0 {
			step := spare / gaps
			y += step
			spare -= step
			gaps--
		}
		it.place(y)
		y += it.h
	}
}

func (it *item) place(y int) {
	it.y = y
	at := y + (it.h-it.span())/2
	for i, e := range it.ends {
		if i > 0 {
			at += rowPitch
		}
		at += e.labelAbove()
		*e.y = at
	}
	if it.node == nil {
		return
	}
	if it.part == lower {
		it.node.h = it.y + it.h - it.node.y
	} else {
		it.node.y, it.node.h = it.y, it.h
	}
}

// placeOuter spaces the lines at the outer side of a box evenly.
func (n *node) placeOuter() {
	ends := sortEnds(n.outer)
	spare, labels := n.h-labelsAbove(ends), 0
	for i, e := range ends {
		labels += e.labelAbove()
		*e.y = n.y + labels + spare*(i+1)/(len(ends)+1)
	}
}
