package world

import (
	"context"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// open configures all ranks at once, as their programs would.
func open(t *testing.T, w *World, p *accl.Platform, o ...accl.OpenOption) []*accl.Engine {
	t.Helper()
	engines := make([]*accl.Engine, w.Size())
	each(t, w.Size(), func(ctx context.Context, i int) error {
		var err error
		engines[i], err = accl.Open(ctx, w.Device(i), p, w.Ranks(), i, o...)
		return err
	})
	return engines
}

func each(t *testing.T, n int, do func(ctx context.Context, i int) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ranktest.All(t, n, func(i int) error { return do(ctx, i) })
}

// Every generation and every kind of network comes up and communicates.
func TestWorlds(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_axis3x", "u280_2022", "u280_manual"} {
		t.Run(name, func(t *testing.T) {
			d := designtest.Load(t, name, nil)
			p := driverview.Of(d)
			w, err := New(t.Context(), d, 3, Options{})
			assert.NilError(t, err)
			defer w.Close()
			engines := open(t, w, &p)
			each(t, 3, func(ctx context.Context, i int) error { return ranktest.Sum[float32](ctx, engines[i], 1000, 1) })
		})
	}
}
