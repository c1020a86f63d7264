package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Wide and High are those of the axes of a panel, in pixels.
const (
	Wide, High = 230, 195

	columns          = 4
	left, top        = 62, 104 // of the first panel
	gapWide, gapHigh = 26, 62  // between panels
	right, bottom    = 24, 62
	legendAt         = 69
)

// Dashed is the style of lines that were not measured.
const Dashed = `stroke-dasharray="5 3"`

// colours tell numbers of ranks apart, also for the colour-blind.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9"}

// Plot is an SVG with a panel for each operation, all of equal size and scale: sizes of
// buffers go from left to right, and each number of ranks has its colour. Call Add for all
// points, Begin, Panel for each, and End.
type Plot struct {
	svg        strings.Builder
	ranks      []int
	minX, maxX float64 // log2 of bytes
}

// NewPlot is an empty picture.
func NewPlot() *Plot { return &Plot{minX: math.Inf(1), maxX: math.Inf(-1)} }

// Add announces a point of so many ranks and bytes; 0 bytes for none.
func (p *Plot) Add(ranks, bytes int) {
	if i, there := slices.BinarySearch(p.ranks, ranks); !there {
		p.ranks = slices.Insert(p.ranks, i, ranks)
	}
	if bytes > 0 {
		x := math.Log2(float64(bytes))
		p.minX, p.maxX = min(p.minX, x), max(p.maxX, x)
	}
}

// Ranks returns the numbers of ranks, sorted.
func (p *Plot) Ranks() []int { return p.ranks }

// Begin draws title, text and legend above so many panels. Others, if not empty, is the
// legend of dashed lines.
func (p *Plot) Begin(title, about, others string, panels int) {
	if p.minX > p.maxX {
		p.minX, p.maxX = 2, 3
	}
	p.minX, p.maxX = math.Floor(p.minX), max(math.Ceil(p.maxX), math.Floor(p.minX)+1)
	rows := max((panels+columns-1)/columns, 1)
	width := left + columns*Wide + (columns-1)*gapWide + right
	height := top + rows*High + (rows-1)*gapHigh + bottom
	p.Printf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#222">`,
		width, height, width, height)
	p.Printf(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
	p.Text(left, 26, "start", `font-size="17" font-weight="bold"`, title)
	p.Text(left, 45, "start", `fill="#666"`, about)
	x := float64(left)
	entry := func(colour, style, name string) {
		p.Printf(`<path d="M%.1f %.1fh26" stroke="%s" stroke-width="2" %s/>`, x, float64(legendAt-4), colour, style)
		p.Text(x+32, legendAt, "start", "", name)
		x += 52 + 6.6*float64(len(name))
	}
	for _, n := range p.ranks {
		name := fmt.Sprintf("%d ranks", n)
		if n == 1 {
			name = "1 rank"
		}
		entry(p.Colour(n), "", name)
	}
	if others != "" {
		entry("#555", Dashed, others)
	}
}

// Panel draws the panel with index i. draw is told whether it is the leftmost one, which
// has the labels of the vertical axis, and draws within Wide and High.
func (p *Plot) Panel(i int, title string, draw func(leftmost bool)) {
	column := i % columns
	p.Printf(`<g transform="translate(%d %d)">`, left+column*(Wide+gapWide), top+i/columns*(High+gapHigh))
	defer p.Printf("</g>")
	p.Text(Wide/2, -8, "middle", `font-weight="bold"`, title)
	p.Printf(`<rect width="%d" height="%d" fill="none" stroke="#999"/>`, Wide, High)
	draw(column == 0)
}

// Grid draws a line across a panel; a label, if not empty, stands left of it.
func (p *Plot) Grid(y float64, label string) {
	p.Printf(`<path d="M0 %.1fh%d" stroke="#ddd"/>`, y, Wide)
	if label != "" {
		p.Text(-7, y+4, "end", "", label)
	}
}

// Up names the vertical axis, so far left of a panel.
func (p *Plot) Up(away int, name string) {
	p.Text(0, 0, "middle", fmt.Sprintf(`transform="translate(-%d %d) rotate(-90)" fill="#666"`, away, High/2), name)
}

// Sizes draws the horizontal axis; size writes bytes.
func (p *Plot) Sizes(name string, size func(bytes int) string) {
	step := max(math.Ceil((p.maxX-p.minX)/5), 1)
	for e := p.minX; e <= p.maxX; e += step {
		at := p.X(math.Exp2(e))
		p.Printf(`<path d="M%.1f 0v%d" stroke="#ddd"/>`, at, High)
		anchor, x := "middle", at
		if at > Wide-16 { // or it meets the first of the next panel
			anchor, x = "end", Wide+8
		}
		p.Text(x, High+16, anchor, `font-size="11"`, size(int(math.Exp2(e))))
	}
	p.Text(Wide/2, High+34, "middle", `fill="#666"`, name)
}

// X returns the horizontal position of a size in a panel.
func (p *Plot) X(bytes float64) float64 {
	return (math.Log2(bytes) - p.minX) / (p.maxX - p.minX) * Wide
}

// Line joins points of so many ranks. Without a style they were measured, and each gets a
// dot.
func (p *Plot) Line(ranks int, style string, points [][2]float64) {
	if len(points) == 0 {
		return
	}
	colour := p.Colour(ranks)
	joined := make([]string, len(points))
	for i, at := range points {
		joined[i] = fmt.Sprintf("%.1f,%.1f", at[0], at[1])
		if style == "" {
			p.Printf(`<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s"/>`, at[0], at[1], colour)
		} else { // seen also where there is nothing to join
			p.Printf(`<path d="M%.1f %.1fh5" stroke="%s"/>`, at[0]-2.5, at[1], colour)
		}
	}
	p.Printf(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.7" stroke-linejoin="round" %s/>`,
		strings.Join(joined, " "), colour, style)
}

// Colour returns the colour of so many ranks.
func (p *Plot) Colour(ranks int) string {
	return colours[max(slices.Index(p.ranks, ranks), 0)%len(colours)]
}

// Printf writes a line of SVG.
func (p *Plot) Printf(format string, args ...any) { fmt.Fprintf(&p.svg, format+"\n", args...) }

// Text writes text at a place.
func (p *Plot) Text(x, y float64, anchor, style, s string) {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(s)) // a strings.Builder does not fail
	p.Printf(`<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`, x, y, anchor, style, escaped.String())
}

// End returns the SVG.
func (p *Plot) End() string {
	p.Printf("</svg>")
	return p.svg.String()
}

// Size formats bytes with a binary prefix, if they are a multiple of it.
func Size(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}
