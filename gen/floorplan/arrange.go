package floorplan

import (
	"cmp"
	"slices"

	"github.com/cclforge/cclforge/gen/design"
)

// Roles that have a place of their own. Kernels with other roles stand beside
// what they are connected to most.
const (
	roleEngine  = "engine"
	rolePOE     = "poe"
	roleArbiter = "arbiter"
	roleMAC     = "mac"
)

// fixedColumn is the side of its anchor on which a role stands: what moves
// memory and takes calls on the left, plugins and the way to the network on
// the right. Other roles go where there is room.
var fixedColumn = map[string]column{
	"dma":             left,
	"host_controller": left,
	"arithmetic":      right,
	"compression":     right,
	"session_handler": right,
	roleMAC:           right,
}

// order is the order of roles from top to bottom of a column.
var order = []string{"dma", "arithmetic", "compression", roleMAC, "session_handler", "host_controller"}

func rank(role string) int {
	if i := slices.Index(order, role); i >= 0 {
		return i
	}
	return len(order) - 1 // before the host controller
}

// band is an anchor with what stands to its left and right, or those of an
// anchor's neighbours that are in another region.
type band struct {
	floor  int
	anchor *node
	centre []*node // empty if the anchor is elsewhere
	sides  [2][]*node
	index  int // from the top of the picture

	passes   [2][]*end // lines of the centre that pass a side column
	corridor []*lane   // over the band
	rect
}

func (b *band) pass(c column, e *end) {
	b.passes[sideIndex(c)] = append(b.passes[sideIndex(c)], e)
}

func sideIndex(c column) int {
	if c == left {
		return 0
	}
	return 1
}

// arrangement is the picture without coordinates.
type arrangement struct {
	nodes    []*node
	wires    []*wire
	rail     []*railBox // memories
	ports    []*railBox // Ethernet
	crossbar *railBox   // the switch; nil for none
	bands    []*band    // from top to bottom
	weight   map[[2]*node]int

	engines []*node
}

func arrange(d *design.Design) *arrangement {
	a := &arrangement{weight: map[[2]*node]int{}}
	a.nodes, a.wires, a.rail = netlist(d)
	for _, w := range a.wires {
		if w.to != nil {
			a.weight[[2]*node{w.from, w.to}] += len(w.streams)
			a.weight[[2]*node{w.to, w.from}] += len(w.streams)
		}
	}
	a.attach()
	a.band()
	a.chooseSides()
	a.sortBands()
	a.chooseStraight()
	wires, ports := ethernetWires(d, a.nodes)
	a.wires, a.ports = append(a.wires, wires...), ports
	ring, _ := switched(d.Streams)
	wires, a.crossbar = switchWires(ring, a.nodes)
	a.wires = append(a.wires, wires...)
	return a
}

// attach gives every node an anchor: itself if it is an engine or a network
// engine, otherwise that of its neighbours.
func (a *arrangement) attach() {
	neighbours := map[*node][]*node{}
	for _, w := range a.wires {
		if w.to != nil && w.to != w.from {
			neighbours[w.from] = append(neighbours[w.from], w.to)
			neighbours[w.to] = append(neighbours[w.to], w.from)
		}
	}
	for _, n := range a.nodes {
		if n.inst.Role == roleEngine || n.inst.Role == rolePOE {
			n.anchor = n
		}
		if n.inst.Role == roleEngine {
			a.engines = append(a.engines, n)
		}
	}
	a.joinShell()
	for {
		found := map[*node]*node{}
		for _, n := range a.nodes {
			if n.anchor == nil {
				if anchor := a.heaviest(n, neighbours[n]); anchor != nil {
					found[n] = anchor
				}
			}
		}
		for n, anchor := range found {
			n.anchor = anchor
		}
		if len(found) > 0 {
			continue
		}
		i := slices.IndexFunc(a.nodes, func(n *node) bool { return n.anchor == nil })
		if i < 0 {
			return
		}
		a.nodes[i].anchor = a.nodes[i]
	}
}

// heaviest is the anchor to which most streams lead.
func (a *arrangement) heaviest(n *node, neighbours []*node) *node {
	streams := map[*node]int{}
	var best *node
	counted := map[*node]bool{}
	for _, m := range neighbours {
		if m.anchor == nil || counted[m] {
			continue
		}
		counted[m] = true
		streams[m.anchor] += a.weight[[2]*node{n, m}]
	}
	for _, m := range neighbours {
		if m.anchor != nil && (best == nil || streams[m.anchor] > streams[best]) {
			best = m.anchor
		}
	}
	return best
}

