package rates

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
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

	smallAllreduce, largeAllreduce = 1 << 10, 16 << 20
	idleRanks                      = 16
	manyRanks                      = 64
)

// figures measures what is not a point.
func (r *Compared) figures(ctx context.Context, d *design.Design, progress func(string)) error {
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

func (r *Compared) figure(name string, value float64, unit string, aim float64, least bool) {
	r.Figures = append(r.Figures, Figure{name, value, unit, aim, least})
}

// with opens ranks for a measurement.
func with(ctx context.Context, d *design.Design, ranks int, do func(g *group) error) (err error) {
	g, err := inProcess.group(ctx, d, ranks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	return do(g)
}

const figureTime = 300 * time.Millisecond

// nop measures a call of a rank while there is no other.
func (r *Compared) nop(ctx context.Context, d *design.Design) error {
	return with(ctx, d, 1, func(g *group) error {
		took, instructions, err := g.counted(ctx, "nop", 0)
		if err == nil {
			r.figure("nop, one rank", took.Median, "µs", aimNop, false)
			r.figure("instructions of a nop", instructions, "", 0, false)
		}
		return err
	})
}

// allreduce repeats the points that there are aims for, if they were measured.
func (r *Compared) allreduce(ctx context.Context, d *design.Design) error {
	if p := r.point("allreduce", 4, smallAllreduce); p != nil {
		r.figure("allreduce of 1 KiB, four ranks", p.Median, "µs", aimSmall, false)
		if p.Ratio > 0 {
			r.figure("the same, of OpenMPI's time", p.Ratio, "x", aimSmallRatio, false)
		}
	}
	if p := r.point("allreduce", 4, largeAllreduce); p != nil {
		r.figure("allreduce of 16 MiB, four ranks", p.Median/1e3, "ms", 0, false)
		if p.Ratio > 0 {
			r.figure("the same, of OpenMPI's time", p.Ratio, "x", aimLargeRatio, false)
		}
	}
	return with(ctx, d, 4, func(g *group) error {
		_, instructions, err := g.counted(ctx, "allreduce", smallAllreduce)
		if err == nil {
			r.figure("instructions of an allreduce of 1 KiB, a rank of four", instructions, "", 0, false)
		}
		return err
	})
}

// counted measures an operation by name, and how many instructions of a rank's
// control processor it takes: the mean over calls and ranks.
func (g *group) counted(ctx context.Context, name string, bytes int) (Times, float64, error) {
	count := func() (instructions, calls uint64) {
		for i := range g.engines {
			s := g.world.Engine(i).Stats()
			instructions, calls = instructions+s.Instructions, calls+s.Calls
		}
		return instructions, calls
	}
	var times []time.Duration
	var each float64
	op, c := g.ofBytes(name, bytes)
	err := g.repeat(ctx, op, c, func(r *repeated) error {
		if _, err := r.run(ctx, fewestRuns); err != nil { // the first calls take more instructions
			return err
		}
		instructions, calls := count()
		var err error
		times, err = r.measure(ctx, figureTime)
		after, callsAfter := count()
		each = float64(after-instructions) / float64(callsAfter-calls)
		return err
	})
	return summary(times, g.bytes(op, &c)), each, err
}

// loop is testdata/loop.c, compiled.
//
//go:embed testdata/loop.bin
var loop []byte

// instructionRate measures the simulator of the control processor, on a loop
// such as firmware has.
func (r *Compared) instructionRate(ctx context.Context, _ *design.Design) error {
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
func (r *Compared) memory(ctx context.Context, d *design.Design) error {
	inUse := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what the first one has put into victim caches
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc + m.StackInuse)
	}
	before := inUse()
	return with(ctx, d, idleRanks, func(*group) error {
		r.figure("memory of an idle rank", (inUse()-before)/idleRanks/(1<<20), "MiB", aimMemory, false)
		return nil
	})
}

// start measures how long it takes until four ranks are open.
func (r *Compared) start(ctx context.Context, d *design.Design) error {
	var times []time.Duration
	for range 9 {
		start := time.Now()
		err := with(ctx, d, 4, func(*group) error {
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
func (r *Compared) many(ctx context.Context, d *design.Design) error {
	const bytes = 1 << 20
	return with(ctx, d, manyRanks, func(g *group) error {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"1 KiB", smallAllreduce}, {"1 MiB", bytes}} {
			took, _, err := g.counted(ctx, "allreduce", size.bytes)
			if err != nil {
				return err
			}
			r.figure(fmt.Sprintf("allreduce of %s, %d ranks", size.name, manyRanks), took.Median/1e3, "ms", 0, false)
		}
		return nil
	})
}
