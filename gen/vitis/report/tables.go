package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// writer is what the report as text and the page have in common: a report beside
// the one before, which may be nil.
type writer struct {
	bytes.Buffer
	Now, Before *Report
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.Buffer, format, args...) }

// about is what a build is of, beside its platform.
func (r *Report) about() []string {
	return slices.DeleteFunc([]string{r.Title, r.Board, r.Part, r.Target}, func(s string) bool { return s == "" })
}

// old are the areas of the build before, by name.
func (w *writer) old() map[string]Area {
	areas := map[string]Area{}
	if w.Before != nil {
		for _, a := range w.Before.Usage.rows() {
			areas[a.Name] = a
		}
	}
	return areas
}

// rows are the areas that are shown: kernels, SLRs, the card.
func (u Usage) rows() []Area {
	list := slices.Clone(u.Kernels)
	add := func(name string, a *Area) {
		if a != nil {
			list = append(list, Area{Name: name, Use: a.Use})
		}
	}
	add("all kernels", u.Used)
	add("shell", u.Platform)
	list = append(list, u.SLRs...)
	add("card", u.Card)
	return list
}

// stage says after a title how far the design was when its utilisation was reported.
func (u Usage) stage() string {
	if u.Stage == "" || u.Stage == "routed" {
		return ""
	}
	return " (" + u.Stage + ", not routed)"
}

func (w *writer) usageTable() *table {
	titles := []string{""}
	for _, resource := range Resources {
		titles = append(titles, resource+">", ">")
	}
	tb := newTable(titles...)
	old := w.old()
	for _, a := range w.Now.Usage.rows() {
		row := []string{a.Name}
		for _, resource := range Resources {
			cell, delta := "", ""
			if n, ok := a.Use[resource]; ok {
				cell = fmt.Sprintf("%s (%s %%)", grouped(n.Used), fixed(n.Percent, 1))
				if o, ok := old[a.Name].Use[resource]; ok {
					delta = change(n.Used, o.Used, grouped)
				}
			}
			row = append(row, cell, delta)
		}
		tb.add(row...)
	}
	return tb
}

func watts(v float64) string { return fixed(v, 2) }

// facts are the numbers of a power report beside its total.
func (p *Power) facts() string {
	var facts []string
	fact := func(is bool, format string, args ...any) {
		if is {
			facts = append(facts, fmt.Sprintf(format, args...))
		}
	}
	fact(p.Dynamic > 0, "dynamic %s W", watts(p.Dynamic))
	fact(p.Static > 0, "static %s W", watts(p.Static))
	fact(p.HBM > 0, "HBM %s W", watts(p.HBM))
	fact(p.Junction > 0, "junction %s °C", decimal(p.Junction, 1))
	fact(p.TooHot, "TOO HOT")
	fact(p.Confidence != "", "confidence %s", strings.ToLower(p.Confidence))
	return strings.Join(facts, ", ")
}

func (w *writer) clockTable() *table {
	tb := newTable("clock", "wanted MHz>", "got MHz>", "change>", "result")
	old := map[string]float64{}
	if w.Before != nil && w.Before.Link != nil {
		for _, c := range w.Before.Link.Clocks {
			old[c.Name] = c.Achieved
		}
	}
	for _, c := range w.Now.Link.Clocks {
		wanted, _ := c.asked(w.Now.Wanted)
		if c.Achieved == 0 {
			continue // it cannot be set
		}
		delta := ""
		if was := old[c.Name]; was > 0 {
			delta = change(c.Achieved, was, mhz)
		}
		slower := c.slower(w.Now.Wanted)
		result := "as wanted"
		if slower {
			result = "SLOWER"
		}
		tb.addMarked(slower, c.Name, mhz(wanted), mhz(c.Achieved), delta, result)
	}
	return tb
}

func (w *writer) kernelTable() *table {
	tb := newTable("instance", "kernel", "SLR", "address", "banks")
	for _, k := range w.Now.Link.Kernels {
		slr := ""
		if i := slices.IndexFunc(w.Now.Kernels, func(i Instance) bool { return i.Name == k.Name && i.SLR >= 0 }); i >= 0 {
			slr = fmt.Sprintf("SLR%d", w.Now.Kernels[i].SLR)
		}
		tb.add(k.Name, k.Kernel, slr, k.Base, strings.Join(k.Banks, " "))
	}
	return tb
}

const estimates = "Kernels in C++, as Vitis HLS estimates them"

func (w *writer) hlsTable() *table {
	tb := newTable("kernel", "clock ns>", "wanted ns>", "latency>", "interval>", "LUT>", "FF>", "BRAM>", "DSP>")
	for _, s := range w.Now.HLS {
		row := []string{s.Kernel, decimal(s.Estimated, 3), decimal(s.Target, 3), span(s.Latency), span(s.Interval)}
		for _, resource := range []string{LUT, FF, BRAM, DSP} {
			cell := ""
			if a, ok := s.Use[resource]; ok {
				cell = grouped(a.Used)
			}
			row = append(row, cell)
		}
		tb.addMarked(s.Estimated > s.Target && s.Target > 0, row...)
	}
	return tb
}

// span is "3 to 7", or one number.
func span(s [2]string) string {
	if s[0] == s[1] {
		return s[0]
	}
	return s[0] + " to " + s[1]
}

func logTable(logs []LogTotals) *table {
	tb := newTable("log", "errors>", "critical warnings>", "warnings>")
	for _, l := range logs {
		tb.addMarked(l.Errors > 0, l.File, fmt.Sprint(l.Errors), fmt.Sprint(l.Critical), fmt.Sprint(l.Warnings))
	}
	return tb
}

// known is the text of a value that may be NaN.
func known(v float64, write func(float64) string) string {
	if math.IsNaN(v) {
		return ""
	}
	return write(v)
}

func percent(v float64) string { return fixed(v, 1) }

// buildsTable is the history, newest first.
func buildsTable(history []*Report) *table {
	tb := newTable("build", "timing", "slack ns>", "MHz>", "LUT %>", "W>", "time>")
	for _, r := range history {
		result := "met"
		switch {
		case r.Target != "hw":
			result = r.Target
		case !r.Met():
			result = "not met"
		}
		tb.addMarked(!r.Met(), r.Time.Format(when), result, known(worstSlack(r), ns), known(kernelMHz(r), mhz),
			known(cardPercent(r), percent), known(totalWatts(r), watts), duration(secondsOf(spent(r))))
	}
	return tb
}
