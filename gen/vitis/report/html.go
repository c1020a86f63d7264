package report

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"
)

// mostShown is how many builds the page looks back.
const mostShown = 50

// mostRowsShown keeps lists readable.
const mostRowsShown = 40

// enough is the slack in ns at which nobody asks how much it is.
const enough = 1.0

// HTML writes a page about the newest build of a platform, next to the one before,
// and about its history, newest first. The page needs no other file.
func HTML(w io.Writer, history []*Report) error {
	if len(history) == 0 || history[0] == nil {
		return errors.New("write the page about builds: there is no build")
	}
	p := &page{writer{Now: history[0]}, history[:min(len(history), mostShown)]}
	if len(history) > 1 {
		p.Before = history[1]
	}
	if err := pageTemplate.Execute(p, p); err != nil {
		return fmt.Errorf("write the page about builds: %w", err)
	}
	_, err := w.Write(p.Bytes())
	return err
}

// page is what page.html.tmpl shows.
type page struct {
	writer
	history []*Report
}

//go:embed page.html.tmpl
var pageText string

//go:embed page.css
var style string

// pageTemplate escapes texts where it says so; pictures and tables do that themselves.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"esc": html.EscapeString, "join": strings.Join, "decimal": decimal, "watts": watts, "scale": scale,
	"style": func() string { return style }, "estimates": func() string { return estimates },
	"enough": func() float64 { return enough },
	"when":   func(t time.Time) string { return t.Format(when) },
	"shown":  func(n int) int { return min(n, mostRowsShown) },
	"beyond": func(n int) int { return max(0, n-mostRowsShown) },
	"about":  (*Report).about, "stage": Usage.stage, "facts": (*Power).facts, "shares": (*Power).shares,
	"cards": (*page).cards, "slacks": (*page).slacks, "regions": regions, "wattRows": wattRows,
	"steps": (*page).steps, "curves": (*page).curves,
	"bars": bars, "matrix": matrix, "stack": stack, "table": (*table).html,
	"old":    func(p *page) map[string]Area { return p.old() },
	"usage":  func(p *page) *table { return p.usageTable() },
	"clocks": func(p *page) *table { return p.clockTable() },
	"linked": func(p *page) *table { return p.kernelTable() },
	"hls":    func(p *page) *table { return p.hlsTable() },
	"builds": func(p *page) *table { return buildsTable(p.history) },
	"logs":   func(p *page) *table { return logTable(p.Now.Logs[:min(len(p.Now.Logs), mostRowsShown)]) },
}).Parse(pageText))

// card is a value at the top of the page.
type card struct{ Class, Value, Label string }

func (p *page) cards() []card {
	r := p.Now
	list := []card{{"good", "met", "timing"}}
	if r.Target != "hw" {
		list[0] = card{"", r.Target, "target, without timing"}
	} else if !r.Met() {
		list[0] = card{"bad", "not met", "timing"}
	}
	for _, c := range []struct {
		unit, label string
		value       func(*Report) float64
		write       func(float64) string
	}{
		{"ns", "worst slack", worstSlack, ns}, {"MHz", "kernel clock", kernelMHz, mhz},
		{"%", "LUTs of the card", cardPercent, percent}, {"W", "power, estimated", totalWatts, watts},
	} {
		v, class := c.value(r), ""
		switch {
		case math.IsNaN(v):
			continue
		case c.unit == "ns" && v < 0:
			class = "bad"
		case c.unit == "ns":
			class = "good"
		}
		list = append(list, card{class, c.write(v) + " " + c.unit, c.label + p.since(c.value, c.write)})
	}
	if v := spent(r); v > 0 {
		list = append(list, card{"", duration(secondsOf(v)), "of work in this build"})
	}
	return list
}

// since is the change of a value since the build before.
func (p *page) since(value func(*Report) float64, write func(float64) string) string {
	if p.Before == nil || math.IsNaN(value(p.Before)) {
		return ""
	}
	if d := change(value(p.Now), value(p.Before), write); d != "" {
		return " (" + d + ")"
	}
	return ""
}

