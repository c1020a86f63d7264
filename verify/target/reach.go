package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/verify/internal/report"
)

// ending bounds what is done for engines when a world is closed.
const ending = 10 * time.Second

// World is the open ranks of a world in this process.
type World struct {
	Platform *accl.Platform
	What     string         // the engines are
	Size     int            // of the world
	Local    []int          // ranks of this process: all of them, or one
	Engines  []*accl.Engine // of these
	Devices  []accl.Device

	part    *Part
	options []accl.OpenOption // of the engines
	joined  *bringup.World    // nil if this process has all ranks
}

// Open opens a world. All processes with ranks of it call it. The error matches ErrText for
// invalid options, bringup's errors for ranks that do not find each other, and is otherwise
// the failure to open an engine.
func Open(ctx context.Context, o Options) (*World, error) {
	b, local, err := o.place()
	if err != nil {
		return nil, err
	}
	kind, rest, err := find(o.On)
	if err != nil {
		return nil, err
	}
	r := o.request(rest, local, b.Size)
	if launched, err := accl.LaunchOf(o.env()); err == nil {
		r.Process = launched.LocalRank
	}
	if !r.Alone() {
		if r.Address, err = o.address(&b); err != nil {
			return nil, err
		}
		r.OneHost = r.Address.IsLoopback() // where others reach this rank
		if err := r.Network.Parse(cmp.Or(o.Network, "auto")); err != nil {
			return nil, fmt.Errorf("%w: -network=%w", ErrText, err)
		}
	}
	part, err := kind.Open(report.With(ctx, r.Log), r)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", o.On, err)
	}
	w := &World{Platform: part.Platform, What: part.What, Size: r.Size, Local: local, Devices: part.Devices, part: part,
		options: slices.Concat([]accl.OpenOption{accl.OwnPeers(true)}, o.Open, part.Options)}
	if err := w.open(ctx, b); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", o.On, err), w.Close())
	}
	return w, nil
}

// Attach reaches the devices of all ranks of a world from this process, and opens no engine:
// nothing is configured or reset. The errors are those of Open.
func Attach(ctx context.Context, o Options) (*World, error) {
	kind, rest, err := find(o.On)
	if err != nil {
		return nil, err
	}
	o.Env = func(string) (string, bool) { return "", false }
	_, local, err := o.place()
	if err != nil {
		return nil, err
	}
	r := o.request(rest, local, len(local))
	part, err := kind.Open(report.With(ctx, r.Log), r)
	if err != nil {
		return nil, fmt.Errorf("reach %s: %w", o.On, err)
	}
	w := &World{Platform: part.Platform, What: part.What, Size: r.Size, Local: local, part: part}
	if part.Attach != nil {
		if err := part.Attach(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("reach %s: %w", o.On, err), w.Close())
		}
	}
	w.Devices = part.Devices
	return w, nil
}

// request is what a kind gets, with what the options leave out.
func (o *Options) request(rest string, local []int, size int) *Request {
	r := &Request{Rest: rest, Platform: cmp.Or(o.Platform, DefaultPlatform), Vars: o.Vars, Size: size, Local: local,
		World: o.World, Log: o.Log}
	if r.Log == nil {
		r.Log = func(string, ...any) {}
	}
	return r
}

func (w *World) open(ctx context.Context, b bringup.Options) (err error) {
	if w.Alone() {
		if w.Engines, err = w.engines(ctx, w.part.Ranks); err == nil && w.part.Greets {
			err = w.Each(func(i int) error { return cluster.Greet(ctx, w.Engines[i], w.part.Ranks, w.Local[i]) })
		}
		return err
	}
	b.Self = bringup.Describe(w.Platform, w.part.Ranks[0])
	b.Self.Data = w.part.Data
	if w.part.Over != "" {
		b.Self.Stack += " " + w.part.Over
	}
	if w.joined, err = bringup.Join(ctx, b); err != nil {
		return err
	}
	w.options = append(w.options, w.joined.Reports())
	watched, cancel := w.joined.Context(ctx)
	defer cancel()
	w.part.Said = func(ctx context.Context) ([][]byte, error) { return cluster.Said(ctx, w.joined) }
	w.Engines, err = w.engines(watched, w.joined.Ranks())
	if err = w.joined.Ready(ctx, err); err == nil && w.part.Greets {
		err = cluster.GreetAll(watched, w.joined, w.Engines[0])
	}
	return err
}

// engines opens those of this process.
func (w *World) engines(ctx context.Context, ranks []accl.Rank) ([]*accl.Engine, error) {
	var views []View
	if w.part.Prepare != nil {
		var err error
		if views, err = w.part.Prepare(ctx, ranks); err != nil {
			return nil, err
		}
		w.Devices = w.part.Devices
	}
	var beside []accl.OpenOption
	if w.Alone() {
		beside = accl.Beside(w.Platform, w.Devices)
	}
	engines := make([]*accl.Engine, len(w.Local))
	opening, ctx := errgroup.WithContext(ctx) // they wait for each other: an error ends all
	for i, rank := range w.Local {
		v := View{Ranks: ranks}
		if views != nil {
			v = views[i]
		}
		options := slices.Concat(w.options, v.Open)
		if beside != nil {
			options = append(options, beside[i])
		}
		opening.Go(func() (err error) {
			engines[i], err = accl.Open(ctx, w.Devices[i], w.Platform, v.Ranks, rank, options...)
			return err
		})
	}
	err := opening.Wait()
	// What is open is closed with the world.
	return slices.DeleteFunc(engines, func(e *accl.Engine) bool { return e == nil }), err
}

// Alone reports whether this process has all ranks.
func (w *World) Alone() bool { return len(w.Local) == w.Size }

// Reports reports whether this process has rank 0, which prints for all.
func (w *World) Reports() bool { return w.Local[0] == 0 }

// Exchange sends data to all processes and returns the data of each, in the order of their
// ranks. All of them call it, and it waits for the last: see bringup.World.
func (w *World) Exchange(ctx context.Context, data []byte) ([][]byte, error) {
	if w.joined == nil {
		return [][]byte{data}, context.Cause(ctx)
	}
	return w.joined.Exchange(ctx, data)
}

// Context is a context that ends also when a rank of another process leaves. Its cancel
// function must be called.
func (w *World) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.joined == nil {
		return context.WithCancel(ctx)
	}
	return w.joined.Context(ctx)
}

// Each runs do on all ranks of this process at the same time, with their index i among
// these, and returns the errors.
func (w *World) Each(do func(i int) error) error {
	errs := make([]error, len(w.Engines))
	var group sync.WaitGroup
	for i := range w.Engines {
		group.Go(func() {
			if err := do(i); err != nil {
				errs[i] = fmt.Errorf("rank %d: %w", w.Local[i], err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// Close closes the engines of this process, and leaves the world.
func (w *World) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), ending)
	defer cancel()
	err := w.Each(func(i int) error { return w.Engines[i].Close(ctx) })
	if w.joined != nil {
		err = errors.Join(err, w.joined.Close())
	}
	return errors.Join(err, w.part.Close())
}
