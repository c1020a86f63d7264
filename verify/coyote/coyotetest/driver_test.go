package coyotetest_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/coyote"
	"github.com/cclforge/cclforge/verify/coyote/coyotetest"
)

// rdma is the RDMA platform, whose engine reaches host memory.
func rdma(t testing.TB) (*design.Design, accl.Platform, card.Design) {
	t.Helper()
	d := designtest.Load(t, "u55c_rdma", map[string]cty.Value{"host_memory": cty.True})
	lies, err := driverview.Card(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, driverview.Of(d), lies
}

// TestTheDriver has ranks gather over queue pairs, two times one after the other.
func TestTheDriver(t *testing.T) {
	const ranks, n = 3, 3000
	d, p, lies := rdma(t)
	h := coyotetest.Host(t, d, ranks, coyote.HostOptions{})
	for range 2 {
		w, err := coyotetest.Open(t.Context(), h, &lies, &p)
		if err != nil {
			t.Fatal(err)
		}
		errs := make([]error, ranks)
		var all sync.WaitGroup
		for rank := range ranks {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				e, err := accl.Open(ctx, w.Devices[rank], &p, w.Ranks[rank], rank, accl.GivenSessions())
				if err == nil {
					err = gather(ctx, e, ranks, rank, n)
				}
				errs[rank] = err
			})
		}
		all.Wait()
		if err := errors.Join(append(errs, w.Close())...); err != nil {
			t.Error(err)
		}
		coyotetest.Returned(t, h)
	}
}

func gather(ctx context.Context, e *accl.Engine, ranks, rank, n int) error {
	src, err := accl.Alloc[int32](ctx, e, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[int32](ctx, e, n*ranks)
	if err != nil {
		return err
	}
	var want []int32
	for other := range ranks {
		for i := range n {
			want = append(want, int32(other*n+i))
		}
	}
	copy(src.Host(), want[rank*n:])
	if _, err := e.AllGather(ctx, src, dst, n); err != nil {
		return err
	}
	if !slices.Equal(dst.Host(), want) {
		return errors.New("the result is wrong")
	}
	return e.Close(ctx)
}
