package target_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/target"
)

// impatient is a platform whose calls that wait for other ranks end soon.
const impatient = `platform "impatient" {
  board = "u55c"
  cclo {}
  poe "tcp" {}
  arithmetic "reduce_ops" {}
  limits { remote_timeout_ms = 2000 }
}
`

func writeImpatient(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	assert.NilError(t, os.Mkdir("platforms", 0o755))
	assert.NilError(t, os.WriteFile("platforms/impatient.hcl", []byte(impatient), 0o644))
}

// accused checks that the calls of these ranks have failed with one cause, at a rank or, if that is -1, at any, and
// those of others have not.
func accused(t *testing.T, errs []error, who []int, kind accl.CauseKind, at int, says string) {
	t.Helper()
	for rank, err := range errs {
		if !slices.Contains(who, rank) {
			assert.NilError(t, err, "rank %d", rank)
			continue
		}
		failed, ok := errors.AsType[*accl.CallError](err)
		assert.Assert(t, ok, "rank %d: %v", rank, err)
		assert.Assert(t, len(failed.Causes) == 1, "rank %d: %v", rank, err)
		cause := failed.Causes[0]
		assert.Check(t, cause.Kind == kind && (cause.Rank == at || at < 0), "rank %d: %v", rank, err)
		assert.Check(t, is.Contains(err.Error(), "cause: "+says), "rank %d", rank)
	}
}

// parts are the worlds of processes, and a buffer of each.
type parts struct {
	worlds  []*target.World
	buffers []*accl.Buffer[int32]
}

// TestCausesAtOtherProcesses: errors of a world of which each process has a rank name the cause at others.
func TestCausesAtOtherProcesses(t *testing.T) {
	const ranks = 3
	writeImpatient(t)
	recv := func(ctx context.Context, e *accl.Engine, of *parts, from accl.Peer) error {
		_, err := e.Recv(ctx, of.buffers[e.Rank()], 1, from, accl.WithTag(7))
		return err
	}
	until := func(ctx context.Context, of *parts, rank int, is func(r accl.Report) bool) { // or it is closed
		for {
			if r, err := of.worlds[rank].Engines[0].Report(ctx); err != nil || is(r) {
				return
			}
		}
	}
	late := func(r accl.Report) bool {
		return r.LastCode != 0 || len(r.Waits) > 0 && r.Waits[0].Time > 300*time.Millisecond
	}
	for _, c := range []struct {
		name string
		do   func(ctx context.Context, rank int, e *accl.Engine, of *parts) error
		who  []int // fail
		kind accl.CauseKind
		at   int
		says string
	}{
		{name: "a rank leaves a collective out", who: []int{0, 1}, kind: accl.NotCalled, at: 2,
			says: "rank 2 has not called allreduce of 1 elements of int32 (sum): it is in no call; its last one, bcast",
			do: func(ctx context.Context, rank int, e *accl.Engine, of *parts) error {
				if rank == 2 {
					return nil
				}
				if rank == 0 { // later than the other one, which tells it of its failure
					until(ctx, of, 1, late)
				}
				_, err := e.AllReduce(ctx, of.buffers[rank], of.buffers[rank], 1, accl.Sum)
				return err
			}},
		{name: "a rank receives where it should send", who: []int{0, 1}, kind: accl.InCircle, at: -1,
			says: "ranks wait for each other: rank ",
			do: func(ctx context.Context, rank int, e *accl.Engine, of *parts) error {
				if rank == 2 {
					return nil
				}
				return recv(ctx, e, of, accl.Peer(1-rank))
			}},
		{name: "another tag", who: []int{0}, kind: accl.OtherTag, at: 0,
			says: "rank 0 has the message 0 of rank 1 in rx buffer ",
			do: func(ctx context.Context, rank int, e *accl.Engine, of *parts) error {
				switch rank {
				case 0:
					return recv(ctx, e, of, 1)
				case 1:
					_, err := e.Send(ctx, of.buffers[rank], 1, 0, accl.WithTag(5))
					return err
				}
				return nil
			}},
		{name: "a process has left", who: []int{0, 1}, kind: accl.NoAnswer, at: 2,
			says: "rank 2 does not answer: it has closed its world",
			do: func(ctx context.Context, rank int, e *accl.Engine, of *parts) error {
				if rank == 2 {
					return of.worlds[2].Close()
				}
				return recv(ctx, e, of, 2)
			}},
		{name: "rank 0 has left", who: []int{0, 1}, kind: accl.NotCalled, at: 2,
			says: "rank 2 has not called",
			do: func(ctx context.Context, rank int, e *accl.Engine, of *parts) error {
				if rank == 2 {
					return nil
				}
				if rank == 1 {
					until(ctx, of, 0, late)
				}
				err := recv(ctx, e, of, 2)
				if rank == 0 { // the other one is in its call, or was
					until(ctx, of, 1, func(r accl.Report) bool { return r.Busy || r.LastCode != 0 })
				}
				return errors.Join(err, of.worlds[rank].Close())
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			worlds, errs := open(t, "impatient", ranks, target.Options{})
			assert.NilError(t, errors.Join(errs...))
			buffers := make([]*accl.Buffer[int32], ranks)
			ranktest.All(t, ranks, func(rank int) (err error) {
				if buffers[rank], err = accl.Alloc[int32](ctx, worlds[rank].Engines[0], 1); err == nil {
					_, err = worlds[rank].Engines[0].Bcast(ctx, buffers[rank], 1, 0)
				}
				return err
			})
			ranktest.All(t, ranks, func(rank int) error {
				errs[rank] = c.do(ctx, rank, worlds[rank].Engines[0], &parts{worlds, buffers})
				return nil
			})
			for _, err := range errs {
				t.Log(err)
			}
			accused(t, errs, c.who, c.kind, c.at, c.says)
		})
	}
}

// TestCausesInOneProcess: the ranks of one process name causes at each other.
func TestCausesInOneProcess(t *testing.T) {
	writeImpatient(t)
	worlds, errs := open(t, "impatient", 1, target.Options{Ranks: 2})
	assert.NilError(t, errors.Join(errs...))
	e := worlds[0].Engines[0]
	buffer, err := accl.Alloc[int32](t.Context(), e, 1)
	assert.NilError(t, err)
	_, err = e.Recv(t.Context(), buffer, 1, 1)
	accused(t, []error{err}, []int{0}, accl.NotCalled, 1, "rank 1 has not called")
}
