package floorplan

import "slices"

type point struct{ x, y int }

// rect is a place in the picture, in pixels from its top left corner.
type rect struct{ x, y, w, h int }

func (r rect) right() int  { return r.x + r.w }
func (r rect) bottom() int { return r.y + r.h }
func (r rect) midX() int   { return r.x + r.w/2 }

// route is the way of a wire: from end a along vertical segments, joined by
// horizontal lanes, to end b. Without segments it runs straight.
type route struct {
	a, b     *end
	segments []*segment
	lanes    []*lane
	vertical bool // from the top of one box to the bottom of another
}

// end is where a wire meets a box.
type end struct {
	wire  *wire
	node  *node
	face  column // left, right, or centre for top and bottom
	y     *int   // shared by both ends of a straight wire
	reach int    // how many bands further down the wire goes, negative for up
}

func (e *end) at() int { return *e.y }

func (e *end) x() int {
	if e.face == left {
		return e.node.x
	}
	return e.node.right()
}

// channel is the room between two columns. Labels have their room at its
// sides, vertical segments their tracks in the middle.
type channel struct {
	x, w      int
	zones     [2]int // room for labels at the left and the right
	segments  []*segment
	tracks    int
	fromRight bool // the first track is the rightmost
	least     int  // its width is at least this
	wider     int  // the zone that grows if it is not
}

// segment is a vertical piece of a wire in a channel.
type segment struct {
	channel *channel
	lo, hi  int
	track   int
}

func (s *segment) x() int {
	track := s.track
	if s.channel.fromRight {
		track = s.channel.tracks - 1 - track
	}
	return s.channel.x + s.channel.zones[0] + trackPitch/2 + track*trackPitch
}

// lane is a horizontal piece of a wire over a band.
type lane struct{ y int }

// channels of the picture from left to right.
type channels struct {
	memory, inLeft, inRight, out channel
}

func newChannels() *channels {
	return &channels{
		memory:  channel{fromRight: true, least: minChannel / 2, wider: 1},
		inLeft:  channel{fromRight: true, least: minChannel, wider: 1},
		inRight: channel{least: minChannel},
		out:     channel{least: minChannel / 4, zones: [2]int{minChannel / 4, 0}},
	}
}

// connect decides how every wire runs and gives it its ends.
func (c *channels) connect(wires []*wire) {
	for _, w := range wires {
		switch {
		case w.toRail == nil:
			c.connectNodes(w)
		case !w.toRail.onRight:
			c.connectLeft(w)
		default:
			w.a = outward(w, w.from, right)
		}
	}
}

func (c *channels) connectNodes(w *wire) {
	from, to := w.from, w.to
	switch {
	case from.column == centre && to.column == centre:
		if from.place-to.place == 1 || to.place-from.place == 1 {
			w.vertical = true
			return
		}
		w.a, w.b = outward(w, from, right), outward(w, to, right)
		w.segments = []*segment{c.out.segment()}
	case from.column == to.column:
		w.a, w.b = outward(w, from, from.column), outward(w, to, to.column)
		outer := &c.memory
		if from.column == right {
			outer = &c.out
		}
		w.segments = []*segment{outer.segment()}
	case from.column == centre || to.column == centre:
		side, mid := from, to
		if from.column == centre {
			side, mid = to, from
		}
		if slices.Contains(side.straight, mid) {
			w.a, w.b = inward(w, from, side.column), inward(w, to, side.column)
			w.b.y = w.a.y
			break
		}
		w.a, w.b = inward(w, from, side.column), inward(w, to, side.column)
		w.segments = []*segment{c.inner(side.column).segment()}
	default:
		w.a, w.b = inward(w, from, from.column), inward(w, to, to.column)
		w.lanes = []*lane{from.band.newLane()}
		w.segments = []*segment{c.inner(from.column).segment(), c.inner(to.column).segment()}
	}
	w.a.reach, w.b.reach = to.band.index-from.band.index, from.band.index-to.band.index
}

func (c *channels) connectLeft(w *wire) {
	if w.from.column != right {
		w.a = outward(w, w.from, left)
		return
	}
	w.a = inward(w, w.from, right)
	w.lanes = []*lane{w.from.band.newLane()}
	w.segments = []*segment{c.inRight.segment()}
}

func (c *channels) inner(side column) *channel {
	if side == left {
		return &c.inLeft
	}
	return &c.inRight
}

func (c *channel) segment() *segment {
	s := &segment{channel: c}
	c.segments = append(c.segments, s)
	return s
}

func (b *band) newLane() *lane {
	l := &lane{}
	b.corridor = append(b.corridor, l)
	return l
}

// outward is an end towards the border of the picture on one side. Lines from
// the centre pass the side column in a row of their own.
func outward(w *wire, n *node, side column) *end {
	e := &end{wire: w, node: n, face: side, y: new(int)}
	if n.column == centre {
		n.band.pass(side, e)
	} else {
		n.outer = append(n.outer, e)
	}
	return e
}

// inward is an end between the centre column and one of the sides.
func inward(w *wire, n *node, side column) *end {
	e := &end{wire: w, node: n, face: side, y: new(int)}
	if n.column == centre {
		if !slices.Contains(other(w, n).straight, n) {
			n.band.pass(side, e)
		}
		return e
	}
	e.face = side.opposite()
	n.inner = append(n.inner, e)
	return e
}

func other(w *wire, n *node) *node {
	if w.from == n {
		return w.to
	}
	return w.from
}

// assignTracks gives segments that overlap tracks of their own, the shortest
// first, so that long ones run around them.
func (c *channel) assignTracks() {
	sorted := slices.Clone(c.segments)
	slices.SortStableFunc(sorted, func(a, b *segment) int { return (a.hi - a.lo) - (b.hi - b.lo) })
	var tracks [][]*segment
	for _, s := range sorted {
		s.track = slices.IndexFunc(tracks, func(taken []*segment) bool {
			return !slices.ContainsFunc(taken, func(t *segment) bool { return s.lo < t.hi+trackPitch && t.lo < s.hi+trackPitch })
		})
		if s.track < 0 {
			s.track = len(tracks)
			tracks = append(tracks, nil)
		}
		tracks[s.track] = append(tracks[s.track], s)
	}
	c.tracks = len(tracks)
	for side := range c.zones {
		if c.tracks > 0 {
			c.zones[side] = max(c.zones[side], arrowRoom)
		}
	}
}

// measure sums up the width of a channel.
func (c *channel) measure() {
	c.w = c.zones[0] + c.tracks*trackPitch + c.zones[1]
	if spare := c.least - c.w; spare > 0 {
		c.zones[c.wider] += spare
		c.w = c.least
	}
}
