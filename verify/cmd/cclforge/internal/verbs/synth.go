package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/synth"
)

func synthVerb() *cobra.Command {
	var only, base, dir, keep string
	jobs := 0
	c := &cobra.Command{
		Use: "synth [platform]", GroupID: command.Develop,
		Short: "map the kernels of a platform with yosys: what they take, and what has changed",
		Long: "Synth maps the kernels of a platform with yosys, and prints what they take, their longest paths, and\n" +
			"what has changed since the last commit, in a table and in out/synth/.",
		RunE: func(cmd *cobra.Command, args []string) error {
			platform := append(args, command.DefaultPlatform)[0]
			if keep != "" {
				return keepKernels(platform, keep)
			}
			provide(cmd.Context())
			return mapKernels(cmd.Context(), platform, listed(only), base, jobs, dir)
		},
	}
	f := c.Flags()
	f.StringVar(&only, "only", "", "kernels or modules, as `names` with commas between (all)")
	f.IntVar(&jobs, "jobs", runtime.NumCPU(), "`modules` that are mapped at a time")
	f.StringVar(&base, "base", "last", "`commit` to compare with; last: the one before what is there now; none")
	f.StringVar(&dir, "out", "out/synth", "`directory` for the report")
	f.StringVar(&keep, "keep", "", "write the kernels into a `file`, and nothing else")
	return c
}

// keepKernels writes the kernels of a platform into a file.
func keepKernels(platform, file string) error {
	in, err := synth.Load(platform)
	if err != nil {
		return err
	}
	return in.Save(file)
}

// mapKernels maps kernels and reports on them.
func mapKernels(ctx context.Context, platform string, names []string, base string, jobs int, dir string) error {
	in, err := synth.Load(platform)
	if err != nil {
		return err
	}
	if err := synth.Available(); err != nil {
		return err
	}
	r := synth.Report{Platform: platform, Rules: synth.Rules}
	if r.Rows, err = synth.Rows(ctx, in, names, jobs, mapped("")); err != nil {
		return err
	}
	if err := compare(ctx, &r, base, names, jobs); err != nil {
		return err
	}
	if err := r.Text(os.Stdout); err != nil {
		return err
	}
	return writeSynth(r, dir)
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
		r.Base, err = synth.Rows(ctx, in, there, jobs, mapped(commit+": "))
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

func mapped(prefix string) synth.Progress {
	began := time.Now()
	return func(done, of int, module string, err error) {
		state := "mapped"
		if err != nil {
			state = "failed"
		}
		fmt.Fprintf(os.Stderr, "%s%d of %d: %s %s, %.0f s\n", prefix, done, of, module, state, time.Since(began).Seconds())
	}
}

func writeSynth(r synth.Report, dir string) error {
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
	fmt.Fprintf(os.Stderr, "%s, %s, %s\n", filepath.Join(dir, "synth.txt"), filepath.Join(dir, "synth.json"),
		filepath.Join(dir, "synth.html"))
	return nil
}
