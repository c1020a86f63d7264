package conformance_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
)

// patience is how long ranks wait for each other where some of them make mistakes.
const patience = time.Second

// right runs a case that must be right, on engines that wait so little for each other that a busy machine may
// be too slow.
func (b *bench) right(ctx context.Context, c conformance.Case) {
	b.t.Helper()
	var err error
	for range 5 {
		if err = b.do(ctx, c); err == nil {
			return
		}
		if !b.tolerated(err) {
			break
		}
		b.recover(ctx)
	}
	b.t.Fatal(err)
}

// recover has all ranks recover, likewise.
func (b *bench) recover(ctx context.Context) {
	b.t.Helper()
	var err error
	for range 5 {
		if err = conformance.Recover(ctx, b.engines); err == nil {
			return
		}
	}
	b.t.Fatal(err)
}

// TestMistakes has ranks make mistakes in what they call: no data is wrong, every rank is told, at once where no
// message is lost, and after Recover all is well.
func TestMistakes(t *testing.T) { mistakes(t, all) }

func mistakes(t *testing.T, on where) {
	for _, name := range on.of(generations...) {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, 5*time.Minute)
			s := setup{platform: name, ranks: 8, edit: small}
			if on.name() != "process" {
				s.ranks = 4
			}
			lossy := driverview.Of(designtest.Load(t, name, nil)).Stack == "udp"
			if lossy {
				s.world = impatient(patience)
			}
			b := on.bench(ctx, t, s)
			rng, told := random(t), b.code("COLLECTIVE_MISMATCH")
			if lossy {
				told = b.gone()
			}
			for range on.times(40) {
				m := conformance.RandomMismatch(rng, b.p, len(b.engines))
				assert.NilError(t, m.Run(ctx, b.engines, told))
				b.recover(ctx)
				b.right(ctx, conformance.RandomCollective(rng, b.p, len(b.engines)))
			}
		})
	}
}

// TestAtOnce has rank 3 make another call than the others: they are told at once, not when the limit is over,
// which is long here.
func TestAtOnce(t *testing.T) { atOnce(t, all) }

func atOnce(t *testing.T, on where) {
	on.each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		b := on.bench(ctx, t, setup{platform: name, ranks: 4, edit: small})
		whole := conformance.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 1000}
		rooted := conformance.Case{Op: "bcast", Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 1000}
		type another struct {
			name   string
			c      conformance.Case
			change func(*conformance.Case)
		}
		others := []another{
			{"count", whole, func(c *conformance.Case) { c.Count = 100 }},
			{"large count", whole, func(c *conformance.Case) { c.Count = 20000 }},
			{"element type", whole, func(c *conformance.Case) { c.Op0, c.Res = accl.TypeFloat32, accl.TypeFloat32 }},
			{"function", whole, func(c *conformance.Case) { c.Func = accl.Max }},
			{"operation", whole, func(c *conformance.Case) { c.Op = "reduce_scatter" }},
			{"type of what is only moved", rooted,
				func(c *conformance.Case) { c.Op0, c.Res = accl.TypeFloat32, accl.TypeFloat32 }},
			{"root", rooted, func(c *conformance.Case) { c.Root = 3 }},
		}
		if _, here := on.way.(process); !here { // what firmware compares is the same on every way
			others = some(random(t), others, 1)
		}
		for _, test := range others {
			other, last := test.c, whole
			test.change(&other)
			last.Count++
			m := conformance.Mismatch{What: test.name, Calls: [][]conformance.Case{{test.c, last}, {test.c, last},
				{test.c, last}, {other, last}}}
			assert.NilError(t, m.Run(ctx, b.engines, b.code("COLLECTIVE_MISMATCH")))
			b.recover(ctx)
			b.run(ctx, test.c)
		}
	})
}

// TestLeftOut is what users have seen: a rank leaves a collective out, and waits until the others have given
// up; then all make the same call.
func TestLeftOut(t *testing.T) { leftOut(t, all) }

func leftOut(t *testing.T, on where) {
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		b := on.bench(ctx, t, setup{platform: name, ranks: 4, edit: small, world: impatient(patience)})
		c := conformance.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeFloat32, Res: accl.TypeFloat32,
			Count: 1000, Seed: 1}
		b.right(ctx, c)
		first := conformance.Mismatch{What: "rank 3 leaves a call out", Calls: [][]conformance.Case{{c}, {c}, {c}, {}}}
		assert.NilError(t, first.Run(ctx, b.engines, b.gone()))
		c.Seed = 2
		second := conformance.Mismatch{What: "all make the next one", Calls: [][]conformance.Case{{c}, {c}, {c}, {c}},
			Unnamed: true}
		assert.NilError(t, second.Run(ctx, b.engines, b.code("COLLECTIVE_MISMATCH")))
		pair := conformance.Case{Op: "allreduce", Func: accl.Max, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 77,
			Members: []int{3, 0}}
		b.right(ctx, pair) // another communicator
		for rank, err := range b.everywhere(func(_ int, e *accl.Engine) error {
			buffer, err := accl.Alloc[int32](ctx, e, 1)
			if err != nil {
				return err
			}
			defer buffer.Free()
			_, err = e.Bcast(ctx, buffer, 1, 0)
			return err
		}) {
			assert.Check(t, errors.Is(err, accl.ErrBroken) && strings.Contains(err.Error(), "Recover"),
				"rank %d: %v", rank, err)
		}
		b.recover(ctx)
		b.right(ctx, c)
	})
}

// TestResetWhileCut resets ranks while the network holds messages of a collective that has failed: they come
// behind the reset, with the sequence numbers of new ones, and are not taken for those.
func TestResetWhileCut(t *testing.T) {
	// others open sessions anew, for which the way must be whole
	all.waits().each(t, []string{"u55c_tcp", "u55c_rdma"}, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		b := all.bench(ctx, t, setup{platform: name, ranks: 4, edit: small, world: impatient(patience)})
		network := b.needsNetwork()
		for range all.times(10) {
			c := conformance.RandomCollective(rng, b.p, len(b.engines))
			c.Count = 1000
			b.right(ctx, c)
			network.Partition([]int{0, 2})
			if err := b.do(ctx, c); err != nil && !b.tolerated(err) {
				t.Fatal(err)
			}
			b.reset(ctx)
			network.Heal()
			c.Seed++
			b.right(ctx, c)
		}
	})
}
