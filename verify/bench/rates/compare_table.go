package rates

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// The table shows some of the sizes; the others are in the report.
var (
	shown      = []int{4, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 16 << 20}
	shownRatio = []int{1 << 10, 256 << 10, 16 << 20}
)

// Of a few sizes all are shown.
const few, fewRatios = 6, 3

// Print prints the report as tables.
func (r *Compared) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s, emulated; %s, %d cores, %s", r.Platform, r.Machine.CPU, r.Machine.Cores, r.Machine.Go)
	if r.OpenMPI != "" {
		fmt.Fprintf(w, "; OpenMPI %s", r.OpenMPI)
	}
	fmt.Fprint(w, "\n\n")
	if len(r.Points) > 0 {
		if err := r.printPoints(w); err != nil {
			return err
		}
	}
	if r.Without != "" {
		fmt.Fprintf(w, "no comparison with OpenMPI: %s\n", r.Without)
	}
	if err := r.printWays(w); err != nil {
		return err
	}
	if len(r.Figures) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return r.printFigures(w)
}

func (r *Compared) printPoints(w io.Writer) error {
	sizes, ratios := r.columns(shown, few), []int(nil)
	if r.OpenMPI != "" {
		ratios = r.columns(shownRatio, fewRatios)
	}
	engines := ratios
	if !slices.ContainsFunc(r.Points, func(p Point) bool { return p.OnEngines != nil }) {
		engines = nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "ranks")
	for _, size := range sizes {
		fmt.Fprintf(t, "\t%s", sizeName(size))
	}
	fmt.Fprint(t, "\tp99\tGB/s")
	for _, size := range ratios {
		fmt.Fprintf(t, "\t×MPI %s", sizeName(size))
	}
	for _, size := range engines {
		fmt.Fprintf(t, "\tin MPI %s", sizeName(size))
	}
	fmt.Fprintln(t, "\t  operation")
	for _, row := range r.rows() {
		fmt.Fprintf(t, "%d", row.Ranks)
		last := r.point(row.Operation, row.Ranks, 0)
		for _, size := range sizes {
			p := r.point(row.Operation, row.Ranks, size)
			if p == nil && size == sizes[0] {
				p = last // without operands
			}
			if p == nil {
				fmt.Fprint(t, "\t")
				continue
			}
			last = p
			fmt.Fprintf(t, "\t%s", digits(p.Median))
		}
		if last == nil {
			last = &Point{}
		}
		fmt.Fprintf(t, "\t%s\t%s", digits(last.P99), orDash(last.Rate))
		for i, size := range slices.Concat(ratios, engines) {
			p := r.point(row.Operation, row.Ranks, size)
			if p == nil && size == ratios[0] {
				p = r.point(row.Operation, row.Ranks, 0)
			}
			switch {
			case p == nil:
				fmt.Fprint(t, "\t-")
			case i < len(ratios):
				fmt.Fprintf(t, "\t%s", orDash(p.Ratio))
			default:
				fmt.Fprintf(t, "\t%s", orDash(p.OnEnginesRatio))
			}
		}
		fmt.Fprintf(t, "\t  %s\n", row.Operation)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w,
		"\nµs, median, by bytes of a rank's largest buffer, from when the first rank begins until the last is done; data in")
	fmt.Fprintln(w,
		"device memory. p99 (µs) and GB/s: of the rightmost size. nop and barrier have none, and are in the first column.")
	if len(ratios) > 0 {
		fmt.Fprintln(w, "×MPI: median by that of OpenMPI on the same machine, both measured in turn.")
	}
	if len(engines) > 0 {
		fmt.Fprintln(w, "in MPI: the same of a program of OpenMPI whose collectives engines do (cclforge mpi).")
	}
	return nil
}

// printWays prints a line for each way and number of ranks.
func (r *Compared) printWays(w io.Writer) error {
	if len(r.Ways) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ranks\tcalls/s\t1 KiB µs\tp99\t1 MiB µs\tp99\tGB/s\t  way to the ranks")
	for _, p := range r.Ways {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t  %s\n", p.Ranks, digits(p.Calls),
			digits(p.Small.Median), digits(p.Small.P99), digits(p.Bulk.Median), digits(p.Bulk.P99), digits(p.Bulk.Rate), p.Way)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w,
		"\ncalls/s: nops of each rank, one after the other; the others: an allreduce of data on the host, with the copies.")
	return err
}

func (r *Compared) printFigures(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "measured\taim\t\t  ")
	for _, f := range r.Figures {
		aim, met := "", ""
		if f.Aim != 0 {
			aim, met = "≤ "+digits(f.Aim), "ok"
			if f.Least {
				aim = "≥ " + digits(f.Aim)
			}
			if !f.Met() {
				met = "missed"
			}
		}
		name := f.Name
		if f.Unit != "" {
			name += ", " + f.Unit
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t  %s\n", digits(f.Value), aim, met, name)
	}
	return t.Flush()
}

// columns are the sizes that were measured if they are few, otherwise those of
// them that are wanted.
func (r *Compared) columns(wanted []int, few int) []int {
	var measured []int
	for _, p := range r.Points {
		if p.Size > 0 && !slices.Contains(measured, p.Size) {
			measured = append(measured, p.Size)
		}
	}
	if len(measured) == 0 {
		return []int{0}
	}
	slices.Sort(measured)
	if len(measured) <= few {
		return measured
	}
	some := slices.DeleteFunc(slices.Clone(wanted), func(size int) bool { return !slices.Contains(measured, size) })
	if len(some) == 0 {
		some = measured[len(measured)-few:]
	}
	return some
}

// rows are a point of each operation and number of ranks, operations together.
func (r *Compared) rows() []Point {
	var rows []Point
	var names []string
	for _, p := range r.Points {
		same := func(q Point) bool { return q.Operation == p.Operation && q.Ranks == p.Ranks }
		if !slices.ContainsFunc(rows, same) {
			rows, names = append(rows, p), append(names, p.Operation)
		}
	}
	order := func(p Point) int { return slices.Index(names, p.Operation) }
	slices.SortStableFunc(rows, func(a, b Point) int { return cmp.Compare(order(a), order(b)) })
	return rows
}

// digits writes a number with three digits or so.
func digits(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func orDash(v float64) string {
	if v == 0 {
		return "-"
	}
	return digits(v)
}

// sizeName writes bytes with a binary prefix.
func sizeName(bytes int) string {
	if bytes == 0 {
		return "no data"
	}
	return report.Size(bytes)
}
