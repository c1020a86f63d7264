package floorplan

import "slices"

// Groups of wires that have a colour of their own.
const (
	groupMAC    = "mac"
	groupMemory = "memory"
	groupOther  = "other"
)

// groups in the order of the legend, with their names there.
var groups = []struct{ id, name string }{
	{"control", "calls"},
	{"dma", "DMA"},
	{"arithmetic", "arithmetic"},
	{"compression", "compression"},
	{"kernel", "user kernel"},
	{"network", "network"},
	{"session", "sessions"},
	{groupMAC, "link"},
	{"closer", "closed stream"},
	{groupMemory, "memory (AXI4)"},
	{groupOther, "other"},
}

// known maps groups without a colour of their own to the last one.
func known(group string) string {
	for _, g := range groups {
		if g.id == group {
			return group
		}
	}
	return groupOther
}

type legendEntry struct {
	point
	group, text string
}

const (
	legendSample = 26
	legendGap    = 22
	legendPitch  = 22
)

// addLegend lists the groups of the picture, in as many lines as they need.
func (p *plan) addLegend() {
	at := point{pageMargin, p.legendAt.y}
	for _, g := range groups {
		if !slices.ContainsFunc(p.wires, func(w *wire) bool { return known(w.group) == g.id }) {
			continue
		}
		width := legendSample + 8 + legendFont.width(g.name)
		if at.x+width > p.width-pageMargin {
			at = point{pageMargin, at.y + legendPitch}
		}
		p.legend = append(p.legend, legendEntry{at, g.id, g.name})
		at.x += width + legendGap
	}
	p.legendAt = point{pageMargin, at.y + legendPitch}
	p.height = p.legendAt.y + pageMargin
}
