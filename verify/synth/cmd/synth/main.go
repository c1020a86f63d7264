// Synth maps the kernels of a platform to a device with yosys, and tells what they
// take, their longest paths and what has changed since the last commit. Run it from
// the root of the repository; mage synth does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/synth"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	platform := flag.String("platform", "u55c_tcp", "`name` of the platform")
	only := flag.String("only", "", "kernels or `modules`, with commas between; empty for all")
	jobs := flag.Int("jobs", runtime.NumCPU(), "`number` of modules that are mapped at once")
	base := flag.String("base", "last", "`commit` to compare with; last: the one before what is there now; none")
	dir := flag.String("out", "out/synth", "`directory` for the report")
	keep := flag.String("keep", "", "write the kernels into a `file`, and nothing else")
	flag.Parse()
	in, err := synth.Load(*platform)
	if err != nil {
		return err
	}
	if *keep != "" {
		return in.Save(*keep)
	}
	if err := synth.Available(); err != nil {
		return err
	}
	var names []string
	if *only != "" {
		names = strings.Split(*only, ",")
	}
	r := synth.Report{Platform: *platform, Rules: synth.Rules}
	if r.Rows, err = synth.Rows(ctx, in, names, *jobs, progress("")); err != nil {
		return err
	}
	if err := compare(ctx, &r, *base, names, *jobs); err != nil {
		return err
	}
	if err := r.Text(os.Stdout); err != nil {
		return err
	}
	return write(r, *dir)
}

// compare adds the rows of another commit. That there is none is no error, unless
// it was asked for.
func compare(ctx context.Context, r *synth.Report, base string, only []string, jobs int) error {
	if base == "none" {
		r.Reason = "none was wanted"
		return nil
	}
	find := func() (string, error) {
		if base == "last" {
			return synth.LastCommit(ctx)
		}
		return synth.Commit(ctx, base)
	}
	commit, err := find()
	var in synth.Input
	if err == nil {
		in, err = synth.At(ctx, commit, r.Platform)
	}
	there := known(in, only)
	if err == nil && len(there) >= min(len(only), 1) {
		r.Base, err = synth.Rows(ctx, in, there, jobs, progress(commit+": "))
	}
	switch {
	case err == nil:
		r.Commit = commit
	case ctx.Err() != nil:
		return ctx.Err()
	case base != "last":
		return err
	default: // also a commit that cannot be mapped
		r.Reason, _, _ = strings.Cut(err.Error(), "\n")
	}
	return nil
}

// known leaves out names that another commit does not have.
func known(in synth.Input, only []string) []string {
	var there []string
	for _, name := range only {
		if in.Has(name) {
			there = append(there, name)
		}
	}
	return there
}

func progress(prefix string) synth.Progress {
	began := time.Now()
	return func(done, of int, module string, err error) {
		state := "mapped"
		if err != nil {
			state = "failed"
		}
		fmt.Fprintf(os.Stderr, "%s%d of %d: %s %s, %.0f s\n", prefix, done, of, module, state, time.Since(began).Seconds())
	}
}

func write(r synth.Report, dir string) error {
	if err := report.Write(dir, "synth.json", r); err != nil {
		return err
	}
	for name, f := range map[string]func(io.Writer) error{"synth.txt": r.Text, "synth.html": r.Page} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(f(file), file.Close()); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	fmt.Fprintf(os.Stderr, "%s, %s, %s\n", filepath.Join(dir, "synth.txt"), filepath.Join(dir, "synth.json"), filepath.Join(dir, "synth.html"))
	return nil
}
