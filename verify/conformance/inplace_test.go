package conformance_test

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// TestInPlace has operands and results share memory, as in nccl-tests: of one segment and
// of several, eager and not, as they are and compressed. A case that is prepared once gives
// the same twice.
func TestInPlace(t *testing.T) {
	for _, name := range generations {
		t.Run(name, func(t *testing.T) {
			const ranks = 3
			ctx := limited(t, time.Minute)
			_, engines := emulated(ctx, t, name, ranks)
			for _, op := range conformance.Operations(engines[0].Platform()) {
				c := conformance.Plain(engines[0].Platform(), op, accl.TypeFloat32, 0)
				c.InPlace, c.FromFPGA, c.ToFPGA, c.Root = true, true, true, 1
				if engines[0].Platform().Operation(op).InPlace != accl.InPlaceAllowed {
					assert.Check(t, is.ErrorIs(c.Run(ctx, engines), conformance.ErrCase), "%s in place", op)
					continue
				}
				for _, wire := range []accl.DType{"", accl.TypeFloat16} {
					for _, count := range []int{1, 300, 5000, 70001} {
						c.Wire, c.Count, c.Seed = wire, count, int64(count)
						assert.Check(t, c.Run(ctx, engines))
					}
				}
				c.Count = 300
				p, err := c.Prepare(ctx, engines)
				assert.NilError(t, err)
				for call := range 2 {
					if call > 0 {
						assert.Check(t, p.Refill(ctx))
					}
					done := make(chan error, ranks)
					for i := range ranks {
						go func() { done <- p.Call(ctx, i) }()
					}
					for range ranks {
						assert.Check(t, <-done, "%s", op)
					}
				}
				assert.Check(t, p.Finish(ctx))
			}
		})
	}
}
