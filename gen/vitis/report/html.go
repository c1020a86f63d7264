package report

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// mostShown is how many builds the page looks back.
const mostShown = 50

// HTML writes a page about the newest build of a platform, next to the one before,
// and about its history, newest first. The page needs no other file.
func HTML(w io.Writer, history []*Report) error {
	if len(history) == 0 || history[0] == nil {
		return errors.New("write the page about builds: there is no build")
	}
	p := page{now: history[0], history: history[:min(len(history), mostShown)]}
	if len(history) > 1 {
		p.before = history[1]
	}
	p.write()
	_, err := w.Write(p.Bytes())
	return err
}

type page struct {
	bytes.Buffer
	now, before *Report
	history     []*Report
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.Buffer, format, args...) }

var esc = html.EscapeString

func (p *page) write() {
	p.printf(
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "+
			"content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "+
			"dark\">\n<title>Build of %s</title>\n<style>%s</style>\n</head>\n<body>\n", esc(p.now.Platform), style)
	p.head()
	p.cards()
	p.timing()
	p.usage()
	p.power()
	p.link()
	p.hls()
	p.steps()
	p.builds()
	p.notes()
	p.printf("</body>\n</html>\n")
}

func (p *page) head() {
	r := p.now
	p.printf("<h1>%s</h1>\n", esc(r.Platform))
	about := []string{}
	for _, text := range []string{r.Title, r.Board, r.Part, r.Target} {
		if text != "" {
			about = append(about, esc(text))
		}
	}
	p.printf("<p class=\"soft\">%s</p>\n", strings.Join(about, " · "))
	p.printf("<p class=\"soft\">built %s", esc(r.Time.Format(when)))
	for _, t := range r.Tools {
		p.printf(", %s %s", esc(t.Name), esc(t.Version))
	}
	if p.before != nil {
		p.printf("<br>Lines across bars, and changes, are about the build of %s.", esc(p.before.Time.Format(when)))
	}
	p.printf("</p>\n")
	if misses := r.Misses(); len(misses) > 0 {
		p.printf("<p class=\"bad\"><b>Timing was not met.</b></p>\n<ul>\n")
		for _, m := range misses[:min(len(misses), mostRowsShown)] {
			p.printf("<li>%s</li>\n", esc(m))
		}
		p.more(len(misses))
		p.printf("</ul>\n")
	}
}

// mostRowsShown keeps lists readable.
const mostRowsShown = 40

func (p *page) more(n int) {
	if n > mostRowsShown {
		p.printf("<li>and %d more</li>\n", n-mostRowsShown)
	}
}

func (p *page) card(class, value, label string) {
	if value != "" {
		p.printf("<div class=\"card\"><b class=\"%s\">%s</b><span>%s</span></div>\n", class, esc(value), esc(label))
	}
}

func (p *page) cards() {
	r := p.now
	p.printf("<div class=\"cards\">\n")
	switch {
	case r.Target != "hw":
		p.card("", r.Target, "target, without timing")
	case r.Met():
		p.card("good", "met", "timing")
	default:
		p.card("bad", "not met", "timing")
	}
	if v := worstSlack(r); !math.IsNaN(v) {
		class := "good"
		if v < 0 {
			class = "bad"
		}
		p.card(class, ns(v)+" ns", "worst slack"+p.since(worstSlack, ns))
	}
	if v := kernelMHz(r); !math.IsNaN(v) {
		p.card("", mhz(v)+" MHz", "kernel clock"+p.since(kernelMHz, mhz))
	}
	if v := cardPercent(r); !math.IsNaN(v) {
		p.card("", fixed(v, 1)+" %", "LUTs of the card"+p.since(cardPercent, func(v float64) string { return fixed(v, 1) }))
	}
	if v := totalWatts(r); !math.IsNaN(v) {
		p.card("", watts(v)+" W", "power, estimated"+p.since(totalWatts, watts))
	}
	if v := spent(r); v > 0 {
		p.card("", duration(secondsOf(v)), "of work in this build")
	}
	p.printf("</div>\n")
}

// since is the change of a value since the build before.
func (p *page) since(value func(*Report) float64, write func(float64) string) string {
	if p.before == nil || math.IsNaN(value(p.before)) {
		return ""
	}
	if d := change(value(p.now), value(p.before), write); d != "" {
		return " (" + d + ")"
	}
	return ""
}

func (p *page) timing() {
	t := p.now.Timing
	if t == nil {
		return
	}
	old := map[string]float64{}
	if p.before != nil && p.before.Timing != nil {
		for _, c := range p.before.Timing.Clocks {
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
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b row) int { return compare(a.value, b.value) })
	p.printf("<h2>Timing: slack of each clock</h2>\n")
	p.printf("%s", bars("Worst slack of each clock", rows[:min(len(rows), mostRowsShown)], enough))
	p.printf("<p class=\"soft\">Of setup, or of what is missed. Bars end at %s ns.</p>\n", decimal(enough, 1))
	if len(rows) > mostRowsShown {
		p.printf("<p class=\"soft\">and %d clocks with more slack</p>\n", len(rows)-mostRowsShown)
	}
}

// enough is the slack in ns at which nobody asks how much it is.
const enough = 1.0

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

func (p *page) usage() {
	u := p.now.Usage
	old := map[string]Area{}
	if p.before != nil {
		for _, a := range p.before.Usage.rows() {
			old[a.Name] = a
		}
	}
	regions := slices.Clone(u.SLRs)
	for _, part := range []struct {
		area *Area
		name string
	}{{u.Card, "card"}, {u.Platform, "shell"}, {u.Used, "all kernels"}} {
		if part.area != nil {
			regions = append(regions, Area{Name: part.name, Use: part.area.Use})
		}
	}
	stage := ""
	if u.Stage != "" && u.Stage != "routed" {
		stage = ", as " + u.Stage + " and not routed"
	}
	if len(regions) > 0 {
		p.printf("<h2>Utilisation of the card%s</h2>\n%s", esc(stage), matrix("Utilisation of the SLRs and of the card",
			regions, old, 100))
		if u.Used != nil {
			p.printf("<p class=\"soft\">The kernels in percent of what the shell leaves.</p>\n")
		}
	}
	if len(u.Kernels) > 0 {
		full := scale(u.Kernels)
		p.printf(
			"<h2>Utilisation of the kernels%s</h2>\n%s<p class=\"soft\">In percent of what the shell leaves. Full bars stand "+
				"for %s %%.</p>\n",
			esc(stage), matrix("Utilisation of the kernels", u.Kernels, old, full), decimal(full, 0))
	}
	areas := u.rows()
	if len(areas) == 0 {
		return
	}
	shown := used(areas)
	p.printf("<details><summary class=\"soft\">Numbers</summary>\n<div class=\"scroll\"><table>\n<tr><th></th>")
	for _, resource := range shown {
		p.printf("<th class=\"n\">%s</th><th class=\"n\"></th>", resource)
	}
	p.printf("</tr>\n")
	for _, a := range areas {
		p.printf("<tr><td>%s</td>", esc(a.Name))
		for _, resource := range shown {
			cell, delta := "", ""
			if n, ok := a.Use[resource]; ok {
				cell = grouped(n.Used)
				if o, ok := old[a.Name].Use[resource]; ok {
					delta = change(n.Used, o.Used, grouped)
				}
			}
			p.printf("<td class=\"n\">%s</td><td class=\"n soft\">%s</td>", esc(cell), esc(delta))
		}
		p.printf("</tr>\n")
	}
	p.printf("</table></div></details>\n")
}
