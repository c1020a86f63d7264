package rates

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/target"
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

// group is a number of open ranks, all in this process.
type group struct {
	*reached
	*meter
}

// group starts and opens so many ranks of a platform.
func (w way) group(ctx context.Context, d *design.Design, ranks int) (*group, error) {
	p := driverview.Of(d)
	r, err := w.open(ctx, d, ranks)
	if err != nil {
		return nil, err
	}
	t := &target.World{Platform: &p, What: "emulated", Size: ranks, Devices: r.devices}
	for rank := range ranks {
		t.Local = append(t.Local, rank)
	}
	if t.Engines, err = accl.OpenAll(ctx, r.devices, &p, r.ranks); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return &group{r, newMeter(t, Options{Limit: DefaultLimit})}, nil
}

// fewestRuns are measured even if that takes longer than it should, mostRuns at most.
const fewestRuns, mostRuns = 3, 10000

// enoughRuns is how many runs fit into a time, of which the fastest took so long.
func enoughRuns(enough, fastest time.Duration) int {
	return int(min(max(enough/max(fastest, 1), fewestRuns), mostRuns))
}

// repeated is an operation that all ranks of a group perform again and again.
type repeated struct {
	*group
	op       *operation
	prepared []*conformance.Prepared
}

// repeat prepares the operands of a case for what performs it, and checks the results afterwards.
func (g *group) repeat(ctx context.Context, op *operation, c conformance.Case, do func(*repeated) error) error {
	prepared, err := g.prepare(ctx, g.all(op, c))
	if err != nil {
		return err
	}
	err = do(&repeated{g, op, prepared})
	for _, p := range prepared {
		err = errors.Join(err, p.Finish(ctx))
	}
	return err
}

// measure performs the operation for some time. Each run begins when all ranks have ended the one before; its
// time is from when the first rank begins until the last is done.
func (r *repeated) measure(ctx context.Context, enough time.Duration) ([]time.Duration, error) {
	warm, err := r.run(ctx, fewestRuns)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, enoughRuns(enough, slices.Min(warm)))
}

func (r *repeated) run(ctx context.Context, runs int) ([]time.Duration, error) {
	spans, err := r.iterate(ctx, r.op, r.prepared, runs)
	if err != nil {
		return nil, err
	}
	times := make([]time.Duration, runs)
	for k := range times {
		first, last := spans[0][k].begin, spans[0][k].end
		for _, own := range spans {
			if own[k].begin.Before(first) {
				first = own[k].begin
			}
			if own[k].end.After(last) {
				last = own[k].end
			}
		}
		times[k] = last.Sub(first)
	}
	return times, nil
}

// compared are the operations of a platform as they are compared with OpenMPI's: in place of a ping-pong each
// rank sends to the next while it receives from the previous one.
func compared(p *accl.Platform) []*operation {
	list := operations(p)
	for _, o := range list {
		if o.pingPong {
			o.title, o.pingPong, o.ring, o.fewest = "send/recv", false, true, 1
		}
	}
	return list
}

// alone reports whether an operation does not communicate, so that there is nothing to compare it with.
func (o *operation) alone() bool { return o.Local || !o.Operands() && !o.Collective }

// ofBytes is a compared operation of a platform, and its case with largest buffers of so many bytes of float32.
func (g *group) ofBytes(name string, bytes int) (*operation, conformance.Case) {
	list := compared(g.w.Platform)
	op := list[slices.IndexFunc(list, func(o *operation) bool { return o.title == name })]
	return op, float32s(bytes).cases(g.w.Platform, g.w.Size, op)[0]
}

// float32s are options of what is compared.
func float32s(sizes ...int) *Options {
	return &Options{Sizes: sizes, Type: accl.TypeFloat32, Func: accl.Sum}
}

// all are the cases that make up one of an operation: those of a ring are a send of each rank.
func (g *group) all(op *operation, c conformance.Case) []conformance.Case {
	if !op.ring {
		return []conformance.Case{c}
	}
	cases := make([]conformance.Case, g.w.Size)
	for rank := range cases {
		cases[rank] = c
		cases[rank].Root, cases[rank].Peer, cases[rank].Async = rank, (rank+1)%g.w.Size, g.w.Size > 1
	}
	return cases
}
