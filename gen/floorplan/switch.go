package floorplan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/gen/design"
)

// The switch as the link names it (gen/emit).
const (
	switchName   = "poe_switch"
	switchKernel = "axis_switch"
	switchTip    = switchName + ": " + switchKernel + "\nSends a packet to the engine that bits 15:8 of its TDEST name. " +
		"It takes the place of the ring in the link, so the tools choose its SLR."
)

// inRing tells whether a stream is a part of the ring that network engines of
// one card are linked in.
func inRing(s *design.Stream) bool {
	return s.From.Instance.Role == rolePOE && s.To.Instance.Role == rolePOE
}

// switched splits the streams: those of the ring, in the order of the engines
// that its members serve, and the others. A ring has a member for each of the
// engines from 0 on; anything else has no switch.
func switched(streams []*design.Stream) (ring, others []*design.Stream) {
	takers := map[int]bool{}
	for _, s := range streams {
		if inRing(s) {
			ring = append(ring, s)
			takers[s.To.Instance.Scope] = true
		} else {
			others = append(others, s)
		}
	}
	slices.SortStableFunc(ring, func(a, b *design.Stream) int {
		return cmp.Compare(a.From.Instance.Scope, b.From.Instance.Scope)
	})
	for i, s := range ring {
		if s.From.Instance.Scope != i || !takers[i] {
			return nil, streams
		}
	}
	if len(ring) < 2 {
		return nil, streams
	}
	return ring, others
}

// switchWires lead the members of a ring to the switch in its place, and back.
func switchWires(ring []*design.Stream, nodes []*node) ([]*wire, *railBox) {
	if len(ring) == 0 {
		return nil, nil
	}
	box := &railBox{class: groupMAC, title: switchName, detail: switchKernel, tip: switchTip, onRight: true}
	into := map[int]*design.Port{}
	for _, s := range ring {
		into[s.To.Instance.Scope] = s.To
	}
	cell := &design.Instance{Name: switchName}
	for i, s := range ring {
		member := nodes[slices.IndexFunc(nodes, func(n *node) bool { return n.inst == s.From.Instance })]
		pin := func(side string, width int) *design.Port {
			return &design.Port{Name: fmt.Sprintf("%s%02d_AXIS", side, i), Instance: cell, Width: width}
		}
		for _, way := range []struct {
			stream *design.Stream
			heads  heads
		}{
			{&design.Stream{From: s.From, To: pin("S", s.From.Width), Group: s.Group}, forward},
			{&design.Stream{From: pin("M", into[i].Width), To: into[i], Group: s.Group}, backward},
		} {
			w := &wire{from: member, toRail: box, heads: way.heads, streams: []*design.Stream{way.stream}}
			w.describe()
			box.wires = append(box.wires, w)
		}
	}
	return box.wires, box
}
