// Cclbench measures the operations of a world, in the terms of nccl-tests and of OSU's
// benchmarks. Run it with -h. Under mpirun or srun each process has a rank, and rank 0
// reports. The exit code is 1 if a result was wrong, or something failed, and 2 for
// options that make no sense.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/reach"
)

func main() { program.Main(run) }

// Where report and picture are written, below a directory.
const (
	resultFile = "rates.json"
	plotFile   = "rates.svg"
)

func run(ctx context.Context) (err error) {
	var where reach.Options
	o := rates.Options{Warmup: rates.DefaultWarmup}
	where.Flags(flag.CommandLine)
	where.Log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	flag.Func("only", "`names` of operations, separated by commas (all)", func(s string) error {
		o.Only = strings.Split(s, ",")
		return nil
	})
	flag.Func("sizes", "`sizes` of a rank's largest buffer: 64KiB, 1KiB:16MiB:x2, 1KiB:8KiB:+1KiB ("+rates.DefaultSizes+")", func(s string) (err error) {
		o.Sizes, err = rates.Sizes(s)
		return err
	})
	flag.StringVar((*string)(&o.Type), "type", string(accl.TypeFloat32), "`type` of elements")
	flag.StringVar((*string)(&o.Wire), "compress", "", "`type` that is sent (as they are)")
	flag.StringVar((*string)(&o.Func), "redop", string(accl.Sum), "`reduction`, such as sum")
	flag.IntVar(&o.Root, "root", 0, "`rank` that is the root")
	flag.IntVar(&o.Iterations, "iterations", 0, "`number` of iterations that are measured (100 of sizes up to 64 KiB, then 20)")
	flag.IntVar(&o.Warmup, "warmup", o.Warmup, "`number` of iterations before these")
	flag.DurationVar(&o.Limit, "limit", rates.DefaultLimit, "`time` that an iteration may take")
	asJSON := flag.Bool("json", false, "print a JSON object in place of the tables")
	dir := flag.String("out", "out/bench", "`directory` for report and picture")
	flag.Parse()
	if flag.NArg() > 0 {
		return program.Usage{Err: fmt.Errorf("%q: expected are options; -h says which", flag.Arg(0))}
	}
	defer func() {
		err = program.AskedWrongly(err, reach.ErrText, bringup.ErrOption, rates.ErrOption, lang.ErrInvalid)
	}()
	w, err := reach.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}()
	if err := o.Complete(w.Platform, w.Size); err != nil {
		return err
	}
	next, end := func(rates.Row) {}, func() {}
	if !*asJSON && w.Reports() {
		t := rates.NewTable(os.Stdout, w, o)
		next, end = t.Row, t.End
	}
	r, err := rates.Run(ctx, w, o, next)
	end()
	switch {
	case r == nil:
		return err
	case !w.Reports() && err != nil:
		return program.Silent{Err: err} // rank 0 says it
	case !w.Reports():
		return nil
	}
	return errors.Join(err, write(r, *dir, *asJSON))
}

// write writes the report and the picture.
func write(r *rates.Report, dir string, asJSON bool) error {
	if err := report.Write(dir, resultFile, r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, plotFile), []byte(r.Plot()), 0o644); err != nil {
		return fmt.Errorf("write the picture of the report: %w", err)
	}
	if asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	_, err := fmt.Printf("\n# elements that are wrong: %d; written to %s and %s\n", r.Wrong, filepath.Join(dir, resultFile), filepath.Join(dir, plotFile))
	return err
}
