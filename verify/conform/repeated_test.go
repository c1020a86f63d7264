package conform_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conform"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

// TestRepeated makes calls that say the same again and again, on other data: firmware
// remembers what it did. In between, what it depends on changes now and then.
func TestRepeated(t *testing.T) { repeated(t, all) }

func repeated(t *testing.T, on where) {
	const calls, changes = 4, 8
	for _, name := range on.of(generations...) {
		for _, n := range []int{1, 2, 3, 4, 6, 8} {
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				ctx := limited(t, 2*time.Minute)
				rng := random(t)
				b := on.bench(ctx, t, randomSetup(t, rng, name, n))
				var past []conform.Case
				for range on.times(3) {
					for _, op := range conform.Operations(b.p) {
						c := lossless(rng, b.p, n, op)
						if c.Count = min(c.Count, 1+rng.IntN(1000)); c.MayLose(b.p) { // a message that was not eager before
							continue
						}
						past = append(past, c)
						for range calls {
							c.Seed = rng.Int64()
							b.run(ctx, c)
							if len(past) > 1 && rng.IntN(changes) == 0 {
								other := past[rng.IntN(len(past))]
								other.Seed = rng.Int64()
								b.run(ctx, other)
							}
							if b.p.Features.Rendezvous && rng.IntN(changes) == 0 {
								limit := uint32(b.p.RxBuffers.Bytes + rng.IntN(b.p.Limits.MaxEagerBytes-b.p.RxBuffers.Bytes+1))
								b.each(func(_ int, e *accl.Engine) error { return e.SetMaxEager(ctx, limit) })
							}
						}
					}
				}
			})
		}
	}
}

// TestPlans has the third call that says the same, and all after it, cost firmware less
// than half of what the first one did.
func TestPlans(t *testing.T) {
	const ranks = 4
	for _, name := range []string{"u280_manual", "u280_2022", "u55c_udp", "u55c_tcp", "u55c_rdma"} {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			d := designtest.Load(t, name, nil)
			p := driverview.Of(d)
			w, err := world.New(ctx, d, ranks, world.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			})
			engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks())
			if err != nil {
				t.Fatal(err)
			}
			executed := func() (n [ranks]uint64) {
				for i := range n {
					n[i] = w.Engine(i).(*emu.Engine).Stats().Instructions
				}
				return n
			}
			for _, op := range conform.Operations(&p) {
				if conform.TraitsOf(op).Local || slices.Contains([]string{"nop", "send", "stream_put"}, op) {
					continue
				}
				c := conform.Plain(op, accl.TypeInt32, 16)
				c.FromFPGA, c.ToFPGA = c.Op0 != "", c.Res != ""
				var first [ranks]uint64
				for call := range 5 {
					before := executed()
					c.Seed = int64(call)
					if err := c.Run(ctx, engines); err != nil {
						t.Fatalf("%s, call %d: %v", op, call, err)
					}
					after := executed()
					for rank := range ranks {
						took := after[rank] - before[rank]
						if call == 0 {
							first[rank] = took
						}
						if call > 1 && 2*took >= first[rank] {
							t.Errorf("%s, call %d of rank %d: %d instructions, the first one %d", op, call, rank, took, first[rank])
						}
					}
				}
			}
		})
	}
}
