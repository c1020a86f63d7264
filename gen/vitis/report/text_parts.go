package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// amount is "12 345 (12.3 %)".
func amount(a Amount) string { return fmt.Sprintf("%s (%s %%)", grouped(a.Used), fixed(a.Percent, 1)) }

func (t texter) usage() {
	u := t.now.Usage
	var was Usage
	if t.before != nil {
		was = t.before.Usage
	}
	areas := u.rows()
	if len(areas) == 0 {
		return
	}
	title := "Utilisation"
	if u.Stage != "" && u.Stage != "routed" {
		title += " (" + u.Stage + ", not routed)"
	}
	t.printf("\n%s\n", title)
	titles := []string{""}
	for _, resource := range Resources {
		titles = append(titles, resource+">", ">")
	}
	tb := newTable(titles...)
	old := map[string]Area{}
	for _, a := range was.rows() {
		old[a.Name] = a
	}
	for _, a := range areas {
		row := []string{a.Name}
		for _, resource := range Resources {
			cell, delta := "", ""
			if n, ok := a.Use[resource]; ok {
				cell = amount(n)
				if o, ok := old[a.Name].Use[resource]; ok {
					delta = change(n.Used, o.Used, grouped)
				}
			}
			row = append(row, cell, delta)
		}
		tb.add(row...)
	}
	tb.write(t.Buffer)
}

// rows are the areas that are shown: kernels, SLRs, the card.
func (u Usage) rows() []Area {
	list := slices.Clone(u.Kernels)
	for _, part := range []struct {
		area *Area
		name string
	}{{u.Used, "all kernels"}, {u.Platform, "shell"}} {
		if part.area != nil {
			list = append(list, Area{Name: part.name, Use: part.area.Use})
		}
	}
	list = append(list, u.SLRs...)
	if u.Card != nil {
		list = append(list, Area{Name: "card", Use: u.Card.Use})
	}
	return list
}

func watts(v float64) string { return fixed(v, 2) }

func (t texter) power() {
	p := t.now.Power
	if p == nil {
		return
	}
	delta := ""
	if t.before != nil && t.before.Power != nil {
		if d := change(p.Total, t.before.Power.Total, watts); d != "" {
			delta = " (" + d + " W)"
		}
	}
	t.printf("\nPower, estimated: %s W%s", watts(p.Total), delta)
	var parts []string
	for _, part := range []struct {
		name string
		w    float64
	}{{"dynamic", p.Dynamic}, {"static", p.Static}, {"HBM", p.HBM}} {
		if part.w > 0 {
			parts = append(parts, fmt.Sprintf("%s %s W", part.name, watts(part.w)))
		}
	}
	if p.Junction > 0 {
		parts = append(parts, fmt.Sprintf("junction %s °C", decimal(p.Junction, 1)))
	}
	if p.TooHot {
		parts = append(parts, "TOO HOT")
	}
	if p.Confidence != "" {
		parts = append(parts, "confidence "+strings.ToLower(p.Confidence))
	}
	if len(parts) > 0 {
		t.printf(": %s", strings.Join(parts, ", "))
	}
	t.printf("\n")
}

func (t texter) link() {
	l := t.now.Link
	if l == nil {
		return
	}
	t.printf("\nLinked")
	if l.UUID != "" {
		t.printf(": UUID %s", l.UUID)
	}
	t.printf("\n")
	clocks := newTable("clock", "wanted MHz>", "got MHz>", "change>", "result")
	old := map[string]float64{}
	if t.before != nil && t.before.Link != nil {
		for _, c := range t.before.Link.Clocks {
			old[c.Name] = c.Achieved
		}
	}
	for _, c := range l.Clocks {
		wanted, _ := c.asked(t.now.Wanted)
		if c.Achieved == 0 {
			continue // it cannot be set
		}
		delta, result := "", "as wanted"
		if was := old[c.Name]; was > 0 {
			delta = change(c.Achieved, was, mhz)
		}
		if c.slower(t.now.Wanted) {
			result = "SLOWER"
		}
		clocks.add(c.Name, mhz(wanted), mhz(c.Achieved), delta, result)
	}
	clocks.write(t.Buffer)
	kernels := newTable("instance", "kernel", "address", "banks")
	for _, k := range l.Kernels {
		kernels.add(k.Name, k.Kernel, k.Base, strings.Join(k.Banks, " "))
	}
	kernels.write(t.Buffer)
}

func (t texter) hls() {
	if len(t.now.HLS) == 0 {
		return
	}
	t.printf("\nKernels in C++, as Vitis HLS estimates them\n")
	tb := newTable("kernel", "clock ns>", "wanted ns>", "latency>", "interval>", "LUT>", "FF>", "BRAM>", "DSP>")
	for _, s := range t.now.HLS {
		row := []string{s.Kernel, decimal(s.Estimated, 3), decimal(s.Target, 3), span(s.Latency), span(s.Interval)}
		for _, resource := range []string{LUT, FF, BRAM, DSP} {
			cell := ""
			if a, ok := s.Use[resource]; ok {
				cell = grouped(a.Used)
			}
			row = append(row, cell)
		}
		tb.add(row...)
	}
	tb.write(t.Buffer)
}

// span is "3 to 7", or one number.
func span(s [2]string) string {
	if s[0] == s[1] {
		return s[0]
	}
	return s[0] + " to " + s[1]
}

func (t texter) steps() {
	if len(t.now.Steps) == 0 {
		return
	}
	t.printf("\nSteps\n")
	tb := newTable("step", "took>", "change>", "")
	old := map[string]StepTime{}
	if t.before != nil {
		for _, s := range t.before.Steps {
			old[s.ID] = s
		}
	}
	for _, s := range t.now.Steps {
		note, delta := "", ""
		if s.Cached {
			note = "was there"
		} else if o, ok := old[s.ID]; ok && o.Took > 0 {
			delta = durationChange(s.Took.Seconds() - o.Took.Seconds())
		}
		tb.add(s.Title, duration(s.Took), delta, note)
	}
	tb.write(t.Buffer)
}

func durationChange(seconds float64) string {
	if math.Abs(seconds) < 1 {
		return ""
	}
	text := duration(secondsOf(math.Abs(seconds)))
	if seconds < 0 {
		return "-" + text
	}
	return "+" + text
}
