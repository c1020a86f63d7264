package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestStreamedAllReduce reduces over all ranks what their kernels send, and gives the
// sums back to them, or to memory: kernels send and take at the same time.
func TestStreamedAllReduce(t *testing.T) {
	for _, name := range all.of("u55c_tcp", "u55c_udp", "u280_2022") {
		for _, ranks := range []int{1, 2, 3} {
			t.Run(fmt.Sprint(name, "/", ranks), func(t *testing.T) {
				ctx := limited(t, time.Minute)
				b := kernelBench(ctx, t, all, name, ranks)
				for round, n := range []int{1, 100, 20000} {
					streamedAllReduce(ctx, t, b, n, 10*round, accl.KernelStream(accl.TypeInt32))
					streamedAllReduce(ctx, t, b, n, 10*round+5, nil)
				}
				assert.Check(t, b.nothingLeft(ctx))
			})
		}
	}
}

// streamedAllReduce goes to the streams of all ranks, or to memory if to is nil.
func streamedAllReduce(ctx context.Context, t *testing.T, b *bench, n, k int, to accl.Operand) {
	t.Helper()
	want := func(i int) (sum int32) {
		for rank := range b.engines {
			sum += word(k+rank, i)
		}
		return sum
	}
	b.each(func(rank int, e *accl.Engine) error {
		dst := to
		var out *accl.Buffer[int32]
		if to == nil {
			out = alloc(ctx, t, e, n)
			dst = out
		}
		var sides errgroup.Group
		sides.Go(func() error { return b.push(ctx, rank, n, k+rank) })
		if to != nil {
			sides.Go(func() error { return b.pull(ctx, rank, n, 0, want) })
		}
		_, err := e.AllReduce(ctx, accl.KernelStream(accl.TypeInt32), dst, n, accl.Sum)
		if err := errors.Join(err, sides.Wait()); err != nil || out == nil {
			return err
		}
		for i, got := range out.Host()[:n] {
			if got != want(i) {
				return fmt.Errorf("element %d of %d is %d, not %d", i, n, got, want(i))
			}
		}
		return nil
	})
}

// TestStreamsOfSomeRanks has one rank of an allreduce take its operand from the
// kernel stream, and the others not: they go different ways, and all are told.
func TestStreamsOfSomeRanks(t *testing.T) {
	const limit = 300 * time.Millisecond
	all.waits().each(t, []string{"u55c_tcp", "u280_2022"}, func(ctx context.Context, t *testing.T, name string) {
		const ranks = 3
		b := all.bench(ctx, t, setup{platform: name, ranks: ranks, edit: small, world: impatient(limit)})
		for _, n := range []int{1, 5000} {
			for odd := range ranks {
				errs := b.everywhere(func(rank int, e *accl.Engine) error {
					src, dst := alloc(ctx, t, e, n), alloc(ctx, t, e, n)
					if rank != odd {
						_, err := e.AllReduce(ctx, src, dst, n, accl.Sum)
						return err
					}
					if _, err := e.Copy(ctx, src, accl.KernelStream(accl.TypeInt32), min(n, 1000)); err != nil {
						return err
					}
					_, err := e.AllReduce(ctx, accl.KernelStream(accl.TypeInt32), dst, n, accl.Sum)
					return err
				})
				for rank, err := range errs {
					var c *accl.CallError
					if !errors.As(err, &c) {
						t.Errorf("%d elements, rank %d is alone, rank %d: %v", n, odd, rank, err)
					}
				}
				b.reset(ctx)
				c := lossless(random(t, n, odd), b.p, ranks, "allreduce")
				c.StreamOp0, c.StreamRes = false, false // one stream still has what its call did not take
				if !b.try(ctx, c, 0) {
					t.Fatal("nothing works after a reset")
				}
			}
		}
	})
}
