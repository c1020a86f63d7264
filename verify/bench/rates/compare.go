package rates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/world"
)

// Comparison says what to compare: operations of emulated ranks with those of OpenMPI, and ways to the ranks
// with each other.
type Comparison struct {
	Platform   string        // by name
	Ranks      []int         // numbers of ranks
	Sizes      []int         // bytes of a rank's largest buffer
	Operations []string      // by name; nil for all
	Time       time.Duration // for a point, and as long for OpenMPI
	OpenMPI    bool          // compare with it
	Engines    []string      // environment in which OpenMPI has its collectives done by engines; nil: not measured
	Figures    bool          // measure what is not a point
	Ways       []int         // numbers of ranks on which ways to the ranks are compared
}

// DefaultComparison is what is compared unless a user says otherwise.
func DefaultComparison() Comparison {
	o := Comparison{Platform: "u55c_tcp", Ranks: []int{2, 4, 8}, Time: 100 * time.Millisecond, OpenMPI: true,
		Figures: true, Ways: []int{1, 2, 4, 16, 64}}
	for size := 4; size <= 16<<20; size *= 4 {
		o.Sizes = append(o.Sizes, size)
	}
	return o
}

// blocksPerPoint is how often a point is measured in turn with OpenMPI.
const blocksPerPoint = 3

// elementBytes is the size of what is compared: float32.
const elementBytes = 4

func (o *Comparison) check(p *accl.Platform) error {
	for _, n := range slices.Concat(o.Ranks, o.Ways) {
		if n < 1 {
			return fmt.Errorf("%w: %d ranks; there must be at least 1", ErrOption, n)
		}
	}
	for _, size := range o.Sizes {
		if size < elementBytes {
			return fmt.Errorf("%w: buffers of %d bytes; an element has %d", ErrOption, size, elementBytes)
		}
	}
	return known(p, compared(p), o.Operations)
}

// Where Run writes the report of a comparison and the picture, below a directory.
const (
	ResultFile = "collectives.json"
	PlotFile   = "collectives.svg"
)

// Run measures, prints tables and writes report and picture into a directory.
func (o *Comparison) Run(ctx context.Context, dir string, out, progress io.Writer) error {
	r, err := o.Measure(ctx, func(what string) { fmt.Fprintf(progress, "measuring %s\n", what) })
	if err != nil {
		return err
	}
	if err := r.Print(out); err != nil {
		return err
	}
	if err := report.Write(dir, ResultFile, r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, PlotFile), []byte(r.Plot()), 0o644); err != nil {
		return fmt.Errorf("write the picture of the report: %w", err)
	}
	_, err = fmt.Fprintf(out, "\nwritten to %s and %s\n", filepath.Join(dir, ResultFile), filepath.Join(dir, PlotFile))
	return err
}

// Measure measures everything. Wrong results are an error.
func (o *Comparison) Measure(ctx context.Context, progress func(what string)) (*Compared, error) {
	d, err := world.Design(o.Platform, "")
	if err != nil {
		return nil, err
	}
	p := driverview.Of(d)
	if err := o.check(&p); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cclforge-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &Compared{Machine: thisMachine(), Platform: o.Platform}
	var mpi *openMPI
	if o.OpenMPI {
		if mpi, err = findOpenMPI(ctx, dir); err != nil {
			r.Without = err.Error()
		} else {
			r.OpenMPI = mpi.version
		}
	}
	for _, n := range o.Ranks {
		if err := r.measure(ctx, o, d, mpi, n, progress); err != nil {
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
func (r *Compared) measure(ctx context.Context, o *Comparison, d *design.Design, mpi *openMPI, ranks int,
	progress func(string)) (err error) {
	g, err := inProcess.group(ctx, d, ranks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	var theirs peers
	if mpi != nil {
		capacity := max(slices.Max(append([]int{0}, o.Sizes...)), elementBytes*ranks)
		defer func() { err = errors.Join(err, theirs.close()) }()
		if theirs.alone, err = mpi.start(ctx, ranks, capacity); err != nil {
			return err
		}
		if o.Engines != nil {
			if theirs.engines, err = mpi.start(ctx, ranks, capacity, o.Engines...); err != nil {
				return err
			}
		}
	}
	for _, op := range compared(g.w.Platform) {
		if o.Operations != nil && !slices.Contains(o.Operations, op.title) {
			continue
		}
		progress(fmt.Sprintf("%s, %d ranks", op.title, ranks))
		for _, c := range float32s(o.Sizes...).cases(g.w.Platform, ranks, op) {
			p, err := g.point(ctx, op, c, theirs, o.Time)
			if err != nil {
				return fmt.Errorf("measure %s of %d bytes on %d ranks: %w", op.title, c.Seed, ranks, err)
			}
			r.Points = append(r.Points, p)
		}
	}
	return nil
}

// peers are ranks of OpenMPI that a point is compared with, nil if it is not.
type peers struct {
	alone   *mpiRanks
	engines *mpiRanks // with collectives on engines
}

func (p peers) close() error {
	var errs []error
	for _, m := range []*mpiRanks{p.engines, p.alone} {
		if m != nil {
			errs = append(errs, m.close())
		}
	}
	return errors.Join(errs...)
}

// point measures an operation in blocks, in turn with OpenMPI.
func (g *group) point(ctx context.Context, op *operation, c conformance.Case, theirs peers, enough time.Duration) (
	Point, error) {
	p := Point{Operation: op.title, Ranks: g.w.Size, Size: int(c.Seed), Bytes: g.bytes(op, &c)}
	if op.alone() {
		theirs = peers{}
	}
	if op.ring { // of messages, which MPI keeps
		theirs.engines = nil
	}
	var mine, alone, engines []time.Duration
	err := g.repeat(ctx, op, c, func(r *repeated) error {
		for range blocksPerPoint {
			times, err := r.measure(ctx, enough/blocksPerPoint)
			if err != nil {
				return err
			}
			mine = append(mine, times...)
			for _, other := range []struct {
				ranks *mpiRanks
				times *[]time.Duration
			}{{theirs.alone, &alone}, {theirs.engines, &engines}} {
				if other.ranks == nil {
					continue
				}
				if times, err = other.ranks.measure(op.title, c.Count, enough/blocksPerPoint); err != nil {
					return err
				}
				*other.times = append(*other.times, times...)
			}
		}
		return nil
	})
	p.Times = summary(mine, p.Bytes)
	p.compare(alone, engines)
	return p, err
}

// compare adds what OpenMPI took, alone and on engines.
func (p *Point) compare(alone, engines []time.Duration) {
	if alone == nil {
		return
	}
	t := summary(alone, p.Bytes)
	p.OpenMPI = &t
	if t.Median > 0 {
		p.Ratio = p.Median / t.Median
	}
	if engines == nil {
		return
	}
	e := summary(engines, p.Bytes)
	p.OnEngines = &e
	if t.Median > 0 {
		p.OnEnginesRatio = e.Median / t.Median
	}
}
