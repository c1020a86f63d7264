package floorplan

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
)

// pictures are the designs that every test looks at.
func pictures(t testing.TB) map[string]*design.Design {
	t.Helper()
	vadd := cty.StringVal("vadd_put")
	out := map[string]*design.Design{
		"u55c_tcp, user kernel and host memory": designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": vadd,
			"host_memory": cty.True}),
		"u55c_axis3x, user kernel and host memory": designtest.Load(t, "u55c_axis3x",
			map[string]cty.Value{"user_kernel": vadd, "host_memory": cty.True}),
		"u200_udp in emulation": designtest.Load(t, "u200_udp",
			map[string]cty.Value{"hw_emu": cty.True, "user_kernel": vadd}),
		"u50_tcp in emulation":     designtest.Load(t, "u50_tcp", map[string]cty.Value{"hw_emu": cty.True}),
		"u280_axis3x in emulation": designtest.Load(t, "u280_axis3x", map[string]cty.Value{"hw_emu": cty.True}),
	}
	for _, name := range designtest.Library(t).PlatformNames() {
		out[name] = designtest.Load(t, name, nil)
	}
	for _, n := range []int{2, 8, 64} {
		out[fmt.Sprintf("%d engines", n)] = engines(n)
	}
	return out
}

// engines is a design of many engines, joined in a ring, on a board with three
// SLRs and far too much memory.
func engines(n int) *design.Design {
	b := newBuilder(3, false)
	var poes []*design.Instance
	for i := range n {
		slr := min(i, 2)
		engine := b.add(fmt.Sprintf("ccl_offload_%d", i), "engine", i, slr)
		for u := range 2 {
			dma := b.add(fmt.Sprintf("extdma_%d_%d", i, u), "dma", i, slr)
			b.both(engine, dma, "dma", 512, 0)
			b.memory(dma, "HBM", 6*i, 6*i+5)
			b.memory(dma, "HOST", 0, 0)
		}
		for u := range 3 {
			b.both(engine, b.add(fmt.Sprintf("compression_%d_%d", i, u), "compression", i, slr), "compression", 512, 0)
		}
		poe := b.add(fmt.Sprintf("poe_%d", i), "poe", i, slr)
		b.both(engine, poe, "network", 512, 512)
		poes = append(poes, poe)
	}
	for i := range poes {
		b.stream(poes[i], poes[(i+1)%n], "mac", 512, 0)
	}
	return b.design
}

type builder struct{ design *design.Design }

func newBuilder(slrs int, emulated bool) *builder {
	board := &platform.Board{Memories: []platform.BoardMemory{{Name: "HBM", Banks: 512}, {Name: "HOST", Banks: 1}}}
	board.Name, board.SLRs = "board", slrs
	return &builder{&design.Design{Platform: &platform.Platform{
		Name: "synthetic", File: "platforms/synthetic.hcl", Clock: 250, HWEmu: emulated,
		ABI:   &abi.Generation{Name: "accl-2024"},
		Board: board,
		CCLO:  platform.CCLO{RxBuffers: platform.RxBuffers{Count: 16, Size: 4096}},
		POEs:  []platform.POE{{Kind: "tcp"}},
	}}}
}

func (b *builder) add(name, role string, scope, slr int) *design.Instance {
	in := &design.Instance{Name: name, Role: role, Scope: scope, SLR: slr, Kernel: &design.Kernel{Name: role + "_kernel"}}
	b.design.Instances = append(b.design.Instances, in)
	return in
}

func (b *builder) stream(from, to *design.Instance, group string, width, depth int) {
	n := len(b.design.Streams)
	b.design.Streams = append(b.design.Streams, &design.Stream{
		From:  &design.Port{Name: fmt.Sprintf("m%d", n), Instance: from, Protocol: design.AXIS, Output: true, Width: width},
		To:    &design.Port{Name: fmt.Sprintf("s%d", n), Instance: to, Protocol: design.AXIS, Width: width},
		Depth: depth, Group: group,
	})
}

func (b *builder) both(x, y *design.Instance, group string, width, depth int) {
	b.stream(x, y, group, width, depth)
	b.stream(y, x, group, width, depth)
}

