package collectives

import (
	"context"
	"fmt"
	"github.com/cclforge/cclforge/verify/internal/report"
	"io"
	"os"
	"path/filepath"
)

// Where Run writes its report and the picture, below a directory.
const (
	ResultFile = "collectives.json"
	PlotFile   = "collectives.svg"
)

// Run measures, prints tables and writes report and picture into a directory.
func Run(ctx context.Context, o Options, dir string, out, progress io.Writer) error {
	r, err := Measure(ctx, o, func(what string) { fmt.Fprintf(progress, "measuring %s\n", what) })
	if err != nil {
		return err
	}
	if err := r.Print(out); err != nil {
		return err
	}
	if err := r.Write(dir); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nwritten to %s and %s\n", filepath.Join(dir, ResultFile), filepath.Join(dir, PlotFile))
	return err
}

// Write writes report and picture into a directory, which is made if it is not
// there.
func (r *Report) Write(dir string) error {
	if err := report.Write(dir, ResultFile, r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, PlotFile), []byte(r.Plot()), 0o644); err != nil {
		return fmt.Errorf("write the picture of the report: %w", err)
	}
	return nil
}
