package coyote_test

import (
	"context"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// rdma is the RDMA platform, whose engine reaches host memory.
func rdma(t testing.TB) (*design.Design, accl.Platform, layout.Design) {
	t.Helper()
	d := designtest.Load(t, "u55c_rdma", map[string]cty.Value{"host_memory": cty.True})
	lies, err := driverview.Card(d)
	assert.NilError(t, err)
	return d, driverview.Of(d), lies
}

// TestTheDriver has ranks gather over queue pairs, two times one after the other.
func TestTheDriver(t *testing.T) {
	const ranks, n = 3, 3000
	d, p, lies := rdma(t)
	h := coyote.Start(t, d, ranks, coyote.HostOptions{})
	for range 2 {
		w, err := coyote.OpenWorld(t.Context(), h, &lies, &p)
		assert.NilError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ranktest.All(t, ranks, func(rank int) error {
			e, err := accl.Open(ctx, w.Devices[rank], &p, w.Ranks[rank], rank, accl.GivenSessions())
			if err != nil {
				return err
			}
			if err := ranktest.Gather(ctx, e, n); err != nil {
				return err
			}
			return e.Close(ctx)
		})
		assert.NilError(t, w.Close())
		coyote.Returned(t, h)
	}
}
