// Package collectives measures operations of emulated ranks, beside those of
// OpenMPI if that is there, and reports it. It asserts nothing but that results
// are right: the machine it runs on is not known.
package collectives

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/world"
)

// Options say what to measure.
type Options struct {
	Platform   string        // by name
	Ranks      []int         // numbers of ranks
	Sizes      []int         // bytes of a rank's largest buffer
	Operations []string      // by name; nil for all
	Time       time.Duration // for a point, and again for OpenMPI
	OpenMPI    bool          // compare with it
	Figures    bool          // measure what is not a point
	Ways       []int         // numbers of ranks on which ways to the ranks are compared
}

// Defaults are what the benchmark measures unless it is told otherwise.
func Defaults() Options {
	o := Options{Platform: "u55c_tcp", Ranks: []int{2, 4, 8}, Time: 100 * time.Millisecond, OpenMPI: true, Figures: true,
		Ways: []int{1, 2, 4, 16, 64}}
	for size := 4; size <= 16<<20; size *= 4 {
		o.Sizes = append(o.Sizes, size)
	}
	return o
}

// blocksPerPoint is how often a point is measured in turn with OpenMPI.
const blocksPerPoint = 3

// ErrUnknown says that there is no such operation.
var ErrUnknown = errors.New("no such operation")

func (o *Options) check() error {
	for _, name := range o.Operations {
		if !slices.ContainsFunc(operations, func(op operation) bool { return op.name == name }) {
			return fmt.Errorf("%w: %q", ErrUnknown, name)
		}
	}
	for _, n := range slices.Concat(o.Ranks, o.Ways) {
		if n < 1 {
			return fmt.Errorf("measure on %d ranks: there must be at least 1", n)
		}
	}
	for _, size := range o.Sizes {
		if size < elementBytes {
			return fmt.Errorf("measure buffers of %d bytes: an element has %d", size, elementBytes)
		}
	}
	return nil
}

func (o *Options) wants(op *operation) bool {
	return o.Operations == nil || slices.Contains(o.Operations, op.name)
}

// capacity is the size of the largest buffers, in bytes.
func (o *Options) capacity(ranks int) int {
	return max(slices.Max(append([]int{0}, o.Sizes...)), elementBytes*ranks)
}

// Measure measures everything. An error matches ErrDiffers if a result was
// wrong.
func Measure(ctx context.Context, o Options, progress func(what string)) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d, err := world.Design(o.Platform, "")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cclforge-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &Report{Machine: thisMachine(), Platform: o.Platform}
	var mpi *openMPI
	if o.OpenMPI {
		if mpi, err = findOpenMPI(ctx, dir); err != nil {
			r.Without = err.Error()
		} else {
			r.OpenMPI = mpi.version
		}
	}
	for _, n := range o.Ranks {
		if err := r.measure(ctx, &o, d, mpi, n, progress); err != nil {
			return nil, err
		}
	}
	for _, n := range o.Ways {
		if err := r.waysOn(ctx, d, n, 2*o.Time, progress); err != nil {
			return nil, err
		}
	}
	if o.Figures {
		if err := r.figures(ctx, d, progress); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// measure measures all points on so many ranks.
func (r *Report) measure(ctx context.Context, o *Options, d *design.Design, mpi *openMPI, ranks int,
	progress func(string)) (err error) {
	g, err := openGroup(ctx, d, ranks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	if err := g.allocate(ctx, o.capacity(ranks)); err != nil {
		return err
	}
	var theirs *mpiRanks
	if mpi != nil {
		if theirs, err = mpi.start(ctx, ranks, o.capacity(ranks)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, theirs.close()) }()
	}
	for i := range operations {
		op := &operations[i]
		if !o.wants(op) {
			continue
		}
		progress(fmt.Sprintf("%s, %d ranks", op.name, ranks))
		for _, size := range op.sizes(o.Sizes, ranks) {
			p, err := g.point(ctx, op, size, theirs, o.Time)
			if errors.Is(err, accl.ErrUnsupported) {
				break // older engines do not have all operations
			}
			if err != nil {
				return fmt.Errorf("measure %s of %d bytes on %d ranks: %w", op.name, size, ranks, err)
			}
			r.Points = append(r.Points, p)
		}
	}
	return nil
}

// point measures an operation in blocks, in turn with OpenMPI.
func (g *group) point(ctx context.Context, op *operation, size int, theirs *mpiRanks,
	enough time.Duration) (Point, error) {
	ranks := len(g.engines)
	n := op.block(size, ranks)
	p := Point{Operation: op.name, Ranks: ranks, Size: size, Bytes: op.bytes(n, ranks)}
	if op.alone {
		theirs = nil
	}
	if err := g.check(ctx, op, n); err != nil {
		return p, err
	}
	var mine, other []time.Duration
	for range blocksPerPoint {
		times, err := g.measure(ctx, op, n, enough/blocksPerPoint)
		if err != nil {
			return p, err
		}
		mine = append(mine, times...)
		if theirs == nil {
			continue
		}
		if times, err = theirs.measure(op, n, enough/blocksPerPoint); err != nil {
			return p, err
		}
		other = append(other, times...)
	}
	p.Times = summary(mine, p.Bytes)
	if theirs != nil {
		t := summary(other, p.Bytes)
		p.OpenMPI = &t
		if t.Median > 0 {
			p.Ratio = p.Median / t.Median
		}
	}
	return p, nil
}
