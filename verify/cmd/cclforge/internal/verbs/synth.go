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
	var only, base, dir, keep, record string
	var jobs int
	var timing bool
	c := &cobra.Command{
		Use: "synth [platform]", GroupID: command.Develop,
		Short: "map the kernels of a platform with yosys: what they take, and what has changed",
		Long: "Synth maps the kernels of a platform with yosys, and prints what they take, their longest paths, and\n" +
			"what has changed since the last commit, in a table and in out/synth/. With --timing it prints slack and\n" +
			"longest paths of whole kernels in nanoseconds instead; out/synth/timing.html has pictures.",
		RunE: func(cmd *cobra.Command, args []string) error {
			platform := append(args, command.DefaultPlatform)[0]
			if keep != "" {
				return keepKernels(platform, keep)
			}
			provide(cmd.Context(), wanted)
			if timing {
				return timeKernels(cmd.Context(), platform, listed(only), base, jobs, dir, record)
			}
			return mapKernels(cmd.Context(), platform, listed(only), base, jobs, dir)
		},
	}
	f := c.Flags()
	f.StringVar(&only, "only", "", "kernels or modules, as `names` with commas between (all)")
	f.IntVar(&jobs, "jobs", runtime.NumCPU(), "`modules` that are mapped at a time")
	f.StringVar(&base, "base", "last", "`commit` to compare with; last: the one before what is there now; none")
	f.StringVar(&dir, "out", "out/synth", "`directory` for the report")
	f.BoolVar(&timing, "timing", false, "time kernels as a whole, at the platform's clock")
	f.StringVar(&record, "record", "", "with --timing: lower the figures in a `file`, verify/synth/testdata/timing.json")
	f.StringVar(&keep, "keep", "", "write the kernels into a `file`, and nothing else")
	return c
}

func keepKernels(platform, file string) error {
	in, err := synth.Load(platform)
	if err != nil {
		return err
	}
	return in.Save(file)
}

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
	before := func(in synth.Input, there []string, commit string) error {
		r.Base, err = synth.Rows(ctx, in, there, jobs, mapped(commit+": "))
		return err
	}
	r.Commit, r.Reason, err = compare(ctx, platform, base, names, before)
	if err != nil {
		return err
	}
	if err := r.Text(os.Stdout); err != nil {
		return err
	}
	return writeSynth(dir, "synth", r, map[string]func(io.Writer) error{"txt": r.Text, "html": r.Page})
}

func timeKernels(ctx context.Context, platform string, names []string, base string, jobs int, dir,
	record string) error {
	in, err := synth.Load(platform)
	if err != nil {
		return err
	}
	if err := synth.Available(); err != nil {
		return err
	}
	r := synth.TimingReport{Platform: platform, Rules: synth.TimingRules, Clock: in.Clock}
	if r.Kernels, err = synth.Timings(ctx, in, names, jobs, mapped("")); err != nil {
		return err
	}
	before := func(in synth.Input, there []string, commit string) error {
		in.Clock = r.Clock // commits before this one did not say
		r.Base, err = synth.Timings(ctx, in, there, jobs, mapped(commit+": "))
		return err
	}
	r.Commit, r.Reason, err = compare(ctx, platform, base, names, before)
	if err != nil {
		return err
	}
	const shown = 5 // paths of a kernel
	if err := r.Text(os.Stdout, shown); err != nil {
		return err
	}
	text := func(w io.Writer) error { return r.Text(w, synth.Worst) }
	err = writeSynth(dir, "timing", r, map[string]func(io.Writer) error{"txt": text, "html": r.Page})
	if err != nil || record == "" {
		return err
	}
	return synth.LowerRecord(ctx, record, platform, r.Kernels)
}

// compare has another commit's kernels measured. That there is none is no error, but a reason,
// unless it was asked for.
func compare(ctx context.Context, platform, base string, only []string,
	measure func(in synth.Input, there []string, commit string) error) (commit, reason string, err error) {
	if base == "none" {
		return "", "none was wanted", nil
	}
	if base == "last" {
		commit, err = synth.LastCommit(ctx)
	} else {
		commit, err = synth.Commit(ctx, base)
	}
	var in synth.Input
	if err == nil {
		in, err = synth.At(ctx, commit, platform)
	}
	there := known(in, only)
	if err == nil && len(there) >= min(len(only), 1) {
		err = measure(in, there, commit)
	}
	switch {
	case err == nil:
		return commit, "", nil
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case base != "last":
		return "", "", err
	}
	reason, _, _ = strings.Cut(err.Error(), "\n") // also a commit that cannot be mapped
	return "", reason, nil
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

// writeSynth writes a report as JSON and in other forms, by their extensions.
func writeSynth(dir, name string, r any, forms map[string]func(io.Writer) error) error {
	if err := report.Write(dir, name+".json", r); err != nil {
		return err
	}
	for extension, f := range forms {
		file, err := os.Create(filepath.Join(dir, name+"."+extension))
		if err != nil {
			return err
		}
		if err := errors.Join(f(file), file.Close()); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	at := filepath.Join(dir, name)
	fmt.Fprintf(os.Stderr, "%s.txt, %[1]s.json, %[1]s.html\n", at)
	return nil
}
