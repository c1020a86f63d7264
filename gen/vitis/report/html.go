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
	"time"
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
	p.printf("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>Build of %s</title>\n<style>%s</style>\n</head>\n<body>\n", esc(p.now.Platform), style)
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

// worstSlack is the worst of all clocks and paths; NaN if it is not known.
func worstSlack(r *Report) float64 {
	v := math.NaN()
	if r.Timing == nil {
		return v
	}
	take := func(slack float64, ok bool) {
		if ok && (math.IsNaN(v) || slack < v) {
			v = slack
		}
	}
	slack, _, ok := worst(r.Timing.Setup, r.Timing.Hold, r.Timing.Pulse)
	take(slack, ok)
	for i := range r.Timing.Clocks {
		slack, _, ok := r.Timing.Clocks[i].Worst()
		take(slack, ok)
	}
	return v
}

// kernelMHz is what the clock of the kernels got: that whose wanted frequency is
// the platform's, or the first that can be scaled.
func kernelMHz(r *Report) float64 {
	if r.Link == nil {
		return math.NaN()
	}
	v := math.NaN()
	for _, c := range r.Link.Clocks {
		wanted := max(c.Requested, c.Default)
		if c.Requested > 0 {
			wanted = c.Requested
		}
		if c.Achieved > 0 && (math.IsNaN(v) || math.Abs(wanted-r.Wanted) < rounding) {
			v = c.Achieved
			if math.Abs(wanted-r.Wanted) < rounding {
				return v
			}
		}
	}
	return v
}

func cardPercent(r *Report) float64 {
	if r.Usage.Card == nil {
		return math.NaN()
	}
	if a, ok := r.Usage.Card.Use[LUT]; ok {
		return a.Percent
	}
	return math.NaN()
}

func totalWatts(r *Report) float64 {
	if r.Power == nil {
		return math.NaN()
	}
	return r.Power.Total
}

