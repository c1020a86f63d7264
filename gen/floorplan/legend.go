package floorplan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

// Groups of wires that have a colour of their own.
const (
	groupMAC       = "mac"
	groupMemory    = "memory"
	groupRegisters = "registers"
	groupOther     = "other"
)

// groups in the order of the legend, with their names there.
var groups = []struct{ id, name string }{
	{"control", "calls"},
	{groupRegisters, "control path (AXI4-Lite)"},
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
	legendGap    = 20
	legendPitch  = 20
)

// addLegend lists the groups of the picture, in as many lines as they need, and
// explains its labels.
func (p *plan) addLegend() {
	at := point{pageMargin, p.legendAt.y}
	for _, g := range groups {
		if !slices.ContainsFunc(p.wires, func(w *wire) bool { return known(w.group) == g.id }) {
			continue
		}
		name := g.name
		if p.built && g.id == groupMemory {
			name = "memory (pages of the shell)"
		}
		width := legendSample + 8 + legendFont.width(name)
		if at.x+width > p.width-pageMargin && at.x > pageMargin {
			at = point{pageMargin, at.y + legendPitch}
		}
		p.legend = append(p.legend, legendEntry{at, g.id, name})
		at.x += width + legendGap
	}
	p.notes = fill(p.explain(), p.width-2*pageMargin)
	p.legendAt = point{pageMargin, at.y + legendPitch}
	p.height = p.legendAt.y + max(len(p.notes)-1, 0)*legendPitch + pageMargin
}

// explain says what is not plain in this picture, by its own examples.
func (p *plan) explain() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	var several, single, depth string
	thick := map[string]bool{}
	for _, w := range p.wires {
		thick[thickness(w)] = w.widest > 0 || thick[thickness(w)]
		for _, text := range w.label {
			several = cmp.Or(several, severalStreams.FindString(text))
			single = cmp.Or(single, oneStream.FindString(text))
			depth = cmp.Or(depth, fifoDepth.FindString(text))
		}
	}
	if m := severalStreams.FindStringSubmatch(several); m != nil {
		add("%s b: %s streams or buses of %s bits", several, m[1], m[2])
	} else if single != "" {
		add("%s: bits", single)
	}
	if m := fifoDepth.FindStringSubmatch(depth); m != nil {
		add("%s: a FIFO of %s beats on each stream", depth, m[1])
	}
	if thick["wide"] && (thick["medium"] || thick["thin"]) {
		add("thick lines: %d bits and more", wideBits)
	}
	if slices.ContainsFunc(p.rail, func(b *railBox) bool { return b.banks > 1 }) {
		add("filled bars: banks in use")
	}
	return out
}

// Parts of labels, as describeStreams writes them.
var (
	severalStreams = regexp.MustCompile(`([0-9]+) × ([0-9]+)`)
	oneStream      = regexp.MustCompile(`[0-9]+ b`)
	fifoDepth      = regexp.MustCompile(`FIFO ([0-9]+)`)
)

const noteGap = "  ·  "

// fill puts notes side by side in lines that are as wide as there is room.
func fill(notes []string, room int) []string {
	var lines []string
	for _, note := range notes {
		note = legendFont.fit(note, room)
		if last := len(lines) - 1; last >= 0 && legendFont.width(lines[last]+noteGap+note) <= room {
			lines[last] += noteGap + note
		} else {
			lines = append(lines, note)
		}
	}
	return lines
}
