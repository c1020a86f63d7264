package hardware

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The picture: panels of equal size and scale, in pixels.
const (
	columns              = 4
	panelWide, panelHigh = 230, 180
	left, top            = 62, 104 // of the first panel
	gapWide, gapHigh     = 30, 62
	right, bottom        = 24, 58
	mostRate             = 128.0 // bytes a cycle, of the vertical axis
	leastRate            = 0.03125
)

// colours tell numbers of ranks apart, also for the colour-blind.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00"}

type plot struct {
	strings.Builder
	ranks      []int
	minX, maxX float64 // log2 of bytes
}

// Plot draws how many bytes of the largest buffer an operation handles in a cycle as
// SVG: a panel for each operation and protocol, a line for each number of ranks, and
// a dashed one for what bounds it.
func (r *Report) Plot() string {
	p := &plot{minX: math.Inf(1), maxX: math.Inf(-1)}
	var names []string
	for i := range r.Points {
		q := &r.Points[i]
		if !drawn(r, q) {
			continue
		}
		if name := panelName(q); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(p.ranks, q.Ranks) {
			p.ranks = append(p.ranks, q.Ranks)
		}
		x := math.Log2(float64(q.Bytes))
		p.minX, p.maxX = min(p.minX, x), max(p.maxX, x)
	}
	if p.minX > p.maxX {
		p.minX, p.maxX = 6, 20
	}
	p.minX, p.maxX = math.Floor(p.minX), max(math.Ceil(p.maxX), math.Floor(p.minX)+1)
	slices.Sort(p.ranks)
	rows := max((len(names)+columns-1)/columns, 1)
	width := left + columns*panelWide + (columns-1)*gapWide + right
	height := top + rows*panelHigh + (rows-1)*gapHigh + bottom
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#222">`,
		width, height, width, height)
	p.printf(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
	p.text(left, 26, "start", `font-size="17" font-weight="bold"`, "Bytes of the largest buffer in a cycle on "+r.Platform+", simulated")
	p.text(left, 45, "start", `fill="#666"`, fmt.Sprintf("from the first call to the last answer; memory of %d cycles latency, network without", r.Latency))
	x := float64(left)
	for _, n := range p.ranks {
		x = p.entry(x, p.colour(n), "", ranksName(n))
	}
	p.entry(x, "#555", dashed, "bound")
	for i, name := range names {
		p.panel(r, name, left+i%columns*(panelWide+gapWide), top+i/columns*(panelHigh+gapHigh), i%columns == 0)
	}
	p.printf("</svg>")
	return p.String()
}

const dashed = `stroke-dasharray="5 3"`

// drawn reports whether a point is on a line.
func drawn(r *Report, q *Point) bool {
	return q.Bytes > 0 && q.Latency == r.Latency && cmp.Or(q.Type, "float32") == "float32"
}

func panelName(q *Point) string {
	if q.Protocol == "" {
		return q.Operation
	}
	return q.Operation + ", " + q.Protocol
}

func (p *plot) printf(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *plot) text(x, y float64, anchor, style, s string) {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(s)) // a strings.Builder does not fail
	p.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`, x, y, anchor, style, escaped.String())
}

func (p *plot) colour(ranks int) string {
	return colours[max(slices.Index(p.ranks, ranks), 0)%len(colours)]
}

// entry draws one of the legend, and says where the next one goes.
func (p *plot) entry(x float64, colour, style, name string) float64 {
	const y = 68
	p.printf(`<path d="M%.1f %dh26" stroke="%s" stroke-width="2" %s/>`, x, y-4, colour, style)
	p.text(x+32, y, "start", "", name)
	return x + 52 + 6.6*float64(len(name))
}

func (p *plot) panel(r *Report, name string, x, y int, leftmost bool) {
	p.printf(`<g transform="translate(%d %d)">`, x, y)
	defer p.printf("</g>")
	p.text(panelWide/2, -8, "middle", `font-weight="bold"`, name)
	p.printf(`<rect width="%d" height="%d" fill="none" stroke="#999"/>`, panelWide, panelHigh)
	for rate := leastRate; rate <= mostRate; rate *= 4 {
		at := p.y(rate)
		p.printf(`<path d="M0 %.1fh%d" stroke="#ddd"/>`, at, panelWide)
		if leftmost {
			p.text(-7, at+4, "end", "", rateName(rate))
		}
	}
	if leftmost {
		p.text(0, 0, "middle", fmt.Sprintf(`transform="translate(-46 %d) rotate(-90)" fill="#666"`, panelHigh/2), "bytes a cycle")
	}
	step := max(math.Ceil((p.maxX-p.minX)/5), 1)
	for e := p.minX; e <= p.maxX; e += step {
		at := p.x(math.Exp2(e))
		p.printf(`<path d="M%.1f 0v%d" stroke="#ddd"/>`, at, panelHigh)
		p.text(at, panelHigh+16, "middle", `font-size="11"`, sizeName(int(math.Exp2(e))))
	}
	p.text(panelWide/2, panelHigh+34, "middle", `fill="#666"`, "largest buffer of a rank")
	for _, n := range p.ranks {
		p.line(r, name, n, dashed, func(q *Point) float64 { return q.Bound })
		p.line(r, name, n, "", func(q *Point) float64 { return float64(q.Cycles) })
	}
}

func (p *plot) x(bytes float64) float64 {
	return (math.Log2(bytes) - p.minX) / (p.maxX - p.minX) * panelWide
}

func (p *plot) y(rate float64) float64 {
	return math.Log2(mostRate/rate) / math.Log2(mostRate/leastRate) * panelHigh
}

// line joins points, with a dot on each that was measured.
func (p *plot) line(r *Report, name string, ranks int, style string, cycles func(*Point) float64) {
	var points []string
	for i := range r.Points {
		q := &r.Points[i]
		if !drawn(r, q) || panelName(q) != name || q.Ranks != ranks || cycles(q) <= 0 {
			continue
		}
		rate := min(max(float64(q.Bytes)/cycles(q), leastRate), mostRate)
		x, y := p.x(float64(q.Bytes)), p.y(rate)
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		if style == "" {
			p.printf(`<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s"/>`, x, y, p.colour(ranks))
		}
	}
	if len(points) > 0 {
		p.printf(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.7" stroke-linejoin="round" %s/>`,
			strings.Join(points, " "), p.colour(ranks), style)
	}
}

func rateName(rate float64) string {
	if rate >= 1 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("1/%.0f", 1/rate)
}

func ranksName(n int) string {
	if n == 1 {
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", n)
}

// sizeName writes a size as people do.
func sizeName(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}
