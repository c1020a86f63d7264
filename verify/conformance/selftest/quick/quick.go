// Package quick is the short form of the self-test: it runs every operation of a platform
// on emulated ranks through its generated driver package, holds each result against the
// conformance model, and prints how long it took. Generated demos are its callers.
package quick

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/world"
)

// ErrDiffers says that a result was not what plain arithmetic makes of the
// operands, or that there was none because the call failed.
var ErrDiffers = errors.New("results are wrong")

// Open opens the engine behind a device: Open of a generated package.
type Open func(ctx context.Context, dev accl.Device, ranks []accl.Rank, local int, o ...accl.OpenOption) (*accl.Engine,
	error)

// Load starts a number of ranks.
type Load func(ctx context.Context, ranks int) (*world.World, error)

// Main is the main function of a demo. Its flag -n is the number of ranks. The
// status is 1 if anything is wrong, and 130 after an interrupt.
func Main(open Open, load Load) {
	n := flag.Int("n", 4, "number of `ranks`")
	flag.Parse()
	command.Main(func(ctx context.Context) error {
		return Run(report.With(ctx, report.Lines(os.Stderr)), os.Stdout, open, load, *n)
	})
}

// Run runs the demo on n ranks and writes its table. The error matches
// ErrDiffers if any row is wrong. Others say that the ranks did not start, could
// not be reset after a call that failed, or that the context has ended.
func Run(ctx context.Context, w io.Writer, open Open, load Load, n int) (err error) {
	start := time.Now()
	world, err := load(ctx, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	g, err := newGroup(ctx, world, open)
	if err != nil {
		return err
	}
	p := g.platform
	ready := time.Since(start)
	t := &table{w: w}
	t.say("%s: %s, %s, %s; %d emulated ranks, ready in %s", p.Name, p.Board, p.Stack, p.Generation, n, short(ready))
	t.header()
	stopKernels := g.startKernels(ctx)
	failed := g.runAll(ctx, t)
	stopKernels()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.footer(time.Since(start))
	if failed == nil {
		failed = g.close(ctx)
	}
	return failed
}

// group is the engines of all ranks.
type group struct {
	platform *accl.Platform
	streams  bool // the engines have kernel streams
	world    *world.World
	engines  []*accl.Engine
}

func newGroup(ctx context.Context, w *world.World, open Open) (*group, error) {
	g := &group{world: w, engines: make([]*accl.Engine, w.Size())}
	err := g.each(func(i int) (err error) {
		g.engines[i], err = open(ctx, w.Device(i), w.Ranks(), i)
		return err
	})
	if err != nil {
		return nil, err
	}
	g.platform = g.engines[0].Platform()
	id, err := g.engines[0].HardwareID(ctx)
	g.streams = id.KernelStreams
	return g, err
}

// each does something on all ranks at the same time and returns the error of
// the first rank that has one.
func (g *group) each(do func(rank int) error) error {
	errs := make([]error, len(g.engines))
	var all sync.WaitGroup
	for i := range g.engines {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("rank %d: %w", i, err)
		}
	}
	return nil
}

func (g *group) close(ctx context.Context) error {
	return g.each(func(i int) error { return g.engines[i].Close(ctx) })
}

// startKernels stands in for user kernels at the engines' streams: what comes
// out goes in again, as it does where the platform loops its streams back.
func (g *group) startKernels(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	if !g.streams || g.platform.KernelStream == "loopback" {
		return cancel
	}
	var running sync.WaitGroup
	for i := range g.engines {
		running.Go(func() { echo(ctx, g.world.Device(i)) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// echo passes on what it gets until the context ends.
func echo(ctx context.Context, port accl.KernelPort) {
	const most = 64 << 10 // bytes at a time
	for {
		tdest, data, err := port.Pull(ctx, most)
		if err != nil || port.Push(ctx, tdest, data) != nil {
			return
		}
	}
}
