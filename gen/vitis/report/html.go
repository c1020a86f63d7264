package report

import (
	"cmp"
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
	p := page{writer{now: history[0]}, history[:min(len(history), mostShown)]}
	if len(history) > 1 {
		p.before = history[1]
	}
	p.write()
	_, err := w.Write(p.Bytes())
	return err
}

type page struct {
	writer
	history []*Report
}

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
	p.printf("<p class=\"soft\">%s</p>\n", esc(strings.Join(r.about(), " · ")))
	p.printf("<p class=\"soft\">built %s", esc(r.Time.Format(when)))
	for _, t := range r.Tools {
		p.printf(", %s %s", esc(t.Name), esc(t.Version))
	}
	if p.before != nil {
		p.printf("<br>Lines across bars, and changes, are about the build of %s.", esc(p.before.Time.Format(when)))
	}
	p.printf("</p>\n")
	if misses := r.Misses(); len(misses) > 0 {
		p.printf("<p class=\"bad\"><b>Timing was not met.</b></p>\n")
		p.list(misses)
	}
}

// mostRowsShown keeps lists readable.
const mostRowsShown = 40

func (p *page) list(lines []string) {
	p.printf("<ul>\n")
	for _, l := range lines[:min(len(lines), mostRowsShown)] {
		p.printf("<li>%s</li>\n", esc(l))
	}
	if n := len(lines) - mostRowsShown; n > 0 {
		p.printf("<li>and %d more</li>\n", n)
	}
	p.printf("</ul>\n")
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
		p.card("", percent(v)+" %", "LUTs of the card"+p.since(cardPercent, percent))
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
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.value, b.value) })
	p.printf("<h2>Timing: slack of each clock</h2>\n")
	p.printf("%s", bars("Worst slack of each clock", rows[:min(len(rows), mostRowsShown)], enough))
	p.printf("<p class=\"soft\">Of setup, or of what is missed. Bars end at %s ns.</p>\n", decimal(enough, 1))
	if len(rows) > mostRowsShown {
		p.printf("<p class=\"soft\">and %d clocks with more slack</p>\n", len(rows)-mostRowsShown)
	}
}

// enough is the slack in ns at which nobody asks how much it is.
const enough = 1.0

func (p *page) usage() {
	u := p.now.Usage
	old := p.old()
	regions := slices.DeleteFunc(u.rows(), func(a Area) bool { return a.Kernel != "" })
	if len(regions) > 0 {
		p.printf("<h2>Utilisation of the card%s</h2>\n%s", esc(u.stage()),
			matrix("Utilisation of the SLRs and of the card", regions, old, 100))
		if u.Used != nil {
			p.printf("<p class=\"soft\">The kernels in percent of what the shell leaves.</p>\n")
		}
	}
	if len(u.Kernels) > 0 {
		full := scale(u.Kernels)
		p.printf("<h2>Utilisation of the kernels%s</h2>\n%s", esc(u.stage()),
			matrix("Utilisation of the kernels", u.Kernels, old, full))
		p.printf("<p class=\"soft\">In percent of what the shell leaves. Full bars stand for %s %%.</p>\n",
			decimal(full, 0))
	}
	if t := p.usageTable().html(); t != "" {
		p.printf("<details><summary class=\"soft\">Numbers</summary>\n%s</details>\n", t)
	}
}

func (p *page) power() {
	w := p.now.Power
	if w == nil {
		return
	}
	p.printf("<h2>Power, estimated: %s W</h2>\n<p class=\"soft\">%s</p>\n", watts(w.Total), esc(w.facts()))
	if w.TooHot {
		p.printf("<p class=\"bad\">The report says that the junction gets too hot.</p>\n")
	}
	parts := slices.Clone(w.Parts)
	if len(parts) == 0 && w.Dynamic > 0 {
		parts = []Watts{{"dynamic", w.Dynamic}, {"static", w.Static}}
	}
	slices.SortStableFunc(parts, func(a, b Watts) int { return cmp.Compare(b.Watts, a.Watts) })
	p.printf("%s", stack("Power by kind of resource", parts))
	if len(w.Kernels) > 0 {
		var rows []row
		for _, k := range w.Kernels {
			rows = append(rows, row{label: k.Name, value: k.Watts, was: math.NaN(), class: "bar", text: watts(k.Watts) + " W"})
		}
		p.printf("<p class=\"soft\">Kernels, dynamic</p>\n%s", bars("Power of kernels", rows, 0))
	}
}

func (p *page) link() {
	l := p.now.Link
	if l == nil {
		return
	}
	p.printf("<h2>What was linked</h2>\n<p>")
	if l.UUID != "" {
		p.printf("UUID <code>%s</code> ", esc(l.UUID))
	}
	if l.Platform != "" {
		p.printf("for <code>%s</code>", esc(l.Platform))
	}
	p.printf("</p>\n%s%s", p.clockTable().html(), p.kernelTable().html())
}

func (p *page) hls() {
	if len(p.now.HLS) > 0 {
		p.printf("<h2>%s</h2>\n%s", estimates, p.hlsTable().html())
	}
}

func (p *page) steps() {
	if len(p.now.Steps) == 0 {
		return
	}
	old := map[string]float64{}
	if p.before != nil {
		for _, s := range p.before.Steps {
			old[s.ID] = s.Took.Seconds()
		}
	}
	var rows []row
	for _, s := range p.now.Steps {
		r := row{label: s.Title, value: s.Took.Seconds(), was: math.NaN(), class: "bar", text: duration(s.Took), tip: s.ID}
		if s.Cached {
			r.class, r.text = "none", r.text+", was there"
		}
		if was, ok := old[s.ID]; ok && !s.Cached {
			r.was = was
		}
		rows = append(rows, r)
	}
	p.printf("<h2>How long each step took</h2>\n%s", bars("Time of each step", rows, 0))
}

func (p *page) builds() {
	if len(p.history) < 2 {
		return
	}
	p.printf("<h2>Earlier builds</h2>\n<div class=\"cards\">\n")
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
		p.printf("%s", curve(c.title, c.unit, points, c.digits, c.zero))
	}
	p.printf("</div>\n%s", buildsTable(p.history).html())
}

func (p *page) notes() {
	r := p.now
	if len(r.Logs) > 0 {
		p.printf("<h2>Messages of the tools</h2>\n%s", logTable(r.Logs[:min(len(r.Logs), mostRowsShown)]).html())
	}
	if len(r.Missing) > 0 {
		p.printf("<h2>Not known</h2>\n")
		p.list(r.Missing)
	}
}
