package floorplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
)

// railBox stands beside the card: banks of a memory on the left, an Ethernet
// port on the right.
type railBox struct {
	rect
	title, detail string
	banks, first  int // of the memory, for the row of cells; banks is 0 for ports
	last          int
	wires         []*wire
	entry         int // where lines that do not run straight come in
	trunk         *segment
	joints        []int // heights at which lines meet the trunk
}

func bankName(memory string, first, last int) string {
	if first == last {
		return fmt.Sprintf("%s[%d]", memory, first)
	}
	return fmt.Sprintf("%s[%d:%d]", memory, first, last)
}

// memoryWires bundles the memory links of each instance by banks.
func memoryWires(d *design.Design, nodes map[*design.Instance]*node) ([]*wire, []*railBox) {
	type banks struct {
		memory      string
		first, last int
	}
	type user struct {
		node *node
		box  *railBox
	}
	boxes := map[banks]*railBox{}
	known := map[user]*wire{}
	var wires []*wire
	var rail []*railBox
	for _, m := range d.Memories {
		key := banks{m.Memory, m.First, m.Last}
		box, ok := boxes[key]
		if !ok {
			box = newBanks(d, m)
			boxes[key] = box
			rail = append(rail, box)
		}
		u := user{nodes[m.Port.Instance], box}
		w, ok := known[u]
		if !ok {
			w = &wire{from: u.node, toRail: box, group: groupMemory}
			known[u] = w
			wires = append(wires, w)
			box.wires = append(box.wires, w)
		}
		w.links = append(w.links, m)
	}
	for _, w := range wires {
		widths := make([]int, len(w.links))
		for i, m := range w.links {
			widths[i] = m.Port.Width
		}
		slices.SortFunc(widths, func(a, b int) int { return b - a })
		w.widest, w.label = widths[0], sumOfWidths(widths)
	}
	return wires, rail
}

func newBanks(d *design.Design, m *design.MemoryLink) *railBox {
	box := &railBox{title: bankName(m.Memory, m.First, m.Last), first: m.First, last: m.Last}
	for _, memory := range d.Platform.Board.Memories {
		if memory.Name == m.Memory {
			box.banks = memory.Banks
		}
	}
	box.detail = fmt.Sprintf("%d of %d banks", m.Last-m.First+1, box.banks)
	if box.banks == 1 {
		box.detail = "memory of the " + strings.ToLower(m.Memory)
		if !strings.EqualFold(m.Memory, "host") {
			box.detail = "1 bank"
		}
	}
	return box
}

// ethernetWires leads the MACs to the ports of the card.
func ethernetWires(d *design.Design, nodes []*node) ([]*wire, []*railBox) {
	var poes []*node
	for _, n := range nodes {
		if n.inst.Role == rolePOE {
			poes = append(poes, n)
		}
	}
	var wires []*wire
	var rail []*railBox
	for _, n := range nodes {
		if n.inst.Role != roleMAC || n.column == left {
			continue
		}
		i := max(slices.Index(poes, n.anchor), 0)
		if i >= len(d.Platform.POEs) {
			continue
		}
		box := &railBox{title: "Ethernet", detail: fmt.Sprintf("port %d", d.Platform.POEs[i].Port)}
		w := &wire{from: n, toRail: box, group: groupMAC}
		box.wires = []*wire{w}
		wires, rail = append(wires, w), append(rail, box)
	}
	return wires, rail
}

const (
	bankHeight  = 58
	portHeight  = 44
	railGap     = 14
	lineRoom    = 5  // between lines side by side
	entryMargin = 16 // between a line and the end of the box it runs into
)

// placeBanks puts banks beside the lines that lead to them: as tall as all
// their lines if nothing is in the way, and small where ranges overlap. Lines
// that do not meet their box run along a trunk.
func placeBanks(rail []*railBox) {
	var local, shared []*railBox
	for _, b := range rail {
		if b.isLocal() {
			lo, hi := b.span()
			b.y, b.h = lo-entryMargin, hi-lo+2*entryMargin
			b.grow()
			local = append(local, b)
		} else {
			shared = append(shared, b)
		}
	}
	slices.SortStableFunc(local, func(a, b *railBox) int { return cmp.Compare(a.y, b.y) })
	for i := 1; i < len(local); i++ {
		above, below := local[i-1], local[i]
		if above.bottom()+railGap > below.y {
			lo, _ := above.span()
			_, hi := below.span()
			above.y, above.h = min(above.y, lo-entryMargin), bankHeight
			below.y, below.h = max(hi+entryMargin-bankHeight, above.bottom()+railGap), bankHeight
		}
	}
	next := 0
	for i, b := range local {
		if i > 0 {
			b.y = max(b.y, next)
		}
		next = b.bottom() + railGap
	}
	for _, b := range shared {
		lo, hi := b.span()
		b.y, b.h = max((lo+hi-bankHeight)/2, next), bankHeight
		next = b.bottom() + railGap
	}
}

// chooseEntry decides where lines that do not run straight enter a bank: with
// one that does, or else where no other line comes by.
func (b *railBox) chooseEntry(busy []int) {
	for _, w := range b.wires {
		if b.meets(w) {
			b.entry = w.arrival()
			return
		}
	}
	for off := 0; off < b.h/2-entryMargin/2; off += 3 {
		for _, y := range []int{b.y + b.h/2 + off, b.y + b.h/2 - off} {
			if !slices.ContainsFunc(busy, func(at int) bool { return at-lineRoom < y && y < at+lineRoom }) {
				b.entry = y
				return
			}
		}
	}
	b.entry = b.y + b.h/2
}

// isLocal reports whether all users of a bank belong to one engine or network
// engine.
func (b *railBox) isLocal() bool {
	for _, w := range b.wires {
		if w.from.anchor != b.wires[0].from.anchor {
			return false
		}
	}
	return true
}

// arrival is the height at which a wire comes to the rail.
func (w *wire) arrival() int {
	if n := len(w.lanes); n > 0 {
		return w.lanes[n-1].y
	}
	return w.a.at()
}

func (b *railBox) span() (lo, hi int) {
	lo, hi = b.wires[0].arrival(), b.wires[0].arrival()
	for _, w := range b.wires {
		lo, hi = min(lo, w.arrival()), max(hi, w.arrival())
	}
	return lo, hi
}

// grow makes a box at least as tall as its text, around its lines.
func (b *railBox) grow() {
	if b.h < bankHeight {
		b.y -= (bankHeight - b.h) / 2
		b.h = bankHeight
	}
}

// meets reports whether a line runs straight into the box.
func (b *railBox) meets(w *wire) bool {
	y := w.arrival()
	return y >= b.y+entryMargin/2 && y <= b.bottom()-entryMargin/2
}
