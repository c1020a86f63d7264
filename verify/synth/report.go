package synth

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Report is what there is, and what there was.
type Report struct {
	Platform string
	Rules    string
	Rows     []Row
	// What the rows are compared with; no commit: with nothing, for the reason.
	Commit string `json:",omitempty"`
	Reason string `json:",omitempty"`
	Base   []Row  `json:",omitempty"`
}

// column is a figure of a row.
type column struct {
	name  string
	value func(Row) float64
}

var columns = []column{
	{"LUT", func(r Row) float64 { return float64(r.LUT) }},
	{"FF", func(r Row) float64 { return float64(r.FF) }},
	{"CARRY4", func(r Row) float64 { return float64(r.Carry) }},
	{"BRAM", func(r Row) float64 { return r.BRAM() }},
	{"URAM", func(r Row) float64 { return float64(r.URAM) }},
	{"DSP", func(r Row) float64 { return float64(r.DSP) }},
	{"levels", func(r Row) float64 { return float64(r.Inside.Levels) }},
	{"in", func(r Row) float64 { return float64(r.In.Levels) }},
	{"out", func(r Row) float64 { return float64(r.Out.Levels) }},
	{"across", func(r Row) float64 { return float64(r.Across.Levels) }},
}

// before is a row as it was, if it was there.
func (r Report) before(row Row) (Row, bool) {
	i := slices.IndexFunc(r.Base, func(b Row) bool { return b.Kernel == row.Kernel && b.Module == row.Module })
	if i < 0 {
		return Row{}, false
	}
	return r.Base[i], true
}

// shown is a figure and how it has changed.
func (r Report) shown(row Row, c column) (value, change string) {
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	now := c.value(row)
	if r.Commit == "" {
		return text(now), ""
	}
	old, was := r.before(row)
	switch difference := now - c.value(old); {
	case !was:
		return text(now), "new"
	case difference > 0:
		return text(now), "+" + text(difference)
	case difference < 0:
		return text(now), text(difference)
	}
	return text(now), ""
}

// label is a row's name.
func (row Row) label() string {
	switch {
	case row.Part > 1:
		return fmt.Sprintf("  %s (%d times)", row.Module, row.Part)
	case row.Part == 1:
		return "  " + row.Module
	}
	return row.Kernel
}

// compared says what a report is compared with.
func compared(commit, reason string) string {
	if commit == "" {
		return "Compared with nothing: " + reason
	}
	return "In parentheses: the change since commit " + commit
}

// Text writes the tables.
func (r Report) Text(w io.Writer) error {
	fmt.Fprintf(w, "kernels of %s, mapped by yosys for UltraScale+\n%s\n\n", r.Platform, compared(r.Commit, r.Reason))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	end := "\t"
	if r.Commit != "" {
		end = "\t\t" // changes
	}
	head := "\t"
	for _, c := range columns {
		head += c.name + end
	}
	// Names stand at the left: they are padded here.
	width := 0
	for _, row := range r.Rows {
		width = max(width, len(row.label()))
	}
	fmt.Fprintf(table, "%-*s%s\n", width, "module", head)
	for _, row := range r.Rows {
		fmt.Fprintf(table, "%-*s\t", width, row.label())
		for _, c := range columns {
			value, change := r.shown(row, c)
			if change != "" {
				change = "\t(" + change + ")"
			} else {
				change = end[1:]
			}
			fmt.Fprintf(table, "%s%s\t", value, change)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w,
		"\nA kernel with parts is the sum of them and of what is around; its levels are those of the longest path within "+
			"a part.\n"+
			"levels: between registers; in, out, across: from ports to registers, from there to ports, from ports to "+
			"ports.\nCounted: %s.\n", r.Rules)
	fmt.Fprintf(w, "\nThe longest path between registers of each\n")
	for _, row := range r.Rows {
		if row.Inside.End != "" {
			_, err := fmt.Fprintf(w, "%-*s  %2d: %s -> %s  (%s)\n", width, row.label(), row.Inside.Levels, row.Inside.Begin,
				row.Inside.End, row.Inside.Cells)
			if err != nil {
				return err
			}
			if len(row.Inside.Through) > 0 && row.Inside.Levels >= Long {
				fmt.Fprintf(w, "%*s      through %s\n", width, "", strings.Join(row.Inside.Through, ", "))
			}
		}
	}
	return nil
}

// Long is how many levels make a path long.
const Long = 10