func (b *builder) registers(in *design.Instance) {
	in.Ports = append(in.Ports, &design.Port{Name: "s_axi_control", Instance: in, Protocol: design.AXILite, Width: 32})
}

func (b *builder) memory(in *design.Instance, memory string, first, last int) {
	port := &design.Port{Name: "m_axi", Instance: in, Protocol: design.AXI4, Output: true, Width: 512}
	b.design.Memories = append(b.design.Memories, &design.MemoryLink{Port: port, Memory: memory, First: first, Last: last})
}

// scrambled is a design that no card would have: any role anywhere, any stream
// to any instance.
func scrambled(seed uint64) *design.Design {
	r := rand.New(rand.NewPCG(seed, 1))
	b := newBuilder(1+r.IntN(4), r.IntN(5) == 0)
	roles := []string{"engine", "engine", "poe", "dma", "arbiter", "arithmetic", "compression", "mac", "user", "closer",
		"host_controller", "session_handler", "camera"}
	groups := []string{"dma", "network", "mac", "kernel", "control", "pixels", "closer"}
	var all []*design.Instance
	if r.IntN(5) == 0 {
		b.design.Shell = &platform.Shell{Name: "coyote", Revision: "867a8d31f0a66fb08df24292544e1b9c213ba9de"}
	}
	place := func() int {
		if b.design.Platform.HWEmu {
			return -1
		}
		return r.IntN(b.design.Platform.Board.SLRs)
	}
	members := (2 + r.IntN(3)) * max(r.IntN(4)-2, 0)
	for i := range members {
		all = append(all, b.add(fmt.Sprintf("poe_%d", i), "poe", i, place()))
	}
	for i, in := range all {
		b.stream(in, all[(i+1)%members], "mac", 512, 0)
	}
	for i := range 1 + r.IntN(14) {
		name := fmt.Sprintf("instance_%d%s", i, strings.Repeat("_long", r.IntN(3)*r.IntN(6)))
		all = append(all, b.add(name, roles[r.IntN(len(roles))], r.IntN(3)-1, place()))
	}
	for range r.IntN(3 * len(all)) {
		from, to := all[r.IntN(len(all))], all[r.IntN(len(all))]
		if members == 0 || from.Role != rolePOE || to.Role != rolePOE {
			b.stream(from, to, groups[r.IntN(len(groups))], 8<<r.IntN(8), 512*r.IntN(2))
		}
	}
	for _, in := range all {
		if r.IntN(3) == 0 {
			b.registers(in)
		}
	}
	for range r.IntN(6) {
		first := r.IntN(4)
		if r.IntN(3) == 0 {
			b.memory(all[r.IntN(len(all))], "HOST", 0, 0)
		} else {
			b.memory(all[r.IntN(len(all))], "HBM", first, first+r.IntN(3))
		}
	}
	return b.design
}

func TestGeometry(t *testing.T) {
	for name, d := range pictures(t) {
		t.Run(name, func(t *testing.T) { checkGeometry(t, d) })
	}
}

