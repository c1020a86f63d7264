package rates

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/target"
)

// Table prints rows as they come, in the columns of nccl-tests; those of a send, and of
// operations without data, in those of OSU's benchmarks.
type Table struct {
	w         io.Writer
	operation string
	bus       []float64 // bandwidths of the operation's rows, in both forms
	limit     func(operation string) (float64, string)
}

// NewTable begins a table of a world.
func NewTable(out io.Writer, w *target.World, o Options) *Table {
	fmt.Fprintf(out, "# %s: %s, %s, %s; %d ranks, %s; %d iterations to warm up\n", w.Platform.Name, w.Platform.Board,
		w.Platform.Stack, w.Platform.Generation, w.Size, w.What, o.Warmup)
	return &Table{w: out, limit: func(op string) (float64, string) { return Limit(w.Platform, op) }}
}

// Row prints a row.
func (t *Table) Row(r Row) {
	latency := r.Operation == "send" || r.Size == 0
	if r.Operation != t.operation {
		t.End()
		t.operation = r.Operation
		t.head(r, latency)
	}
	switch {
	case r.Size == 0:
		t.say("  %12.2f  %12.2f  %12.2f", r.Time, r.Least, r.P99)
	case latency:
		t.say("%12d  %12.2f  %12.2f  %12.2f  %16.2f  %6d", r.Size, r.Time, r.Least, r.P99, r.AlgBW*1e3, r.Wrong)
	default:
		t.say("%12d  %12d  %17s  %6s  %5d"+columns+columns, slices.Concat(
			[]any{r.Size, r.Count, r.types(), orNone(r.Func), r.Root}, t.form(r.Measured), t.form(r.InPlace))...)
	}
}

// End ends the table of an operation.
func (t *Table) End() {
	if len(t.bus) == 0 {
		return
	}
	sum := 0.0
	for _, b := range t.bus {
		sum += b
	}
	t.say("# Avg bus bandwidth    : %.3f", sum/float64(len(t.bus)))
	t.bus = nil
}

// columns are those of a form: time, algbw, busbw, and wrong elements.
const columns = "  %10s  %8s  %8s  %6s"

// form is what stands in the columns; an operation may not have it.
func (t *Table) form(m Measured) []any {
	if m.Time == 0 {
		return []any{"N/A", "N/A", "N/A", "N/A"}
	}
	t.bus = append(t.bus, m.BusBW)
	fixed := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []any{fixed(m.Time, 2), fixed(m.AlgBW, 3), fixed(m.BusBW, 3), strconv.Itoa(m.Wrong)}
}

func (t *Table) head(r Row, latency bool) {
	t.say("")
	switch limit, what := t.limit(r.Operation); {
	case r.Size == 0:
		t.say("# %s", r.Operation)
		t.say("# %12s  %12s  %12s", "latency (us)", "min (us)", "p99 (us)")
	case latency:
		t.say("# send: one way, half of a ping-pong between ranks 0 and 1; %s; limit %.2f GB/s (%s)", r.types(), limit, what)
		t.say("%12s  %12s  %12s  %12s  %16s  %6s", "#   size (B)", "latency (us)", "min (us)", "p99 (us)",
			"bandwidth (MB/s)", "#wrong")
	default:
		const row = "%12s  %12s  %17s  %6s  %5s" + columns + columns
		t.say("# %s; limit of busbw %.2f GB/s (%s)", r.Operation, limit, what)
		t.say("#%80s%38s", "out-of-place", "in-place")
		t.say(row, "#       size", "count", "type", "redop", "root",
			"time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong")
		t.say(row, "#        (B)", "(elements)", "", "", "",
			"(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
	}
}

func (t *Table) say(format string, args ...any) {
	fmt.Fprintln(t.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (r *Row) types() string {
	if r.Wire != "" {
		return r.Type + "/" + r.Wire
	}
	return r.Type
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
