// Package vadd_test is a worked example: kernels that send to each other. The host
// only starts them. The kernel is platforms/kernels/vadd_put.hpp.
package vadd_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/examples/ranks"
)

func TestKernelsExchangeData(t *testing.T) {
	const count = 5000
	ranks.Run(t, "vadd", 2, func(ctx context.Context, r ranks.Rank) error {
		src, err := accl.Alloc[float32](ctx, r.Engine, count)
		if err != nil {
			return err
		}
		dst, err := accl.Alloc[float32](ctx, r.Engine, count)
		if err != nil {
			return err
		}
		for i := range src.Host() {
			src.Host()[i] = float32(1000*r.Rank() + i)
		}
		if err := src.SyncToDevice(ctx); err != nil {
			return err
		}
		config, err := r.ConfigAddress(accl.TypeFloat32, accl.TypeFloat32)
		if err != nil {
			return err
		}
		other := 1 - r.Rank()
		if err := accl.CallKernel(ctx, r.Card, "vadd_put",
			src.Address(), dst.Address(), count, uint64(other), uint64(r.World().Address()), uint64(config)); err != nil {
			return err
		}
		if err := dst.SyncFromDevice(ctx); err != nil {
			return err
		}
		for i, got := range dst.Host() {
			if want := float32(1000*other + i + 1); got != want {
				return fmt.Errorf("rank %d, element %d: %v, not %v", r.Rank(), i, got, want)
			}
		}
		return nil
	})
}
