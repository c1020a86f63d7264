package userkernels_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

// Kernels send to each other; the host only starts them. The kernel is the shipped vadd_put.
func TestKernelsExchangeData(t *testing.T) {
	const count = 5000
	run(t, "vadd", 2, func(ctx context.Context, r engine) error {
		src, dst, err := pair[float32](ctx, r, count)
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
		if err := accl.CallKernel(ctx, r.card, "vadd_put",
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
