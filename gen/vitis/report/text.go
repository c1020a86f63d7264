package report

import (
	"io"
	"slices"
	"strings"
)

// Text writes the report for people. before, which may be nil, is that of an earlier
// build: each number is followed by its change.
func Text(w io.Writer, now, before *Report) error {
	t := texter{writer{Now: now, Before: before}}
	t.head()
	t.timing()
	t.table("Utilisation"+now.Usage.stage(), t.usageTable())
	t.power()
	t.link()
	t.table(estimates, t.hlsTable())
	t.steps()
	t.tail()
	_, err := w.Write(t.Bytes())
	return err
}

type texter struct{ writer }

// table writes a table, if it has rows, below a title.
func (t *texter) table(title string, tb *table) {
	if len(tb.rows) > 0 {
		t.printf("\n%s\n", title)
		tb.write(&t.Buffer)
	}
}

func (t *texter) head() {
	r := t.Now
	t.printf("%s", r.Platform)
	if about := r.about(); len(about) > 0 {
		t.printf(": %s", strings.Join(about, ", "))
	}
	t.printf("\nbuilt %s", r.Time.Format(when))
	for _, tool := range r.Tools {
		t.printf(", %s %s", tool.Name, tool.Version)
	}
	if t.Before != nil {
		t.printf("\nchanges are since the build of %s", t.Before.Time.Format(when))
	}
	t.printf("\n\n%s\n", strings.Join(verdict(r), "\n"))
}

const when = "2006-01-02 15:04:05 -07:00"

// verdict is the first thing that people want to know.
func verdict(r *Report) []string {
	misses := r.Misses()
	switch {
	case r.Target != "hw":
		return []string{"Timing: no matter for target " + r.Target}
	case len(misses) == 0:
		return []string{"Timing: met"}
	}
	list := []string{"Timing: NOT MET"}
	for _, m := range misses {
		list = append(list, "  "+m)
	}
	return list
}

func ns(v float64) string { return fixed(v, 3) }

func mhz(v float64) string {
	if v == 0 {
		return ""
	}
	return decimal(v, 1)
}

func (t *texter) timing() {
	if t.Now.Timing == nil {
		return
	}
	tb := newTable("clock", "period ns>", "MHz>", "setup ns>", "change>", "hold ns>", "pulse ns>", "failing>", "result")
	old := map[string]*ClockSlack{}
	if t.Before != nil && t.Before.Timing != nil {
		for i, c := range t.Before.Timing.Clocks {
			old[c.Name] = &t.Before.Timing.Clocks[i]
		}
	}
	for _, c := range t.Now.Timing.Clocks {
		slack, _, ok := c.Worst()
		if !ok {
			continue // a clock without paths of its own
		}
		delta := ""
		if o := old[c.Name]; o != nil && o.Setup != nil && c.Setup != nil {
			delta = change(c.Setup.Worst, o.Setup.Worst, ns)
		}
		failing, _ := endpoints(c.Setup, c.Hold, c.Pulse)
		result := "met"
		if slack < 0 || failing > 0 {
			result = "MISSED"
		}
		tb.add(c.Name, decimal(c.Period, 3), mhz(c.MHz), slackText(c.Setup), delta, slackText(c.Hold), slackText(c.Pulse),
			grouped(float64(failing)), result)
	}
	t.table("Timing, slack of each clock", tb)
	t.paths()
}

func slackText(s *Slack) string {
	if s == nil {
		return ""
	}
	return ns(s.Worst)
}

// paths shows what is missed between clocks; what is met is not worth a line.
func (t *texter) paths() {
	tb := newTable("from clock", "to clock", "slack ns>", "of", "group")
	for _, p := range t.Now.Timing.Paths {
		if slack, of, ok := worst(p.Setup, p.Hold, nil); ok && slack < 0 {
			tb.add(p.From, p.To, ns(slack), of, p.Group)
		}
	}
	t.table("Missed between clocks", tb)
}

func endpoints(checks ...*Slack) (failing, all int) {
	for _, s := range checks {
		if s != nil {
			failing += s.Failing
			all += s.Endpoints
		}
	}
	return failing, all
}

func (t *texter) tail() {
	t.table("Messages", logTable(slices.DeleteFunc(slices.Clone(t.Now.Logs), func(l LogTotals) bool {
		return l.Critical == 0 && l.Errors == 0
	})))
	if len(t.Now.Missing) > 0 {
		t.printf("\nNot known:\n")
		for _, m := range t.Now.Missing {
			t.printf("  %s\n", m)
		}
	}
}
