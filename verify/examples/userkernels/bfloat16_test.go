package userkernels_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

// Small integers: bfloat16 holds them and all their sums, so that the order in
// which an allreduce adds does not matter.
func TestAllReduceOfBFloat16(t *testing.T) {
	const size, count = 4, 5000
	operand := func(rank, i int) float32 { return float32((i+17*rank)%61 - 30) }
	run(t, "bf16", size, func(ctx context.Context, r engine) error {
		src, dst, err := pair[accl.BFloat16](ctx, r, count)
		if err != nil {
			return err
		}
		for i := range src.Host() {
			src.Host()[i] = accl.ToBFloat16(operand(r.Rank(), i))
		}
		if _, err := r.AllReduce(ctx, src, dst, count, accl.Sum); err != nil {
			return err
		}
		for i, got := range dst.Host() {
			var want float32
			for rank := range size {
				want += operand(rank, i)
			}
			if got.Float32() != want {
				return fmt.Errorf("rank %d, element %d: %v, not %v", r.Rank(), i, got, want)
			}
		}
		return nil
	})
}

// Data in memory is float32, and bfloat16 on the wire and where it is reduced. Each
// operand is rounded once, mostly up, to an integer whose sums are exact.
func TestAllReduceOfFloat32CompressedToBFloat16(t *testing.T) {
	const size, count = 3, 3000
	operand := func(rank, i int) float32 { return 33 + float32((i+5*rank)%31) - 0.002*float32(i%50) }
	run(t, "bf16", size, func(ctx context.Context, r engine) error {
		src, dst, err := pair[float32](ctx, r, count)
		if err != nil {
			return err
		}
		for i := range src.Host() {
			src.Host()[i] = operand(r.Rank(), i)
		}
		if _, err := r.AllReduce(ctx, src, dst, count, accl.Sum, accl.Compress(accl.TypeBFloat16)); err != nil {
			return err
		}
		for i, got := range dst.Host() {
			var want float32
			for rank := range size {
				want += accl.ToBFloat16(operand(rank, i)).Float32()
			}
			if got != want {
				return fmt.Errorf("rank %d, element %d: %v, not %v", r.Rank(), i, got, want)
			}
		}
		return nil
	})
}

// With any operands the result is one of those that an order of addition gives.
func TestAllReduceOfAnyBFloat16RoundsEachSum(t *testing.T) {
	const size, count = 3, 4000
	random := rand.New(rand.NewPCG(16, 0))
	var operands [size][]accl.BFloat16
	for rank := range operands {
		for range count {
			operands[rank] = append(operands[rank], accl.ToBFloat16(float32(random.NormFloat64())))
		}
	}
	sum := func(a, b accl.BFloat16) accl.BFloat16 { return accl.ToBFloat16(a.Float32() + b.Float32()) }
	run(t, "bf16", size, func(ctx context.Context, r engine) error {
		src, dst, err := pair[accl.BFloat16](ctx, r, count)
		if err != nil {
			return err
		}
		copy(src.Host(), operands[r.Rank()])
		if _, err := r.AllReduce(ctx, src, dst, count, accl.Sum); err != nil {
			return err
		}
		for i, got := range dst.Host() {
			a, b, c := operands[0][i], operands[1][i], operands[2][i]
			if got != sum(sum(a, b), c) && got != sum(sum(a, c), b) && got != sum(sum(b, c), a) {
				return fmt.Errorf("rank %d, element %d: %v of %v, %v and %v", r.Rank(), i, got, a, b, c)
			}
		}
		return nil
	})
}
