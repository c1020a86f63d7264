package slurm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

type running struct {
	e         *Executor
	job       step.Job
	needs     []*running
	id        string
	submitted time.Time
	foreign   bool // of another user
	tried     bool // sbatch was run

	why     string // last said to job.Waiting
	changed time.Time
	started bool
	stop    func()    // ends the following of the log
	missing int       // looks at the queue in a row that did not show the job
	never   time.Time // since when Slurm says that it never begins

	mu    sync.Mutex
	ended bool
	err   error
}

// Wait waits for the end of the job.
func (r *running) Wait(ctx context.Context) error {
	if ended, err := r.result(); ended {
		return err
	}
	err := r.wait(ctx)
	if r.stop != nil {
		r.stop()
	}
	if !errors.Is(err, step.ErrLost) {
		r.finish(err)
	}
	return err
}

func (r *running) wait(ctx context.Context) error {
	r.changed = time.Now()
	for {
		seen, err := r.e.watch(ctx, time.Now().Add(-r.interval()))
		if err == nil {
			var ended bool
			if ended, err = r.see(ctx, seen); ended && (err == nil || ctx.Err() == nil) {
				return err
			}
		}
		if err == nil {
			err = pause(ctx, r.interval())
		}
		if err != nil && ctx.Err() != nil {
			return errors.Join(fmt.Errorf("job %s of Slurm: %w", r.id, ctx.Err()), r.cancel(ctx))
		}
		if err != nil {
			return err
		}
	}
}

// interval is the time between two looks at the queue. A job that has changed
// lately is likely to change again.
func (r *running) interval() time.Duration {
	return min(r.e.o.Poll, max(time.Second, time.Since(r.changed)/10))
}

func (r *running) see(ctx context.Context, seen look) (ended bool, err error) {
	if seen.err != nil {
		if time.Since(seen.since) > r.e.o.Patience {
			return true, fmt.Errorf("%w: %w since %s; job %s may go on, and the next build follows it: %w",
				step.ErrLost, ErrNoAnswer, seen.since.Format(time.TimeOnly), r.id, seen.err)
		}
		r.waits(quiet(seen.err))
		return false, nil
	}
	found, ok := seen.jobs[r.id]
	switch {
	case !ok && seen.at.Before(r.submitted):
		return false, nil
	case !ok:
		if r.missing++; r.missing < 2 {
			return false, nil
		}
		return r.vanished(ctx)
	}
	r.missing = 0
	switch {
	case found.pending():
		if err := r.failedNeed(); err != nil {
			// Slurm sees it too, but when it next looks at its queue.
			return true, errors.Join(err, r.cancel(ctx))
		}
		r.waits(words(found.reason))
		if err := r.hopeless(found); err != nil {
			return true, errors.Join(err, r.cancel(ctx))
		}
	case found.active():
		r.starts(found.node)
		if found.state == "SUSPENDED" || found.state == "STOPPED" {
			r.waits("it is suspended")
		} else {
			r.why = ""
		}
	default:
		return true, r.judge(ctx, found)
	}
	return false, nil
}

// hope is how long a job may have a reason for which jobs never begin: the cluster
// may be about to change.
const hope = time.Minute

// hopeless is an error if the job never begins.
func (r *running) hopeless(found entry) error {
	switch {
	case found.reason == "DependencyNeverSatisfied":
		return fmt.Errorf("%w: a step that it needs has not ended well (Slurm job %s)", step.ErrNotRun, r.id)
	case !never(found.reason):
		r.never = time.Time{}
	case r.never.IsZero():
		r.never = time.Now()
	case time.Since(r.never) > min(hope, r.e.o.Patience):
		return fmt.Errorf("%w: %s; Slurm job %s is cancelled: change what the step takes, or the partition", step.ErrFailed,
			words(found.reason), r.id)
	}
	return nil
}

func (r *running) waits(why string) {
	if r.why == why {
		return
	}
	r.why, r.changed = why, time.Now()
	if r.job.Waiting != nil {
		r.job.Waiting(why)
	}
}

// quiet is what users are told when Slurm does not answer.
func quiet(err error) string { return "Slurm does not answer, trying again: " + err.Error() }

// starts tells that the job runs, and begins to follow its log.
func (r *running) starts(node string) {
	if r.started {
		return
	}
	r.started, r.changed = true, time.Now()
	if r.job.Started != nil {
		r.job.Started(node)
	}
	if r.job.Lines == nil {
		return
	}
	over, followed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(followed)
		logs.Follow(context.Background(), filepath.Join(r.job.Dir, step.LogFile), over, r.job.Lines)
	}()
	r.stop = func() {
		close(over)
		<-followed
		r.stop = nil
	}
}

// cancel cancels the job and waits until it is gone, also after the context's end.
// Another user's job is left alone.
func (r *running) cancel(ctx context.Context) error {
	if r.foreign {
		return nil
	}
	return r.e.remove(context.WithoutCancel(ctx), r.id)
}

func (r *running) finish(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.err = true, err
}

func (r *running) result() (ended bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended, r.err
}

func (r *running) succeeded() bool {
	ended, err := r.result()
	return ended && err == nil
}

// failedNeed is an error if one of the jobs that this one comes after has failed.
func (r *running) failedNeed() error {
	for _, n := range r.needs {
		if ended, err := n.result(); ended && err != nil {
			return fmt.Errorf("%w: %s has not ended well", step.ErrNotRun, n.job.Step.ID)
		}
	}
	return nil
}
