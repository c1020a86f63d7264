package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// find is the record of the job for a directory and key that has not ended, or, if it
// was there before, also of one that has; nil if there is none. Jobs for another key
// are cancelled, and records of those that have ended are removed.
func (e *Executor) find(ctx context.Context, dir, key string, before bool) (*record, error) {
	list, err := records(dir)
	if err != nil {
		return nil, err
	}
	var found *record
	for _, rec := range list {
		alive, err := e.alive(ctx, dir, rec)
		if err != nil {
			return nil, err
		}
		switch {
		case !alive && before && rec.Key == key && rec.job != "" && found == nil:
			found = rec
		case !alive:
			err = rec.revoke(dir)
		case rec.Key != key || found != nil:
			err = e.end(ctx, dir, rec)
		default:
			found = rec
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// alive says whether the job of a record has not ended. If its submitter did not live
// to learn its number, and it has not begun either, it is looked up; where there is
// none, the record is withdrawn, as the submitter's sbatch may be on its way.
func (e *Executor) alive(ctx context.Context, dir string, rec *record) (bool, error) {
	since := time.Now()
	for {
		found, err := e.lookUp(ctx, dir, rec)
		switch {
		case err == nil:
			return found != nil && found.active(), nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case !silent(err):
			return false, err
		case time.Since(since) > e.o.Patience:
			return false, fmt.Errorf("%w since %s: %w", ErrNoAnswer, since.Format(time.TimeOnly), err)
		}
		if err := pause(ctx, e.o.Poll); err != nil {
			return false, err
		}
	}
}

func (e *Executor) lookUp(ctx context.Context, dir string, rec *record) (*entry, error) {
	if rec.job == "" {
		found, err := e.jobIn(ctx, dir, rec.User)
		if err != nil {
			return nil, err
		}
		if found != nil {
			err = rec.claim(dir, found.id)
		} else {
			err = rec.withdraw(dir)
		}
		if err != nil || rec.job == "" {
			return nil, err
		}
	}
	return e.job(ctx, rec.job)
}

func (e *Executor) end(ctx context.Context, dir string, rec *record) error {
	if rec.User != os.Getuid() {
		return fmt.Errorf("job %s of another user (%d) works in %s", rec.job, rec.User, dir)
	}
	if err := e.remove(ctx, rec.job); err != nil {
		return err
	}
	return rec.revoke(dir)
}

// drop ends what came of a record of ours whose sbatch has not said a number: nothing,
// or a job that has begun, or that does nothing when it begins.
func (e *Executor) drop(ctx context.Context, dir string, rec *record) error {
	if err := rec.withdraw(dir); err != nil || rec.job == "" {
		return err
	}
	return e.end(context.WithoutCancel(ctx), dir, rec)
}

// Alive says whether a job that was submitted for a directory, perhaps by another
// process or user, has not ended.
func (e *Executor) Alive(ctx context.Context, dir string) (bool, error) {
	list, err := records(dir)
	for _, rec := range list {
		alive, one := e.alive(ctx, dir, rec)
		if alive && one == nil {
			return true, nil
		}
		err = errors.Join(err, one)
	}
	return false, err
}

// Cancel ends the jobs that were submitted for a directory, and waits until they are
// gone. The error names jobs that remain.
func (e *Executor) Cancel(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, silence+e.gone)
	defer cancel()
	list, err := records(dir)
	for _, rec := range list {
		alive, one := e.alive(ctx, dir, rec)
		if one == nil && alive {
			one = e.end(ctx, dir, rec)
		} else if one == nil {
			one = rec.revoke(dir)
		}
		err = errors.Join(err, one)
	}
	return err
}
