package collectives

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/rv32"
)

// What is measured beside the points, and what it should be.
const (
	aimNop          = 10  // µs
	aimSmall        = 150 // µs, an allreduce of 1 KiB on four ranks
	aimSmallRatio   = 25  // of OpenMPI's time
	aimLargeRatio   = 1   // of OpenMPI's time, an allreduce of 16 MiB on four ranks
	aimInstructions = 300 // million a second
	aimMemory       = 32  // MiB for an idle rank
	aimStart        = 100 // ms until four ranks are open

	smallBytes, largeBytes = 1 << 10, 16 << 20
	idleRanks              = 16
	manyRanks              = 64
)

// figures measures what is not a point.
func (r *Report) figures(ctx context.Context, d *design.Design, progress func(string)) error {
	for _, f := range []struct {
		what    string
		measure func(context.Context, *design.Design) error
	}{
		{"nop, one rank", r.nop},
		{"allreduce, four ranks", r.allreduce},
		{"instruction rate", r.instructionRate},
		{"memory of idle ranks", r.memory},
		{"start-up", r.start},
		{fmt.Sprintf("%d ranks", manyRanks), r.many},
		{"copies through the protocol", r.protocolFigures},
		{"TCP sockets beside a plain stream", r.streams},
		{"memory of a process", r.process},
	} {
		progress(f.what)
		if err := f.measure(ctx, d); err != nil {
			return fmt.Errorf("measure %s: %w", f.what, err)
		}
	}
	return nil
}

func (r *Report) figure(name string, value float64, unit string, aim float64, least bool) {
	r.Figures = append(r.Figures, Figure{name, value, unit, aim, least})
}

// with opens ranks for a measurement, with buffers if they have any bytes.
func with(ctx context.Context, d *design.Design, ranks, bytes int, do func(g *group) error) (err error) {
	g, err := openGroup(ctx, d, ranks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	if bytes > 0 {
		if err := g.allocate(ctx, bytes); err != nil {
			return err
		}
	}
	return do(g)
}

const figureTime = 300 * time.Millisecond

// nop measures a call of a rank while there is no other.
func (r *Report) nop(ctx context.Context, d *design.Design) error {
	return with(ctx, d, 1, 0, func(g *group) error {
		took, instructions, err := g.counted(ctx, "nop", 0)
		if err == nil {
			r.figure("nop, one rank", took.Median, "µs", aimNop, false)
			r.figure("instructions of a nop", instructions, "", 0, false)
		}
		return err
	})
}

// allreduce repeats the points that there are aims for, if they were measured.
func (r *Report) allreduce(ctx context.Context, d *design.Design) error {
	if p := r.point("allreduce", 4, smallBytes); p != nil {
		r.figure("allreduce of 1 KiB, four ranks", p.Median, "µs", aimSmall, false)
		if p.Ratio > 0 {
			r.figure("the same, of OpenMPI's time", p.Ratio, "x", aimSmallRatio, false)
		}
	}
	if p := r.point("allreduce", 4, largeBytes); p != nil {
		r.figure("allreduce of 16 MiB, four ranks", p.Median/1e3, "ms", 0, false)
		if p.Ratio > 0 {
			r.figure("the same, of OpenMPI's time", p.Ratio, "x", aimLargeRatio, false)
		}
	}
	return with(ctx, d, 4, smallBytes, func(g *group) error {
		_, instructions, err := g.counted(ctx, "allreduce", smallBytes)
		if err == nil {
			r.figure("instructions of an allreduce of 1 KiB, a rank of four", instructions, "", 0, false)
		}
		return err
	})
}

// counted measures an operation by name, and how many instructions of a rank's
// control processor it takes: the mean over calls and ranks.
func (g *group) counted(ctx context.Context, name string, bytes int) (Times, float64, error) {
	o := &operations[slices.IndexFunc(operations, func(o operation) bool { return o.name == name })]
	n := o.block(bytes, len(g.engines))
	if err := g.check(ctx, o, n); err != nil {
		return Times{}, 0, err
	}
	count := func() (instructions, calls uint64) {
		for i := range g.engines {
			s := g.world.Engine(i).Stats()
			instructions, calls = instructions+s.Instructions, calls+s.Calls
		}
		return instructions, calls
	}
	instructions, calls := count()
	times, err := g.measure(ctx, o, n, figureTime)
	if err != nil {
		return Times{}, 0, err
	}
	after, callsAfter := count()
	return summary(times, o.bytes(n, len(g.engines))), float64(after-instructions) / float64(callsAfter-calls), nil
}

// loop is testdata/loop.c, compiled.
//
//go:embed testdata/loop.bin
var loop []byte

// instructionRate measures the simulator of the control processor, on a loop
// such as firmware has.
func (r *Report) instructionRate(ctx context.Context, _ *design.Design) error {
	const turn = 1 << 20
	cpu := rv32.New(1<<16, nil)
	if err := cpu.Load(loop, nil); err != nil {
		return err
	}
	if _, err := cpu.Run(turn); err != nil {
		return err
	}
	start, done := time.Now(), 0
	for time.Since(start) < figureTime && ctx.Err() == nil {
		n, err := cpu.Run(turn)
		if err != nil {
			return err
		}
		done += n
	}
	r.figure("control processor", float64(done)/time.Since(start).Seconds()/1e6, "million instructions/s",
		aimInstructions, true)
	return context.Cause(ctx)
}

// memory measures what ranks take that are open and do nothing.
func (r *Report) memory(ctx context.Context, d *design.Design) error {
	inUse := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what the first one has put into victim caches
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc + m.StackInuse)
	}
	before := inUse()
	return with(ctx, d, idleRanks, 0, func(*group) error {
		r.figure("memory of an idle rank", (inUse()-before)/idleRanks/(1<<20), "MiB", aimMemory, false)
		return nil
	})
}

// start measures how long it takes until four ranks are open.
func (r *Report) start(ctx context.Context, d *design.Design) error {
	var times []time.Duration
	for range 9 {
		start := time.Now()
		err := with(ctx, d, 4, 0, func(*group) error {
			times = append(times, time.Since(start))
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.figure("start-up until four ranks are open", summary(times, 0).Median/1e3, "ms", aimStart, false)
	return nil
}

// many has many ranks reduce.
func (r *Report) many(ctx context.Context, d *design.Design) error {
	const bytes = 1 << 20
	return with(ctx, d, manyRanks, bytes, func(g *group) error {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"1 KiB", smallBytes}, {"1 MiB", bytes}} {
			took, _, err := g.counted(ctx, "allreduce", size.bytes)
			if err != nil {
				return err
			}
			r.figure(fmt.Sprintf("allreduce of %s, %d ranks", size.name, manyRanks), took.Median/1e3, "ms", 0, false)
		}
		return nil
	})
}
