package rates

import (
	"fmt"
	"math"
	"slices"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// Plot draws the bus bandwidth as SVG: a panel for each operation, with the limit of the
// link as a dashed line.
func (r *Report) Plot() string {
	p := report.NewPlot()
	var names []string
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range r.Rows {
		if row.Size == 0 || row.BusBW <= 0 {
			continue
		}
		p.Add(r.Ranks, row.Size)
		low, high = min(low, math.Log10(row.BusBW)), max(high, math.Log10(max(row.BusBW, row.Limit)))
		if !slices.Contains(names, row.Operation) {
			names = append(names, row.Operation)
		}
	}
	if low > high {
		low, high = -1, 0
	}
	low = math.Floor(low)
	high = max(math.Ceil(high), low+1)
	about := fmt.Sprintf("GB/s, data in device memory, mean of the slowest rank; engines are %s; %s", r.World, r.Machine)
	p.Begin("Bus bandwidth of "+r.Platform, about, "limit on cards: 100 GbE less framing, or a beat a cycle", len(names))
	y := func(gbps float64) float64 { return (high - math.Log10(gbps)) / (high - low) * report.High }
	for i, name := range names {
		p.Panel(i, title(name), func(leftmost bool) {
			for e := low; e <= high; e++ {
				label := ""
				if leftmost {
					label = fmt.Sprintf("%g", math.Pow(10, e))
				}
				p.Grid(y(math.Pow(10, e)), label)
			}
			if leftmost {
				p.Up(48, "GB/s")
			}
			p.Sizes("largest buffer of a rank", report.Size)
			var measured, limit [][2]float64
			for _, row := range r.Rows {
				if row.Operation == name && row.Size > 0 && row.BusBW > 0 {
					measured = append(measured, [2]float64{p.X(float64(row.Size)), y(row.BusBW)})
					limit = append(limit, [2]float64{p.X(float64(row.Size)), y(row.Limit)})
				}
			}
			p.Line(r.Ranks, report.Dashed, limit)
			p.Line(r.Ranks, "", measured)
		})
	}
	return p.End()
}

// title is what a panel is called.
func title(name string) string {
	if name == "send" {
		return "send, one way"
	}
	return name
}
