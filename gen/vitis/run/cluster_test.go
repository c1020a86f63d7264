//go:build linux

package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// follows builds two platforms with an executor and wants it to start so many jobs anew.
// If it starts none, each step has run once.
func (f *fixture) follows(plan *step.Plan, d *detached, anew int) *Outcome {
	f.Helper()
	out, err := Run(f.Context(), plan, f.store, d, f.options())
	assert.NilError(f.T, err)
	right(f.T, out)
	if d.new != anew {
		f.Errorf("%d jobs were started anew", d.new)
	}
	if got := counted(f.T, f.count); anew == 0 && got != once {
		f.Errorf("there ran %s", got)
	}
	return out
}

// Jobs of a cluster go on when their builder is gone, and take from each other what
// they need; the next builder follows those that are there, also those that end while
// it looks for them.
func TestJobsThatOutliveTheirBuilder(t *testing.T) {
	for name, d := range map[string]*detached{"later": {}, "after the look": {slow: true},
		"before the look": {late: true}} {
		t.Run(name, func(t *testing.T) {
			f := fix(t)
			f.abandon("0.3")
			out := f.follows(twoPlatforms(f.count, "0.3"), d, 0)
			if r := out.Results["p/link/p"]; r.Seconds < 0 || r.Seconds > 60 {
				t.Errorf("it took %v s", r.Seconds)
			}
		})
	}
}

// Jobs that wait for others that are no more, and say so only when they are waited for.
func TestJobsThatNeverRun(t *testing.T) {
	f := fix(t)
	d := &detached{}
	for _, name := range f.abandon("5") {
		d.Cancel(t.Context(), filepath.Dir(name))
	}
	kernels := hasten(t, twoPlatforms(f.count, "5"))
	kernels.Results = nil
	kernels.Steps = slices.DeleteFunc(kernels.Steps, func(s *step.Step) bool { return s.Kind != step.Package })
	_, err := f.run(kernels)
	assert.NilError(t, err)
	left := f.inWork("job.pid")
	assert.Equal(t, len(left), 4, "there are %q", left)
	f.follows(hasten(t, twoPlatforms(f.count, "5")), &detached{stale: true}, 4)
}

// hasten has the steps of a plan, which keep their keys, find a sleep that does not.
func hasten(t *testing.T, plan *step.Plan) *step.Plan {
	t.Helper()
	dir := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "sleep"), []byte("#!/bin/sh\n"), 0o777))
	for _, s := range plan.Steps {
		s.Env["PATH"] = dir + ":" + os.Getenv("PATH")
	}
	return plan
}

// The next builder cannot follow them: they stay what they are.
func TestJobsThatCannotBeFollowed(t *testing.T) {
	f := fix(t)
	f.abandon("0.5")
	refuse := errors.New("no answer")
	if _, err := Run(t.Context(), twoPlatforms(f.count, "0.5"), f.store, &detached{refuse: refuse},
		f.options()); !errors.Is(err, refuse) {
		t.Fatal(err)
	}
	f.follows(twoPlatforms(f.count, "0.5"), &detached{}, 0)
}

func TestJobsThatEndWithoutABuilder(t *testing.T) {
	f := fix(t)
	f.abandon("0.1")
	until(t, "all have ended", func() bool {
		return len(f.inWork("step.exit")) == 7
	})
	out, err := f.run(twoPlatforms(f.count, "0.1")) // on this host
	assert.NilError(t, err)
	right(t, out)
	assert.Check(t, is.Equal(counted(t, f.count), once), "there ran")
}

// A job of an earlier build waits for one that is no more: both are made anew.
func TestJobsWhoseProducersAreGone(t *testing.T) {
	f := fix(t)
	for _, name := range f.abandon("2") {
		text, _ := os.ReadFile(name)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		owner := readOwner(filepath.Dir(name))
		if owner != nil && strings.HasSuffix(owner.Step, "package/b") {
			syscall.Kill(-pid, syscall.SIGKILL) // a node is lost
			until(t, "it is gone", func() bool { return !runs(pid) })
		}
	}
	f.follows(hasten(t, twoPlatforms(f.count, "2")), &detached{}, 6) // all but the common kernel
	for _, name := range f.inWork("job.pid") {
		t.Errorf("%s is left", name)
	}
}

// A cluster that does not answer any more: the jobs may go on.
func TestJobsOutOfSight(t *testing.T) {
	f := fix(t)
	out, err := Run(t.Context(), twoPlatforms(f.count, "0.3"), f.store, &detached{lost: true}, f.options())
	assert.Assert(t, errors.Is(err, step.ErrLost) && len(out.Results) == 0, "%+v, %v", out, err)
	f.follows(twoPlatforms(f.count, "0.3"), &detached{}, 0)
}

// The executor fails in ways of its own.
func TestExecutorsThatRefuse(t *testing.T) {
	f := fix(t)
	refuse := errors.New("no such partition")
	plan := twoPlatforms(f.count, "0")
	out, err := Run(t.Context(), plan, f.store, &detached{refuse: refuse}, f.options())
	assert.Check(t, errors.Is(err, refuse) && len(out.Failures) == 3 && len(out.Skipped) == 5 && len(f.works()) <= 0,
		"%d failures, skipped %q, left %q, %v", len(out.Failures), out.Skipped, f.works(), err)
}

func TestTheWholeGraphIsSubmittedAtOnce(t *testing.T) {
	f := fix(t)
	d := &detached{hold: make(chan struct{})}
	go func() {
		until(t, "all seven are submitted before one ends",
			func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.new == 7 })
		close(d.hold)
	}()
	f.follows(twoPlatforms(f.count, "0"), d, 7)
}
