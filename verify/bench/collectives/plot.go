package collectives

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The picture: panels of equal size and scale, and all of it in pixels.
const (
	columns              = 4
	panelWide, panelHigh = 230, 195 // of the axes
	left, top            = 62, 104  // of the first panel
	gapWide, gapHigh     = 26, 62   // between panels
	right, bottom        = 24, 62
	legendHigh           = 24
)

// colours tell numbers of ranks apart, also for the colour-blind.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9"}

// plot is a picture in the making.
type plot struct {
	strings.Builder
	r          *Report
	ranks      []int
	minX, maxX float64 // log2 of bytes
	minY, maxY float64 // log10 of µs
}

// Plot draws the times of a report as SVG: a panel for each operation, a line
// for each number of ranks.
func (r *Report) Plot() string {
	p := &plot{r: r}
	p.scale()
	names := p.panels()
	rows := max((len(names)+columns-1)/columns, 1)
	width := left + columns*panelWide + (columns-1)*gapWide + right
	height := top + rows*panelHigh + (rows-1)*gapHigh + bottom
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#222">`,
		width, height, width, height)
	p.printf(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
	p.text(left, 26, "start", `font-size="17" font-weight="bold"`, "Time of an operation on "+r.Platform+", emulated")
	p.text(left, 45, "start", `fill="#666"`, p.machine())
	p.legend(left, 45+legendHigh)
	for i, name := range names {
		x, y := left+i%columns*(panelWide+gapWide), top+i/columns*(panelHigh+gapHigh)
		p.panel(name, x, y, i%columns == 0)
	}
	p.printf("</svg>")
	return p.String()
}

