// Package hardware measures calls of simulated hardware in cycles, which are
// exact, and how fast the simulation is.
package hardware

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/sim"
	"github.com/cclforge/cclforge/verify/world"
)

// Options of a run.
type Options struct {
	Platform string
	Ranks    []int
	Sizes    []int // bytes of an operand
	Latency  uint32
	// PluginBytes is how much goes through plugins in RTL and in C++, which are two
	// builds; 0 for none.
	PluginBytes int
}

// Defaults are the options that the bench target uses.
func Defaults() Options {
	return Options{Platform: "u55c_tcp", Ranks: []int{2, 4}, Sizes: []int{64, 4 << 10, 64 << 10, 1 << 20}, Latency: 50, PluginBytes: 1 << 20}
}

// Report is everything that was measured.
type Report struct {
	Platform      string   `json:"platform"`
	Latency       uint32   `json:"memory_latency_cycles"`
	BuildSeconds  float64  `json:"build_seconds"` // 0 if the simulation was there already
	Points        []Point  `json:"points"`
	Plugins       []Plugin `json:"plugins,omitempty"`
	CyclesASecond float64  `json:"rank_cycles_a_second"` // of all ranks together, the host's work included
}

// Point is a call: the engine's own count from when firmware has taken it until
// its answer, the largest of all ranks.
type Point struct {
	Operation string `json:"operation"`
	Ranks     int    `json:"ranks"`
	Bytes     int    `json:"bytes"`
	Cycles    uint32 `json:"cycles"`
}

// BytesACycle is the rate of a rank's operand.
func (p Point) BytesACycle() float64 { return float64(p.Bytes) / float64(max(p.Cycles, 1)) }

// ErrNoCounter says that the interface generation does not count cycles of calls.
var ErrNoCounter = errors.New("the interface generation has no performance counter")

// Run measures, prints a table, and writes hardware.json into a directory.
func Run(ctx context.Context, o Options, dir string, out, progress io.Writer) error {
	d, err := world.Design(o.Platform, "")
	if err != nil {
		return err
	}
	r := &Report{Platform: o.Platform, Latency: o.Latency}
	so := sim.Options{Latency: o.Latency, Build: sim.Build{Progress: func(m string) { fmt.Fprintln(progress, m) }}}
	start := time.Now()
	if so.Library, err = sim.Library(ctx, d, so.Build); err != nil {
		return err
	}
	if took := time.Since(start); took > time.Second {
		r.BuildSeconds = took.Seconds()
	}
	var cycles uint64
	start = time.Now()
	for _, n := range worlds(d, o.Ranks) {
		fmt.Fprintf(progress, "%d ranks\n", n)
		ran, err := r.measure(ctx, d, n, o.Sizes, so)
		if err != nil {
			return fmt.Errorf("%d ranks of %s: %w", n, o.Platform, err)
		}
		cycles += ran
	}
	r.CyclesASecond = float64(cycles) / time.Since(start).Seconds()
	if p := d.Platform; o.PluginBytes > 0 && p.Arithmetic != nil && p.Compression != nil {
		if err := r.plugins(ctx, o, so, progress); err != nil {
			return err
		}
	}
	if err := r.Print(out); err != nil {
		return err
	}
	return report.Write(dir, "hardware.json", r)
}

