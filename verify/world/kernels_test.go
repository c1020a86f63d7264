package world

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/hls"
)

// compiler skips a test where there is nothing to compile kernels with.
func compiler(t testing.TB) {
	t.Helper()
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
}

const vaddPlatform = `
platform "vadd" {
  board  = "u55c"
  abi    = "GENERATION"
  source = { vadd_put = "hls" }
  cclo { kernel_stream = "vadd_put" }
  poe "STACK" {}
  arithmetic "reduce_ops" {}
}
`

// Two ranks exchange data by the kernels beside their engines; the hosts only start
// these.
func TestVaddPutExchangesDataOfTwoRanks(t *testing.T) {
	for generation, stack := range map[string]string{"accl-2024": "tcp", "accl-2022": "udp"} {
		t.Run(generation, func(t *testing.T) {
			exchangeByKernels(t, strings.NewReplacer("GENERATION", generation, "STACK", stack).Replace(vaddPlatform))
		})
	}
}

func exchangeByKernels(t *testing.T, platform string) {
	compiler(t)
	d := designtest.Made(t, "vadd", map[string]string{"vadd.hcl": platform})
	p := driverview.Of(d)
	w, err := New(t.Context(), d, 2, Options{})
	assert.NilError(t, err)
	defer w.Close()
	engines := open(t, w, &p)
	for _, n := range []int{1, 16, 100, 5000} {
		each(t, 2, func(ctx context.Context, rank int) error {
			e := engines[rank]
			src, err := accl.Alloc[float32](ctx, e, n)
			if err != nil {
				return err
			}
			dst, err := accl.Alloc[float32](ctx, e, n)
			if err != nil {
				return err
			}
			for i := range src.Host() {
				src.Host()[i] = float32(1000*rank) + float32(i)/8
			}
			if err := src.SyncToDevice(ctx); err != nil {
				return err
			}
			config, err := e.ConfigAddress(accl.TypeFloat32, accl.TypeFloat32)
			if err != nil {
				return err
			}
			if err := accl.CallKernel(ctx, w.Device(rank), "vadd_put", src.Address(), dst.Address(), uint64(n), uint64(1-rank),
				uint64(e.World().Address()), uint64(config)); err != nil {
				return err
			}
			if err := dst.SyncFromDevice(ctx); err != nil {
				return err
			}
			for i, v := range dst.Host() {
				if want := float32(1000*(1-rank)) + float32(i)/8 + 1; v != want {
					t.Errorf("rank %d, element %d of %d: %v, not %v", rank, i, n, v, want)
					break
				}
			}
			return nil
		})
	}
	for rank := range 2 {
		k := w.Engine(rank).Stats().Kernels
		assert.Check(t, len(k) == 1 && k[0].Doing == "has ended call 4", "rank %d: %v", rank, k)
	}
}
