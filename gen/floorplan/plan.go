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
	regions         []*region
	dots            []point // where lines of one memory meet
	legend          []legendEntry
	legendAt        point
}

// region is an SLR, or the whole design in hardware emulation.
type region struct {
	rect
	name, note string
	bands      []*band
	labelX     [2]int // where name starts and note ends
}

const (
	pageMargin   = 28
	headHeight   = 74
	regionHeader = 38
	regionFooter = 18
	regionGap    = 12
	bandGap      = 28
	emptyRegion  = 40
	railMargin   = 26 // between region and rail
	regionInset  = 14
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
	p.title = d.Platform.Name
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
	n.text = []line{{in.Name, font{13, true}, false}, {in.Kernel.Name, font{11, false}, true}}
	switch in.Role {
	case roleEngine:
		rx := d.Platform.CCLO.RxBuffers
		n.text[0].font.size = 15
		n.text = append(n.text, line{fmt.Sprintf("%d rx buffers of %d B", rx.Count, rx.Size), font{11, false}, true})
	case rolePOE:
		n.text[0].font.size = 15
	}
	n.tip = in.Name + ": " + in.Kernel.Name
	if in.SLR >= 0 {
		n.tip += fmt.Sprintf(" in SLR%d", in.SLR)
	}
	if in.Kernel.Doc != "" {
		n.tip += "\n" + in.Kernel.Doc
	}
}

// findTopLabels tells bands that wires come to the top of their first node.
func (p *plan) findTopLabels() {
	for _, w := range p.wires {
		if !w.vertical {
			continue
		}
		if below := w.below(); below.band.centre[0] == below {
			below.band.topLabels = true
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

// splitRegions lists the board's SLRs from the top one down.
func (p *plan) splitRegions(d *design.Design) {
	clock := fmt.Sprintf("%d MHz", d.Platform.Clock)
	bySLR := map[int]*region{}
	for slr := d.Platform.Board.SLRs - 1; slr >= 0 && !d.Platform.HWEmu; slr-- {
		r := &region{name: fmt.Sprintf("SLR%d", slr), note: "free"}
		bySLR[slr] = r
		p.regions = append(p.regions, r)
	}
	for _, b := range p.bands {
		r, ok := bySLR[b.slr]
		if !ok {
			r = &region{name: "Hardware emulation"}
			bySLR[b.slr] = r
			p.regions = append(p.regions, r)
		}
		r.bands, r.note = append(r.bands, b), clock
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
	for _, b := range p.ports {
		b.y, b.h = b.wires[0].a.at()-portHeight/2, portHeight
		b.entry = b.wires[0].a.at()
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
		case w.group == groupMemory && w.toRail != nil && w.toRail != b:
			out = append(out, w.arrival())
		case w.toRail == nil && len(w.segments) == 1 && w.segments[0].channel == &p.channels.memory:
			out = append(out, w.a.at(), w.b.at())
		}
	}
	return out
}

// runTrunks gives each bank a vertical line for the wires that do not run
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
