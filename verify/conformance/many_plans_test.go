package conformance_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/world"
)

// TestManyPlans makes calls in turn, each of a length of its own, so that no plan serves two. Those that firmware can
// remember all cost it less; one that makes room for itself is remembered, too. Of those that
// have more settings than there is room for, some do, and none is recorded again and again; when
// others come instead, these are remembered.
func TestManyPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it counts the instructions of one rank after the other")
	}
	const ranks = 8
	cheap := func(t *testing.T, first uint64, later []uint64) {
		t.Helper()
		assert.Check(t, 5*slices.Max(later) <= 4*first,
			"%d instructions are executed, and %d without plans", later, first)
	}
	t.Run("few settings", func(t *testing.T) {
		ctx := limited(t, time.Minute)
		w, engines := emulated(ctx, t, "u55c_tcp", ranks)
		took := newTurn(ctx, t, w, engines, false, 30, 64<<10).times(ctx, t, 5)
		cheap(t, took[0], took[2:])
	})
	t.Run("one after the other", func(t *testing.T) {
		nightly.Only(t)
		ctx := limited(t, 2*time.Minute)
		w, engines := emulated(ctx, t, "u55c_tcp", ranks)
		for _, took := range newTurn(ctx, t, w, engines, true, 20, 512<<10).rows(ctx, t, 4) {
			cheap(t, took[0], took[2:])
		}
	})
	t.Run("many settings", func(t *testing.T) {
		nightly.Only(t)
		ctx := limited(t, 2*time.Minute)
		w, engines := emulated(ctx, t, "u55c_tcp", ranks)
		took := newTurn(ctx, t, w, engines, true, 20, 512<<10).times(ctx, t, 5)
		cheap(t, took[0], took[2:])
		took = newTurn(ctx, t, w, engines, false, 30, 64<<10).times(ctx, t, 12)
		cheap(t, took[0], took[10:])
	})
}

// turn is calls of all ranks that come one after the other.
type turn struct {
	w        *world.World
	engines  []*accl.Engine
	scatters bool  // reduce_scatter instead of allreduce
	pieces   []int // elements of the result of each call
	src, dst [][]*accl.Buffer[float32]
}

// newTurn has sums of so many elements, and some more for each call after the first.
func newTurn(ctx context.Context, t *testing.T, w *world.World, engines []*accl.Engine, scatters bool,
	calls, elements int) *turn {
	t.Helper()
	turn := &turn{
		w: w, engines: engines, scatters: scatters,
		src: make([][]*accl.Buffer[float32], calls), dst: make([][]*accl.Buffer[float32], calls),
	}
	for call := range calls {
		elements := elements + call*64*len(engines)
		piece := elements
		if scatters {
			piece /= len(engines)
		}
		turn.pieces = append(turn.pieces, piece)
		for rank, e := range engines {
			src, err := accl.Alloc[float32](ctx, e, elements)
			dst, err2 := accl.Alloc[float32](ctx, e, piece)
			assert.NilError(t, errors.Join(err, err2))
			for k := range src.Host() {
				src.Host()[k] = summand(call, rank, k)
			}
			turn.src[call], turn.dst[call] = append(turn.src[call], src), append(turn.dst[call], dst)
		}
	}
	return turn
}

func summand(call, rank, k int) float32 { return float32(rank + 3*call + k%7) }

// times takes so many turns and gives the instructions that firmware of rank 0 executed in each.
func (turn *turn) times(ctx context.Context, t *testing.T, n int) (took []uint64) {
	t.Helper()
	for range n {
		before := executed(turn.w, 0)
		for call := range turn.src {
			turn.call(ctx, t, call)
		}
		took = append(took, executed(turn.w, 0)-before)
	}
	return took
}

// rows makes each call so many times in a row and gives the instructions of each, of rank 0.
func (turn *turn) rows(ctx context.Context, t *testing.T, n int) (took [][]uint64) {
	t.Helper()
	for call := range turn.src {
		var row []uint64
		for range n {
			before := executed(turn.w, 0)
			turn.call(ctx, t, call)
			row = append(row, executed(turn.w, 0)-before)
		}
		took = append(took, row)
	}
	return took
}

func (turn *turn) call(ctx context.Context, t *testing.T, call int) {
	t.Helper()
	var all sync.WaitGroup
	errs := make([]error, len(turn.engines))
	for rank, e := range turn.engines {
		src, dst := turn.src[call][rank], turn.dst[call][rank]
		clear(dst.Host())
		all.Go(func() {
			if turn.scatters {
				_, errs[rank] = e.World().ReduceScatter(ctx, src, dst, turn.pieces[call], accl.Sum)
			} else {
				_, errs[rank] = e.World().AllReduce(ctx, src, dst, turn.pieces[call], accl.Sum)
			}
		})
	}
	all.Wait()
	assert.NilError(t, errors.Join(errs...))
	for rank, dst := range turn.dst[call] {
		for k, got := range dst.Host() {
			at := k
			if turn.scatters {
				at += rank * turn.pieces[call]
			}
			var want float32
			for from := range turn.engines {
				want += summand(call, from, at)
			}
			if got != want {
				t.Fatalf("call %d: element %d of rank %d is %v, not %v", call, k, rank, got, want)
			}
		}
	}
}
