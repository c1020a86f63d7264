package slurm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// again is how often a job is cancelled that does not go.
const again = 5 * time.Second

// glance is how often the queue is looked at while jobs are being cancelled.
const glance = 200 * time.Millisecond

// silence is how long Slurm may be silent while a job is being cancelled: somebody
// waits at a terminal.
const silence = 30 * time.Second

// remove cancels a job of ours, and waits until it is gone.
func (e *Executor) remove(outer context.Context, id string) error {
	ctx, cancel := context.WithTimeout(outer, e.gone)
	defer cancel()
	var last error
	var tried time.Time
	heard := time.Now()
	for {
		if time.Since(tried) > again {
			last = e.scancel(ctx, id)
			tried = time.Now()
		}
		after := time.Now().Add(-glance)
		if after.Before(tried) {
			after = tried
		}
		seen, err := e.watch(ctx, after)
		if err == nil && seen.err == nil && !seen.jobs[id].active() {
			return nil
		}
		if err == nil && seen.err == nil {
			heard = time.Now()
		}
		if err == nil {
			err = pause(ctx, glance)
		}
		if err == nil && time.Since(heard) > silence {
			err = ErrNoAnswer
		}
		if outer.Err() != nil {
			return outer.Err()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("job %s may still be there; to cancel it: scancel %s: %w", id, id, err),
				seen.err, last)
		}
	}
}

// scancel cancels a job. Those who want the same at that time are served by one
// scancel.
func (e *Executor) scancel(ctx context.Context, id string) error {
	e.mu.Lock()
	e.doomed = append(e.doomed, id)
	e.mu.Unlock()
	select {
	case e.queue.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.queue.turn }()
	e.mu.Lock()
	ids := e.doomed
	e.doomed = nil
	e.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	_, err := e.command(ctx, "", "scancel", ids...)
	return err
}
