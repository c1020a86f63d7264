package emu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

// TestOperationsThroughReferencePlugins runs every operation with the shipped plugins in
// C++, with all the rest at random, against the reference model.
func TestOperationsThroughReferencePlugins(t *testing.T) {
	d := designtest.Of(t, layer(t), "reference", nil)
	p := driverview.Of(d)
	for ranks := 1; ranks <= 4; ranks++ {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			ctx := limited(t)
			rng := rand.New(rand.NewPCG(uint64(ranks), 6))
			o := world.Options{Engine: slow(emu.Options{OnFault: func(err error) { t.Error(err) }})}
			w, engines := start(ctx, t, d, ranks, o, accl.WithRxBuffers(64, 512), accl.WithMaxEager(2000),
				accl.WithMaxRendezvous(9000))
			for range 10 {
				for _, op := range conformance.Operations(&p) {
					c := conformance.RandomOp(rng, &p, ranks, op)
					c.Count = min(c.Count, 1000+rng.IntN(2000))
					assert.NilError(t, c.Run(ctx, engines))
				}
			}
			beats := map[string]uint64{} // of all ranks, by instance
			for rank := range ranks {
				for _, k := range w.Engine(rank).Stats().Kernels {
					beats[k.Instance] += k.Streams[0].Beats
				}
			}
			for _, instance := range []string{"arith_0", "compression_0_0", "compression_0_1", "compression_0_2"} {
				assert.Check(t, beats[instance] != 0, "nothing has passed %s", instance)
			}
		})
	}
}