func TestGeometryOfScrambledDesigns(t *testing.T) {
	for seed := range uint64(3000) {
		if checkGeometry(t, scrambled(seed)); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// obstacle is anything that others must keep away from.
type obstacle struct {
	rect
	name string
	node *node
	rail *railBox
}

func checkGeometry(t *testing.T, d *design.Design) {
	t.Helper()
	p := newPlan(d)
	var boxes []obstacle
	for _, n := range p.nodes {
		boxes = append(boxes, obstacle{n.rect, n.inst.Name, n, nil})
		checkRegion(t, d, p, n)
		checkText(t, n)
	}
	for _, b := range slices.Concat(p.rail, p.onRight()) {
		boxes = append(boxes, obstacle{b.rect, b.title, nil, b})
		for _, r := range p.regions {
			assert.Check(t, !overlap(r.rect, b.rect) || b == p.crossbar, "%s stands in %s", b.title, r.name)
		}
	}
	page := rect{0, 0, p.width, p.height}
	for i, b := range boxes {
		assert.Check(t, inside(b.rect, page), "%s at %v is not on the page %v", b.name, b.rect, page)
		for _, other := range boxes[:i] {
			assert.Check(t, !overlap(b.rect, other.rect),
				"%s at %v and %s at %v overlap", b.name, b.rect, other.name, other.rect)
		}
	}
	for _, w := range p.wires {
		checkWire(t, w, boxes, page)
	}
	checkLabels(t, p, boxes)
	checkWiresApart(t, p)
}

func overlap(a, b rect) bool {
	return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

func inside(in, out rect) bool {
	return in.x >= out.x && in.y >= out.y && in.right() <= out.right() && in.bottom() <= out.bottom() && in.w > 0 &&
		in.h > 0
}

func checkRegion(t *testing.T, d *design.Design, p *plan, n *node) {
	t.Helper()
	want := fmt.Sprintf("SLR%d", n.inst.SLR)
	switch {
	case n.inShell:
		want = "Shell coyote"
	case built(d):
		want = "Application"
	case n.inst.SLR < 0:
		want = "Hardware emulation"
	}
	for _, r := range p.regions {
		assert.Check(t, r.name != want || inside(n.rect, r.rect),
			"%s at %v is not in %s at %v", n.inst.Name, n.rect, r.name, r.rect)
		assert.Check(t, r.name == want || !overlap(n.rect, r.rect),
			"%s belongs to %s, not to %s", n.inst.Name, want, r.name)
	}
}

func checkText(t *testing.T, n *node) {
	t.Helper()
	height := 0
	for _, l := range n.text {
		height += l.font.size + 4
		w := l.font.width(l.text)
		assert.Check(t, w <= n.w-8, "%q takes %d of %d pixels", l.text, w, n.w)
	}
	assert.Check(t, height <= n.h, "text of %s takes %d of %d pixels in height", n.inst.Name, height, n.h)
}

// piece is the rectangle of a line between two points, without its ends.
func piece(a, b point) rect {
	return rect{min(a.x, b.x), min(a.y, b.y), max(a.x, b.x) - min(a.x, b.x), max(a.y, b.y) - min(a.y, b.y)}
}

// cuts reports whether a line runs through the inside of a box.
func cuts(line, box rect) bool {
	return line.x < box.right() && line.right() > box.x && line.y < box.bottom() && line.bottom() > box.y
}

func checkWire(t *testing.T, w *wire, boxes []obstacle, page rect) {
	t.Helper()
	name := w.from.inst.Name + " wire"
	for i := 1; i < len(w.path); i++ {
		a, b := w.path[i-1], w.path[i]
		if a.x != b.x && a.y != b.y {
			t.Errorf("%s runs slanted from %v to %v", name, a, b)
		}
		line := piece(a, b)
		for _, box := range boxes {
			if cuts(line, box.rect) {
				t.Errorf("%s cuts through %s at %v from %v to %v", name, box.name, box.rect, a, b)
			}
		}
		if line.x < 0 || line.y < 0 || line.right() > page.w || line.bottom() > page.h {
			t.Errorf("%s leaves the page from %v to %v", name, a, b)
		}
	}
	end := w.path[len(w.path)-1]
	assert.Check(t, touches(w.path[0], w.from.rect),
		"%s starts at %v, not at its box %v", name, w.path[0], w.from.rect)
	if w.to != nil {
		assert.Check(t, touches(end, w.to.rect), "%s ends at %v, not at %s %v", name, end, w.to.inst.Name, w.to.rect)
	}
	if w.toRail != nil {
		assert.Check(t, touches(end, w.toRail.rect), "%s ends at %v, not at %s %v", name, end, w.toRail.title, w.toRail.rect)
	}
}

// touches reports whether a point is on the border of a box, away from its
// corners.
func touches(p point, r rect) bool {
	onSide := (p.x == r.x || p.x == r.right()) && p.y > r.y+4 && p.y < r.bottom()-4
	onTop := (p.y == r.y || p.y == r.bottom()) && p.x > r.x+4 && p.x < r.right()-4
	return onSide || onTop
}

func checkLabels(t *testing.T, p *plan, boxes []obstacle) {
	t.Helper()
	var labels []obstacle
	for _, w := range p.wires {
		if len(w.label) == 0 {
			continue
		}
		labels = append(labels, obstacle{rect: w.labelAt.rect(), name: strings.Join(w.label, " ")})
	}
	for i, l := range labels {
		for _, box := range slices.Concat(boxes, labels[:i]) {
			assert.Check(t, !overlap(l.rect, box.rect), "label %q at %v covers %q at %v", l.name, l.rect, box.name, box.rect)
		}
		for _, w := range p.wires {
			for k := 1; k < len(w.path); k++ {
				if cuts(piece(w.path[k-1], w.path[k]), l.rect) {
					t.Errorf("label %q at %v is crossed by a wire of %s from %v to %v", l.name, l.rect, w.from.inst.Name,
						w.path[k-1], w.path[k])
				}
			}
		}
	}
}

// checkWiresApart looks for lines on top of each other. Only wires to the same
// banks may share their way.
func checkWiresApart(t *testing.T, p *plan) {
	t.Helper()
	for i, v := range p.wires {
		for _, w := range p.wires[:i] {
			if v.toRail != nil && v.toRail == w.toRail {
				continue
			}
			for a := 1; a < len(v.path); a++ {
				for b := 1; b < len(w.path); b++ {
					x, y := piece(v.path[a-1], v.path[a]), piece(w.path[b-1], w.path[b])
					if parallel(x, y) && cuts(grown(x), grown(y)) {
						t.Errorf("wires of %s and %s run on top of each other: %v and %v", v.from.inst.Name, w.from.inst.Name, x, y)
					}
				}
			}
		}
	}
}

func parallel(a, b rect) bool { return (a.w == 0) == (b.w == 0) }

// grown gives a line the thickness that it is drawn with.
func grown(r rect) rect { return rect{r.x - 2, r.y - 2, r.w + 4, r.h + 4} }

func TestEverythingIsDrawnOnce(t *testing.T) {
	for name, d := range pictures(t) {
		t.Run(name, func(t *testing.T) {
			got := drawn(t, SVG(d))
			want := map[string]int{}
			for _, in := range d.Instances {
				want["box "+in.Name]++
			}
			want["box "+switchName] = 0
			pairs := map[string]bool{}
			stream := func(from, to string) {
				want[fmt.Sprintf("stream %s → %s", from, to)]++
				a, _, _ := strings.Cut(from, ".")
				b, _, _ := strings.Cut(to, ".")
				pairs[a+" "+b] = true
			}
			for _, s := range d.Streams {
				if s.From.Instance.Role != rolePOE || s.To.Instance.Role != rolePOE {
					stream(s.From.FullName(), s.To.FullName())
					continue
				}
				want["box "+switchName] = 1
				stream(s.From.FullName(), fmt.Sprintf("poe_switch.S%02d_AXIS", s.From.Instance.Scope))
				stream(fmt.Sprintf("poe_switch.M%02d_AXIS", s.To.Instance.Scope), s.To.FullName())
			}
			for _, in := range d.Instances {
				for _, p := range in.Ports {
					if p.Protocol == design.AXILite && !(d.Shell != nil && d.InShell(in.Kernel)) {
						want["box Host"] = 1
						want["stream Host → "+p.FullName()]++
						pairs["Host "+in.Name] = true
					}
				}
			}
			want["bundles"] = len(pairs)
			for key := range maps.Keys(got) {
				assert.Check(t, !strings.HasPrefix(key, "stream ") || want[key] != 0, "%s: drawn, but not there", key)
			}
			for key, n := range want {
				assert.Check(t, got[key] == n, "%s: drawn %d times, want %d", key, got[key], n)
			}
		})
	}
}

// drawn reads back what a picture shows: the name in every box, and the
// streams that the lines say they stand for.
func drawn(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, g := range read(t, svg).Groups {
		switch {
		case strings.HasPrefix(g.Class, "box ") && g.Title != "":
			out["box "+g.Text[0].Text]++
		case strings.HasPrefix(g.Class, "wire ") && strings.Contains(g.Title, "→") &&
			!strings.Contains(g.Class, groupMemory):
			out["bundles"]++
			for line := range strings.Lines(g.Title) {
				name, _, _ := strings.Cut(line, ", ")
				out["stream "+name]++
			}
		}
	}
	return out
}

// picture is an SVG as its readers see it.
type picture struct {
	Width  int     `xml:"width,attr"`
	Style  string  `xml:"style"`
	Groups []group `xml:"g"`
	Text   []text  `xml:"text"`
}

type group struct {
	Class string `xml:"class,attr"`
	Title string `xml:"title"`
	Text  []text `xml:"text"`
	Rect  []struct {
		Class string `xml:"class,attr"`
	} `xml:"rect"`
	Path []struct {
		Class string `xml:"class,attr"`
		D     string `xml:"d,attr"`
	} `xml:"path"`
}

type text struct {
	Class string `xml:"class,attr"`
	Text  string `xml:",chardata"`
}

func (g group) is(class string) bool { return slices.Contains(strings.Fields(g.Class), class) }

func (p picture) texts() []text {
	out := slices.Clone(p.Text)
	for _, g := range p.Groups {
		out = append(out, g.Text...)
	}
	return out
}

// withClass are the texts of a class, joined.
func (p picture) withClass(class string) string {
	var out []string
	for _, x := range p.texts() {
		if slices.Contains(strings.Fields(x.Class), class) {
			out = append(out, x.Text)
		}
	}
	return strings.Join(out, "\n")
}

func read(t *testing.T, svg []byte) picture {
	t.Helper()
	var p picture
	assert.NilError(t, xml.Unmarshal(svg, &p))
	return p
}

func TestWellFormedAndDeterministic(t *testing.T) {
	designs := pictures(t)
	for seed := range uint64(50) {
		designs[fmt.Sprintf("scrambled %d", seed)] = scrambled(seed)
	}
	for name, d := range designs {
		svg := SVG(d)
		decoder := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		assert.Check(t, bytes.Equal(svg, SVG(d)), "%s: drawn twice, the pictures differ", name)
	}
}

func TestUserTextIsEscaped(t *testing.T) {
	b := newBuilder(1, false)
	in := b.add("engine_0", "engine", 0, 0)
	in.Kernel.Doc = "</title><script>alert(1)</script>\x00 & \"quotes\" -->"
	in.Kernel.Name = "<kernel>"
	b.stream(in, b.add("<b>user</b>", "user", 0, 0), "<group>", 512, 0)
	b.design.Platform.File = "platforms/a--b-->.hcl"
	b.design.Platform.Board.Part = "<part>"
	svg := SVG(b.design)
	for _, bad := range []string{"<script", "<part>", "<b>", "<group>", "<kernel>"} {
		assert.Check(t, !bytes.Contains(svg, []byte(bad)), "%s of a user's text is not escaped", bad)
	}
	assert.Check(t, xml.Unmarshal(svg, new(struct{})))
}

func TestStreamLabels(t *testing.T) {
	stream := func(width, depth int) *design.Stream {
		return &design.Stream{From: &design.Port{Width: width}, To: &design.Port{Width: width}, Depth: depth}
	}
	for _, test := range []struct {
		streams []*design.Stream
		want    string
	}{
		{[]*design.Stream{stream(512, 0)}, "512 b"},
		{[]*design.Stream{stream(512, 512), stream(512, 512), stream(512, 512)}, "3 × 512 b, FIFO 512"},
		{[]*design.Stream{stream(104, 0), stream(512, 0), stream(104, 0)}, "512 + 2 × 104 b"},
		{[]*design.Stream{stream(8, 0), stream(512, 64)}, "512 b, FIFO 64; 8 b"},
	} {
		_, _, got := describeStreams(test.streams)
		assert.Check(t, got == test.want, "got %q, want %q", got, test.want)
	}
}

// rect is where a label is.
func (l label) rect() rect {
	w := widest(l.lines)
	above := (len(l.lines) - 1) * labelPitch
	r := rect{l.x, l.y - 11 - above, w, 13 + above}
	switch l.anchor {
	case "middle":
		r.x -= w / 2
	case "end":
		r.x -= w
	}
	return r
}
