package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is a table for a terminal. Columns whose title ends in > stand right.
type table struct {
	titles []string
	right  []bool
	rows   [][]string
}

func newTable(titles ...string) *table {
	t := &table{}
	for _, title := range titles {
		title, right := strings.CutSuffix(title, ">")
		t.titles, t.right = append(t.titles, title), append(t.right, right)
	}
	return t
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table; columns without any text are left out.
func (t *table) write(b *bytes.Buffer) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.titles))
	for _, row := range t.rows {
		for i, c := range row {
			if c != "" {
				widths[i] = max(widths[i], utf8.RuneCountInString(c), utf8.RuneCountInString(t.titles[i]))
			}
		}
	}
	for _, row := range append([][]string{t.titles}, t.rows...) {
		var line strings.Builder
		line.WriteString("  ")
		for i, c := range row {
			if widths[i] == 0 {
				continue
			}
			if line.Len() > 2 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c)))
			if t.right[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// Text writes the report for people, next to the one of an earlier build, which may
// be nil: behind each number stands by how much it has changed.
func Text(w io.Writer, now, before *Report) error {
	b := &bytes.Buffer{}
	t := texter{b, now, before}
	t.head()
	t.timing()
	t.usage()
	t.power()
	t.link()
	t.hls()
	t.steps()
	t.tail()
	_, err := w.Write(b.Bytes())
	return err
}

type texter struct {
	*bytes.Buffer
	now, before *Report
}

func (t texter) printf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

func (t texter) head() {
	r := t.now
	t.printf("%s", r.Platform)
	var about []string
	for _, text := range []string{r.Title, r.Board, r.Part, r.Target} {
		if text != "" {
			about = append(about, text)
		}
	}
	if len(about) > 0 {
		t.printf(": %s", strings.Join(about, ", "))
	}
	t.printf("\nbuilt %s", r.Time.Format(when))
	for _, tool := range r.Tools {
		t.printf(", %s %s", tool.Name, tool.Version)
	}
	if t.before != nil {
		t.printf("\nchanges are since the build of %s", t.before.Time.Format(when))
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

func (t texter) timing() {
	if t.now.Timing == nil {
		return
	}
	tb := newTable("clock", "period ns>", "MHz>", "setup ns>", "change>", "hold ns>", "pulse ns>", "failing>", "result")
	old := map[string]*ClockSlack{}
	if t.before != nil && t.before.Timing != nil {
		for i, c := range t.before.Timing.Clocks {
			old[c.Name] = &t.before.Timing.Clocks[i]
		}
	}
	for _, c := range t.now.Timing.Clocks {
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
		tb.add(c.Name, decimal(c.Period, 3), mhz(c.MHz), slackText(c.Setup), delta, slackText(c.Hold), slackText(c.Pulse), grouped(float64(failing)), result)
	}
	if len(tb.rows) > 0 {
		t.printf("\nTiming, slack of each clock\n")
		tb.write(t.Buffer)
	}
	t.paths()
}

func slackText(s *Slack) string {
	if s == nil {
		return ""
	}
	return ns(s.Worst)
}

// paths shows what is missed between clocks; what is met is not worth a line.
func (t texter) paths() {
	tb := newTable("from clock", "to clock", "slack ns>", "of", "group")
	for _, p := range t.now.Timing.Paths {
		if slack, of, ok := worst(p.Setup, p.Hold, nil); ok && slack < 0 {
			tb.add(p.From, p.To, ns(slack), of, p.Group)
		}
	}
	if len(tb.rows) > 0 {
		t.printf("\nMissed between clocks\n")
		tb.write(t.Buffer)
	}
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
		wanted := c.Requested
		if wanted == 0 {
			wanted = c.Default
		}
		if c.Achieved == 0 {
			continue // it cannot be set
		}
		delta, result := "", "as wanted"
		if was := old[c.Name]; was > 0 {
			delta = change(c.Achieved, was, mhz)
		}
		if wanted > 0 && c.Achieved < wanted-rounding {
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

func (t texter) tail() {
	logs := newTable("log", "errors>", "critical warnings>", "warnings>")
	for _, l := range t.now.Logs {
		if l.Critical > 0 || l.Errors > 0 {
			logs.add(l.File, fmt.Sprint(l.Errors), fmt.Sprint(l.Critical), fmt.Sprint(l.Warnings))
		}
	}
	if len(logs.rows) > 0 {
		t.printf("\nMessages\n")
		logs.write(t.Buffer)
	}
	if len(t.now.Missing) > 0 {
		t.printf("\nNot known:\n")
		for _, m := range t.now.Missing {
			t.printf("  %s\n", m)
		}
	}
}
