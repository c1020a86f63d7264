package ranktest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/world"
)

func TestSome(t *testing.T) {
	for n, want := range map[int][]int{
		0:  nil,
		1:  {1},
		2:  {1, 2},
		5:  {1, 2, 3, 4, 5},
		20: {1, 2, 3, 4, 6, 9, 13, 19, 18, 20},
	} {
		got := ranktest.Some(n)
		assert.Check(t, slices.Equal(got, want), "of %d: %v, want %v", n, got, want)
	}
}

// TestWrongResults: a rank whose elements are not those that the others expect is noticed.
func TestWrongResults(t *testing.T) {
	const ranks, n = 2, 10
	d := designtest.Load(t, "u55c_tcp", nil)
	p := driverview.Of(d)
	w, err := world.New(t.Context(), d, ranks, world.Options{})
	assert.NilError(t, err)
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks())
	assert.NilError(t, err)
	for name, test := range map[string]struct {
		right func(e *accl.Engine) error
		wrong func(e *accl.Engine, src, dst *accl.Buffer[int32]) error
		says  string
	}{
		"sum": {
			func(e *accl.Engine) error { return ranktest.Sum[int32](ctx, e, n, 1) },
			func(e *accl.Engine, src, dst *accl.Buffer[int32]) error {
				_, err := e.AllReduce(ctx, src, dst, n, accl.Sum)
				return err
			}, "element 1 of 10 is 1, not 3",
		},
		"gather": {
			func(e *accl.Engine) error { return ranktest.Gather(ctx, e, n) },
			func(e *accl.Engine, src, dst *accl.Buffer[int32]) error {
				_, err := e.AllGather(ctx, src, dst, n)
				return err
			}, "what is gathered is wrong",
		},
	} {
		ranktest.All(t, ranks, func(rank int) error {
			e := engines[rank]
			if rank == 0 {
				assert.Check(t, is.ErrorContains(test.right(e), test.says), "%s", name)
				return nil
			}
			src, err := accl.Alloc[int32](ctx, e, n)
			if err != nil {
				return err
			}
			dst, err := accl.Alloc[int32](ctx, e, ranks*n)
			if err != nil {
				return err
			}
			return test.wrong(e, src, dst)
		})
	}
}
