package conformance_test

import (
	"bytes"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// TestScans runs scan and exscan with anything else that they may have.
func TestScans(t *testing.T) {
	for _, name := range []string{"u55c_udp", "u55c_tcp", "u55c_rdma"} {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			rng := random(t)
			for _, n := range []int{1, 2, 3, 6} {
				b := all.bench(ctx, t, randomSetup(t, rng, name, n))
				for range 20 {
					for _, op := range []string{"scan", "exscan", "reduce_scatter"} {
						b.run(ctx, conformance.RandomOp(rng, b.p, n, op))
					}
				}
			}
		})
	}
}

// TestExScanLeavesTheResultOfRank0 as it is, the host's copy and the device's, as MPI does.
func TestExScanLeavesTheResultOfRank0(t *testing.T) {
	const ranks, n = 3, 100
	ctx := limited(t, time.Minute)
	_, engines := emulated(ctx, t, "u55c_tcp", ranks)
	errs := make(chan error, ranks)
	for rank, e := range engines {
		src, err := accl.Alloc[int32](ctx, e, n)
		assert.NilError(t, err)
		dst, err := accl.AllocRaw(ctx, e, accl.TypeInt32, n)
		assert.NilError(t, err)
		for i := range n {
			dst.At(i)[0] = 0x5A
		}
		assert.NilError(t, dst.SyncToDevice(ctx))
		dst.At(0)[0] = 0x33 // the host's copy alone
		before := bytes.Clone(dst.Host())
		go func() {
			_, err := e.ExScan(ctx, src, dst, n, accl.Sum)
			if err == nil && rank == 0 && !bytes.Equal(dst.Host(), before) {
				t.Error("the host's copy has changed")
			}
			if err == nil && rank == 0 {
				err = dst.SyncFromDevice(ctx)
			}
			for i := range n {
				assert.Check(t, rank != 0 || dst.At(i)[0] == 0x5A, "element %d of the device's copy has changed", i)
			}
			errs <- err
		}()
	}
	for range ranks {
		assert.Check(t, <-errs)
	}
}
