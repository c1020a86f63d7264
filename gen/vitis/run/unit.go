package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	lost    bool   // sight of its job was, or of one that it comes after: it may still end well
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

func (u *unit) work(ctx context.Context) {
	defer close(u.done)
	opened := sync.OnceFunc(func() { close(u.submitted) })
	defer opened()
	err := u.get(ctx, opened)
	u.lost = errors.Is(err, step.ErrLost) || u.running != nil && errors.Is(err, errSkipped) && !u.hopeless()
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
		switch {
		case !n.over():
		case n.skipped:
			return n.needFailed()
		case n.result == nil && !errors.Is(n.err, errCancelled):
			return n
		}
	}
	return nil
}

// hopeless reports whether something that this unit needs is done, and will not end
// well any more.
func (u *unit) hopeless() bool {
	return slices.ContainsFunc(u.needs, func(n *unit) bool { return n.over() && n.result == nil && !n.lost })
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
	if errors.Is(err, store.ErrDamaged) { // jobs that wait for it would take what is there
		if err := u.build.store.Drop(u.key.Hash); err != nil {
			return err
		}
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

func (u *unit) over() bool {
	select {
	case <-u.done:
		return true
	default:
		return false
	}
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
