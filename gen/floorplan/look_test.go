package floorplan

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

// What is in a shell is not where v++ would put it: no SLRs, no banks, and no
// FIFOs. The host reaches what has a window of registers.
func TestShell(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	p := newPlan(d)
	for _, n := range p.nodes {
		want := slices.Contains([]string{"poe_0", "extdma_0_0", "extdma_0_1"}, n.inst.Name)
		if (n.band.floor == p.regions[0].floor) != want {
			t.Errorf("%s in the shell: %v", n.inst.Name, !want)
		}
	}
	svg := read(t, SVG(d))
	got := svg.withClass("slr")
	assert.Check(t, got == "Shell coyote\nApplication", "regions are %q", got)
	var tips strings.Builder
	for _, g := range svg.Groups {
		if g.is("wire") {
			tips.WriteString(g.Title + "\n")
		}
	}
	for _, want := range []string{
		"poe_0 ↔ Ethernet port 0", "poe_0 ↔ HBM", "poe_0 ↔ Host memory", "extdma_0_1 ↔ HBM",
		"extdma_0_1 ↔ Host memory",
	} {
		assert.Check(t, strings.Count(tips.String(), want) == 1, "no line says %q:\n%s", want, tips.String())
	}
	windows := d.ShellWindows()
	for _, w := range windows {
		want := fmt.Sprintf("Host → %s.%s,", w.Instance.Name, w.Port)
		assert.Check(t, strings.Contains(tips.String(), want), "no line says %q", want)
	}
	n := strings.Count(tips.String(), "Host → ")
	assert.Check(t, n == len(windows), "the host reaches %d windows, the picture shows %d", len(windows), n)
	for _, bad := range []string{"FIFO", "HBM[", "SLR"} {
		assert.Check(t, !strings.Contains(string(SVG(d)), bad), "%s of a design that v++ does not link", bad)
	}
}

// Lines are thin: what belongs to one shows at its label, and near it.
func TestWhatIsPointedAt(t *testing.T) {
	for name, d := range pictures(t) {
		svg := read(t, SVG(d))
		titles := map[string]bool{}
		for _, g := range svg.Groups {
			if !g.is("wire") || g.Title == "" {
				continue
			}
			titles[g.Title] = true
			assert.Check(t, len(g.Path) == 2 && g.Path[1].Class == "hit" && g.Path[1].D == g.Path[0].D,
				"%s: nothing around the line to point at: %+v", name, g)
		}
		assert.Check(t, len(titles) == len(newPlan(d).wires),
			"%s: %d of %d lines say what they are", name, len(titles), len(newPlan(d).wires))
		for _, x := range svg.Text {
			assert.Check(t, !strings.HasPrefix(x.Class, "label"), "%s: label %q says nothing", name, x.Text)
		}
		for _, g := range svg.Groups {
			if !g.is("wire") && !g.is("box") && !titles[g.Title] || g.is("box") && g.Title == "" {
				t.Errorf("%s: %q at %v", name, g.Title, g.Text)
			}
		}
		if hit := declarations(svg.Style)[".wire path.hit"]; !strings.Contains(hit, "pointer-events:stroke") {
			t.Errorf("%s: an invisible line is not pointed at: %q", name, hit)
		}
	}
}

func TestLegend(t *testing.T) {
	for name, d := range pictures(t) {
		svg := read(t, SVG(d))
		shown, explained := map[string]bool{}, map[string]bool{}
		thick, bars := map[string]bool{}, false
		for _, g := range svg.Groups {
			for _, r := range g.Rect {
				bars = bars || r.Class == "used"
			}
			switch {
			case !g.is("wire"):
			case g.Title == "":
				explained[strings.Fields(g.Class)[1]] = true
			default:
				shown[strings.Fields(g.Class)[1]] = true
				if !strings.Contains(g.Title, "Ethernet port") {
					thick[strings.Fields(g.Class)[2]] = true
				}
			}
		}
		assert.Check(t, maps.Equal(shown, explained),
			"%s: the legend explains %v, the picture has %v", name, explained, shown)
		legend, labels := svg.withClass("legend"), svg.withClass("label")
		for _, note := range []struct {
			text  string
			there bool
		}{
			{": a FIFO of 512 beats", strings.Contains(labels, "FIFO 512")},
			{" streams or buses of ", strings.Contains(labels, " × ")},
			{"thick lines: ", thick["wide"] && len(thick) > 1},
			{"filled bars: ", bars},
			{"AXI4-Lite", shown[groupRegisters]},
			{"memory (AXI4)", shown[groupMemory] && !built(d)},
			{"pages of the shell", built(d)},
		} {
			assert.Check(t, strings.Contains(legend, note.text) == note.there,
				"%s: in the picture %v, legend %q:\n%s", name, note.there, note.text, legend)
		}
	}
}

// shownWidth is the width at which a picture stands in a page, in pixels.
const shownWidth = 800

func TestReadable(t *testing.T) {
	for name, d := range pictures(t) {
		if d.Platform.Name == "synthetic" {
			continue
		}
		svg := read(t, SVG(d))
		rules := declarations(svg.Style)
		for _, x := range svg.texts() {
			size := 0
			for _, class := range strings.Fields(x.Class) {
				if m := regexp.MustCompile(`font-size:([0-9]+)px`).FindStringSubmatch(rules["."+class]); m != nil {
					size, _ = strconv.Atoi(m[1])
				}
			}
			if at := float64(size*shownWidth) / float64(max(svg.Width, shownWidth)); at < 10 {
				t.Errorf("%s: %q of class %q is %.1f pixels tall at %d pixels", name, x.Text, x.Class, at, shownWidth)
			}
		}
	}
}

// declarations of a style sheet, by selector without the picture's class.
func declarations(css string) map[string]string {
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`).FindAllStringSubmatch(css, -1) {
		for selector := range strings.SplitSeq(m[1], ",") {
			key := strings.TrimPrefix(strings.TrimSpace(selector), ".floorplan ")
			if _, ok := out[key]; !ok { // the light scheme stands first
				out[key] = m[2]
			}
		}
	}
	return out
}
