package rates

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cclforge/cclforge/verify/internal/report"
)

type plot struct {
	*report.Plot
	r          *Compared
	minY, maxY float64 // log10 of µs
}

// Plot draws the times of a report as SVG: a panel for each operation, a line
// for each number of ranks.
func (r *Compared) Plot() string {
	p := &plot{Plot: report.NewPlot(), r: r}
	p.scale()
	names, others := p.panels(), ""
	if r.OpenMPI != "" {
		others = "OpenMPI " + r.OpenMPI
	}
	p.Begin("Time of an operation on "+r.Platform+", emulated", "median until the last rank is done; "+r.Machine.String(),
		others, len(names))
	for i, name := range names {
		p.Panel(i, cmp.Or(name, "without data"), func(leftmost bool) { p.panel(name, leftmost) })
	}
	return p.End()
}

// scale finds the ranges of the axes: those of all points, the vertical one to whole
// decades.
func (p *plot) scale() {
	p.minY, p.maxY = math.Inf(1), math.Inf(-1)
	for _, q := range p.r.Points {
		p.Add(q.Ranks, q.Bytes)
		for _, t := range []float64{q.Median, other(&q).Median} {
			if t > 0 {
				p.minY, p.maxY = min(p.minY, math.Log10(t)), max(p.maxY, math.Log10(t))
			}
		}
	}
	if p.minY > p.maxY {
		p.minY, p.maxY = 0, 1
	}
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

// panel draws what is in a panel; the leftmost have labels at the vertical axis.
func (p *plot) panel(name string, leftmost bool) {
	for e := p.minY; e <= p.maxY; e++ {
		label := ""
		if leftmost {
			label = timeName(e)
		}
		p.Grid(p.y(math.Pow(10, e)), label)
	}
	if leftmost {
		p.Up(48, "time")
	}
	if name == bare {
		p.marks()
		return
	}
	p.Sizes("largest buffer of a rank", sizeName)
	for _, n := range p.Ranks() {
		p.Line(n, report.Dashed, p.line(name, n, func(q *Point) float64 { return other(q).Median }))
		p.Line(n, "", p.line(name, n, func(q *Point) float64 { return q.Median }))
	}
}

func (p *plot) y(us float64) float64 {
	return (p.maxY - math.Log10(us)) / (p.maxY - p.minY) * report.High
}

func (p *plot) line(name string, ranks int, of func(*Point) float64) (at [][2]float64) {
	for i := range p.r.Points {
		q := &p.r.Points[i]
		if q.Operation == name && q.Ranks == ranks && q.Bytes > 0 && of(q) > 0 {
			at = append(at, [2]float64{p.X(float64(q.Bytes)), p.y(of(q))})
		}
	}
	return at
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
	group := float64(report.Wide) / float64(len(names))
	wide := group * 0.8 / float64(len(p.Ranks()))
	for i := range rows {
		q := &rows[i]
		at := (float64(slices.Index(names, q.Operation))+0.1)*group + float64(slices.Index(p.Ranks(), q.Ranks))*wide
		p.mark(at, wide, q.Median, p.Colour(q.Ranks), `stroke-width="3"`)
		p.mark(at, wide, other(q).Median, p.Colour(q.Ranks), `stroke-width="2" `+report.Dashed)
	}
	for i, name := range names {
		p.Text((float64(i)+0.5)*group, report.High+16, "middle", `font-size="11"`, name)
	}
}

func (p *plot) mark(x, wide, us float64, colour, style string) {
	if us > 0 {
		p.Printf(`<path d="M%.1f %.1fh%.1f" stroke="%s" %s/>`, x+wide*0.1, p.y(us), wide*0.8, colour, style)
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
