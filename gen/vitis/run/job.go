package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// job has the result made: by the job that an earlier build has submitted for a
// directory, or by a new one.
func (u *unit) job(ctx context.Context, adopted string, opened func()) error {
	dir := adopted
	if dir == "" {
		var err error
		if dir, err = u.newWork(); err != nil {
			return fmt.Errorf("make a work directory: %w", err)
		}
	}
	after, err := u.after()
	if err != nil {
		u.discard(context.WithoutCancel(ctx), dir)
		return err
	}
	jobCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	running, err := u.build.exec.Submit(jobCtx, step.Job{Step: u.step, Key: u.key.Hash, Dir: dir, Follow: adopted != "",
		Lines: u.line, Started: func(where string) { u.start(dir, where) }, Waiting: u.wait}, after)
	if err != nil {
		if adopted == "" {
			_ = u.build.store.Discard(dir)
		}
		return err
	}
	u.last = dir
	select {
	case <-u.submitted: // a second job, of which nobody knows; those that need it wait
	default:
		u.dir, u.running = dir, running
	}
	opened()
	watched := make(chan struct{})
	defer func() { <-watched }()
	defer cancel()
	go func() { // a job whose producer has failed after all need not go on
		defer close(watched)
		for _, n := range u.needs {
			select {
			case <-n.done:
				if n.result == nil && !n.lost {
					cancel()
				}
			case <-jobCtx.Done():
				return
			}
		}
	}()
	err = running.Wait(jobCtx)
	if err == nil && !u.supplied() {
		err = errSkipped
	}
	if err == nil {
		took := u.elapsed()
		if adopted != "" || took == 0 {
			took = secondsOf(dir)
		}
		return u.publish(dir, took)
	}
	_, ended := exitOf(dir)
	switch {
	case errors.Is(err, step.ErrLost): // it may go on; the next build follows it
	case errors.Is(err, step.ErrNotRun), ctx.Err() == nil && jobCtx.Err() != nil, ctx.Err() != nil && !ended:
		u.last = ""
		u.discard(context.WithoutCancel(ctx), dir)
	case !ended: // it was killed: whoever looks for unfinished work finds none
		_ = os.WriteFile(filepath.Join(dir, step.ExitFile), []byte("-1\n"), 0o666)
	}
	return err
}

// after are the jobs that this unit's has to come after: of all that is not in the
// store. What has failed since the unit looked ends it; a job of which sight was
// lost may still end well.
func (u *unit) after() ([]step.Running, error) {
	var jobs []step.Running
	for _, n := range u.needs {
		switch {
		case !n.over():
		case n.result != nil:
			continue
		case !n.lost:
			return nil, errSkipped
		}
		jobs = append(jobs, n.running)
	}
	return jobs, nil
}

func (u *unit) publish(dir string, took time.Duration) error {
	r, err := u.build.store.Publish(u.key.Hash, dir, store.Making{Step: u.step, Ingredients: u.key.Ingredients,
		Duration: took, Check: u.build.o.Check})
	if err != nil {
		return err
	}
	u.result = r
	return nil
}

// newWork makes a work directory with all that the step needs of its own.
func (u *unit) newWork() (string, error) {
	dir, err := u.build.store.NewWork(u.key.Hash)
	if err != nil {
		return "", err
	}
	o := owner{Step: u.step.ID, PID: os.Getpid(), Executor: fmt.Sprintf("%T", u.build.exec), Needs: map[string]string{}}
	o.Host, _ = os.Hostname()
	for _, n := range u.needs {
		o.Needs[n.key.Hash] = n.dir
	}
	if err := u.fill(dir, o); err != nil {
		_ = u.build.store.Discard(dir)
		return "", err
	}
	return dir, nil
}

func (u *unit) elapsed() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.started.IsZero() {
		return 0
	}
	return time.Since(u.started)
}

// start, wait and line are what an executor tells of the job.

func (u *unit) start(dir, where string) {
	u.mu.Lock()
	u.started = time.Now()
	u.mu.Unlock()
	u.build.emit(step.Event{Kind: step.Started, Step: u.step, Detail: where, Expected: u.expected, Dir: dir})
}

func (u *unit) wait(why string) {
	u.build.emit(step.Event{Kind: step.Waiting, Step: u.step, Detail: why})
}

func (u *unit) line(text string) {
	stage, ok := logs.Stage(text)
	if !ok || stage == u.stage {
		return
	}
	u.stage = stage
	u.build.emit(step.Event{Kind: step.Stage, Step: u.step, Detail: stage, Elapsed: u.elapsed(), Expected: u.expected})
}
