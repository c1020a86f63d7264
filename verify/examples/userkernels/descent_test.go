package userkernels_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

// The kernel streams its operand into an allreduce and takes the result from a stream.
// The weights of all ranks go towards the mean of their targets: each step of this
// rate halves the distance. All numbers are exact.
func TestRanksAgreeOnTheMeanOfTheirTargets(t *testing.T) {
	const size, count, steps = 4, 1000, 6
	const rate = 0.5 / size
	target := func(rank, i int) float32 { return float32((i + 100*rank) % 64) }
	run(t, "descent", size, func(ctx context.Context, r engine) error {
		weights, targets, err := pair[float32](ctx, r, count)
		if err != nil {
			return err
		}
		for i := range targets.Host() {
			targets.Host()[i] = target(r.Rank(), i)
		}
		for _, b := range []*accl.Buffer[float32]{weights, targets} {
			if err := b.SyncToDevice(ctx); err != nil {
				return err
			}
		}
		config, err := r.ConfigAddress(accl.TypeFloat32, accl.TypeFloat32)
		if err != nil {
			return err
		}
		if err := accl.CallKernel(ctx, r.card, "descent", weights.Address(), targets.Address(), count, steps,
			uint64(math.Float32bits(rate)), uint64(r.World().Address()), uint64(config)); err != nil {
			return err
		}
		if err := weights.SyncFromDevice(ctx); err != nil {
			return err
		}
		for i, got := range weights.Host() {
			var mean float32
			for rank := range size {
				mean += target(rank, i) / size
			}
			if want := mean * (1 - 1.0/(1<<steps)); got != want {
				return fmt.Errorf("rank %d, weight %d: %v, not %v", r.Rank(), i, got, want)
			}
		}
		return nil
	})
}
