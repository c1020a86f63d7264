package report

import (
	"math"
)

func (t *texter) power() {
	p := t.Now.Power
	if p == nil {
		return
	}
	delta := ""
	if t.Before != nil && t.Before.Power != nil {
		if d := change(p.Total, t.Before.Power.Total, watts); d != "" {
			delta = " (" + d + " W)"
		}
	}
	t.printf("\nPower, estimated: %s W%s%s\n", watts(p.Total), delta, prefixed(": ", p.facts()))
}

func (t *texter) link() {
	l := t.Now.Link
	if l == nil {
		return
	}
	t.printf("\nLinked%s\n", prefixed(": UUID ", l.UUID))
	t.clockTable().write(&t.Buffer)
	t.kernelTable().write(&t.Buffer)
}

func (t *texter) steps() {
	tb := newTable("step", "took>", "change>", "")
	old := map[string]StepTime{}
	if t.Before != nil {
		for _, s := range t.Before.Steps {
			old[s.ID] = s
		}
	}
	for _, s := range t.Now.Steps {
		note, delta := "", ""
		if s.Cached {
			note = "was there"
		} else if o, ok := old[s.ID]; ok && o.Took > 0 {
			delta = durationChange(s.Took.Seconds() - o.Took.Seconds())
		}
		tb.add(s.Title, duration(s.Took), delta, note)
	}
	t.table("Steps", tb)
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
