package ranktest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

// Sum adds up n elements of a rank with all others, so many times, and checks the results.
// All ranks of the world call it.
func Sum[T int32 | float32](ctx context.Context, e *accl.Engine, n, rounds int) error {
	src, err := accl.Alloc[T](ctx, e, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[T](ctx, e, n)
	if err != nil {
		return err
	}
	all := e.Size() * (e.Size() + 1) / 2
	for round := range rounds {
		for i := range src.Host() {
			src.Host()[i] = T((i + round) * (e.Rank() + 1))
		}
		if _, err := e.AllReduce(ctx, src, dst, n, accl.Sum); err != nil {
			return fmt.Errorf("round %d of %d elements: %w", round, n, err)
		}
		for i, v := range dst.Host() {
			if want := T((i + round) * all); v != want {
				return fmt.Errorf("round %d: element %d of %d is %v, not %v", round, i, n, v, want)
			}
		}
	}
	return nil
}

// Gather gathers n elements of each rank, and checks them. All ranks of the world call it.
func Gather(ctx context.Context, e *accl.Engine, n int) error {
	src, err := accl.Alloc[int32](ctx, e, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[int32](ctx, e, n*e.Size())
	if err != nil {
		return err
	}
	want := make([]int32, n*e.Size())
	for i := range want {
		want[i] = int32(i)
	}
	copy(src.Host(), want[n*e.Rank():])
	if _, err := e.AllGather(ctx, src, dst, n); err != nil {
		return err
	}
	if !slices.Equal(dst.Host(), want) {
		return errors.New("what is gathered is wrong")
	}
	return nil
}

// Combine adds up two buffers into a third one on one rank, and frees them. Each is
// allocated with its own options.
func Combine(ctx context.Context, e *accl.Engine, a, b, sum []accl.AllocOption) error {
	const n = 100
	var buffers []*accl.Buffer[int32]
	for _, o := range [][]accl.AllocOption{a, b, sum} {
		buf, err := accl.Alloc[int32](ctx, e, n, o...)
		if err != nil {
			return err
		}
		buffers = append(buffers, buf)
	}
	for i := range n {
		buffers[0].Host()[i], buffers[1].Host()[i] = int32(i), int32(1000*i)
	}
	if _, err := e.Combine(ctx, buffers[0], buffers[1], buffers[2], n, accl.Sum); err != nil {
		return err
	}
	for i, v := range buffers[2].Host() {
		if v != int32(1001*i) {
			return fmt.Errorf("element %d is %d, not %d", i, v, 1001*i)
		}
	}
	for _, buf := range buffers {
		if err := buf.Free(); err != nil {
			return err
		}
	}
	return nil
}
