package conform_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conform"
)

// patience is how long ranks wait for each other where some of them make mistakes.
const patience = 300 * time.Millisecond

// TestMistakes has ranks make mistakes in what they call: no data is wrong, every rank is told, and after
// Recover all is well.
func TestMistakes(t *testing.T) { mistakes(t, all) }

func mistakes(t *testing.T, on where) {
	for _, name := range on.of(generations...) {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, 5*time.Minute)
			b := on.bench(ctx, t, setup{platform: name, ranks: 4, edit: small, world: impatient(patience)})
			rng := random(t)
			for range on.times(40) {
				m := conform.RandomMismatch(rng, b.p, len(b.engines))
				if err := m.Run(ctx, b.engines, b.gone()); err != nil {
					t.Fatal(err)
				}
				if err := conform.Recover(ctx, b.engines); err != nil {
					t.Fatalf("after %s: %v", m.What, err)
				}
				b.tryThrice(ctx, conform.RandomCollective(rng, b.p, len(b.engines)))
			}
		})
	}
}

// TestAtOnce has rank 3 make another call than the others: they are told at once, not when the limit is over,
// which is long here.
func TestAtOnce(t *testing.T) { atOnce(t, all) }

func atOnce(t *testing.T, on where) {
	for _, name := range on.of(generations...) {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			b := on.bench(ctx, t, setup{platform: name, ranks: 4, edit: small})
			whole := conform.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 1000}
			rooted := conform.Case{Op: "bcast", Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 1000}
			for _, test := range []struct {
				name   string
				c      conform.Case
				change func(*conform.Case)
			}{
				{"count", whole, func(c *conform.Case) { c.Count = 100 }},
				{"large count", whole, func(c *conform.Case) { c.Count = 20000 }},
				{"element type", whole, func(c *conform.Case) { c.Op0, c.Res = accl.TypeFloat32, accl.TypeFloat32 }},
				{"function", whole, func(c *conform.Case) { c.Func = accl.Max }},
				{"operation", whole, func(c *conform.Case) { c.Op = "reduce_scatter" }},
				{"type of what is only moved", rooted, func(c *conform.Case) { c.Op0, c.Res = accl.TypeFloat32, accl.TypeFloat32 }},
				{"root", rooted, func(c *conform.Case) { c.Root = 3 }},
			} {
				other, last := test.c, whole
				test.change(&other)
				last.Count++
				m := conform.Mismatch{What: test.name, Calls: [][]conform.Case{{test.c, last}, {test.c, last}, {test.c, last}, {other, last}}}
				if err := m.Run(ctx, b.engines, b.code("COLLECTIVE_MISMATCH")); err != nil {
					t.Fatal(err)
				}
				if err := conform.Recover(ctx, b.engines); err != nil {
					t.Fatal(err)
				}
				b.run(ctx, test.c)
			}
		})
	}
}

// TestLeftOut is what users have seen: a rank leaves a collective out, and waits until the others have given
// up; then all make the same call.
func TestLeftOut(t *testing.T) { leftOut(t, all) }

func leftOut(t *testing.T, on where) {
	for _, name := range on.of("u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022", "u280_manual") {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			b := on.bench(ctx, t, setup{platform: name, ranks: 4, edit: small, world: impatient(patience)})
			c := conform.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeFloat32, Res: accl.TypeFloat32, Count: 1000, Seed: 1}
			b.tryThrice(ctx, c)
			first := conform.Mismatch{What: "rank 3 leaves a call out", Calls: [][]conform.Case{{c}, {c}, {c}, {}}}
			if err := first.Run(ctx, b.engines, b.gone()); err != nil {
				t.Fatal(err)
			}
			c.Seed = 2
			second := conform.Mismatch{What: "all make the next one", Calls: [][]conform.Case{{c}, {c}, {c}, {c}}}
			if err := second.Run(ctx, b.engines, b.code("COLLECTIVE_MISMATCH")); err != nil {
				t.Fatal(err)
			}
			pair := conform.Case{Op: "allreduce", Func: accl.Max, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 77, Members: []int{3, 0}}
			b.tryThrice(ctx, pair) // another communicator
			for rank, err := range b.everywhere(func(_ int, e *accl.Engine) error {
				buffer, err := accl.Alloc[int32](ctx, e, 1)
				if err != nil {
					return err
				}
				defer buffer.Free()
				_, err = e.Bcast(ctx, buffer, 1, 0)
				return err
			}) {
				if !errors.Is(err, accl.ErrBroken) || !strings.Contains(err.Error(), "Recover") {
					t.Errorf("rank %d: %v", rank, err)
				}
			}
			if err := conform.Recover(ctx, b.engines); err != nil {
				t.Fatal(err)
			}
			b.tryThrice(ctx, c)
		})
	}
}