// spent is the time of the steps that ran, in seconds.
func spent(r *Report) float64 {
	var d time.Duration
	for _, s := range r.Steps {
		if !s.Cached {
			d += s.Took
		}
	}
	return d.Seconds()
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
	if u.Card != nil {
		regions = append(regions, Area{Name: "card", Use: u.Card.Use})
	}
	stage := ""
	if u.Stage != "" && u.Stage != "routed" {
		stage = ", as " + u.Stage + " and not routed"
	}
	if len(regions) > 0 {
		p.printf("<h2>Utilisation of the card%s</h2>\n%s", esc(stage), matrix("Utilisation of the SLRs and of the card", regions, old))
	}
	kernels := slices.Clone(u.Kernels)
	if u.Used != nil {
		kernels = append(kernels, Area{Name: "all kernels", Use: u.Used.Use})
	}
	if u.Platform != nil {
		kernels = append(kernels, Area{Name: "shell", Use: u.Platform.Use})
	}
	if len(kernels) > 0 {
		p.printf("<h2>Utilisation of the kernels%s</h2>\n<p class=\"soft\">in percent of what the shell leaves; the shell's own in percent of the card</p>\n%s",
			esc(stage), matrix("Utilisation of the kernels", kernels, old))
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

func (p *page) power() {
	w := p.now.Power
	if w == nil {
		return
	}
	p.printf("<h2>Power, estimated: %s W</h2>\n<p class=\"soft\">", watts(w.Total))
	var facts []string
	if w.HBM > 0 {
		facts = append(facts, "HBM "+watts(w.HBM)+" W")
	}
	if w.Junction > 0 {
		facts = append(facts, "junction "+decimal(w.Junction, 1)+" °C")
	}
	if w.Confidence != "" {
		facts = append(facts, "confidence "+strings.ToLower(w.Confidence))
	}
	p.printf("%s</p>\n", esc(strings.Join(facts, ", ")))
	if w.TooHot {
		p.printf("<p class=\"bad\">The report says that the junction gets too hot.</p>\n")
	}
	parts := slices.Clone(w.Parts)
	if len(parts) == 0 && w.Dynamic > 0 {
		parts = []Watts{{"dynamic", w.Dynamic}, {"static", w.Static}}
	}
	slices.SortStableFunc(parts, func(a, b Watts) int { return compare(b.Watts, a.Watts) })
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
	p.printf("</p>\n")
	if len(l.Clocks) > 0 {
		p.printf("<div class=\"scroll\"><table>\n<tr><th>clock</th><th class=\"n\">wanted MHz</th><th class=\"n\">got MHz</th><th></th></tr>\n")
		for _, c := range l.Clocks {
			wanted := c.Requested
			if wanted == 0 {
				wanted = c.Default
			}
			class, result := "good", "as wanted"
			switch {
			case c.Achieved == 0:
				class, result = "soft", "fixed"
			case c.Achieved < wanted-rounding:
				class, result = "bad", "slower: timing was missed"
			}
			p.printf("<tr><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"%s\">%s</td></tr>\n", esc(c.Name), mhz(wanted), mhz(c.Achieved), class, result)
		}
		p.printf("</table></div>\n")
	}
	if len(l.Kernels) > 0 {
		p.printf("<div class=\"scroll\"><table>\n<tr><th>instance</th><th>kernel</th><th>SLR</th><th>address</th><th>memory</th></tr>\n")
		for _, k := range l.Kernels {
			p.printf("<tr><td>%s</td><td>%s</td><td>%s</td><td><code>%s</code></td><td>%s</td></tr>\n", esc(k.Name), esc(k.Kernel), esc(p.slr(k.Name)), esc(k.Base), esc(strings.Join(k.Banks, " ")))
		}
		p.printf("</table></div>\n")
	}
}

func (p *page) slr(instance string) string {
	for _, k := range p.now.Kernels {
		if k.Name == instance && k.SLR >= 0 {
			return fmt.Sprintf("SLR%d", k.SLR)
		}
	}
	return ""
}

func (p *page) hls() {
	if len(p.now.HLS) == 0 {
		return
	}
	p.printf("<h2>Kernels in C++, as Vitis HLS estimates them</h2>\n<div class=\"scroll\"><table>\n<tr><th>kernel</th><th class=\"n\">clock ns</th><th class=\"n\">wanted ns</th><th class=\"n\">latency</th><th class=\"n\">interval</th><th class=\"n\">LUT</th><th class=\"n\">FF</th><th class=\"n\">BRAM</th><th class=\"n\">DSP</th></tr>\n")
	for _, s := range p.now.HLS {
		class := ""
		if s.Estimated > s.Target && s.Target > 0 {
			class = " bad"
		}
		p.printf("<tr><td>%s</td><td class=\"n%s\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>", esc(s.Kernel), class, decimal(s.Estimated, 3), decimal(s.Target, 3), esc(span(s.Latency)), esc(span(s.Interval)))
		for _, resource := range []string{LUT, FF, BRAM, DSP} {
			cell := ""
			if a, ok := s.Use[resource]; ok {
				cell = grouped(a.Used)
			}
			p.printf("<td class=\"n\">%s</td>", cell)
		}
		p.printf("</tr>\n")
	}
	p.printf("</table></div>\n")
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

// builds draws the history, if there is any.
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
			points = append(points, point{v, !r.Met(), fmt.Sprintf("%s: %s %s", r.Time.Format(when), fixed(v, c.digits), c.unit)})
		}
		p.printf("%s", curve(c.title, c.unit, points, c.digits, c.zero))
	}
	p.printf("</div>\n<div class=\"scroll\"><table>\n<tr><th>build</th><th>timing</th><th class=\"n\">slack ns</th><th class=\"n\">MHz</th><th class=\"n\">LUT %%</th><th class=\"n\">W</th><th class=\"n\">time</th></tr>\n")
	for _, r := range p.history {
		class, result := "good", "met"
		switch {
		case r.Target != "hw":
			class, result = "soft", r.Target
		case !r.Met():
			class, result = "bad", "not met"
		}
		p.printf("<tr><td>%s</td><td class=\"%s\">%s</td>", esc(r.Time.Format(when)), class, esc(result))
		for _, cell := range []string{known(worstSlack(r), ns), known(kernelMHz(r), mhz), known(cardPercent(r), func(v float64) string { return fixed(v, 1) }), known(totalWatts(r), watts), duration(secondsOf(spent(r)))} {
			p.printf("<td class=\"n\">%s</td>", esc(cell))
		}
		p.printf("</tr>\n")
	}
	p.printf("</table></div>\n")
}

func known(v float64, write func(float64) string) string {
	if math.IsNaN(v) {
		return ""
	}
	return write(v)
}

func (p *page) notes() {
	r := p.now
	if len(r.Logs) > 0 {
		p.printf("<h2>Messages of the tools</h2>\n<div class=\"scroll\"><table>\n<tr><th>log</th><th class=\"n\">errors</th><th class=\"n\">critical warnings</th><th class=\"n\">warnings</th></tr>\n")
		for _, l := range r.Logs[:min(len(r.Logs), mostRowsShown)] {
			p.printf("<tr><td><code>%s</code></td><td class=\"n\">%d</td><td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n", esc(l.File), l.Errors, l.Critical, l.Warnings)
		}
		p.printf("</table></div>\n")
	}
	if len(r.Missing) > 0 {
		p.printf("<h2>Not known</h2>\n<ul>\n")
		for _, m := range r.Missing[:min(len(r.Missing), mostRowsShown)] {
			p.printf("<li>%s</li>\n", esc(m))
		}
		p.more(len(r.Missing))
		p.printf("</ul>\n")
	}
}