// band puts nodes of one anchor and region together. The arbiter of an engine
// stands below it.
func (a *arrangement) band() {
	type place struct {
		anchor *node
		floor  int
	}
	bands := map[place]*band{}
	for _, n := range a.nodes {
		key := place{n.anchor, n.floor}
		b, ok := bands[key]
		if !ok {
			b = &band{floor: key.floor, anchor: key.anchor}
			bands[key] = b
			a.bands = append(a.bands, b)
		}
		n.band = b
	}
	for _, n := range a.nodes {
		if n.anchor == n {
			n.column = centre
			n.band.centre = append(n.band.centre, n)
		}
	}
	for _, n := range a.nodes {
		if n.inst.Role == roleArbiter && n.band == n.anchor.band && len(n.band.centre) == 1 && n.anchor != n {
			n.column = centre
			n.band.centre = append(n.band.centre, n)
		}
	}
}

// chooseSides puts every node that is not in the centre to the left or right.
// What leads to the network is on the right, and what has no preference where
// there is more room.
func (a *arrangement) chooseSides() {
	toNetwork := map[*node]bool{}
	for _, w := range a.wires {
		if w.group == groupMAC {
			toNetwork[w.from], toNetwork[w.to] = true, true
		}
	}
	var free []*node
	for _, n := range a.nodes {
		c, fixed := fixedColumn[n.inst.Role]
		switch {
		case n.column == centre:
		case fixed:
			n.stand(c)
		case toNetwork[n]:
			n.stand(right)
		default:
			free = append(free, n)
		}
	}
	for _, n := range free {
		if len(n.band.sides[1]) < len(n.band.sides[0]) {
			n.stand(right)
		} else {
			n.stand(left)
		}
	}
	for _, b := range a.bands {
		for s := range b.sides {
			slices.SortStableFunc(b.sides[s], func(m, n *node) int { return rank(m.inst.Role) - rank(n.inst.Role) })
			for i, n := range b.sides[s] {
				n.row = i
			}
		}
	}
}

func (n *node) stand(c column) {
	n.column = c
	n.band.sides[sideIndex(c)] = append(n.band.sides[sideIndex(c)], n)
}

// sortBands stacks the bands: higher regions first; in a region engines from
// the highest to the lowest, each under its network engine; what belongs to an
// anchor of a higher region at the top, of a lower one at the bottom.
func (a *arrangement) sortBands() {
	type key struct{ floor, part, scope, kind int }
	keys := map[*band]key{}
	for _, b := range a.bands {
		k := key{floor: -b.floor, part: 1, scope: -b.anchor.inst.Scope}
		partner := b.anchor
		switch {
		case len(b.centre) > 0 && b.anchor.inst.Role == rolePOE:
			partner = a.engineOf(b.anchor)
		case len(b.centre) > 0:
			k.kind = 1
		}
		if partner.floor > b.floor {
			k.part = 0
		} else if partner.floor < b.floor {
			k.part = 2
		}
		keys[b] = k
	}
	slices.SortStableFunc(a.bands, func(x, y *band) int {
		m, n := keys[x], keys[y]
		return cmp.Or(cmp.Compare(m.floor, n.floor), cmp.Compare(m.part, n.part),
			cmp.Compare(m.scope, n.scope), cmp.Compare(m.kind, n.kind))
	})
	place := 0
	for i, b := range a.bands {
		b.index = i
		for _, n := range b.centre {
			n.place = place
			place++
		}
	}
}

// engineOf is the engine that most streams of a network engine lead to, or the
// network engine itself.
func (a *arrangement) engineOf(poe *node) *node {
	best := poe
	for _, n := range a.engines {
		w := a.weight[[2]*node{poe, n}]
		if w > 0 && (best == poe || w > a.weight[[2]*node{poe, best}]) {
			best = n
		}
	}
	return best
}

// chooseStraight decides which nodes of the side columns have straight lines
// to the centre: to the one node that they are connected to, or, once on each
// side, to the two nodes that they stand between.
func (a *arrangement) chooseStraight() {
	for _, b := range a.bands {
		for s := range b.sides {
			spanning := false
			for _, n := range b.sides[s] {
				var to []*node
				for _, c := range b.centre {
					if a.weight[[2]*node{n, c}] > 0 {
						to = append(to, c)
					}
				}
				if len(to) == 2 && spanning {
					if a.weight[[2]*node{n, to[1]}] > a.weight[[2]*node{n, to[0]}] {
						to = to[1:]
					} else {
						to = to[:1]
					}
				}
				spanning = spanning || len(to) == 2
				n.straight = to
			}
		}
	}
}
