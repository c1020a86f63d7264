package synth

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// TimingRules says how delays are found, and how far to trust them.
const TimingRules = "Delays are those of delays.hcl in verify/synth. The input of a LUT is taken for the slowest of " +
	"as many pins as it has inputs: up to 115 ps a LUT too much where the last signal gets the fastest pin. A wire " +
	"depends on the number of its sinks alone (184 ps for one, 70 more for each doubling): before placement that is a " +
	"guess. Clock skew and uncertainty are left out, black boxes take no time, ports have neither arrival nor setup, " +
	"parts are not optimized across their borders. Lines are those of out/<platform>/rtl"

// TimingReport is the timing of kernels, and what it was.
type TimingReport struct {
	Platform, Rules string
	Clock           int // MHz
	Kernels         []Timing
	// What they are compared with; no commit: with nothing, for the reason.
	Commit string   `json:",omitempty"`
	Reason string   `json:",omitempty"`
	Base   []Timing `json:",omitempty"`
}

// timingColumns are the figures of a kernel; times are in ps and are shown in ns.
var timingColumns = []struct {
	name  string
	time  bool
	value func(Timing) int
}{
	{"ends", false, func(t Timing) int { return t.Ends }},
	{"slack ns", true, func(t Timing) int { return t.Slack }},
	{"longest ns", true, func(t Timing) int { return t.Period - t.Slack }},
	{"late", false, func(t Timing) int { return t.Late }},
	{"most logic ns", true, func(t Timing) int { return t.Logic }},
	{"beyond gate", false, func(t Timing) int { return t.Beyond }},
}

// ns writes picoseconds.
func ns(ps int) string { return strconv.FormatFloat(float64(ps)/1000, 'f', 3, 64) }

// figures are those of a kernel and how they have changed.
func (r TimingReport) figures(t Timing) (values, changes []string) {
	was := slices.IndexFunc(r.Base, func(b Timing) bool { return b.Kernel == t.Kernel })
	for _, c := range timingColumns {
		text := strconv.Itoa
		if c.time {
			text = ns
		}
		values = append(values, text(c.value(t)))
		change := ""
		switch {
		case r.Commit == "":
		case was < 0:
			change = "new"
		case c.value(t) > c.value(r.Base[was]):
			change = "+" + text(c.value(t)-c.value(r.Base[was]))
		case c.value(t) < c.value(r.Base[was]):
			change = text(c.value(t) - c.value(r.Base[was]))
		}
		changes = append(changes, change)
	}
	return values, changes
}

