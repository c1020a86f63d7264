package world

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// open configures all ranks at once, as their programs would.
func open(t *testing.T, w *World, p *accl.Platform, o ...accl.OpenOption) []*accl.Engine {
	t.Helper()
	engines := make([]*accl.Engine, w.Size())
	each(t, w.Size(), func(ctx context.Context, i int) error {
		var err error
		engines[i], err = accl.Open(ctx, w.Device(i), p, w.Ranks(), i, o...)
		return err
	})
	return engines
}

func each(t *testing.T, n int, do func(ctx context.Context, i int) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := do(ctx, i); err != nil {
				t.Errorf("rank %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// Every generation and every kind of network comes up and communicates.
func TestWorlds(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_axis3x", "u280_2022", "u280_manual"} {
		t.Run(name, func(t *testing.T) {
			d := designtest.Load(t, name, nil)
			p := driverview.Of(d)
			w, err := New(t.Context(), d, 3, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			engines := open(t, w, &p)
			const n = 1000
			each(t, 3, func(ctx context.Context, i int) error {
				e := engines[i]
				src, err := accl.Alloc[float32](ctx, e, n)
				if err != nil {
					return err
				}
				dst, err := accl.Alloc[float32](ctx, e, n)
				if err != nil {
					return err
				}
				for k := range src.Host() {
					src.Host()[k] = float32(k * (i + 1))
				}
				if _, err := e.AllReduce(ctx, src, dst, n, accl.Sum); err != nil {
					return err
				}
				for k, v := range dst.Host() {
					if v != float32(6*k) {
						t.Errorf("rank %d element %d: %v, not %v", i, k, v, 6*k)
						break
					}
				}
				return nil
			})
		})
	}
}
