// Package rates measures how fast the operations of a world are, in the terms of the
// benchmarks of collectives that people know: nccl-tests' algorithm and bus bandwidth,
// and the one-way latency of OSU's micro-benchmarks for a send.
//
// The algorithm bandwidth is the size of a rank's largest buffer by the time. The bus
// bandwidth is what of it goes over the busiest port of a rank, so that it can be held
// against the limit of the link whatever the number of ranks n is: 2(n-1)/n of it for an
// allreduce; (n-1)/n for allgather, reduce_scatter, alltoall, scatter and gather; all of
// it for bcast, reduce and send.
//
// In place, an operand and the result share memory: of allreduce and reduce (at the root)
// they are the same buffer, of the others with blocks the smaller one is the rank's block
// of the larger one. Its result is that of a call after the measured ones, of new data.
//
// Data is in device memory: copies to and from the host do not count. Before each
// iteration all ranks wait for each other. A time is the mean over the iterations, of the
// slowest rank.
//
// A Comparison measures the same operations of emulated ranks beside those of OpenMPI. Its
// times are from when the first rank begins until the last one is done.
package rates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/target"
)

var (
	// ErrWrong says that results were wrong.
	ErrWrong = errors.New("wrong results")
	// ErrLimit says that a call took longer than it may.
	ErrLimit = errors.New("not done in time")
	// ErrOption says that an option makes no sense for a world.
	ErrOption = errors.New("cannot be measured")
)

// Defaults of options that are zero.
const (
	DefaultSizes  = "1KiB:4MiB:x4"
	DefaultWarmup = 5
	DefaultLimit  = 2 * time.Minute
	// Iterations, of small sizes and of others.
	smallIterations, largeIterations = 100, 20
	smallBytes                       = 64 << 10
)

// Options of a run.
type Options struct {
	Only       []string   // operations; nil for all
	Sizes      []int      // bytes of a rank's largest buffer
	Type, Wire accl.DType // of elements, and what is sent if it is compressed; "" for float32 and as it is
	Func       accl.Func  // "" for a sum
	Root       int
	Iterations int // 0 for 100 of sizes up to 64 KiB, 20 of larger ones
	Warmup     int // iterations before these
	// Limit bounds each iteration, and what is done for operands before and after all of
	// them; 0 for DefaultLimit.
	Limit time.Duration
}

// Report is the result of Run.
type Report struct {
	World      string `json:"world"` // what the engines are
	Platform   string `json:"platform"`
	Generation string `json:"generation"`
	Stack      string `json:"stack"`
	Ranks      int    `json:"ranks"`
	Rows       []Row  `json:"rows"`
	Wrong      int    `json:"wrong"` // elements
	Machine    string `json:"machine"`
}

// Row is an operation on buffers of a size.
type Row struct {
	Operation string `json:"operation"`
	Size      int    `json:"size_bytes"`     // of a rank's largest buffer
	Count     int    `json:"count_elements"` // as the operation counts them
	Type      string `json:"type,omitempty"`
	Wire      string `json:"compressed,omitempty"`
	Func      string `json:"redop,omitempty"`
	Root      int    `json:"root"` // -1 if there is none
	Measured
	// InPlace is the same with the result in the place of the operand; zero where the
	// operation has no such form.
	InPlace Measured `json:"in_place,omitzero"`
	// Limit is what BusBW cannot exceed on a card.
	Limit      float64 `json:"limit_gb_per_s"`
	Iterations int     `json:"iterations"`
}

// Measured is the result of an operation out of place, or in place.
type Measured struct {
	Time   float64 `json:"time_us"`
	Least  float64 `json:"min_us"`
	Median float64 `json:"median_us"`
	P99    float64 `json:"p99_us"`
	AlgBW  float64 `json:"algbw_gb_per_s"`
	BusBW  float64 `json:"busbw_gb_per_s"`
	Wrong  int     `json:"wrong"` // elements
}

// known reports names that no operation of a platform has.
func known(p *accl.Platform, list []*operation, names []string) error {
	var have []string
	for _, o := range list {
		have = append(have, o.title)
	}
	for _, name := range names {
		if !slices.Contains(have, name) {
			return fmt.Errorf("%w: %s has no operation %q; it has %s", ErrOption, p.Name, name, strings.Join(have, ", "))
		}
	}
	return nil
}

