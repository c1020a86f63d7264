package floorplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
)

// railBox stands beside the card: banks of a memory or the host on the left, an
// Ethernet port or the switch on the right.
type railBox struct {
	rect
	class         string // colours
	title, detail string
	tip           string // over and above the lines to it
	memory        string // of banks; empty for others
	banks, first  int    // of the memory, for the row of cells; banks is 0 for others
	last          int
	onRight       bool
	shared        bool // stands below what belongs to one engine
	wires         []*wire
	entry         int // where lines that do not run straight come in
	trunk         *segment
	joints        []int // heights at which lines meet the trunk
}

// describe is what a reader sees when pointing at the box: what it is, and what
// the lines to it stand for.
func (b *railBox) describe() string {
	lines := []string{b.title + ", " + b.detail}
	if b.tip != "" {
		lines[0] = b.tip
	}
	for _, w := range b.wires {
		lines = append(lines, w.tip())
	}
	return strings.Join(lines, "\n")
}

// rail is what stands on the left of the card, with the wires to it.
type rail struct {
	boxes []*railBox
	wires []*wire
}

func newRail(d *design.Design, nodes []*node, byInstance map[*design.Instance]*node) *rail {
	r := &rail{}
	if built(d) {
		r.shellMemory(d, nodes)
	} else {
		r.memory(d, byInstance)
	}
	r.host(d, nodes)
	return r
}

// wire finds the wire from a node to a box, or adds both.
func (r *rail) wire(n *node, box *railBox, group string, h heads) *wire {
	if len(box.wires) == 0 {
		r.boxes = append(r.boxes, box)
	}
	if i := slices.IndexFunc(box.wires, func(w *wire) bool { return w.from == n }); i >= 0 {
		return box.wires[i]
	}
	w := &wire{from: n, toRail: box, group: group, heads: h}
	box.wires, r.wires = append(box.wires, w), append(r.wires, w)
	return w
}

// memory bundles the memory links of each instance by banks.
func (r *rail) memory(d *design.Design, nodes map[*design.Instance]*node) {
	for _, m := range d.Memories {
		i := slices.IndexFunc(r.boxes, func(b *railBox) bool {
			return b.memory == m.Memory && b.first == m.First && b.last == m.Last
		})
		var box *railBox
		if i >= 0 {
			box = r.boxes[i]
		} else {
			box = newBanks(d, m)
		}
		w := r.wire(nodes[m.Port.Instance], box, groupMemory, both)
		w.links = append(w.links, m)
	}
	for _, w := range r.wires {
		widths := make([]int, len(w.links))
		for i, m := range w.links {
			widths[i] = m.Port.Width
		}
		slices.SortFunc(widths, func(a, b int) int { return b - a })
		w.widest, w.label = widths[0], []string{sumOfWidths(widths)}
	}
}

func newBanks(d *design.Design, m *design.MemoryLink) *railBox {
	if isHost(m.Memory) && m.First == m.Last {
		box := hostMemory()
		box.memory, box.first, box.last = m.Memory, m.First, m.Last
		return box
	}
	box := &railBox{class: groupMemory, memory: m.Memory, first: m.First, last: m.Last}
	box.title = m.Banks()
	for _, memory := range d.Platform.Board.Memories {
		if memory.Name == m.Memory {
			box.banks = memory.Banks
		}
	}
	box.detail = fmt.Sprintf("%d of %d banks", m.Last-m.First+1, box.banks)
	if box.banks == 1 {
		box.detail = "1 bank"
	}
	return box
}

func hostMemory() *railBox {
	return &railBox{class: groupMemory, title: "Host memory", detail: "PCIe"}
}

// host leads the host to the registers of what it controls.
func (r *rail) host(d *design.Design, nodes []*node) {
	host := &railBox{class: "host", title: "Host", detail: "PCIe", shared: true}
	if built(d) {
		host.tip = "Host, PCIe of the shell " + d.Shell.Name
	}
	for _, n := range nodes {
		if n.inShell {
			continue
		}
		for _, p := range n.inst.Ports {
			if p.Protocol == design.AXILite && !p.Output {
				w := r.wire(n, host, groupRegisters, backward)
				w.widest = max(w.widest, p.Width)
				w.notes = append(w.notes, fmt.Sprintf("%s → %s, %d b", host.title, p.FullName(), p.Width))
			}
		}
	}
}

// ethernetWires leads the MACs to the ports of the card, and a shell that has its
// own.
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
		if n.column == left || n.inst.Role != roleMAC && !(n.inShell && n.inst.Role == rolePOE) {
			continue
		}
		i := max(slices.Index(poes, n.anchor), 0)
		if i >= len(d.Platform.POEs) {
			continue
		}
		box := &railBox{class: groupMAC, title: "Ethernet", onRight: true}
		box.detail = fmt.Sprintf("port %d", d.Platform.POEs[i].Port)
		w := &wire{from: n, toRail: box, group: groupMAC, heads: both}
		w.notes = []string{fmt.Sprintf("%s ↔ %s %s", n.inst.Name, box.title, box.detail)}
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
	if b.shared {
		return false
	}
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