// slacks are the bars of the clocks, those with the least slack first.
func (p *page) slacks() []row {
	t := p.Now.Timing
	if t == nil {
		return nil
	}
	old := map[string]float64{}
	if p.Before != nil && p.Before.Timing != nil {
		for _, c := range p.Before.Timing.Clocks {
			if v, of, ok := c.Worst(); ok {
				old[c.Name+" "+of] = v
			}
		}
	}
	var rows []row
	for _, c := range t.Clocks {
		v, of, ok := c.Worst()
		if !ok {
			continue
		}
		r := row{label: c.Name, value: v, was: math.NaN(), class: "ok", text: fmt.Sprintf("%s ns %s", ns(v), of)}
		if c.Period > 0 {
			r.text += fmt.Sprintf(" of %s ns, %s MHz", decimal(c.Period, 3), mhz(c.MHz))
		}
		failing, all := endpoints(c.Setup, c.Hold, c.Pulse)
		r.tip = fmt.Sprintf("%s: %d of %d endpoints fail", c.Name, failing, all)
		if v < 0 || failing > 0 {
			r.class = "no"
		}
		if was, ok := old[c.Name+" "+of]; ok {
			r.was = was
			if d := change(v, was, ns); d != "" {
				r.tip += ", change " + d + " ns"
			}
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.value, b.value) })
	return rows
}

// regions are the areas that are shown beside the kernels.
func regions(u Usage) []Area {
	return slices.DeleteFunc(u.rows(), func(a Area) bool { return a.Kernel != "" })
}

// shares are the parts of the power, the largest first.
func (p *Power) shares() []Watts {
	parts := slices.Clone(p.Parts)
	if len(parts) == 0 && p.Dynamic > 0 {
		parts = []Watts{{"dynamic", p.Dynamic}, {"static", p.Static}}
	}
	slices.SortStableFunc(parts, func(a, b Watts) int { return cmp.Compare(b.Watts, a.Watts) })
	return parts
}

func wattRows(kernels []Watts) []row {
	var rows []row
	for _, k := range kernels {
		rows = append(rows, row{label: k.Name, value: k.Watts, was: math.NaN(), class: "bar", text: watts(k.Watts) + " W"})
	}
	return rows
}

func (p *page) steps() []row {
	old := map[string]float64{}
	if p.Before != nil {
		for _, s := range p.Before.Steps {
			old[s.ID] = s.Took.Seconds()
		}
	}
	var rows []row
	for _, s := range p.Now.Steps {
		r := row{label: s.Title, value: s.Took.Seconds(), was: math.NaN(), class: "bar", text: duration(s.Took), tip: s.ID}
		if s.Cached {
			r.class, r.text = "none", r.text+", was there"
		}
		if was, ok := old[s.ID]; ok && !s.Cached {
			r.was = was
		}
		rows = append(rows, r)
	}
	return rows
}

// curves are pictures of values of the builds, if there are several.
func (p *page) curves() []string {
	var list []string
	for _, c := range []struct {
		title, unit string
		digits      int
		zero        bool
		value       func(*Report) float64
	}{
		{"Worst slack", "ns", 3, true, worstSlack},
		{"Kernel clock", "MHz", 1, false, kernelMHz},
		{"LUTs of the card", "%", 1, false, cardPercent},
		{"Power, estimated", "W", 1, false, totalWatts},
		{"Time of the steps that ran", "min", 1, true, func(r *Report) float64 { return spent(r) / 60 }},
	} {
		var points []point
		for _, r := range slices.Backward(p.history) {
			v := c.value(r)
			points = append(points,
				point{v, !r.Met(), fmt.Sprintf("%s: %s %s", r.Time.Format(when), fixed(v, c.digits), c.unit)})
		}
		if len(points) > 1 {
			list = append(list, curve(c.title, c.unit, points, c.digits, c.zero))
		}
	}
	return list
}
