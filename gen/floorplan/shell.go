package floorplan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// Floors of a design that is built into a shell. SLRs are left to its tools.
const (
	floorApplication = iota
	floorShell
)

func built(d *design.Design) bool { return d.Shell != nil && !d.Platform.HWEmu }

// findFloors tells every node its region.
func findFloors(d *design.Design, nodes []*node) {
	for _, n := range nodes {
		n.floor = n.inst.SLR
		if built(d) {
			n.inShell = d.InShell(n.inst.Kernel)
			n.floor = floorApplication
			if n.inShell {
				n.floor = floorShell
			}
		}
	}
}

// withoutFIFOs are the streams as a shell's tools join them: v++ is what puts FIFOs
// between.
func withoutFIFOs(streams []*design.Stream) []*design.Stream {
	out := make([]*design.Stream, len(streams))
	for i, s := range streams {
		plain := *s
		plain.Depth = 0
		out[i] = &plain
	}
	return out
}

// shellMemory leads what is in a shell to the memories of card and host. The
// shell has pages in both, and no banks.
func (r *rail) shellMemory(d *design.Design, nodes []*node) {
	boxes := []*railBox{{class: groupMemory, title: cardMemory(d), detail: "card memory"}, hostMemory()}
	for _, n := range nodes {
		if !n.inShell {
			continue
		}
		for _, box := range boxes {
			w := r.wire(n, box, groupMemory, both)
			for _, p := range n.inst.Ports {
				w.widest = max(w.widest, p.Width)
			}
			w.notes = []string{fmt.Sprintf("%s ↔ %s, %d b, by pages of the shell %s", n.inst.Name, box.title,
				w.widest, d.Shell.Name)}
		}
	}
}

// cardMemory is the memory of the card that the design uses.
func cardMemory(d *design.Design) string {
	for _, m := range d.Memories {
		if !isHost(m.Memory) {
			return m.Memory
		}
	}
	i := slices.IndexFunc(d.Platform.Board.Memories, func(m platform.BoardMemory) bool { return !isHost(m.Name) })
	if i < 0 {
		return "Card"
	}
	return d.Platform.Board.Memories[i].Name
}

func isHost(memory string) bool { return strings.EqualFold(memory, "host") }

// joinShell anchors what is in a shell at its network engine.
func (a *arrangement) joinShell() {
	i := slices.IndexFunc(a.nodes, func(n *node) bool { return n.inShell && n.inst.Role == rolePOE })
	if i < 0 {
		return
	}
	for _, n := range a.nodes {
		if n.inShell && n.anchor == nil {
			n.anchor = a.nodes[i]
		}
	}
}

// shellRegions are the shell and the application in it, from top to bottom.
func shellRegions(d *design.Design, clock string) []*region {
	revision := d.Shell.Revision
	return []*region{
		{name: "Shell " + d.Shell.Name, note: "revision " + revision[:min(len(revision), 7)], floor: floorShell},
		{name: "Application", note: clock, floor: floorApplication},
	}
}
