// Package run carries out plans: it takes the results that are in the store, has an
// executor (Local, or that of package slurm) make the others, and stores them.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// Options of a build.
type Options struct {
	// OnEvent is called with what happens, one event at a time.
	OnEvent func(step.Event)
	// Check, if not nil, looks into each output that is a file before it becomes part of
	// a result: store.Check, but for tests, whose outputs are not those of real tools.
	Check func(path string) error

	keep bool // the work directories of steps that have ended well, for tests
}

// Outcome is the result of a build.
type Outcome struct {
	Keys    step.Keys
	Results map[string]*store.Result // by step ID; of all that are there at the end
	Ran     []string                 // IDs of steps whose result this build has made
	Present []string                 // IDs of steps whose result was there, or was made by another build
	Skipped []string                 // IDs of steps that did not run because something that they need has failed
	// Failures are the steps that failed, in the order of the plan.
	Failures []*Failure

	plan  *step.Plan
	store *store.Store
}

// Failure is a step that has failed.
type Failure struct {
	Step    *step.Step
	Err     error
	Dir     string // the work directory, which stays; empty if there was none
	Log     string // a file; empty if there is none
	Command string // that does the same again, for a shell
}

// Complete reports whether all results of a platform are there.
func (o *Outcome) Complete(plan *step.Plan, platform string) bool {
	for _, r := range plan.Results {
		if r.Platform == platform && o.Results[r.Step] == nil {
			return false
		}
	}
	return true
}

// Made reports whether this build has made a result of a platform.
func (o *Outcome) Made(platform string) bool {
	return slices.ContainsFunc(o.Ran, func(id string) bool { return strings.HasPrefix(id, platform+"/") })
}

func (f *Failure) Error() string {
	text := fmt.Sprintf("%s: %v", f.Step.ID, f.Err)
	if f.Log != "" {
		text += "; log: " + f.Log
	}
	if f.Command != "" {
		text += "; to repeat it: " + f.Command
	}
	return text
}

// Unwrap gives the cause, which matches step.ErrFailed if the commands have failed.
func (f *Failure) Unwrap() error { return f.Err }

// Follower is an executor that knows jobs of earlier processes.
type Follower interface {
	// Alive reports whether a job that was submitted for a work directory, by any
	// process, waits or runs. Submit then follows it, if the job says Follow. One that
	// is not alive has left its exit status, or does nothing any more.
	Alive(ctx context.Context, dir string) (bool, error)
	// Cancel ends what works in a directory, if anything does.
	Cancel(ctx context.Context, dir string) error
}

// Run makes the missing results of a plan. If a step fails, those that do not depend on
// it go on; the error joins a *Failure for each failed step. If the context ends, all
// jobs are cancelled, and are gone when Run returns; the error matches the context's.
// The outcome is nil only if the plan itself is wrong.
func Run(ctx context.Context, plan *step.Plan, st *store.Store, exec step.Executor, o Options) (*Outcome, error) {
	keys, err := keysOf(plan, st)
	if err != nil {
		return nil, err
	}
	b := &build{plan: plan, store: st, exec: exec, o: o, keys: keys, units: map[string]*unit{}}
	var all []string
	for _, k := range keys {
		all = append(all, k.Hash)
	}
	done, err := st.Use(ctx, all) // before looking: what is there now stays
	if err != nil {
		return nil, err
	}
	defer done()
	decisions, err := decide(plan, keys, st)
	if err != nil {
		return nil, err
	}
	b.prepare(decisions)
	var running sync.WaitGroup
	for _, u := range b.order {
		if u.why != nil {
			running.Go(func() { u.work(ctx) })
		}
	}
	running.Wait()
	b.sweep()
	return b.outcome(ctx)
}

type build struct {
	plan  *step.Plan
	store *store.Store
	exec  step.Executor
	o     Options
	keys  step.Keys
	units map[string]*unit // by key
	order []*unit

	events sync.Mutex
}

