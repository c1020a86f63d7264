package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// generateFile is where Generate writes its report, below the current directory.
const generateFile = "out/bench/generate.json"

// generateRuns is how often each case is measured.
const generateRuns = 7

// Generate measures how long it takes to generate, prints a table and writes the report to generateFile.
func Generate(ctx context.Context) error {
	dir := filepath.Dir(generateFile)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make room for the report: %w", err)
	}
	r, err := measureGenerate(ctx, dir, generateRuns, func(name string) { fmt.Fprintf(os.Stderr, "measuring %s\n", name) })
	if err != nil {
		return err
	}
	if err := r.print(os.Stdout); err != nil {
		return err
	}
	if err := report.Write(dir, filepath.Base(generateFile), r); err != nil {
		return err
	}
	fmt.Printf("written to %s\n", generateFile)
	return nil
}

// print prints the report as a table, and how the time grows with the number
// of engines.
func (r *generateReport) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, %d processors; median of the runs, library read and files written each time\n\n",
		r.Go, r.System, r.CPUs)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ms\tmin\tmax\taim\tallocations\tMB\tfiles\t  case")
	for _, c := range r.Results {
		aim := "-"
		if c.Aim > 0 {
			aim = fmt.Sprintf("%.0f", c.Aim)
		}
		title := benchCase{name: c.Name, engines: c.Engines}.title()
		fmt.Fprintf(t, "%.1f\t%.1f\t%.1f\t%s\t%d\t%.1f\t%d\t  %s\n",
			c.Median, c.Min, c.Max, aim, c.Allocations, float64(c.Bytes)/1e6, c.Written, title)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if slope, ok := r.growth(); ok {
		fmt.Fprintf(w, "\nAn engine more costs %.2f ms from %d to %d engines, and %.2f ms from %d to %d.\n",
			slope[0].perEngine, slope[0].from, slope[0].to, slope[1].perEngine, slope[1].from, slope[1].to)
	}
	return nil
}

type slope struct {
	from, to  int
	perEngine float64 // ms
}

// growth compares what an engine more costs in the lower and in the upper half
// of the engineCounts; the two are alike if the time is linear.
func (r *generateReport) growth() ([2]slope, bool) {
	var sized []generateResult
	for _, c := range r.Results {
		if c.Engines > 0 {
			sized = append(sized, c)
		}
	}
	if len(sized) < 3 {
		return [2]slope{}, false
	}
	between := func(a, b generateResult) slope {
		return slope{a.Engines, b.Engines, (b.Median - a.Median) / float64(b.Engines-a.Engines)}
	}
	middle := sized[len(sized)/2]
	return [2]slope{between(sized[0], middle), between(middle, sized[len(sized)-1])}, true
}
