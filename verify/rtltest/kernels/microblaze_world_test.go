package kernels

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
)

// The whole firmware runs on it: operations between two cards.
func TestWorldWithMicroBlaze(t *testing.T) {
	nightly.Only(t)
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	d := designtest.Made(t, "w", map[string]string{"w.hcl": `platform "w" {
  board = "u55c"
  cclo {
    processor = "microblaze_v"
  }
  poe "udp" {}
  arithmetic "reduce_ops" {}
}
`})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	b := rtlsim.Build{Careful: true}
	library, err := rtlsim.Library(ctx, d, b)
	assert.NilError(t, err)
	clock := rtlsim.NewClock()
	cards := &rtlsim.Cards{Options: func(int) rtlsim.Options {
		return rtlsim.Options{Library: library, Build: b, Seed: 1, Clock: clock}
	}}
	w, err := world.New(ctx, d, 2, world.Options{Maker: cards.Maker})
	assert.NilError(t, err)
	defer w.Close()
	p := driverview.Of(d)
	engines := make([]*accl.Engine, w.Size())
	each(ctx, t, func(ctx context.Context, rank int) (err error) {
		engines[rank], err = accl.Open(ctx, w.Device(rank), &p, w.Ranks(), rank)
		return err
	})
	each(ctx, t, func(ctx context.Context, rank int) error { return operations(ctx, engines[rank], rank) })
	for rank := range engines {
		t.Logf("card %d has run %d cycles", rank, w.Engine(rank).(interface{ Cycle() uint64 }).Cycle())
	}
}

// operations are one after the other: all that the two ranks do at the same time.
func operations(ctx context.Context, e *accl.Engine, rank int) error {
	const n = 700 // several packets, the last one not full
	src, err := accl.Alloc[float32](ctx, e, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[float32](ctx, e, n)
	if err != nil {
		return err
	}
	value := func(rank, k int) float32 { return float32(k * (rank + 1)) }
	for _, o := range []struct {
		name string
		run  func() (*accl.Request, error)
		want func(k int) float32
	}{
		{"copy", func() (*accl.Request, error) { return e.Copy(ctx, src, dst, n) },
			func(k int) float32 { return value(rank, k) }},
		{"barrier", func() (*accl.Request, error) { return e.Barrier(ctx) }, nil},
		{"send and receive", func() (*accl.Request, error) {
			if rank == 0 {
				return e.Send(ctx, src, n, 1)
			}
			return e.Recv(ctx, dst, n, 0)
		}, func(k int) float32 { return value(0, k) }},
		{"sum", func() (*accl.Request, error) { return e.AllReduce(ctx, src, dst, n, accl.Sum) },
			func(k int) float32 { return value(0, k) + value(1, k) }},
		{"sum on rank 1", func() (*accl.Request, error) { return e.Reduce(ctx, src, dst, n, 1, accl.Sum) },
			func(k int) float32 { return value(0, k) + value(1, k) }},
		{"broadcast", func() (*accl.Request, error) { return e.Bcast(ctx, src, n, 1) }, nil},
	} {
		for k := range src.Host() {
			src.Host()[k], dst.Host()[k] = value(rank, k), -1
		}
		if _, err := o.run(); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		got := dst.Host()
		if o.name == "broadcast" {
			got, o.want = src.Host(), func(k int) float32 { return value(1, k) }
		}
		if o.want == nil || rank == 0 && (o.name == "send and receive" || o.name == "sum on rank 1") {
			continue
		}
		for k, v := range got {
			if v != o.want(k) {
				return fmt.Errorf("%s: element %d is %v, not %v", o.name, k, v, o.want(k))
			}
		}
	}
	return nil
}

// each runs on both ranks at once.
func each(ctx context.Context, t *testing.T, do func(ctx context.Context, rank int) error) {
	t.Helper()
	ranktest.All(t, 2, func(rank int) error { return do(ctx, rank) })
}