// prepare makes a unit for each key and tells what was decided.
func (b *build) prepare(decisions []Decision) {
	for _, d := range decisions {
		u := b.units[d.Key]
		if u == nil {
			u = &unit{build: b, step: d.Step, key: b.keys[d.Step.ID], result: d.result, why: d.Why, expected: d.Expected,
				unneeded: d.Unneeded, submitted: make(chan struct{}), done: make(chan struct{})}
			for _, n := range d.Step.Needs {
				u.needs = append(u.needs, b.units[b.keys[n.Step].Hash])
			}
			if d.Why == nil {
				close(u.submitted)
				close(u.done)
			}
			b.units[d.Key] = u
			b.order = append(b.order, u)
		} else {
			u.also = append(u.also, d.Step)
		}
		e := step.Event{Kind: step.Planned, Step: d.Step, Why: d.Why, Expected: d.Expected}
		if d.Same != "" {
			e.Detail = "the same as " + d.Same
		}
		b.emit(e)
	}
	for _, d := range decisions {
		switch {
		case d.Present:
			b.store.Touch(d.Key)
			b.note(d.Step, d.result)
			b.emit(step.Event{Kind: step.Present, Step: d.Step, Expected: d.Expected})
		case d.Unneeded:
			b.emit(step.Event{Kind: step.Present, Step: d.Step, Detail: "not needed: what is made of it is there"})
		}
	}
}

// note remembers a result for "why" and expected times. It is no mistake if a
// store that cannot be written does not.
func (b *build) note(s *step.Step, r *store.Result) {
	_ = b.store.Note(s.ID, r)
}

func (b *build) emit(e step.Event) {
	if b.o.OnEvent == nil {
		return
	}
	e.Time = time.Now()
	b.events.Lock()
	defer b.events.Unlock()
	b.o.OnEvent(e)
}

// sweep removes the work directories of results that are in the store.
func (b *build) sweep() {
	if b.o.keep {
		return
	}
	for _, u := range b.order {
		if u.result == nil || len(b.store.Works(u.key.Hash)) == 0 {
			continue
		}
		unlock, err := b.store.TryLock(u.key.Hash)
		if err != nil || unlock == nil {
			continue // another build looks after them
		}
		for _, dir := range b.store.Works(u.key.Hash) {
			_ = b.store.Discard(dir) // what stays is removed by the next build, or by prune
		}
		unlock()
	}
}

func (b *build) outcome(ctx context.Context) (*Outcome, error) {
	out := &Outcome{Keys: b.keys, Results: map[string]*store.Result{}, plan: b.plan, store: b.store}
	var errs []error
	for _, s := range b.plan.Steps {
		u := b.units[b.keys[s.ID].Hash]
		switch {
		case u.result != nil:
			out.Results[s.ID] = u.result
			if u.ran && s == u.step {
				out.Ran = append(out.Ran, s.ID)
			} else {
				out.Present = append(out.Present, s.ID)
			}
		case u.skipped, u.err != nil && s != u.step && !errors.Is(u.err, errCancelled):
			out.Skipped = append(out.Skipped, s.ID)
		case u.err != nil && !errors.Is(u.err, errCancelled):
			f := u.failure()
			out.Failures = append(out.Failures, f)
			errs = append(errs, f)
		}
	}
	if err := ctx.Err(); err != nil && b.incomplete() {
		errs = append(errs, fmt.Errorf("the build has been stopped: %w", context.Cause(ctx)))
	}
	return out, errors.Join(errs...)
}

func (b *build) incomplete() bool {
	for _, u := range b.order {
		if u.result == nil && !u.unneeded {
			return true
		}
	}
	return false
}

func (u *unit) failure() *Failure {
	f := &Failure{Step: u.step, Err: u.err, Dir: u.last}
	if u.last == "" {
		return f
	}
	f.Command = "bash " + step.Quote(filepath.Join(u.last, step.ScriptFile))
	if log := filepath.Join(u.last, step.LogFile); exists(log) {
		f.Log = log
	}
	return f
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
