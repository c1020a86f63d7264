package report

import (
	"fmt"
	"math"
	"slices"
)

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
	p.printf(
		"</div>\n<div class=\"scroll\"><table>\n<tr><th>build</th><th>timing</th><th class=\"n\">slack ns</th><th " +
			"class=\"n\">MHz</th><th class=\"n\">LUT %%</th><th class=\"n\">W</th><th class=\"n\">time</th></tr>\n")
	for _, r := range p.history {
		class, result := "good", "met"
		switch {
		case r.Target != "hw":
			class, result = "soft", r.Target
		case !r.Met():
			class, result = "bad", "not met"
		}
		p.printf("<tr><td>%s</td><td class=\"%s\">%s</td>", esc(r.Time.Format(when)), class, esc(result))
		for _, cell := range []string{known(worstSlack(r), ns), known(kernelMHz(r), mhz),
			known(cardPercent(r), func(v float64) string { return fixed(v, 1) }), known(totalWatts(r),
				watts), duration(secondsOf(spent(r)))} {
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
		p.printf(
			"<h2>Messages of the tools</h2>\n<div class=\"scroll\"><table>\n<tr><th>log</th><th class=\"n\">errors</th><th " +
				"class=\"n\">critical warnings</th><th class=\"n\">warnings</th></tr>\n")
		for _, l := range r.Logs[:min(len(r.Logs), mostRowsShown)] {
			p.printf("<tr><td><code>%s</code></td><td class=\"n\">%d</td><td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n",
				esc(l.File), l.Errors, l.Critical, l.Warnings)
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
