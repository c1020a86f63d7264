package floorplan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
)

// plan is the picture with all its coordinates, before it is drawn.
type plan struct {
	*arrangement
	channels        *channels
	width, height   int
	title, subtitle string
	built           bool // into a shell
	regions         []*region
	dots            []dot // where lines to one box meet
	legend          []legendEntry
	notes           []string // of the legend
	legendAt        point
}

// region is an SLR, or the whole design in hardware emulation.
type region struct {
	rect
	name, note string
	floor      int
	bands      []*band
	labelX     [2]int // where name starts and note ends
}

const (
	pageMargin   = 12
	headHeight   = 74
	regionHeader = 38
	regionFooter = 18
	regionGap    = 12
	bandGap      = 28
	emptyRegion  = 40
	railMargin   = 10 // between region and rail
	regionInset  = 8
)

func newPlan(d *design.Design) *plan {
	p := &plan{arrangement: arrange(d), channels: newChannels()}
	p.describe(d)
	p.channels.connect(p.wires)
	p.findTopLabels()
	p.splitRegions(d)
	p.placeRows()
	p.placeColumns()
	p.runWires()
	p.addLegend()
	return p
}

func (p *plan) describe(d *design.Design) {
	p.title, p.built = d.Platform.Name, built(d)
	facts := []string{strings.ToUpper(d.Platform.Board.Name)}
	if d.Platform.Board.Part != "" {
		facts = append(facts, d.Platform.Board.Part)
	}
	facts = append(facts, counted(d.Platform.CCLO.Count, "engine"))
	for _, poe := range d.Platform.POEs {
		if network := networkName(poe.Kind); !slices.Contains(facts, network) {
			facts = append(facts, network)
		}
	}
	facts = append(facts, fmt.Sprintf("%d MHz", d.Platform.Clock), "interface "+d.Platform.ABI.Name)
	p.subtitle = strings.Join(facts, "  ·  ")
	for _, n := range p.nodes {
		n.describe(d)
	}
}

