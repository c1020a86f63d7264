package quick

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// table prints rows as they come.
type table struct {
	w            io.Writer
	rows, failed int
}

// layout is the widths of operation, data type, elements, result, µs and GB/s.
const layout = "%-21s  %-15s  %9s  %-6s  %9s  %7s"

func (t *table) say(format string, args ...any) { fmt.Fprintf(t.w, format+"\n", args...) }

func (t *table) line(columns ...any) {
	fmt.Fprintln(t.w, strings.TrimRight(fmt.Sprintf(layout, columns...), " "))
}

func (t *table) header() {
	t.say("")
	t.line("operation", "data type", "elements", "result", "µs", "GB/s")
}

// row prints a result: what is wrong with it, or how long it took.
func (t *table) row(operation, dtype string, elements int, r result) {
	t.rows++
	count := "-"
	if dtype != "" {
		count = strconv.Itoa(elements)
	} else {
		dtype = "-"
	}
	if r.wrong != "" {
		t.failed++
		t.line(operation, dtype, count, r.wrong, "", "")
		return
	}
	nanoseconds := float64(r.took.Nanoseconds())
	t.line(operation, dtype, count, "ok", fmt.Sprintf("%.1f", nanoseconds/1e3), rate(float64(r.bytes)/nanoseconds))
}

// rate writes a number of GB/s.
func rate(r float64) string {
	const least = 0.001
	switch {
	case r == 0:
		return "-"
	case r < least:
		return fmt.Sprintf("<%v", least)
	default:
		return fmt.Sprintf("%.3f", r)
	}
}

func (t *table) footer(took time.Duration) {
	t.say("")
	t.say("elements: of the buffer, or of each rank's block of it (scatter, gather, allgather, reduce_scatter, alltoall)")
	t.say(
		"µs: median, until the last rank is done, data in device memory; GB/s: bytes of a rank's largest buffer by that " +
			"time")
	t.say("float32/float16: compressed on the wire")
	verdict := fmt.Sprintf("all %d results are right", t.rows)
	if t.failed > 0 {
		verdict = fmt.Sprintf("%d of %d results are wrong", t.failed, t.rows)
	}
	t.say("%s; %s in total", verdict, short(took))
}

// short rounds a duration to three digits or so.
func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
