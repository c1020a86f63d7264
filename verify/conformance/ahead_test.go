package conformance_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
)

// TestAskedOnce has ranks of which none waits for the others call collectives of many eager
// messages one after another, each of which asks its neighbours once: who is ahead fills rx
// buffers of who is behind, whom that must not lock up.
func TestAskedOnce(t *testing.T) {
	ops := []string{"alltoall", "allreduce", "allgather", "alltoall", "reduce_scatter"}
	for _, n := range nightly.Of([]int{2, 3, 7}, []int{2, 3, 5, 6, 7, 8, 10}) {
		for _, buffers := range []accl.RxBuffers{{Count: 32, Bytes: 4096}, {Count: 32, Bytes: 1536},
			{Count: 16, Bytes: 4096}} {
			t.Run(fmt.Sprintf("%d/%dx%d", n, buffers.Count, buffers.Bytes), func(t *testing.T) {
				if testing.Short() && n > 3 {
					t.Skip("short")
				}
				ctx := limited(t, time.Minute)
				l := limits{RxBuffers: buffers, MaxEager: 1 << 20, MaxRendezvous: 2 << 20}
				b := all.bench(ctx, t, l.of(setup{platform: "u55c_tcp", ranks: n}))
				count := 3 * buffers.Count * buffers.Bytes / 4 / n // of a rank's block
				var calls []*conformance.Prepared
				for i := range 2 * len(ops) {
					op := ops[i%len(ops)]
					c := conformance.Case{Op: op, Op0: accl.TypeFloat32, Res: accl.TypeFloat32, Count: count + 5, Func: accl.Sum,
						Seed: int64(i)}
					if op == "allreduce" {
						c.Count *= n
					}
					if i >= len(ops) {
						c.Wire = accl.TypeFloat16
					}
					p, err := c.Prepare(ctx, b.engines)
					assert.NilError(t, err)
					calls = append(calls, p)
				}
				var ranks sync.WaitGroup
				for i, rank := range calls[0].Ranks() {
					ranks.Go(func() {
						for k, p := range calls {
							if (rank+k)%4 == 0 {
								time.Sleep(time.Duration(rank) * time.Millisecond / 4)
							}
							if err := p.Call(ctx, i); err != nil {
								p.Failed(i, fmt.Errorf("%s: %w", ops[k%len(ops)], err))
								return
							}
						}
					})
				}
				ranks.Wait()
				var errs []error
				for _, p := range calls {
					errs = append(errs, p.Finish(ctx))
				}
				assert.NilError(t, errors.Join(errs...))
			})
		}
	}
}
