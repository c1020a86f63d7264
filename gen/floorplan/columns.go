package floorplan

import "fmt"

const (
	trackPitch  = 14
	labelPad    = 6
	arrowRoom   = 10
	minChannel  = 40
	minSide     = 100
	minCentre   = 134
	minRail     = 76
	maxBox      = 300
	boxPadding  = 7
	railPadding = 7
	labelPitch  = 15 // between the lines of a label
	pairSpread  = 26 // of a vertical line from the middle of its box
)

var (
	labelFont  = font{13, false}
	titleFont  = font{24, true}
	subFont    = font{15, false}
	railFont   = font{14, true}
	detailFont = font{13, false}
	legendFont = font{13, false}
)

// placeColumns gives everything its x.
func (p *plan) placeColumns() {
	c := p.channels
	p.makeLabelRoom()
	for _, ch := range []*channel{&c.memory, &c.inLeft, &c.inRight, &c.out} {
		ch.assignTracks()
		ch.measure()
	}
	x := pageMargin
	railW := railWidth(p.rail)
	for _, b := range p.rail {
		b.x, b.w = x, railW
	}
	if railW > 0 {
		x += railW + railMargin
	}
	regionX := x
	x += regionInset
	for i, ch := range []*channel{&c.memory, &c.inLeft, &c.inRight} {
		ch.x = x
		x += ch.w
		x = p.placeColumn(column(i), x)
	}
	c.out.x = x
	x += c.out.w
	if p.switchInside() {
		x = placeBoxes([]*railBox{p.crossbar}, x)
	}
	x += regionInset
	p.placeRegions(regionX, x)
	if len(p.ports) > 0 {
		x = placeBoxes(p.ports, x+railMargin)
	}
	if p.crossbar != nil && !p.switchInside() {
		x = placeBoxes([]*railBox{p.crossbar}, x+railMargin)
	}
	p.width = max(x+pageMargin, 640)
}

// placeColumn centres the boxes of a column, all as wide as the widest.
func (p *plan) placeColumn(c column, x int) int {
	width, empty := minSide, true
	if c == centre {
		width = minCentre
	}
	for _, n := range p.nodes {
		if n.column != c {
			continue
		}
		empty = false
		for _, l := range n.text {
			width = max(width, l.font.width(l.text)+2*boxPadding)
		}
	}
	if empty && c != centre {
		width = 0
	}
	width = min(width, maxBox)
	for _, n := range p.nodes {
		if n.column != c {
			continue
		}
		n.x, n.w = x, width
		for i := range n.text {
			n.text[i].text = n.text[i].font.fit(n.text[i].text, width-2*boxPadding)
		}
	}
	return x + width
}

func (p *plan) placeRegions(x, end int) {
	c := p.channels
	for _, r := range p.regions {
		r.x, r.w = x, end-x
		r.labelX = [2]int{x + regionInset, c.out.x}
		if c.memory.tracks > 0 { // they would run through the name
			r.labelX[0] = c.memory.x + c.memory.w
		}
	}
}

// switchInside reports whether the switch stands in the regions, which it
// spans, and not beyond the Ethernet ports, whose wires it would block.
func (p *plan) switchInside() bool { return p.crossbar != nil && len(p.ports) == 0 }

// placeBoxes gives boxes that stand one above the other their x, and returns
// the right end.
func placeBoxes(boxes []*railBox, x int) int {
	width := railWidth(boxes)
	for _, b := range boxes {
		b.x, b.w = x, width
	}
	return x + width
}

func railWidth(boxes []*railBox) int {
	if len(boxes) == 0 {
		return 0
	}
	w := minRail
	for _, b := range boxes {
		w = max(w, railFont.width(b.title)+2*railPadding, detailFont.width(b.detail)+2*railPadding)
	}
	return w
}

// label is a text at a wire. Its y is the base line of the last line.
type label struct {
	point
	lines  []string // from top to bottom
	anchor string   // start, middle or end at x
}

func widest(lines []string) int {
	w := 0
	for _, text := range lines {
		w = max(w, labelFont.width(text))
	}
	return w
}

// makeLabelRoom widens the channels for their labels.
func (p *plan) makeLabelRoom() {
	for _, w := range p.wires {
		if len(w.label) == 0 {
			continue
		}
		width := widest(w.label)
		if w.vertical {
			over := width + pairSpread + 2*labelPad - minCentre/2
			for _, zone := range []*int{&p.channels.inLeft.zones[1], &p.channels.inRight.zones[0]} {
				*zone = max(*zone, over)
			}
			continue
		}
		zone := p.zone(w.labelled())
		*zone = max(*zone, width+2*labelPad+arrowRoom)
	}
}

// labelled is the end of a wire that its label stands at, in the centre column
// if there is one.
func (w *wire) labelled() *end {
	if w.a.node.column != centre && w.b != nil && w.b.node.column == centre {
		return w.b
	}
	return w.a
}

// zone is the room for labels beside an end.
func (p *plan) zone(e *end) *int {
	ch, side := p.channelAt(e)
	return &ch.zones[side]
}

func (p *plan) channelAt(e *end) (*channel, int) {
	c := p.channels
	switch {
	case e.node.column == left && e.face == left:
		return &c.memory, 1
	case e.node.column == left:
		return &c.inLeft, 0
	case e.node.column == centre && e.face == left:
		return &c.inLeft, 1
	case e.node.column == centre:
		return &c.inRight, 0
	case e.face == left:
		return &c.inRight, 1
	default:
		return &c.out, 0
	}
}

// runWires turns routes into points and puts the labels at them.
func (p *plan) runWires() {
	for _, w := range p.wires {
		if w.vertical {
			p.runVertical(w)
			continue
		}
		w.path = []point{{w.a.x(), w.a.at()}}
		y := w.a.at()
		for i, s := range w.segments {
			next := w.endY()
			if i < len(w.lanes) {
				next = w.lanes[i].y
			}
			w.path = append(w.path, point{s.x(), y}, point{s.x(), next})
			y = next
		}
		switch {
		case w.toRail == nil:
			w.path = append(w.path, point{w.b.x(), w.b.at()})
		case !w.toRail.onRight:
			w.path = append(w.path, point{w.toRail.right(), y})
		default:
			w.path = append(w.path, point{w.toRail.x, y})
		}
		p.labelStraight(w)
	}
	for _, b := range p.rail {
		for _, y := range b.joints {
			p.dots = append(p.dots, dot{point{b.trunk.x(), y}, b.wires[0].group})
		}
	}
}

func (p *plan) labelStraight(w *wire) {
	if len(w.label) == 0 {
		return
	}
	e := w.labelled()
	ch, side := p.channelAt(e)
	x := ch.x + ch.zones[0]/2
	if side == 1 {
		x = ch.x + ch.w - ch.zones[1]/2
	}
	w.labelAt = label{point{x, e.at() - 5}, w.label, "middle"}
}

// runVertical draws what leads up on the left and what leads down on the
// right, with the label over the lower box.
func (p *plan) runVertical(w *wire) {
	low := w.below()
	high := other(w, low)
	x := low.midX() - pairSpread
	w.labelAt = label{point{x - 8, low.y - labelRoom + 2}, w.label, "end"}
	w.path = []point{{x, low.y}, {x, high.bottom()}}
	if w.to == low {
		x = low.midX() + pairSpread
		w.labelAt.point.x, w.labelAt.anchor = x+8, "start"
		w.path = []point{{x, high.bottom()}, {x, low.y}}
	}
}

// size of the SVG.
func (p *plan) viewBox() string { return fmt.Sprintf("0 0 %d %d", p.width, p.height) }
