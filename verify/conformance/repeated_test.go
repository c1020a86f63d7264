package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

// TestRepeated makes calls that say the same again and again, on other data, and some of them in other buffers or of
// other lengths: firmware remembers what it did. In between, what it depends on changes now and then.
func TestRepeated(t *testing.T) { repeated(t, all) }

func repeated(t *testing.T, on where) {
	const calls, changes = 4, 8
	for _, name := range on.of(generations...) {
		for _, n := range []int{1, 2, 3, 4, 6, 8} {
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				ctx := limited(t, 2*time.Minute)
				rng := random(t)
				b := on.bench(ctx, t, randomSetup(t, rng, name, n))
				var past []conformance.Case
				for range on.times(3) {
					for _, op := range conformance.Operations(b.p) {
						c := lossless(rng, b.p, n, op)
						if c.Count = min(c.Count, 1+rng.IntN(1000)); c.MayLose(b.p) { // a message that was not eager before
							continue
						}
						past = append(past, c)
						for range calls {
							c.Seed = rng.Int64()
							b.run(ctx, c)
							// What is remembered is fitted to other numbers of elements, in other buffers.
							fit := c
							fit.Count, fit.Pad = 1+rng.IntN(2*c.Count+1), rng.IntN(100)
							fit.InPlace = c.MayBeInPlace(b.p) && rng.IntN(2) == 0
							if rng.IntN(2) == 0 && !fit.MayLose(b.p) {
								b.run(ctx, fit)
							}
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

// emulated is a world in this process whose engines tests can look into, and all of it opened.
func emulated(ctx context.Context, t *testing.T, platform string, ranks int) (*world.World, []*accl.Engine) {
	t.Helper()
	d := designtest.Load(t, platform, nil)
	p := driverview.Of(d)
	w, err := world.New(ctx, d, ranks, world.Options{})
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, w.Close())
	})
	engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks())
	assert.NilError(t, err)
	return w, engines
}

// executed is how many instructions firmware of a rank of an emulated world has executed.
func executed(w *world.World, rank int) uint64 {
	return w.Engine(rank).(*emu.Engine).Stats().Instructions
}

// TestPlans has the third call that says the same, and all after it but one, cost firmware less
// than half of what the first one did: events of a busy machine may come between. With windows, the best of them costs
// less than five sixths: who waits for another rank looks again and again for what it says.
func TestPlans(t *testing.T) {
	for _, name := range generations {
		t.Run(name, func(t *testing.T) {
			plans(t, name, 16, func(first uint64, later []uint64) bool {
				slices.Sort(later)
				return 2*later[len(later)-2] < first
			})
		})
	}
	for _, name := range []string{"u55c_tcp", "u55c_rdma"} {
		t.Run(name+"/windows", func(t *testing.T) {
			plans(t, name, 2048, func(first uint64, later []uint64) bool { return 6*slices.Min(later) < 5*first })
		})
	}
}

func plans(t *testing.T, name string, count int, cheap func(first uint64, later []uint64) bool) {
	const ranks = 4
	ctx := limited(t, time.Minute)
	w, engines := emulated(ctx, t, name, ranks)
	for _, e := range engines {
		if bytes := e.Platform().RxBuffers.Bytes; 4*count > bytes {
			assert.NilError(t, e.SetMaxEager(ctx, uint32(bytes)))
		}
	}
	executedByAll := func() (n [ranks]uint64) {
		for i := range n {
			n[i] = executed(w, i)
		}
		return n
	}
	for _, op := range conformance.Operations(engines[0].Platform()) {
		if !engines[0].Platform().Operation(op).Collective {
			continue
		}
		c := conformance.Plain(engines[0].Platform(), op, accl.TypeInt32, count)
		c.FromFPGA, c.ToFPGA = c.Op0 != "", c.Res != ""
		var took [ranks][]uint64
		for call := range 8 {
			before := executedByAll()
			c.Seed = int64(call)
			assert.NilError(t, c.Run(ctx, engines), "%s, call %d", op, call)
			after := executedByAll()
			for rank := range ranks {
				took[rank] = append(took[rank], after[rank]-before[rank])
			}
		}
		for rank, n := range took {
			assert.Check(t, cheap(n[0], n[2:]), "%s of rank %d: instructions of calls are %d", op, rank, n)
		}
	}
}

// said is a call as firmware tells calls apart.
type said struct {
	op       string
	src, dst int // which of three buffers; the last one crosses an address of 32 bits
	n, root  int
	f        accl.Func
	reversed bool // in a communicator of its own
	moved    bool // rank 1 alone has the other buffers
	options  []accl.Option
}

// of is the buffer of a rank.
func (s said) of(rank, which int) int {
	if s.moved && rank == 1 {
		return 1 - which
	}
	return which
}

// TestPlansAreOfOneCall changes one thing that a call says, when there is a plan for the call.
func TestPlansAreOfOneCall(t *testing.T) {
	t.Run("messages", func(t *testing.T) { plansOfOneCall(t, 16, 64) })
	t.Run("windows", func(t *testing.T) { plansOfOneCall(t, 1600, 6400) })
}

func plansOfOneCall(t *testing.T, few, most int) {
	const ranks = 3
	changes := []struct {
		what string
		to   func(*said)
	}{
		{"the source", func(s *said) { s.src = 1 }},
		{"the destination", func(s *said) { s.dst = 1 }},
		{"the source, across 8 GiB,", func(s *said) { s.src = 2 }},
		{"the destination, across 4 GiB,", func(s *said) { s.dst = 2 }},
		{"the buffers of another rank", func(s *said) { s.moved = true }},
		{"the count", func(s *said) { s.n = most }},
		{"the root", func(s *said) { s.root = 2 }},
		{"the function", func(s *said) { s.f = accl.Max }},
		{"the communicator", func(s *said) { s.reversed = true }},
		{"compression", func(s *said) { s.options = []accl.Option{accl.Compress(accl.TypeFloat16)} }},
		{"nothing", func(*said) {}},
	}
	ctx := limited(t, time.Minute)
	_, engines := emulated(ctx, t, "u55c_tcp", ranks)
	var src, dst [ranks][3]*accl.Buffer[float32]
	var world, reversed [ranks]*accl.Comm
	for r, e := range engines {
		err := e.SetMaxEager(ctx, uint32(e.Platform().RxBuffers.Bytes))
		assert.NilError(t, err)
		world[r] = e.World()
		reversed[r], err = e.Split(ctx, []int{2, 1, 0})
		assert.NilError(t, err)
		for k, b := range []*[3]*accl.Buffer[float32]{&src[r], &dst[r]} {
			for i := range b {
				var options []accl.AllocOption
				if i == 2 {
					options = append(options, accl.At(uint64(2-k)<<32-32))
				}
				b[i], err = accl.Alloc[float32](ctx, e, ranks*most, options...)
				assert.NilError(t, err)
			}
		}
	}
	calls := 0
	do := func(what string, s said) {
		t.Helper()
		calls++
		from := func(r int) int { return s.of(r, s.src) }
		to := func(r int) int { return s.of(r, s.dst) }
		value := func(rank, k, which int) float32 { return float32((7*calls + 31*rank + 3*k + 11*which) % 97) }
		var all sync.WaitGroup
		errs := make([]error, ranks)
		for r := range ranks {
			for i := range src[r] {
				for k := range ranks * most {
					src[r][i].Host()[k], dst[r][i].Host()[k] = value(r, k, i), -1
				}
			}
			comm := world[r]
			if s.reversed {
				comm = reversed[r]
			}
			all.Go(func() {
				switch s.op {
				case "bcast":
					_, errs[r] = comm.Bcast(ctx, src[r][from(r)], s.n, accl.Peer(s.root), s.options...)
				case "reduce":
					_, errs[r] = comm.Reduce(ctx, src[r][from(r)], dst[r][to(r)], s.n, accl.Peer(s.root), s.f, s.options...)
				case "allgather":
					_, errs[r] = comm.AllGather(ctx, src[r][from(r)], dst[r][to(r)], s.n, s.options...)
				}
			})
		}
		all.Wait()
		assert.NilError(t, errors.Join(errs...), "%s, %s", s.op, what)
		root := s.root
		if s.reversed {
			root = ranks - 1 - root
		}
		for k := range s.n {
			want := value(root, k, from(root))
			for r := range ranks {
				if s.op == "reduce" && r != root {
					if got := value(r, k, from(r)); s.f == accl.Max {
						want = max(want, got)
					} else {
						want += got
					}
				}
			}
			for r := range ranks {
				for q := range ranks {
					of := q
					if s.reversed {
						of = ranks - 1 - q
					}
					if got := dst[r][to(r)].Host()[q*s.n+k]; s.op == "allgather" && got != value(of, k, from(of)) {
						t.Fatalf("%s with %s changed: element %d of block %d of rank %d is %v", s.op, what, k, q, r, got)
					}
				}
				if s.op == "reduce" && r == root && dst[r][to(r)].Host()[k] != want {
					t.Fatalf("%s with %s changed: element %d of rank %d is %v, not %v", s.op, what, k, r, dst[r][to(r)].Host()[k],
						want)
				}
				if s.op == "bcast" && src[r][from(r)].Host()[k] != want {
					t.Fatalf("%s with %s changed: element %d of rank %d is %v, not %v", s.op, what, k, r, src[r][from(r)].Host()[k],
						want)
				}
			}
		}
	}
	for _, op := range []string{"bcast", "reduce", "allgather"} {
		usual := said{op: op, n: few, f: accl.Sum}
		for _, change := range changes {
			for range 4 {
				do(change.what, usual)
			}
			other := usual
			change.to(&other)
			for range 4 {
				do(change.what, other)
			}
		}
	}
}
