package emu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conform"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

// TestOperationsThroughReferencePlugins runs every operation with the shipped plugins in
// C++, with all the rest at random, against the reference model.
func TestOperationsThroughReferencePlugins(t *testing.T) {
	d := load(t, layer(t), "reference")
	p := driverview.Of(d)
	for ranks := 1; ranks <= 4; ranks++ {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			ctx := limited(t)
			rng := rand.New(rand.NewPCG(uint64(ranks), 6))
			o := world.Options{Engine: emu.Options{OnFault: func(err error) { t.Error(err) }}}
			w, engines := start(ctx, t, d, ranks, o, accl.WithRxBuffers(64, 512), accl.WithMaxEager(2000), accl.WithMaxRendezvous(9000))
			for range 6 {
				for _, op := range conform.Operations(&p) {
					c := conform.RandomOp(rng, &p, ranks, op)
					c.Count = min(c.Count, 3000+rng.IntN(3000))
					if err := c.Run(ctx, engines); err != nil {
						t.Fatal(err)
					}
				}
			}
			for rank := range ranks {
				kernels := w.Engine(rank).Stats().Kernels
				if len(kernels) != 4 {
					t.Fatalf("rank %d has the kernels %+v", rank, kernels)
				}
				for _, k := range kernels {
					for _, s := range k.Streams {
						if s.Beats == 0 {
							t.Errorf("rank %d: nothing has passed %s of %s", rank, s.Name, k.Instance)
						}
					}
				}
			}
		})
	}
}
