package userkernels_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

const (
	unit  = 16
	count = 600 * unit
)

const top2 = accl.DType("top2")

// kept is what is left of gradients after they were compressed.
func kept(gradients []float32) []float32 {
	out := make([]float32, len(gradients))
	for at := 0; at < len(gradients); at += unit {
		places := make([]int, unit)
		for i := range places {
			places[i] = at + i
		}
		slices.SortStableFunc(places, func(i, j int) int {
			return cmp.Compare(math.Abs(float64(gradients[j])), math.Abs(float64(gradients[i])))
		})
		for _, i := range places[:2] {
			out[i] = accl.ToFloat16(gradients[i]).Float32()
		}
	}
	return out
}

func gradients(seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]float32, count)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

func differ(what string, got, want []float32) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("%s, element %d: %v, not %v", what, i, got[i], want[i])
		}
	}
	return nil
}

func TestCompressedGradientsAreSent(t *testing.T) {
	run(t, "topk", 2, func(ctx context.Context, r engine) error {
		b, err := accl.Alloc[float32](ctx, r.Engine, count)
		if err != nil {
			return err
		}
		if r.Rank() == 0 {
			copy(b.Host(), gradients(1))
			_, err := r.Send(ctx, b, count, 1, accl.Compress(top2))
			return err
		}
		if _, err := r.Recv(ctx, b, count, 0, accl.Compress(top2)); err != nil {
			return err
		}
		return differ("received", b.Host(), kept(gradients(1)))
	})
}

func TestCompressedGradientsAreBroadcast(t *testing.T) {
	run(t, "topk", 4, func(ctx context.Context, r engine) error {
		b, err := accl.Alloc[float32](ctx, r.Engine, count)
		if err != nil {
			return err
		}
		want := gradients(2)
		if r.Rank() == 1 {
			copy(b.Host(), want)
		} else {
			want = kept(want)
		}
		if _, err := r.Bcast(ctx, b, count, 1, accl.Compress(top2)); err != nil {
			return err
		}
		return differ(fmt.Sprintf("rank %d", r.Rank()), b.Host(), want)
	})
}

// Ranks that agree on the places of the largest gradients lose nothing on the way:
// the result is the exact sum, whatever was compressed when.
func TestCompressedGradientsAreReducedByAll(t *testing.T) {
	const size = 3
	operand := func(rank, i int) float32 {
		block := i / unit
		if i%unit != block%unit && i%unit != (block+5)%unit {
			return 0
		}
		return float32((i+rank*7)%100) - 50
	}
	run(t, "topk", size, func(ctx context.Context, r engine) error {
		src, dst, err := pair[float32](ctx, r, count)
		if err != nil {
			return err
		}
		want := make([]float32, count)
		for i := range want {
			src.Host()[i] = operand(r.Rank(), i)
			for rank := range size {
				want[i] += operand(rank, i)
			}
		}
		if _, err := r.AllReduce(ctx, src, dst, count, accl.Sum, accl.Compress(top2)); err != nil {
			return err
		}
		return differ(fmt.Sprintf("rank %d", r.Rank()), dst.Host(), want)
	})
}
