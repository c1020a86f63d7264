package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
)

// Network engines of one card that are linked in a ring talk through a switch,
// which takes the ring's place after linking.
const switchFolder = "axis_switch"

func inRing(s *design.Stream) bool {
	return s.From.Instance.Role == "poe" && s.To.Instance.Role == "poe"
}

// ringOf is the ring, in the order of the engines that its members serve.
func ringOf(d *design.Design) []*design.Stream {
	var ring []*design.Stream
	for _, s := range d.Streams {
		if inRing(s) {
			ring = append(ring, s)
		}
	}
	slices.SortFunc(ring, func(a, b *design.Stream) int { return a.From.Instance.Scope - b.From.Instance.Scope })
	return ring
}

// ring puts a switch between the members of a ring: the port that has the number
// of an engine leads to that engine.
func (b *topBuilder) ring(ring []*design.Stream) {
	if len(ring) == 0 {
		return
	}
	into := map[*design.Instance]*design.Port{}
	for _, s := range ring {
		into[s.To.Instance] = s.To
	}
	t := topInstance{
		Module: switchFolder, Name: "poe_switch",
		Parameters: []string{fmt.Sprintf(".N(%d)", len(ring)), fmt.Sprintf(".WIDTH(%d)", ring[0].From.Width)},
		Pins:       []string{".clk", ".rst"},
	}
	for _, suffix := range streamPins {
		var sent, received []string
		for _, s := range slices.Backward(ring) {
			sent = append(sent, b.end(s.From, suffix))
			received = append(received, b.end(into[s.From.Instance], suffix))
		}
		t.Pins = append(t.Pins,
			fmt.Sprintf(".s_%s({%s})", suffix, strings.Join(sent, ", ")),
			fmt.Sprintf(".m_%s({%s})", suffix, strings.Join(received, ", ")))
	}
	b.view.Instances = append(b.view.Instances, t)
}

// end makes a wire between a port and the switch.
func (b *topBuilder) end(p *design.Port, suffix string) string {
	prefix := p.Instance.Name + "_" + p.Name
	b.streams[p] = prefix
	width := 1
	if q, ok := b.pinOf(p, suffix); ok {
		width = q.Width
	}
	b.wire(width, prefix+"_"+suffix)
	return prefix + "_" + suffix
}
