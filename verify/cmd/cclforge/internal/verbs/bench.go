package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/target"
)

// Where report and picture are written, below a directory.
const (
	resultFile = "rates.json"
	plotFile   = "rates.svg"
)

func benchVerb() *cobra.Command {
	var where target.Options
	o := rates.Options{Warmup: rates.DefaultWarmup}
	asJSON, dir := false, ""
	c := worldVerb(&where, &cobra.Command{
		Use:   "bench [world]",
		Short: "measure the operations of a world, in the terms of nccl-tests and of OSU's benchmarks",
		Long: "Bench measures the operations of a world: tables as nccl-tests and OSU have them. Under mpirun and\n" +
			"srun each process has a rank, and rank 0 reports. The exit code is 1 if a result was wrong, or\n" +
			"something failed, and 2 for options that make no sense.",
		Example: "  cclforge bench u55c_tcp\n  cclforge bench sim:5500 --only=allreduce,send --sizes=1KiB:16MiB:x2 " +
			"--iterations=50",
	}, func(ctx context.Context, cmd *cobra.Command) error { return measure(ctx, where, o, dir, asJSON) })
	f := c.Flags()
	f.StringSliceVar(&o.Only, "only", nil, "`operations`, separated by commas (all)")
	sizesFlag(f, &o.Sizes,
		"`sizes` of a rank's largest buffer: 64KiB, 1KiB:16MiB:x2, 1KiB:8KiB:+1KiB ("+rates.DefaultSizes+")")
	f.StringVar((*string)(&o.Type), "dtype", string(accl.TypeFloat32), "`type` of elements")
	f.StringVar((*string)(&o.Wire), "compress", "", "`type` that is sent (as they are)")
	f.StringVar((*string)(&o.Func), "redop", string(accl.Sum), "`reduction`, such as max")
	f.IntVar(&o.Root, "root", 0, "`rank` that is the root (0)")
	f.IntVar(&o.Iterations, "iterations", 0,
		"`number` of iterations that are measured (100 of sizes up to 64 KiB, then 20)")
	f.IntVar(&o.Warmup, "warmup", o.Warmup, "`number` of iterations before these")
	f.DurationVar(&o.Limit, "limit", rates.DefaultLimit, "`time` that an iteration may take")
	command.JSON(f, &asJSON, "print a JSON object in place of tables")
	f.StringVar(&dir, "out", "out/bench", "`directory` for report and picture")
	return c
}

// sizesFlag defines the option for sizes of buffers.
func sizesFlag(f *pflag.FlagSet, sizes *[]int, usage string) {
	f.Func("sizes", usage, func(s string) (err error) {
		*sizes, err = rates.Sizes(s)
		return err
	})
}

// measure measures a world.
func measure(ctx context.Context, where target.Options, o rates.Options, dir string, asJSON bool) error {
	w, err := target.Open(ctx, where)
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
	if !asJSON && w.Reports() {
		t := rates.NewTable(os.Stdout, w, o)
		next, end = t.Row, t.End
	}
	r, err := rates.Run(ctx, w, o, next)
	end()
	switch {
	case r == nil:
		return err
	case !w.Reports() && err != nil:
		return command.Silent{Err: err} // rank 0 says it
	case !w.Reports():
		return nil
	}
	return errors.Join(err, writeRates(r, dir, asJSON))
}

func writeRates(r *rates.Report, dir string, asJSON bool) error {
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
	_, err := fmt.Printf("\n# elements that are wrong: %d; written to %s and %s\n", r.Wrong,
		filepath.Join(dir, resultFile), filepath.Join(dir, plotFile))
	return err
}
