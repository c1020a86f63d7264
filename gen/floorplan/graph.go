package floorplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
)

// node is an instance on its way to becoming a box.
type node struct {
	inst    *design.Instance
	floor   int   // of its region: the SLR, -1 for none, or one of a shell's
	inShell bool  // the shell does what its kernel does
	anchor  *node // the engine or network engine that it is drawn around
	column  column
	place   int // in the centre column, from the top
	row     int // in its side column of its band, from the top
	band    *band
	rect
	text    []line
	tip     string
	topRoom int // over it, for labels of lines that come from above
	// inner are the line ends towards the centre column, outer those away from
	// it. Nodes of the centre keep their ends in items of the side columns.
	inner, outer []*end
	// straight are the nodes of the centre that lines run straight to.
	straight []*node
}

// line is a line of text in a box.
type line struct {
	text string
	font font
}

type column int

const (
	left column = iota
	centre
	right
)

func (c column) opposite() column { return left + right - c }

// wire is one line of the picture: all streams from one instance to another,
// all links of an instance to the same banks, the host's way to the registers of
// an instance, or the way to an Ethernet port or to the switch.
type wire struct {
	from, to *node
	toRail   *railBox // instead of to
	heads    heads
	streams  []*design.Stream
	links    []*design.MemoryLink
	notes    []string // lines of the tip beside those of streams and links
	group    string
	widest   int      // bits of the widest stream, 0 for none
	label    []string // from top to bottom

	route
	path    []point
	labelAt label
}

// heads are the arrow heads of a wire.
type heads int

const (
	forward  heads = iota // at the end
	backward              // at the start
	both
)

// netlist turns the design into nodes and wires.
func netlist(d *design.Design) ([]*node, []*wire, []*railBox) {
	byInstance := make(map[*design.Instance]*node, len(d.Instances))
	nodes := make([]*node, len(d.Instances))
	for i, in := range d.Instances {
		nodes[i] = &node{inst: in}
		byInstance[in] = nodes[i]
	}
	findFloors(d, nodes)
	_, streams := switched(d.Streams)
	if built(d) {
		streams = withoutFIFOs(streams)
	}
	wires := streamWires(streams, byInstance)
	rail := newRail(d, nodes, byInstance)
	return nodes, append(wires, rail.wires...), rail.boxes
}

func streamWires(streams []*design.Stream, nodes map[*design.Instance]*node) []*wire {
	type ends struct{ from, to *node }
	known := map[ends]*wire{}
	var out []*wire
	for _, s := range streams {
		key := ends{nodes[s.From.Instance], nodes[s.To.Instance]}
		w, ok := known[key]
		if !ok {
			w = &wire{from: key.from, to: key.to}
			known[key] = w
			out = append(out, w)
		}
		w.streams = append(w.streams, s)
	}
	for _, w := range out {
		w.describe()
	}
	return out
}

// bits is the width that a stream carries: the linker fits the wider side to
// the narrower.
func bits(s *design.Stream) int { return min(s.From.Width, s.To.Width) }

// maxLabel is how wide a label may be before it takes another line.
const maxLabel = 104 // pixels

func (w *wire) describe() {
	var text string
	w.group, w.widest, text = describeStreams(w.streams)
	w.label = labelFont.wrap(text, maxLabel)
}

// describeStreams names the group of the widest stream and writes widths and
// FIFO depths: "512 + 2 × 32 b, FIFO 512".
func describeStreams(streams []*design.Stream) (group string, widest int, text string) {
	sorted := slices.Clone(streams)
	slices.SortStableFunc(sorted, func(a, b *design.Stream) int {
		return cmp.Or(cmp.Compare(b.Depth, a.Depth), cmp.Compare(bits(b), bits(a)))
	})
	var parts []string
	for len(sorted) > 0 {
		depth := sorted[0].Depth
		n := slices.IndexFunc(sorted, func(s *design.Stream) bool { return s.Depth != depth })
		if n < 0 {
			n = len(sorted)
		}
		widths := make([]int, n)
		for i, s := range sorted[:n] {
			widths[i] = bits(s)
			if widths[i] > widest {
				widest, group = widths[i], s.Group
			}
		}
		sorted = sorted[n:]
		part := sumOfWidths(widths)
		if depth > 0 {
			part += fmt.Sprintf(", FIFO %d", depth)
		}
		parts = append(parts, part)
	}
	return group, widest, strings.Join(parts, "; ")
}

// sumOfWidths writes sorted widths: "512 + 2 × 32 b".
func sumOfWidths(widths []int) string {
	var terms []string
	for i := 0; i < len(widths); {
		n := 1
		for i+n < len(widths) && widths[i+n] == widths[i] {
			n++
		}
		if n == 1 {
			terms = append(terms, fmt.Sprint(widths[i]))
		} else {
			terms = append(terms, fmt.Sprintf("%d × %d", n, widths[i]))
		}
		i += n
	}
	return strings.Join(terms, " + ") + " b"
}

// fullName is a port with its instance, as the linker writes it.
// tip lists what a wire stands for.
func (w *wire) tip() string {
	lines := slices.Clone(w.notes)
	for _, s := range w.streams {
		text := fmt.Sprintf("%s → %s, %d b", s.From.FullName(), s.To.FullName(), bits(s))
		if s.Depth > 0 {
			text += fmt.Sprintf(", FIFO %d", s.Depth)
		}
		lines = append(lines, text)
	}
	for _, m := range w.links {
		lines = append(lines, fmt.Sprintf("%s → %s, %d b", m.Port.FullName(), m.Banks(),
			m.Port.Width))
	}
	return strings.Join(lines, "\n")
}
