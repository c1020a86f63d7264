package bench

import (
	"cmp"
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
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
)

// Hardware are the options of the benchmark of simulated hardware: cycles of calls, which are exact, beside their
// bounds, and the speed of the simulation.
type Hardware struct {
	Platform  string
	Ranks     []int    // a world is started for each
	Sizes     []int    // bytes of the largest buffer of a rank
	Rows      []string // names of operations; none for all
	Protocols []string // none for all
	Types     bool     // each data type, at the largest size
	Latency   uint32
	// Step is how many cycles a rank runs before the next one does.
	Step          int
	MaxRendezvous int // bytes that are sent at once; 0 for what the platform has
	RxCount       int // buffers for eager messages; 0 for what the platform has, where kernels of others expect them
	RxBytes       int // of each; 0 for what the platform has
	// Image is a file with control firmware; empty for the prebuilt one.
	Image string
	// PluginBytes is how much goes through plugins in RTL and in C++, which are two
	// builds; 0 for none.
	PluginBytes int
}

// DefaultHardware are the options that the bench target uses.
func DefaultHardware() Hardware {
	return Hardware{
		Platform: "u55c_tcp", Ranks: []int{2, 4, 8}, Sizes: []int{64, 4 << 10, 64 << 10, 1 << 20}, Types: true,
		Latency: 50, Step: 1,
		RxCount: 32, PluginBytes: 1 << 20,
	}
}

// hardwareReport is everything that was measured.
type hardwareReport struct {
	Platform      string          `json:"platform"`
	Latency       uint32          `json:"memory_latency_cycles"`
	RxCount       int             `json:"rx_buffers"`
	RxBytes       int             `json:"rx_buffer_bytes"`
	BuildSeconds  float64         `json:"build_seconds"` // 0 if the simulation was there already
	Points        []hardwarePoint `json:"points"`
	Plugins       []Plugin        `json:"plugins,omitempty"`
	CyclesASecond float64         `json:"rank_cycles_a_second"` // of all ranks together, the host's work included
}

// ErrNoCounter says that the interface generation does not count cycles of calls.
var ErrNoCounter = errors.New("the interface generation has no performance counter")

// Run measures, prints tables, and writes hardware.json and hardware.svg into a
// directory.
func (o Hardware) Run(ctx context.Context, dir string, out, log io.Writer) error {
	ctx = report.With(ctx, report.Lines(log))
	d, err := world.Design(o.Platform, "")
	if err != nil {
		return err
	}
	o.Ranks = worlds(d, o.Ranks)
	p := driverview.Of(d)
	if _, err := o.rows(&p, 2, nil); err != nil {
		return err
	}
	rx := p.RxBuffers
	o.RxCount, o.RxBytes = cmp.Or(o.RxCount, rx.Count), cmp.Or(o.RxBytes, rx.Bytes)
	r := &hardwareReport{Platform: o.Platform, Latency: o.Latency, RxCount: o.RxCount, RxBytes: o.RxBytes}
	so := rtlsim.Options{Latency: o.Latency}
	if o.Image != "" {
		if so.Image, err = os.ReadFile(o.Image); err != nil {
			return fmt.Errorf("read the control firmware: %w", err)
		}
	}
	start := time.Now()
	if so.Library, err = rtlsim.Library(ctx, d, so.Build); err != nil {
		return err
	}
	if took := time.Since(start); took > time.Second {
		r.BuildSeconds = took.Seconds()
	}
	var cycles uint64
	start = time.Now()
	for _, n := range o.Ranks {
		ran, err := r.measure(ctx, d, n, &o, so, log)
		if err != nil {
			return fmt.Errorf("%d ranks of %s: %w", n, o.Platform, err)
		}
		cycles += ran
	}
	r.CyclesASecond = float64(cycles) / time.Since(start).Seconds()
	if p := d.Platform; o.PluginBytes > 0 && p.Arithmetic != nil && p.Compression != nil {
		if err := r.plugins(ctx, o, so, log); err != nil {
			return err
		}
	}
	if err := r.Print(out); err != nil {
		return err
	}
	if err := report.Write(dir, "hardware.json", r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "hardware.svg"), []byte(r.Plot()), 0o644); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

// worlds are numbers of ranks that reach each other, of those that are asked for:
// as many as there are where more are asked for.
func worlds(d *design.Design, ranks []int) []int {
	ranks = slices.Clone(ranks)
	if most := rtlsim.Reach(d); most > 0 {
		for i, n := range ranks {
			ranks[i] = min(n, most)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// measure measures the rows of a world, and says how many cycles its ranks have run.
func (r *hardwareReport) measure(ctx context.Context, d *design.Design, n int, o *Hardware, so rtlsim.Options,
	progress io.Writer) (uint64, error) {
	p := driverview.Of(d)
	var types []accl.DType
	if o.Types {
		types = summed(&p)
	}
	rows, err := o.rows(&p, n, types)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	fmt.Fprintf(progress, "%d ranks\n", n)
	b, err := open(ctx, d, n, o, so)
	if err != nil {
		return 0, err
	}
	defer b.w.Close()
	for i := range rows {
		if size, ok := b.engines[0].Platform().TypeBytes(rows[i].dtype); ok && rows[i].eagerly(n, size, b.maxEager) {
			continue
		}
		p, err := b.point(&rows[i])
		if err != nil {
			return 0, err
		}
		r.Points = append(r.Points, p)
	}
	var ran uint64
	for i := range n {
		if e, ok := b.w.Engine(i).(*rtlsim.Engine); ok {
			ran += e.Cycle()
		}
	}
	return ran, nil
}

// summed are the data types that a platform can sum.
func summed(p *accl.Platform) (types []accl.DType) {
	for _, pair := range conformance.Pairs(p) {
		if pair.Wire == "" && slices.Contains(pair.Functions, accl.Sum) {
			types = append(types, pair.Type)
		}
	}
	return types
}

// Print writes tables.
func (r *hardwareReport) Print(w io.Writer) error {
	fmt.Fprintf(w,
		"simulated hardware of %s, memory of %d cycles latency unless said otherwise, %d rx buffers of %d bytes;\n"+
			"engine: beats that must pass one port or path of an engine, beside what wires and memory bound\n\n", r.Platform,
		r.Latency, r.RxCount, r.RxBytes)
	if err := r.printPoints(w); err != nil {
		return err
	}
	if err := r.printAccounts(w); err != nil {
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