// Complete fills in defaults for a world of so many ranks. An ErrOption names an option that
// the platform or the world does not allow.
func (o *Options) Complete(p *accl.Platform, ranks int) error {
	o.Type = cmp.Or(o.Type, accl.TypeFloat32)
	o.Func = cmp.Or(o.Func, accl.Sum)
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	if o.Sizes == nil {
		o.Sizes, _ = Sizes(DefaultSizes)
	}
	if err := known(p, operations(p), o.Only); err != nil {
		return err
	}
	switch {
	case o.Root < 0 || o.Root >= ranks:
		return fmt.Errorf("%w: the root %d of %d ranks", ErrOption, o.Root, ranks)
	case o.Iterations < 0 || o.Warmup < 0:
		return fmt.Errorf("%w: %d iterations after %d", ErrOption, o.Iterations, o.Warmup)
	case o.Limit < 0:
		return fmt.Errorf("%w: the limit %v", ErrOption, o.Limit)
	}
	if o.pair(p) == nil {
		return fmt.Errorf("%w: %s does not have elements of the type %s, sent as %s", ErrOption, p.Name,
			o.Type, orSame(o.Wire))
	}
	return nil
}

func orSame(t accl.DType) string {
	if t == "" {
		return "they are"
	}
	return string(t)
}

// pair is what the platform has for the types; nil if it has nothing.
func (o *Options) pair(p *accl.Platform) *conformance.Pair {
	pairs := conformance.Pairs(p)
	i := slices.IndexFunc(pairs, func(q conformance.Pair) bool { return q.Type == o.Type && q.Wire == o.Wire })
	if i < 0 {
		return nil
	}
	return &pairs[i]
}

// Run measures a world, of which all processes call it. Rank 0's is told of each row as it
// comes; next, which may be nil, has rows one after the other and a new operation each
// time that it changes. The error matches ErrWrong if a result was wrong, ErrLimit if a
// call has not ended in time, and ErrOption for what the world does not have.
func Run(ctx context.Context, w *target.World, o Options, next func(Row)) (*Report, error) {
	ctx, cancel := w.Context(ctx)
	defer cancel()
	if err := o.Complete(w.Platform, w.Size); err != nil {
		return nil, err
	}
	p := w.Platform
	r := &Report{World: w.What, Platform: p.Name, Generation: p.Generation, Stack: p.Stack, Ranks: w.Size,
		Machine: thisMachine().String()}
	m := newMeter(w, o)
	for _, op := range operations(p) {
		if o.Only != nil && !slices.Contains(o.Only, op.Name) || w.Size < op.fewest {
			continue
		}
		for _, c := range o.cases(p, w.Size, op) {
			row, err := m.row(ctx, op, c)
			if err != nil {
				return nil, fmt.Errorf("measure %s of %d bytes: %w", op.Name, row.Size, err)
			}
			r.Rows = append(r.Rows, row)
			r.Wrong += row.Wrong + row.InPlace.Wrong
			if next != nil && w.Reports() {
				next(row)
			}
		}
	}
	if r.Wrong > 0 {
		return r, fmt.Errorf("%w: %d elements", ErrWrong, r.Wrong)
	}
	return r, nil
}

// Case is an operation on buffers of a size, for a world of so many ranks. The error matches
// ErrOption if the platform or the world does not allow it.
func (o Options) Case(p *accl.Platform, ranks int, name string, size int) (conformance.Case, error) {
	o.Only, o.Sizes = []string{name}, []int{size}
	if err := o.Complete(p, ranks); err != nil {
		return conformance.Case{}, err
	}
	list := operations(p)
	op := list[slices.IndexFunc(list, func(op *operation) bool { return op.Name == name })]
	cases := o.cases(p, ranks, op)
	if len(cases) == 0 || ranks < op.fewest {
		return conformance.Case{}, fmt.Errorf("%w: %s of %d bytes of %s, sent as %s, on %d ranks", ErrOption, name, size,
			o.Type, orSame(o.Wire), ranks)
	}
	return cases[0], nil
}

// cases are what an operation is measured with: none if it cannot have the types. The seed of each is the
// size that it is for.
func (o *Options) cases(p *accl.Platform, ranks int, op *operation) []conformance.Case {
	if !op.Operands() {
		return []conformance.Case{conformance.Plain(p, op.Name, "", 0)}
	}
	pair := o.pair(p)
	if op.Reduces && !slices.Contains(pair.Functions, o.Func) || op.Local && o.Wire != "" {
		return nil
	}
	var out []conformance.Case
	for _, size := range o.Sizes {
		c := conformance.Plain(p, op.Name, o.Type, 0)
		c.Wire, c.FromFPGA, c.ToFPGA, c.Seed = o.Wire, true, true, int64(size)
		c.FromFPGA1 = c.Op1 != ""
		if op.Reduces {
			c.Func = o.Func
		}
		if op.Peer != "" && !op.pingPong {
			c.Root = o.Root
		}
		bytes := c.ElementBytes(p)
		if op.Blocks() {
			bytes *= ranks
		}
		c.Count = max(size/bytes/pair.Multiple, 1) * pair.Multiple
		if n := len(out); n > 0 && out[n-1].Count == c.Count || c.MayLose(p) {
			continue
		}
		out = append(out, c)
	}
	return out
}
