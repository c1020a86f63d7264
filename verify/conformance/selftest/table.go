package selftest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// layout is the widths of operation, type, elements, cases, result and seconds.
const layout = "%-15s  %-17s  %15s  %5s  %-12s  %7s"

// mostShown is how many failures of a row are shown; the report has all.
const mostShown = 3

func (r *runner) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *runner) header() {
	p := r.w.Platform
	extent := "quick"
	if r.o.Thorough {
		extent = "thorough"
	}
	r.say("%s: %s, %s, %s; %d ranks, %s; %s self-test, seed %d\n", p.Name, p.Board, p.Stack, p.Generation, r.w.Size,
		r.w.What, extent, r.o.Seed)
	r.say(layout, "operation", "data type", "elements", "cases", "result", "seconds")
}

// end prints the row and goes on to the next.
func (r *runner) end() {
	row := r.row
	r.row = nil
	r.report.Rows = append(r.report.Rows, *row)
	elements, result := "-", "ok"
	if row.Type != "" {
		elements = strconv.Itoa(row.Fewest)
		if row.Most > row.Fewest {
			elements += "–" + strconv.Itoa(row.Most)
		}
	}
	if row.Failed > 0 {
		result = fmt.Sprintf("%d WRONG", row.Failed)
	}
	dtype := row.Type
	dtype = cmp.Or(dtype, "-")
	r.say(layout, row.Operation, dtype, elements, strconv.Itoa(row.Cases), result, fmt.Sprintf("%.2f", row.Seconds))
	for i, f := range row.Failures {
		if i == mostShown {
			r.say("    … %d more", len(row.Failures)-mostShown)
			break
		}
		r.say("    --case='%s'", f.Case)
		for _, t := range f.Troubles {
			text := strings.ReplaceAll(t.What, "\n", "\n        ")
			if !strings.HasPrefix(text, fmt.Sprintf("rank %d", t.Rank)) {
				text = fmt.Sprintf("rank %d: %s", t.Rank, text)
			}
			r.say("      %s %s: %s", f.Case.Op, elementsOf(f.Case.Count), text)
		}
	}
}

func elementsOf(n int) string {
	if n == 1 {
		return "of 1 element"
	}
	return fmt.Sprintf("of %d elements", n)
}

func (r *runner) footer() {
	verdict := fmt.Sprintf("all %d cases are right", r.report.Cases)
	if r.report.Failed > 0 {
		verdict = fmt.Sprintf("%d of %d cases are wrong", r.report.Failed, r.report.Cases)
	}
	r.say("\nelements: as the operation counts them; float32/float16: compressed on the wire\n%s; %.1f s in total",
		verdict, r.report.Seconds)
}
