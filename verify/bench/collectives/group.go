package collectives

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/barrier"
	"github.com/cclforge/cclforge/verify/world"
)

// way is how a program gets to its ranks.
type way struct {
	name string
	open func(ctx context.Context, d *design.Design, ranks int) (*reached, error)
}

// reached are ranks that a program can open.
type reached struct {
	world   *world.World // their engines, if these are in this process
	devices []accl.Device
	ranks   []accl.Rank
	close   func() error
}

// inProcess has ranks and network in this process, and nothing between.
var inProcess = way{"in process", func(ctx context.Context, d *design.Design, ranks int) (*reached, error) {
	w, err := world.New(ctx, d, ranks, world.Options{})
	if err != nil {
		return nil, err
	}
	return &reached{world: w, devices: w.Devices(), ranks: w.Ranks(), close: w.Close}, nil
}}

// group is a number of ranks that are open, and their operands.
type group struct {
	*reached
	engines []*accl.Engine
	src     []*accl.Buffer[float32]
	dst     []*accl.Buffer[float32]
}

// openGroup starts so many ranks of a platform in this process and opens all of
// them.
func openGroup(ctx context.Context, d *design.Design, ranks int) (*group, error) {
	return inProcess.group(ctx, d, ranks)
}

// group starts so many ranks of a platform and opens all of them.
func (w way) group(ctx context.Context, d *design.Design, ranks int) (*group, error) {
	p := driverview.Of(d)
	r, err := w.open(ctx, d, ranks)
	if err != nil {
		return nil, err
	}
	g := &group{reached: r}
	if g.engines, err = accl.OpenAll(ctx, r.devices, &p, r.ranks); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return g, nil
}

// allocate gives each rank an operand and a result of so many bytes.
func (g *group) allocate(ctx context.Context, bytes int) error {
	g.src, g.dst = make([]*accl.Buffer[float32], len(g.engines)), make([]*accl.Buffer[float32], len(g.engines))
	return g.each(ctx, func(ctx context.Context, i int) (err error) {
		if g.src[i], err = accl.Alloc[float32](ctx, g.engines[i], bytes/elementBytes); err != nil {
			return err
		}
		host := g.src[i].Host()
		for k := range host {
			host[k] = value(i, k)
		}
		if err := g.src[i].SyncToDevice(ctx); err != nil {
			return err
		}
		g.dst[i], err = accl.Alloc[float32](ctx, g.engines[i], bytes/elementBytes)
		return err
	})
}

// each does something on all ranks at the same time, and returns the first
// error. That ends the context of the others.
func (g *group) each(ctx context.Context, do func(ctx context.Context, rank int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	for i := range g.engines {
		all.Go(func() error {
			if err := do(ctx, i); err != nil {
				return fmt.Errorf("rank %d: %w", i, err)
			}
			return nil
		})
	}
	return all.Wait()
}

func (g *group) calls(n int) []call {
	calls := make([]call, len(g.engines))
	for i := range calls {
		calls[i] = call{engine: g.engines[i], n: n}
		if g.src != nil {
			calls[i].src, calls[i].dst = g.src[i], g.dst[i]
		}
	}
	return calls
}

// ErrDiffers says that a result was not what it should be.
var ErrDiffers = errors.New("wrong result")

// mostChecked is how many elements of a result are looked at.
const mostChecked = 1 << 14

// check runs an operation once and looks at its results.
func (g *group) check(ctx context.Context, o *operation, n int) error {
	calls := g.calls(n)
	return g.each(ctx, func(ctx context.Context, i int) error {
		want := o.want(i, len(g.engines), n)
		if want.n == 0 {
			return o.perform(ctx, &calls[i])
		}
		dst := g.dst[i].Slice(0, want.n)
		host := dst.Host()
		for k := range host {
			host[k] = -1
		}
		if err := dst.SyncToDevice(ctx); err != nil {
			return err
		}
		if err := o.perform(ctx, &calls[i]); err != nil {
			return err
		}
		if err := dst.SyncFromDevice(ctx); err != nil {
			return err
		}
		step := (want.n + mostChecked - 1) / mostChecked
		for k := 0; k < want.n; k += step {
			if host[k] != want.at(k) {
				return fmt.Errorf("%w: element %d of %d is %v instead of %v", ErrDiffers, k, want.n, host[k], want.at(k))
			}
		}
		return nil
	})
}

// fewestRuns are measured even if that takes longer than it should.
const fewestRuns = 3

// measure runs an operation again and again for some time. Each run begins when
// all ranks have ended the one before; its time is from when the first rank
// begins until the last is done.
func (g *group) measure(ctx context.Context, o *operation, n int, enough time.Duration) ([]time.Duration, error) {
	var times []time.Duration
	begun, ended := make([]time.Time, len(g.engines)), make([]time.Time, len(g.engines))
	spent, first := time.Duration(0), true
	meet := barrier.New(len(g.engines))
	next := func() bool {
		if first {
			first = false
			return true
		}
		took := longest(begun, ended)
		times, spent = append(times, took), spent+took
		return len(times) < fewestRuns || spent < enough
	}
	calls := g.calls(n)
	err := g.each(ctx, func(ctx context.Context, i int) error {
		defer context.AfterFunc(ctx, meet.End)()
		for meet.Wait(next) {
			begun[i] = time.Now()
			if err := o.perform(ctx, &calls[i]); err != nil {
				return err
			}
			ended[i] = time.Now()
		}
		return nil
	})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return times, err
}

// longest is from when the first rank began until the last had ended.
func longest(begun, ended []time.Time) time.Duration {
	from, to := begun[0], ended[0]
	for i := range begun {
		if begun[i].Before(from) {
			from = begun[i]
		}
		if ended[i].After(to) {
			to = ended[i]
		}
	}
	return to.Sub(from)
}