// worlds are numbers of ranks that reach each other, of those that are asked for:
// as many as there are where more are asked for.
func worlds(d *design.Design, ranks []int) []int {
	ranks = slices.Clone(ranks)
	if most := sim.Reach(d); most > 0 {
		for i, n := range ranks {
			ranks[i] = min(n, most)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// bench is a world that is measured.
type bench struct {
	ctx      context.Context
	w        *world.World
	engines  []*accl.Engine
	counter  uint32
	src, dst []*accl.Buffer[float32]
}

func (r *Report) measure(ctx context.Context, d *design.Design, n int, sizes []int, so sim.Options) (uint64, error) {
	b := &bench{ctx: ctx, engines: make([]*accl.Engine, n), src: make([]*accl.Buffer[float32], n), dst: make([]*accl.Buffer[float32], n)}
	word := counter(d.ABI())
	if word == nil {
		return 0, fmt.Errorf("%w: %s", ErrNoCounter, d.ABI().Name)
	}
	b.counter = word.At
	so.Clock = sim.NewClock()
	var err error
	cards := &sim.Cards{Options: func(int) sim.Options { return so }}
	b.w, err = world.New(ctx, d, n, world.Options{Maker: cards.Maker})
	if err != nil {
		return 0, err
	}
	defer b.w.Close()
	p := driverview.Of(d)
	if err := b.each(func(i int) (err error) {
		b.engines[i], err = accl.Open(ctx, b.w.Device(i), &p, b.w.Ranks(), i)
		return err
	}); err != nil {
		return 0, err
	}
	point := func(operation string, bytes int, do func(e *accl.Engine, i, count int) error) error {
		var most uint32
		for range 2 { // the first one fills what remembers
			if err := b.each(func(i int) error { return do(b.engines[i], i, bytes/4) }); err != nil {
				return fmt.Errorf("%s of %d bytes: %w", operation, bytes, err)
			}
			most = 0
			for i := range n {
				cycles, err := b.w.Device(i).ReadReg(ctx, b.counter)
				if err != nil {
					return err
				}
				most = max(most, cycles)
			}
		}
		r.Points = append(r.Points, Point{operation, n, bytes, most})
		return nil
	}
	if err := point("nop", 0, func(e *accl.Engine, _, _ int) error { _, err := e.Nop(ctx); return err }); err != nil {
		return 0, err
	}
	for _, size := range sizes {
		if err := b.each(func(i int) (err error) {
			if b.src[i], err = accl.Alloc[float32](ctx, b.engines[i], size/4); err != nil {
				return err
			}
			b.dst[i], err = accl.Alloc[float32](ctx, b.engines[i], size/4)
			return err
		}); err != nil {
			return 0, err
		}
		calls := []struct {
			name string
			do   func(e *accl.Engine, i, count int) error
		}{
			{"copy", func(e *accl.Engine, i, count int) error { _, err := e.Copy(ctx, b.src[i], b.dst[i], count); return err }},
			{"combine", func(e *accl.Engine, i, count int) error {
				_, err := e.Combine(ctx, b.src[i], b.dst[i], b.dst[i], count, accl.Sum)
				return err
			}},
			{"send, recv", func(e *accl.Engine, i, count int) (err error) {
				switch i {
				case 0:
					_, err = e.Send(ctx, b.src[i], count, 1)
				case 1:
					_, err = e.Recv(ctx, b.dst[i], count, 0)
				}
				return err
			}},
			{"allreduce", func(e *accl.Engine, i, count int) error {
				_, err := e.AllReduce(ctx, b.src[i], b.dst[i], count, accl.Sum)
				return err
			}},
		}
		for _, c := range calls {
			if err := point(c.name, size, c.do); err != nil {
				return 0, err
			}
		}
	}
	var ran uint64
	for i := range n {
		if e, ok := b.w.Engine(i).(*sim.Engine); ok {
			ran += e.Cycle()
		}
	}
	return ran, nil
}

// each does something on all ranks at the same time.
func (b *bench) each(do func(i int) error) error {
	errs := make([]error, len(b.engines))
	var all sync.WaitGroup
	for i := range b.engines {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func counter(g *abi.Generation) *abi.Word {
	if m := g.Memory(abi.Exchange); m != nil {
		for i := range m.Words {
			if m.Words[i].Name == "performance_counter" {
				return &m.Words[i]
			}
		}
	}
	return nil
}

// Print writes a table.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "simulated hardware of %s, memory of %d cycles latency\n\n", r.Platform, r.Latency)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ranks\toperation\tbytes\tcycles\tbytes a cycle\t")
	for _, p := range r.Points {
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%.2f\t\n", p.Ranks, p.Operation, p.Bytes, p.Cycles, p.BytesACycle())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := r.printPlugins(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%.0f cycles a second, of all ranks together", r.CyclesASecond)
	if r.BuildSeconds > 0 {
		fmt.Fprintf(w, "; built in %.0f s", r.BuildSeconds)
	}
	_, err := fmt.Fprintln(w)
	return err
}
