package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// Mismatch is what the ranks of a world call, each for itself: rows of collectives that are the same up to a
// mistake of some ranks.
type Mismatch struct {
	What    string   // the mistake
	Calls   [][]Case // by rank, in order
	Unnamed bool     // calls may fail for other reasons before: a loss, a broken communicator
	// unread says that what was left of earlier calls may be found by none: in the last call not every rank
	// sends a message to each other one.
	unread bool
}

// mistakes change the rows of collectives of the ranks that make them.
var mistakes = []struct {
	name   string
	change func(rng *rand.Rand, p *accl.Platform, world int, calls []Case, at int) []Case
}{
	{"leaves out", func(_ *rand.Rand, _ *accl.Platform, _ int, calls []Case, at int) []Case {
		return slices.Delete(calls, at, at+1)
	}},
	{"repeats", func(_ *rand.Rand, _ *accl.Platform, _ int, calls []Case, at int) []Case {
		return slices.Insert(calls, at, calls[at])
	}},
	{"swaps with the next one", func(_ *rand.Rand, _ *accl.Platform, _ int, calls []Case, at int) []Case {
		calls[at], calls[at+1] = calls[at+1], calls[at]
		return calls
	}},
	{"changes", func(rng *rand.Rand, p *accl.Platform, world int, calls []Case, at int) []Case {
		before := calls[at].agreed()
		for calls[at].agreed() == before {
			calls[at] = change(rng, p, world, calls[at])
		}
		return calls
	}},
}

// change changes one thing that all ranks must agree on: count, root, function or element type; or calls
// another collective altogether.
func change(rng *rand.Rand, p *accl.Platform, world int, c Case) Case {
	op := operationOf(p, c.Op)
	switch rng.IntN(5) {
	case 0:
		if op.Operands() {
			c.Count += 16
		}
	case 1:
		if op.Peer != "" {
			c.Root = (c.Root + 1 + rng.IntN(world-1)) % world
		}
	case 2:
		if op.Reduces {
			c.Func = pick(rng, commonFunctions(p))
		}
	case 3:
		if op.Operands() {
			c.retype(pick(rng, []accl.DType{accl.TypeFloat32, accl.TypeInt32, accl.TypeInt64}))
		}
	default:
		c = RandomCollective(rng, p, world)
	}
	return c
}

func (c *Case) retype(t accl.DType) {
	c.Op0, c.Res, c.Wire, c.Data = t, t, "", Integers
}

// agreed is what all ranks must agree on. Of types these are the ones that the call combines, wherever a rank
// has which, and whether messages are compressed.
func (c *Case) agreed() string {
	types := []accl.DType{c.Op0, c.Res}
	if c.Wire != "" {
		types = append(types, c.Wire)
	}
	slices.Sort(types)
	return fmt.Sprintln(c.Op, c.Func, c.Count, c.Root, slices.Compact(types), c.Wire != "")
}

// RandomCollective is a collective on a whole world, without kernel streams and skew. It has elements: without
// any, ranks send each other nothing that they could tell apart.
func RandomCollective(rng *rand.Rand, p *accl.Platform, world int) Case {
	names := slices.DeleteFunc(Operations(p), func(name string) bool {
		return !p.Operation(name).Collective
	})
	c := RandomOp(rng, p, world, pick(rng, names))
	c.Members, c.Skew, c.Client, c.Async = nil, 0, 0, false
	c.StreamOp0, c.StreamRes, c.Fed = false, false, false
	if c.Count == 0 && p.Operation(c.Op).Operands() {
		c.Count = 16
	}
	return c
}

// RandomMismatch is some collectives of a world in which ranks make a mistake. No two calls in a row say
// the same, so that all mistakes can be seen.
func RandomMismatch(rng *rand.Rand, p *accl.Platform, world int) Mismatch {
	var row []Case
	for len(row) < 2+rng.IntN(3) {
		c := RandomCollective(rng, p, world)
		if len(row) == 0 || c.agreed() != row[len(row)-1].agreed() {
			row = append(row, c)
		}
	}
	last := Case{Op: "alltoall", Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 7, Seed: int64(rng.Uint32())}
	m := Mismatch{}
	if !slices.Contains(Operations(p), last.Op) {
		last.Op, last.Func, m.unread = "allreduce", accl.Sum, true
	}
	mistake := pick(rng, mistakes)
	at := rng.IntN(len(row) - 1)
	ranks := rng.Perm(world)[:1+rng.IntN(world-1)]
	slices.Sort(ranks)
	wrong := mistake.change(rng, p, world, slices.Clone(row), at)
	m.What, m.Calls = fmt.Sprintf("ranks %v: call %d, %s, %s", ranks, at, row[at].Op, mistake.name), make([][]Case, world)
	for rank := range world {
		m.Calls[rank] = append(slices.Clone(row), last)
		if slices.Contains(ranks, rank) {
			m.Calls[rank] = append(slices.Clone(wrong), last)
		}
	}
	return m
}

// ErrSilent says that a rank was not told of a mistake.
var ErrSilent = errors.New("a mistake was not noticed")

// Run has each rank make its calls, one after the other, also after one has failed. Every call must end right, or with
// an error: the first one of a rank names the mistake, whatever has become of its messages, and further ones do or have
// at least one of the bits and no others. The last call of every rank must fail, but where messages between some ranks
// may lie unread.
// Engines are those of all ranks, in this process.
func (m *Mismatch) Run(ctx context.Context, engines []*accl.Engine, bits accl.ReturnCode) error {
	errs := make([]error, len(engines))
	var group sync.WaitGroup
	for rank := range engines {
		group.Go(func() { errs[rank] = m.run(ctx, engines, rank, bits) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", m.What, err)
	}
	return nil
}

func (m *Mismatch) run(ctx context.Context, engines []*accl.Engine, rank int, bits accl.ReturnCode) error {
	own := make([]*accl.Engine, len(engines))
	own[rank] = engines[rank]
	told := m.Unnamed
	for i, c := range m.Calls[rank] {
		err := c.Run(ctx, own)
		var f *Failure
		switch {
		case err == nil && !m.unread && i == len(m.Calls[rank])-1:
			return fmt.Errorf("rank %d, call %d: %w: %s", rank, i, ErrSilent, c)
		case err == nil:
		case !errors.As(err, &f) || !f.named() && !(told && f.Tolerates(bits)):
			return fmt.Errorf("rank %d, call %d: %w", rank, i, err)
		default:
			told = true
		}
	}
	return nil
}

// named tells whether calls have failed, and nothing else is wrong, as ranks have made different ones, or none, or
// before that as the communicator is broken.
func (f *Failure) named() bool {
	var failed *accl.CallError
	return f.Tolerates(^accl.ReturnCode(0)) && errors.As(f, &failed) && (failed.Refused || slices.ContainsFunc(
		failed.Causes, func(c accl.Cause) bool { return c.Kind == accl.CallsDiffer || c.Kind == accl.NotCalled }))
}

// Recover has all ranks of a world recover.
func Recover(ctx context.Context, engines []*accl.Engine) error {
	errs := make([]error, len(engines))
	var group sync.WaitGroup
	for rank, e := range engines {
		group.Go(func() { errs[rank] = e.Recover(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}