func networkName(kind string) string {
	if kind == "axis" {
		return "switch on the card"
	}
	return strings.ToUpper(kind)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// describe writes the texts of a box.
func (n *node) describe(d *design.Design) {
	in := n.inst
	n.text = []line{{in.Name, font{14, true}}, {in.Kernel.Name, detailFont}}
	switch in.Role {
	case roleEngine:
		rx := d.Platform.CCLO.RxBuffers
		n.text[0].font.size = 16
		for _, text := range []string{fmt.Sprintf("%d rx buffers", rx.Count), fmt.Sprintf("of %d B", rx.Size)} {
			n.text = append(n.text, line{text, detailFont})
		}
	case rolePOE:
		n.text[0].font.size = 16
	case "dma":
		if n.inShell {
			n.text[1].text = "DMA of the shell"
		}
	}
	n.tip = in.Name + ": " + n.text[1].text
	switch {
	case n.inShell:
		n.tip += ", part of the shell " + d.Shell.Name
	case in.SLR >= 0 && !built(d):
		n.tip += fmt.Sprintf(" in SLR%d", in.SLR)
	}
	if in.Kernel.Doc != "" {
		n.tip += "\n" + in.Kernel.Doc
	}
}

// findTopLabels makes room over nodes that wires come to from above.
func (p *plan) findTopLabels() {
	for _, w := range p.wires {
		if w.vertical {
			below := w.below()
			below.topRoom = max(below.topRoom, len(w.label)*labelPitch+labelRoom)
		}
	}
}

// below is the lower end of a vertical wire.
func (w *wire) below() *node {
	if w.from.place > w.to.place {
		return w.from
	}
	return w.to
}

// splitRegions lists the shell and what is in it, or the board's SLRs from the
// top one down.
func (p *plan) splitRegions(d *design.Design) {
	clock := fmt.Sprintf("%d MHz", d.Platform.Clock)
	switch {
	case built(d):
		p.regions = shellRegions(d, clock)
	case d.Platform.HWEmu:
		p.regions = []*region{{name: "Hardware emulation", note: clock, floor: -1}}
	default:
		for slr := d.Platform.Board.SLRs - 1; slr >= 0; slr-- {
			p.regions = append(p.regions, &region{name: fmt.Sprintf("SLR%d", slr), note: clock, floor: slr})
		}
	}
	for _, r := range p.regions {
		for _, b := range p.bands {
			if b.floor == r.floor {
				r.bands = append(r.bands, b)
			}
		}
		if len(r.bands) == 0 {
			r.note = "free"
		}
	}
}

// placeRows gives everything its y.
func (p *plan) placeRows() {
	y := pageMargin + headHeight
	for _, r := range p.regions {
		r.y = y
		y += regionHeader
		for i, b := range r.bands {
			if i > 0 {
				y += bandGap
			}
			y = b.layOut(y)
		}
		y += regionFooter
		if len(r.bands) == 0 {
			y = r.y + emptyRegion
		}
		r.h = y - r.y
		y += regionGap
	}
	placeBanks(p.rail)
	for _, b := range p.rail {
		b.chooseEntry(p.busyFor(b))
	}
	p.runTrunks()
	for _, b := range p.onRight() {
		lo, hi := b.span()
		b.y, b.h = lo-portHeight/2, hi-lo+portHeight
	}
	for _, b := range p.rail {
		y = max(y, b.bottom()+regionGap)
	}
	p.legendAt.y = y + 20
	for _, w := range p.wires {
		w.measureSegments()
	}
}

// busyFor lists the heights at which wires that do not lead to a bank run
// beside it.
func (p *plan) busyFor(b *railBox) []int {
	var out []int
	for _, w := range p.wires {
		switch {
		case w.toRail != nil && !w.toRail.onRight && w.toRail != b:
			out = append(out, w.arrival())
		case w.toRail == nil && len(w.segments) == 1 && w.segments[0].channel == &p.channels.memory:
			out = append(out, w.a.at(), w.b.at())
		}
	}
	return out
}

func (p *plan) onRight() []*railBox {
	if p.crossbar == nil {
		return p.ports
	}
	return append(slices.Clone(p.ports), p.crossbar)
}

type dot struct {
	point
	group string
}

// runTrunks gives each box of the rail a vertical line for the wires that do not run
// straight into it.
func (p *plan) runTrunks() {
	for _, b := range p.rail {
		var trunk *segment
		for _, w := range b.wires {
			if len(w.segments) == 0 && b.meets(w) {
				continue
			}
			if trunk == nil {
				trunk = p.channels.memory.segment()
				trunk.lo, trunk.hi = b.entry, b.entry
			}
			w.segments = append(w.segments, trunk)
			trunk.lo, trunk.hi = min(trunk.lo, w.arrival()), max(trunk.hi, w.arrival())
		}
		p.addDots(b, trunk)
	}
}

// addDots marks where a trunk branches; their x is known later.
func (p *plan) addDots(b *railBox, trunk *segment) {
	if trunk == nil {
		return
	}
	ys := map[int]int{b.entry: 1} // lines that come to the trunk
	for _, w := range b.wires {
		if len(w.segments) > 0 || w.arrival() == b.entry {
			ys[w.arrival()]++
		}
	}
	for y, n := range ys {
		if y > trunk.lo && y < trunk.hi {
			n++
		}
		if n > 1 {
			b.joints = append(b.joints, y)
		}
	}
	slices.Sort(b.joints)
	b.trunk = trunk
}

// measureSegments gives the segments of a wire between two nodes their span.
func (w *wire) measureSegments() {
	y := 0
	if w.a != nil {
		y = w.a.at()
	}
	for i, s := range w.segments {
		next := w.endY()
		if i < len(w.lanes) {
			next = w.lanes[i].y
		}
		if w.toRail == nil || i < len(w.segments)-1 {
			s.lo, s.hi = min(y, next), max(y, next)
		}
		y = next
	}
}

// endY is the height at which a wire that is not vertical ends.
func (w *wire) endY() int {
	switch {
	case w.toRail == nil:
		return w.b.at()
	case len(w.segments) == 0:
		return w.a.at()
	default:
		return w.toRail.entry
	}
}