// Text writes the table, and as many paths of each kernel.
func (r TimingReport) Text(w io.Writer, paths int) error {
	fmt.Fprintf(w, "timing of the kernels of %s at %d MHz\n%s\n\n", r.Platform, r.Clock, compared(r.Commit, r.Reason))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "kernel")
	for _, c := range timingColumns {
		fmt.Fprintf(table, "\t%s", c.name)
	}
	fmt.Fprintln(table)
	for _, t := range r.Kernels {
		fmt.Fprint(table, t.Kernel)
		values, changes := r.figures(t)
		for i, v := range values {
			if changes[i] != "" {
				v += " (" + changes[i] + ")"
			}
			fmt.Fprintf(table, "\t%s", v)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, t := range r.Kernels {
		fmt.Fprintf(w, "\n%s: period %s ns, gate %d %% of it in logic: %s ns\n", t.Kernel, ns(t.Period), Share, ns(t.Gate))
		most := slices.Max(append(t.Bins, 1))
		for i, n := range t.Bins {
			if n > 0 && i >= len(t.Bins)-20 {
				fmt.Fprintf(w, "  %4.1f ns %7d %s\n", float64(i*binWidth)/1000, n, strings.Repeat("#", (n*50+most-1)/most))
			}
		}
		for i, p := range t.Paths[:min(paths, len(t.Paths))] {
			fmt.Fprintf(w, "%3d  slack %s = %s - logic %s - wires %s (%.0f %% logic), %d bits, most sinks %d\n", i+1,
				ns(p.Slack), ns(t.Period), ns(p.Logic), ns(p.Wire), percent(p.Logic, p.Delay()), p.Bits, p.Sinks)
			fmt.Fprintf(w, "     %s (%s)\n  -> %s (%s)\n     %s\n", p.Begin, orElse(p.BeginLine, "?"), p.End,
				orElse(p.EndLine, "?"), p.Cells)
			if len(p.Through) > 0 {
				fmt.Fprintf(w, "     through %s\n", strings.Join(p.Through, ", "))
			}
		}
	}
	_, err := fmt.Fprintf(w, "\n%s.\n", r.Rules)
	return err
}

func percent(a, of int) float64 { return 100 * float64(a) / float64(max(of, 1)) }

var timingPage = template.Must(template.New("timing").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Timing of {{.Platform}}</title><style>
body { font: 14px sans-serif; margin: 2em; max-width: 100em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .25em .7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
th:first-child, td:first-child, .path { text-align: left }
td.path { white-space: normal; font-size: 12px; color: #444; overflow-wrap: anywhere }
.more { color: #b00 } .less { color: #070 }
</style></head><body>
<h1>Timing of the kernels of {{.Platform}} at {{.Clock}} MHz</h1>
<p>{{.Compared}}.</p>
<table><tr><th>kernel</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr>
{{range .Kernels}}<tr><td><a href="#{{.Name}}">{{.Name}}</a></td>
{{- range .Figures}}<td>{{.Value}}{{if .Change}} <span class="{{.Class}}">{{.Change}}</span>{{end}}</td>{{end}}</tr>
{{end}}</table>
{{range .Kernels}}{{$k := .}}<h2 id="{{.Name}}">{{.Name}}</h2>
<svg width="{{.Wide}}" height="190" role="img" font-size="11" text-anchor="middle">
<title>ends by the delay of their longest path</title>
{{range .Bars}}<rect x="{{.X}}" y="{{.Y}}" width="9" height="{{.High}}" fill="{{.Colour}}">
<title>{{.Label}}</title></rect>{{end}}
{{range .Ticks}}<text x="{{.X}}" y="172">{{.Label}}</text>
{{end}}<line x1="{{.PeriodX}}" x2="{{.PeriodX}}" y1="14" y2="158" stroke="#b00"/>
<text x="{{.PeriodX}}" y="11" fill="#b00">period</text>
<line x1="0" x2="{{.Wide}}" y1="158" y2="158" stroke="#999"/>
<text x="0" y="187" text-anchor="start">delay of the longest path to an end, ns; ends on a logarithmic scale, at most
 {{.Most}}</text>
</svg>
<table><tr><th>slack ns</th><th>logic</th><th>wires</th><th>bits</th><th></th><th class="path">path</th></tr>
{{range .Paths}}<tr><td>{{.Slack}}</td><td>{{.Logic}}</td><td>{{.Wire}}</td><td>{{.Bits}}</td>
<td><svg width="420" height="14" role="img"><rect width="{{.LogicWide}}" height="14" fill="#0072b2"/>
<rect x="{{.LogicWide}}" width="{{.WireWide}}" height="14" fill="#bbb"/>
<line x1="{{$k.GateAt}}" x2="{{$k.GateAt}}" y1="0" y2="14" stroke="#d55e00" stroke-dasharray="3 2"/>
<line x1="{{$k.PeriodAt}}" x2="{{$k.PeriodAt}}" y1="0" y2="14" stroke="#b00" stroke-width="2"/></svg></td>
<td class="path">{{.Begin}} <i>{{.BeginLine}}</i> → {{.End}} <i>{{.EndLine}}</i>
({{.Cells}}){{if .Through}}<br>through {{range $i, $n := .Through}}{{if $i}}, {{end}}{{$n}}{{end}}{{end}}</td></tr>
{{end}}</table>
{{end}}<p>Blue: logic; grey: wires; dashed: the gate, {{.Share}} % of the period, which logic may take; red: the period.
{{.Rules}}.</p>
</body></html>
`))

// Page writes all of it as a page of HTML.
func (r TimingReport) Page(w io.Writer) error {
	type figure struct{ Value, Change, Class string }
	type bar struct {
		X, Y, High    int
		Label, Colour string
	}
	type path struct {
		Slack, Logic, Wire        string
		Bits, LogicWide, WireWide int
		Begin, BeginLine, End     string
		EndLine, Cells            string
		Through                   []string
	}
	type kernel struct {
		Name                string
		Figures             []figure
		Bars, Ticks         []bar
		Wide, PeriodX, Most int
		GateAt, PeriodAt    int
		Paths               []path
	}
	data := struct {
		Platform, Compared, Rules string
		Clock, Share              int
		Columns                   []string
		Kernels                   []kernel
	}{r.Platform, compared(r.Commit, r.Reason), r.Rules, r.Clock, Share, nil, nil}
	for _, c := range timingColumns {
		data.Columns = append(data.Columns, c.name)
	}
	const step, high, margin = 10, 140, 12 // pixels
	for _, t := range r.Kernels {
		longest := max(t.Period, t.Period-t.Slack)
		scale := func(ps int) int { return ps * 400 / longest }
		k := kernel{Name: t.Kernel, Most: slices.Max(append(t.Bins, 1)), PeriodX: margin + t.Period*step/binWidth,
			GateAt: scale(t.Gate), PeriodAt: scale(t.Period)}
		k.Wide = max(margin+len(t.Bins)*step, k.PeriodX) + 2*step
		for half := 0; margin+5*half*step <= k.Wide-step; half++ {
			k.Ticks = append(k.Ticks, bar{X: margin + 5*half*step, Label: strconv.FormatFloat(float64(half)/2, 'f', 1, 64)})
		}
		values, changes := r.figures(t)
		for i, v := range values {
			// Of ends more is neither good nor bad, of slack it is good.
			class := "more"
			if less := strings.HasPrefix(changes[i], "-"); i == 0 || changes[i] == "new" {
				class = ""
			} else if less != (timingColumns[i].name == "slack ns") {
				class = "less"
			}
			k.Figures = append(k.Figures, figure{v, changes[i], class})
		}
		for i, n := range t.Bins {
			tall := 0
			if n > 0 {
				tall = 3 + int(float64(high-3)*math.Log2(float64(n))/max(math.Log2(float64(k.Most)), 1))
			}
			colour := "#0072b2"
			if i*binWidth >= t.Period {
				colour = "#b00"
			}
			k.Bars = append(k.Bars,
				bar{margin + i*step, 158 - tall, tall, fmt.Sprintf("%s ns: %d", ns(i*binWidth), n), colour})
		}
		for _, p := range t.Paths {
			k.Paths = append(k.Paths, path{ns(p.Slack), ns(p.Logic), ns(p.Wire), p.Bits, scale(p.Logic), scale(p.Wire),
				p.Begin, p.BeginLine, p.End, p.EndLine, p.Cells, p.Through})
		}
		data.Kernels = append(data.Kernels, k)
	}
	return timingPage.Execute(w, data)
}
