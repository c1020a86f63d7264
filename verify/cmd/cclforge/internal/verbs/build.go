package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/report"
	"github.com/cclforge/cclforge/gen/vitis/report/logs"
	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/gen/vitis/run/slurm"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// errTiming matches errors of builds that have missed timing.
var errTiming = errors.New("timing is not met")

func runBuild(ctx context.Context, o *options, c *console) error {
	ctx, stop := hangups(ctx)
	defer stop()
	w, err := prepare(ctx, o, c, false)
	if err != nil {
		return err
	}
	executor, err := executor(ctx, o, w.Designs)
	if err != nil {
		return err
	}
	display := c.display(o.json)
	outcome, err := run.Run(ctx, w.Plan, w.Store, executor, run.Options{
		OnEvent: display.Event,
		Check:   store.Check,
	})
	if closed := display.Close(); err == nil {
		err = closed
	}
	if outcome != nil {
		for _, f := range outcome.Failures {
			if err := explain(ctx, c, f, o.json); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		c.remark("the same command goes on from here")
		return mg.Fatal(130, "interrupted")
	}
	if outcome == nil {
		return err
	}
	var errs []error
	for _, d := range w.Designs {
		errs = append(errs, hand(ctx, o, c, w, outcome, d))
	}
	if err != nil {
		return errTold{errors.Join(append(errs, err)...)}
	}
	return errors.Join(errs...)
}

func executor(ctx context.Context, o *options, designs []*design.Design) (step.Executor, error) {
	if o.on == "local" {
		return run.NewLocal(run.LocalOptions{Jobs: o.jobs}), nil
	}
	s := designs[0].Platform.Build.Slurm
	for _, d := range designs[1:] {
		if other := d.Platform.Build.Slurm; fmt.Sprint(other) != fmt.Sprint(s) {
			return nil,
				fmt.Errorf("%s and %s use the cluster in different ways (their build { slurm }): build one after the other",
					designs[0].Platform.Name, d.Platform.Name)
		}
	}
	return slurm.New(ctx, slurm.Options{Partition: s.Partition, Account: s.Account, QOS: s.QOS, Constraint: s.Constraint,
		Extra: s.Options})
}

// display shows how a build goes on.
func (c *console) display(json bool) report.Display {
	if f, ok := c.out.(*os.File); ok {
		return report.For(f, json)
	}
	if json {
		return report.NewJSON(c.out)
	}
	return report.NewPlain(c.out, report.DisplayOptions{})
}

// explain says why a step has failed, and how to see it again.
func explain(ctx context.Context, c *console, f *run.Failure, asJSON bool) error {
	if errors.Is(f.Err, step.ErrNotRun) || errors.Is(f.Err, context.Canceled) {
		return nil
	}
	d := logs.Diagnose(ctx, os.DirFS(f.Dir), f.Err)
	if asJSON {
		return json.NewEncoder(c.out).Encode(diagnosis{now("diagnosis"), f.Step.ID, errText(f.Err), d.Lines, string(d.Cause),
			d.Hint, f.Log, f.Command})
	}
	c.remark("\n%s has failed", f.Step.ID)
	if said := strings.TrimRight(d.String(), "\n"); said != "" {
		c.remark("%s", said)
	}
	c.remark("log:   %s", f.Log)
	c.remark("again: %s", f.Command)
	return nil
}

// hand gives users what a platform's build has made, and what there is to know
// about it.
func hand(ctx context.Context, o *options, c *console, w *run.Build, outcome *run.Outcome, d *design.Design) error {
	name := d.Platform.Name
	if !outcome.Complete(w.Plan, name) {
		return nil // said already
	}
	dir := resultsOf(o.out, name)
	files, err := outcome.Deliver(name, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r, err := account(ctx, w, outcome, d, time.Now())
	if err == nil {
		err = publish(c, dir, r, !outcome.Made(name))
	}
	if err != nil {
		return fmt.Errorf("report on %s: %w", name, err)
	}
	page := filepath.Join(dir, reportPage)
	if o.json {
		line := made{now("built"), name, files, filepath.Join(dir, reportFile), page, r.Misses()}
		if err := json.NewEncoder(c.out).Encode(line); err != nil {
			return err
		}
	} else {
		if err := show(c, dir); err != nil {
			return err
		}
		for _, f := range append(files, page) {
			if filepath.Dir(f) == dir { // not each of the vendor's reports
				fmt.Fprintln(c.out, f)
			}
		}
	}
	if r.Met() || d.Platform.HWEmu {
		return nil
	}
	why := strings.Join(r.Misses(), "; ")
	if o.timing == platform.TimingReport || o.timing == "" && d.Platform.Build.Timing == platform.TimingReport {
		c.remark("warning: %s: %v: %s", name, errTiming, why)
		return nil
	}
	return fmt.Errorf("%s: %w: %s; --timing=report, or build { timing = \"report\" } in the platform, accepts that",
		name, errTiming, why)
}

// resultsOf is the directory with the results of a platform.
func resultsOf(out, platform string) string { return filepath.Join(out, "build", platform) }
