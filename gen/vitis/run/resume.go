package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cclforge/cclforge/gen/vitis/store"
)

// resume uses what earlier builds have left in work directories of the key, whose
// lock this build has: a script that has ended well is published; a job that still
// waits or runs is given back, to be followed. The rest goes, but for the newest
// one that has failed, which somebody may be reading.
func (u *unit) resume(ctx context.Context) (adopt string, err error) {
	follower, _ := u.build.exec.(Follower)
	mine := fmt.Sprintf("%T", u.build.exec)
	failed := 0
	for _, dir := range u.build.store.Works(u.key.Hash) {
		o := readOwner(dir)
		code, ended := exitOf(dir)
		if o != nil && !ended && o.Executor == mine && follower != nil && adopt == "" && u.follows(o) {
			alive, err := follower.Alive(ctx, dir)
			if err != nil {
				return "", fmt.Errorf("ask for the job of an earlier build: %w", err)
			}
			if alive {
				adopt = dir
				continue
			}
			code, ended = exitOf(dir) // it may have ended before it was asked for
		}
		switch {
		case o == nil:
			u.discard(ctx, dir)
		case ended && code == 0 && o.untouched(dir):
			if !u.supplied() {
				return "", errSkipped
			}
			if !u.same(o) {
				u.discard(ctx, dir)
				continue
			}
			err := u.publish(dir, secondsOf(dir))
			if err == nil {
				u.last = dir
				return "", nil
			}
			if !errors.Is(err, store.ErrOutput) {
				u.last = dir
				return "", err // a full disk is no reason to lose hours of work
			}
			u.discard(ctx, dir)
		case ended && code != 0 && failed == 0:
			failed++
		case ended:
			u.discard(ctx, dir)
		case o.Executor != mine:
			// A job of another executor may work there; prune removes it some day.
		default:
			u.discard(ctx, dir)
		}
	}
	return adopt, nil
}

// follows reports whether a job of an earlier build gets what this build's would
// get: from the store, or from the same work directories.
func (u *unit) follows(o *owner) bool {
	for _, n := range u.needs {
		dir, known := o.Needs[n.key.Hash]
		if !known {
			return false
		}
		if stored := n.over() && n.result != nil; !stored && dir != n.dir {
			return false
		}
	}
	return true
}

// same reports whether what a job of an earlier build was given is what is in the
// store: what it took from a work directory may have been refused there.
func (u *unit) same(o *owner) bool {
	for _, n := range u.needs {
		dir, known := o.Needs[n.key.Hash]
		if !known || dir != "" && filepath.Base(dir) != n.result.Work {
			return false
		}
	}
	return true
}

// discard removes a work directory, and ends what may work there.
func (u *unit) discard(ctx context.Context, dir string) {
	if follower, ok := u.build.exec.(Follower); ok {
		_ = follower.Cancel(ctx, dir) // it may be another user's
	}
	_ = u.build.store.Discard(dir)
}
