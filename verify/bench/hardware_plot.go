package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// The vertical axis, in bytes a cycle.
const (
	mostRate  = 128.0
	leastRate = 1.0 / 32
)

// Plot draws how many bytes of the largest buffer an operation handles in a cycle as
// SVG: a panel for each operation and protocol, a line for each number of ranks, and
// a dashed one for what bounds it.
func (r *hardwareReport) Plot() string {
	p := report.NewPlot()
	var names []string
	for i := range r.Points {
		q := &r.Points[i]
		if !drawn(r, q) {
			continue
		}
		p.Add(q.Ranks, q.Bytes)
		if name := panelName(q); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	about := fmt.Sprintf("from the first call to the last answer; memory of %d cycles latency, network without", r.Latency)
	p.Begin("Bytes of the largest buffer in a cycle on "+r.Platform+", simulated", about, "bound", len(names))
	for i, name := range names {
		p.Panel(i, name, func(leftmost bool) { r.panel(p, name, leftmost) })
	}
	return p.End()
}

func drawn(r *hardwareReport, q *hardwarePoint) bool {
	return q.Bytes > 0 && q.Latency == r.Latency && cmp.Or(q.Type, "float32") == "float32"
}

func panelName(q *hardwarePoint) string {
	if q.Protocol == "" {
		return q.Operation
	}
	return q.Operation + ", " + q.Protocol
}

func (r *hardwareReport) panel(p *report.Plot, name string, leftmost bool) {
	for rate := leastRate; rate <= mostRate; rate *= 4 {
		label := ""
		if leftmost {
			label = rateName(rate)
		}
		p.Grid(rateAt(rate), label)
	}
	if leftmost {
		p.Up(46, "bytes a cycle")
	}
	p.Sizes("largest buffer of a rank", report.Size)
	for _, n := range p.Ranks() {
		p.Line(n, report.Dashed, r.line(p, name, n, func(q *hardwarePoint) float64 { return q.Bound }))
		p.Line(n, "", r.line(p, name, n, func(q *hardwarePoint) float64 { return float64(q.Cycles) }))
	}
}

// rateAt is where a rate is in a panel.
func rateAt(rate float64) float64 {
	return math.Log2(mostRate/rate) / math.Log2(mostRate/leastRate) * report.High
}

func (r *hardwareReport) line(p *report.Plot, name string, ranks int, cycles func(*hardwarePoint) float64) (
	at [][2]float64) {
	for i := range r.Points {
		q := &r.Points[i]
		if !drawn(r, q) || panelName(q) != name || q.Ranks != ranks || cycles(q) <= 0 {
			continue
		}
		rate := min(max(float64(q.Bytes)/cycles(q), leastRate), mostRate)
		at = append(at, [2]float64{p.X(float64(q.Bytes)), rateAt(rate)})
	}
	return at
}

func rateName(rate float64) string {
	if rate >= 1 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("1/%.0f", 1/rate)
}
