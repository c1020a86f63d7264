package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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
		p.printf(
			"<div class=\"scroll\"><table>\n<tr><th>clock</th><th class=\"n\">wanted MHz</th><th class=\"n\">got " +
				"MHz</th><th></th></tr>\n")
		for _, c := range l.Clocks {
			wanted, _ := c.asked(p.now.Wanted)
			class, result := "good", "as wanted"
			switch {
			case c.Achieved == 0:
				class, result = "soft", "fixed"
			case c.slower(p.now.Wanted):
				class, result = "bad", "slower: timing was missed"
			}
			p.printf("<tr><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"%s\">%s</td></tr>\n", esc(c.Name),
				mhz(wanted), mhz(c.Achieved), class, result)
		}
		p.printf("</table></div>\n")
	}
	if len(l.Kernels) > 0 {
		p.printf(
			"<div class=\"scroll\"><table>\n<tr><th>instance</th><th>kernel</th><th>SLR</th><th>address</th><th>memory</th></tr>\n")
		for _, k := range l.Kernels {
			p.printf("<tr><td>%s</td><td>%s</td><td>%s</td><td><code>%s</code></td><td>%s</td></tr>\n", esc(k.Name),
				esc(k.Kernel), esc(p.slr(k.Name)), esc(k.Base), esc(strings.Join(k.Banks, " ")))
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
	p.printf(
		"<h2>Kernels in C++, as Vitis HLS estimates them</h2>\n<div class=\"scroll\"><table>\n<tr><th>kernel</th><th " +
			"class=\"n\">clock ns</th><th class=\"n\">wanted ns</th><th class=\"n\">latency</th><th " +
			"class=\"n\">interval</th><th class=\"n\">LUT</th><th class=\"n\">FF</th><th class=\"n\">BRAM</th><th " +
			"class=\"n\">DSP</th></tr>\n")
	for _, s := range p.now.HLS {
		class := ""
		if s.Estimated > s.Target && s.Target > 0 {
			class = " bad"
		}
		p.printf(
			"<tr><td>%s</td><td class=\"n%s\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
			esc(s.Kernel), class, decimal(s.Estimated, 3), decimal(s.Target, 3), esc(span(s.Latency)), esc(span(s.Interval)))
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
