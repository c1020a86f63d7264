package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// unit is one result that a build needs: of one step, or of several that have the
// same key.
type unit struct {
	build    *build
	step     *step.Step   // that does the work
	also     []*step.Step // the others
	key      step.Key
	needs    []*unit // one for each of step.Needs
	why      []string
	expected time.Duration
	unneeded bool

	// submitted is closed when dir and running are set, or when there will be none:
	// they are what other units see.
	submitted chan struct{}
	dir       string
	running   step.Running

	// done is closed when the rest is set.
	done    chan struct{}
	result  *store.Result
	err     error
	skipped bool
	ran     bool   // this build has made the result
	last    string // work directory

	mu      sync.Mutex
	started time.Time
	stage   string
}

var (
	errCancelled = errors.New("cancelled")
	errSkipped   = errors.New("what it needs has failed")
	// errElsewhere ends the work on a result that another build has made.
	errElsewhere = errors.New("made by another build")
)

// work gets the result.
func (u *unit) work(ctx context.Context) {
	defer close(u.done)
	opened := sync.OnceFunc(func() { close(u.submitted) })
	defer opened()
	err := u.get(ctx, opened)
	e := step.Event{Step: u.step, Elapsed: u.elapsed(), Expected: u.expected, Dir: u.last}
	switch {
	case err == nil:
		u.ran = true
		e.Kind = step.Finished
	case errors.Is(err, errElsewhere):
		e.Kind, e.Detail = step.Present, "another build has made it"
	case u.needFailed() != nil:
		u.skipped = true
		e.Kind, e.Detail = step.Skipped, u.needFailed().step.ID+" has failed"
	case ctx.Err() != nil:
		u.err = fmt.Errorf("%w: %w", errCancelled, ctx.Err())
		e.Kind, e.Err = step.Cancelled, u.err
	default:
		u.err = err
		e.Kind, e.Err = step.Failed, err
	}
	if u.result != nil {
		u.build.note(u.step, u.result)
	}
	u.build.emit(e)
	for _, s := range u.also {
		also := e
		also.Step = s
		also.Detail = "the same as " + u.step.ID
		switch {
		case u.result != nil:
			also.Kind = step.Present
			u.build.note(s, u.result)
		case e.Kind == step.Failed:
			also.Kind = step.Skipped
			also.Detail += ", which has failed"
		}
		u.build.emit(also)
	}
}

// needFailed is a unit that this one needs and that has no result; nil if there is
// none, or not yet.
func (u *unit) needFailed() *unit {
	for _, n := range u.needs {
		select {
		case <-n.done:
			if n.skipped {
				return n.needFailed()
			}
			if n.result == nil && !errors.Is(n.err, errCancelled) {
				return n
			}
		default:
		}
	}
	return nil
}

// get gets the result from the store, from a work directory, or by a job.
func (u *unit) get(ctx context.Context, opened func()) error {
	for _, n := range u.needs {
		select {
		case <-n.submitted:
		case <-ctx.Done():
			return ctx.Err()
		}
		if n.running == nil { // it is done, or about to be
			<-n.done
			if n.result == nil {
				return errSkipped
			}
		}
	}
	unlock, err := u.build.store.Lock(ctx, u.key.Hash, func(h store.Holder) {
		u.build.emit(step.Event{Kind: step.Waiting, Step: u.step, Detail: h.String() + " makes the same"})
	})
	if err != nil {
		return err
	}
	defer unlock()
	if u.result, err = u.build.store.Get(u.key.Hash); err == nil {
		return errElsewhere
	}
	if !errors.Is(err, store.ErrMissing) {
		return err
	}
	adopted, err := u.resume(ctx)
	if err != nil || u.result != nil {
		return err
	}
	err = u.job(ctx, adopted, opened)
	if !errors.Is(err, step.ErrNotRun) || ctx.Err() != nil {
		return err
	}
	// What it had to come after did not end well. If the results are there none the
	// less, those jobs were an earlier build's.
	if !u.supplied() {
		return err
	}
	return u.job(ctx, "", opened)
}

// supplied waits for all that the unit needs and reports whether it is there.
func (u *unit) supplied() bool {
	for _, n := range u.needs {
		<-n.done
		if n.result == nil {
			return false
		}
	}
	return true
}

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
	var after []step.Running
	for _, n := range u.needs {
		select {
		case <-n.done: // the job takes it from the store
		default:
			after = append(after, n.running)
		}
	}
	jobCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	running, err := u.build.exec.Submit(jobCtx, step.Job{Step: u.step, Key: u.key.Hash, Dir: dir,
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
				if n.result == nil && !errors.Is(n.err, step.ErrLost) {
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

func (u *unit) publish(dir string, took time.Duration) error {
	r, err := u.build.store.Publish(u.key.Hash, dir, store.Making{Step: u.step, Ingredients: u.key.Ingredients, Duration: took, Check: u.build.o.Check})
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
	if u.build.o.OnLine != nil {
		u.build.o.OnLine(u.step, text)
	}
	if u.build.o.Stage == nil {
		return
	}
	stage := u.build.o.Stage(u.step, text)
	if stage == "" || stage == u.stage {
		return
	}
	u.stage = stage
	u.build.emit(step.Event{Kind: step.Stage, Step: u.step, Detail: stage, Elapsed: u.elapsed(), Expected: u.expected})
}