func (p *plot) printf(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *plot) text(x, y float64, anchor, style, s string) {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(s)) // a strings.Builder does not fail
	p.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`, x, y, anchor, style, escaped.String())
}

func (p *plot) machine() string {
	m := p.r.Machine
	return fmt.Sprintf("median until the last rank is done; %s, %d cores, %s", cmp.Or(m.CPU, m.System), m.Cores, m.Go)
}

// scale finds the ranges of the axes: those of all points, to whole decades.
func (p *plot) scale() {
	p.minX, p.maxX, p.minY, p.maxY = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, q := range p.r.Points {
		if !slices.Contains(p.ranks, q.Ranks) {
			p.ranks = append(p.ranks, q.Ranks)
		}
		if q.Bytes > 0 {
			x := math.Log2(float64(q.Bytes))
			p.minX, p.maxX = min(p.minX, x), max(p.maxX, x)
		}
		for _, t := range []float64{q.Median, other(&q).Median} {
			if t > 0 {
				p.minY, p.maxY = min(p.minY, math.Log10(t)), max(p.maxY, math.Log10(t))
			}
		}
	}
	slices.Sort(p.ranks)
	if p.minX > p.maxX {
		p.minX, p.maxX = 2, 3
	}
	if p.minY > p.maxY {
		p.minY, p.maxY = 0, 1
	}
	p.minX, p.maxX = math.Floor(p.minX), max(math.Ceil(p.maxX), math.Floor(p.minX)+1)
	p.minY, p.maxY = math.Floor(p.minY), max(math.Ceil(p.maxY), math.Floor(p.minY)+1)
}

// other is what OpenMPI took.
func other(p *Point) Times {
	if p.OpenMPI == nil {
		return Times{}
	}
	return *p.OpenMPI
}

// bare is the panel of operations without operands.
const bare = ""

// panels are the names of the operations that were measured.
func (p *plot) panels() []string {
	var names []string
	none := false
	for _, q := range p.r.rows() {
		if q.Bytes == 0 {
			none = true
		} else if !slices.Contains(names, q.Operation) {
			names = append(names, q.Operation)
		}
	}
	if none {
		names = append(names, bare)
	}
	return names
}

func (p *plot) colour(ranks int) string {
	return colours[max(slices.Index(p.ranks, ranks), 0)%len(colours)]
}

func (p *plot) legend(x, y float64) {
	entry := func(colour, dash, name string) {
		p.printf(`<path d="M%.1f %.1fh26" stroke="%s" stroke-width="2" %s/>`, x, y-4, colour, dash)
		p.text(x+32, y, "start", "", name)
		x += 52 + 6.6*float64(len(name))
	}
	for _, n := range p.ranks {
		entry(p.colour(n), "", rankName(n))
	}
	if p.r.OpenMPI != "" {
		entry("#555", dashed, "OpenMPI "+p.r.OpenMPI)
	}
}

const dashed = `stroke-dasharray="5 3"`

func rankName(n int) string {
	if n == 1 {
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", n)
}

// panel draws axes and lines; the leftmost have labels at the vertical one.
func (p *plot) panel(name string, x, y int, leftmost bool) {
	p.printf(`<g transform="translate(%d %d)">`, x, y)
	defer p.printf("</g>")
	title := name
	if name == bare {
		title = "without data"
	}
	p.text(panelWide/2, -8, "middle", `font-weight="bold"`, title)
	p.printf(`<rect width="%d" height="%d" fill="none" stroke="#999"/>`, panelWide, panelHigh)
	for e := p.minY; e <= p.maxY; e++ {
		at := p.y(math.Pow(10, e))
		p.printf(`<path d="M0 %.1fh%d" stroke="#ddd"/>`, at, panelWide)
		if leftmost {
			p.text(-7, at+4, "end", "", timeName(e))
		}
	}
	if leftmost {
		p.text(0, 0, "middle", fmt.Sprintf(`transform="translate(-48 %d) rotate(-90)" fill="#666"`, panelHigh/2), "time")
	}
	if name == bare {
		p.marks()
		return
	}
	step := max(math.Ceil((p.maxX-p.minX)/5), 1)
	for e := p.minX; e <= p.maxX; e += step {
		at := p.x(math.Exp2(e))
		p.printf(`<path d="M%.1f 0v%d" stroke="#ddd"/>`, at, panelHigh)
		p.text(at, panelHigh+16, "middle", `font-size="11"`, sizeName(int(math.Exp2(e))))
	}
	p.text(panelWide/2, panelHigh+34, "middle", `fill="#666"`, "largest buffer of a rank")
	for _, n := range p.ranks {
		p.line(name, n, dashed, func(q *Point) float64 { return other(q).Median })
		p.line(name, n, "", func(q *Point) float64 { return q.Median })
	}
}

func (p *plot) x(bytes float64) float64 {
	return (math.Log2(bytes) - p.minX) / (p.maxX - p.minX) * panelWide
}

func (p *plot) y(us float64) float64 {
	return (p.maxY - math.Log10(us)) / (p.maxY - p.minY) * panelHigh
}

// line joins points, with a dot on each.
func (p *plot) line(name string, ranks int, style string, of func(*Point) float64) {
	var points []string
	colour := p.colour(ranks)
	for i := range p.r.Points {
		q := &p.r.Points[i]
		if q.Operation != name || q.Ranks != ranks || q.Bytes == 0 || of(q) <= 0 {
			continue
		}
		x, y := p.x(float64(q.Bytes)), p.y(of(q))
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		if style == "" {
			p.printf(`<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s"/>`, x, y, colour)
		} else { // seen also where there is nothing to join
			p.printf(`<path d="M%.1f %.1fh5" stroke="%s"/>`, x-2.5, y, colour)
		}
	}
	if len(points) == 0 {
		return
	}
	p.printf(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.7" stroke-linejoin="round" %s/>`,
		strings.Join(points, " "), colour, style)
}

// marks draws operations without operands: a mark for each number of ranks.
func (p *plot) marks() {
	var rows []Point
	var names []string
	for _, q := range p.r.rows() {
		if q.Bytes > 0 {
			continue
		}
		rows = append(rows, q)
		if !slices.Contains(names, q.Operation) {
			names = append(names, q.Operation)
		}
	}
	group := float64(panelWide) / float64(len(names))
	wide := group * 0.8 / float64(len(p.ranks))
	for i := range rows {
		q := &rows[i]
		at := (float64(slices.Index(names, q.Operation))+0.1)*group + float64(slices.Index(p.ranks, q.Ranks))*wide
		p.mark(at, wide, q.Median, p.colour(q.Ranks), `stroke-width="3"`)
		p.mark(at, wide, other(q).Median, p.colour(q.Ranks), `stroke-width="2" `+dashed)
	}
	for i, name := range names {
		p.text((float64(i)+0.5)*group, panelHigh+16, "middle", `font-size="11"`, name)
	}
}

func (p *plot) mark(x, wide, us float64, colour, style string) {
	if us > 0 {
		p.printf(`<path d="M%.1f %.1fh%.1f" stroke="%s" %s/>`, x+wide*0.1, p.y(us), wide*0.8, colour, style)
	}
}

// timeName writes a power of ten of a microsecond.
func timeName(e float64) string {
	ns := math.Pow(10, e+3)
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns*0.99 {
			return fmt.Sprintf("%.0f %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.0f ns", ns)
}
