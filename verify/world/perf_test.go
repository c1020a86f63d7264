package world

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

func BenchmarkAllReduce(b *testing.B) {
	d := designtest.Load(b, "u55c_tcp", nil)
	p := driverview.Of(d)
	w, err := New(b.Context(), d, 4, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	engines := make([]*accl.Engine, 4)
	var wg sync.WaitGroup
	all := func(do func(i int) error) {
		for i := range 4 {
			wg.Go(func() {
				if err := do(i); err != nil {
					b.Error(i, err)
				}
			})
		}
		wg.Wait()
	}
	all(func(i int) (err error) { engines[i], err = accl.Open(b.Context(), w.Device(i), &p, w.Ranks(), i); return })
	b.Run("nop", func(b *testing.B) {
		for range b.N {
			engines[0].Nop(b.Context())
		}
	})
	for _, n := range []int{1, 256, 4096, 65536, 1 << 20, 4 << 20} {
		b.Run(fmt.Sprint(4*n), func(b *testing.B) {
			src := make([]*accl.Buffer[float32], 4)
			dst := make([]*accl.Buffer[float32], 4)
			all(func(i int) (err error) {
				if src[i], err = accl.Alloc[float32](context.Background(), engines[i], n); err != nil {
					return err
				}
				dst[i], err = accl.Alloc[float32](context.Background(), engines[i], n)
				return
			})
			b.SetBytes(int64(4 * n))
			b.ResetTimer()
			all(func(i int) error {
				for range b.N {
					if _, err := engines[i].AllReduce(b.Context(), src[i], dst[i], n, accl.Sum, accl.FromFPGA(), accl.ToFPGA()); err != nil {
						return err
					}
				}
				return nil
			})
			b.StopTimer()
			all(func(i int) error { return src[i].Free() })
			all(func(i int) error { return dst[i].Free() })
		})
	}
}
