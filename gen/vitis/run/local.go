package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

// LocalOptions say how much may run at the same time.
type LocalOptions struct {
	Jobs   int           // at most; 0: as many as there are CPUs and memory for
	CPUs   int           // 0: those of this host
	Memory int           // MiB; 0: that of this host
	Grace  time.Duration // between SIGTERM and SIGKILL; 0: 10 s
	Env    []string      // of the scripts; nil: that of this process
}

// Local is the step.Executor of this host. On Linux each script has a supervisor, which is
// this program, started again: it ends all processes that the script has started, also
// daemons, when the script ends, when it is told to, and when the program that started it
// is gone.
type Local struct {
	o     LocalOptions
	slots *slots
}

// NewLocal makes an executor of this host.
func NewLocal(o LocalOptions) *Local {
	if o.CPUs <= 0 {
		o.CPUs = runtime.NumCPU()
	}
	if o.Memory <= 0 {
		o.Memory = hostMemory()
	}
	if o.Jobs <= 0 {
		o.Jobs = o.CPUs
	}
	if o.Grace <= 0 {
		o.Grace = 10 * time.Second
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	return &Local{o: o, slots: newSlots(o.Jobs, o.CPUs, o.Memory)}
}

// Submit starts a job when all jobs in after, which must be of this executor, have
// succeeded and there is room for it.
func (e *Local) Submit(ctx context.Context, j step.Job, after []step.Running) (step.Running, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(j.Dir) {
		return nil, fmt.Errorf("run %s: %s is not absolute", j.Step.ID, j.Dir)
	}
	if _, err := os.Stat(filepath.Join(j.Dir, step.ScriptFile)); err != nil {
		return nil, fmt.Errorf("run %s: %w", j.Step.ID, err)
	}
	var before []*running
	for _, a := range after {
		r, ok := a.(*running)
		if !ok {
			return nil, fmt.Errorf("run %s: it comes after a job that is not one of this host", j.Step.ID)
		}
		before = append(before, r)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // Wait ends it
	r := &running{done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(r.done)
		defer cancel()
		r.err = e.run(ctx, j, before)
	}()
	return r, nil
}

type running struct {
	cancel func()
	done   chan struct{}
	err    error // when done is closed
}

// Wait waits for the end of the job, and ends it if the context ends.
func (r *running) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	r.cancel()
	<-r.done
	if r.err == nil {
		return nil // it was faster
	}
	return ctx.Err()
}

func (e *Local) run(ctx context.Context, j step.Job, before []*running) error {
	for _, b := range before {
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if b.err != nil {
			return fmt.Errorf("%w: what it needs has not ended well", step.ErrNotRun)
		}
	}
	release, err := e.slots.take(ctx, j.Step.Resources)
	if err != nil {
		return err
	}
	defer release()
	if j.Started != nil {
		j.Started("")
	}
	return e.script(ctx, j)
}

func (e *Local) script(ctx context.Context, j step.Job) error {
	p, err := startScript(j.Dir, e.o.Env, e.o.Grace)
	if err != nil {
		return fmt.Errorf("start the script of %s: %w", j.Step.ID, err)
	}
	var limit <-chan time.Time
	if j.Step.Resources.Time > 0 {
		timer := time.NewTimer(j.Step.Resources.Time)
		defer timer.Stop()
		limit = timer.C
	}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		if j.Lines != nil {
			// A log that cannot be read is no reason to stop the step.
			_ = logs.Follow(ctx, filepath.Join(j.Dir, step.LogFile), p.ended, j.Lines)
		}
	}()
	var stopped error
	for over := false; !over; {
		select {
		case <-p.ended:
			over = true
		case <-ctx.Done():
			stopped = ctx.Err()
			p.stop()
			<-p.ended
			over = true
		case <-limit:
			stopped = fmt.Errorf("%w: %w: it has run for %s", step.ErrFailed, step.ErrTimeLimit, j.Step.Resources.Time)
			limit = nil
			p.stop()
		}
	}
	<-followed
	if p.err == nil {
		return nil
	}
	if stopped != nil {
		return stopped
	}
	return p.err
}
