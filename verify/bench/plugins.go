package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/world"
)

// Plugins are the options of the benchmark of kernels in C++ in the emulated world: alone, and on the lanes of an
// engine, beside the built-in lanes.
type Plugins struct {
	Platform string
	Bytes    int // of an operand
	Runs     int // of which the median counts
}

// DefaultPlugins are the options that the bench target uses.
func DefaultPlugins() Plugins { return Plugins{Platform: "u55c_tcp", Bytes: 4 << 20, Runs: 9} }

// pluginsReport is everything that was measured.
type pluginsReport struct {
	Platform     string        `json:"platform"`
	Bytes        int           `json:"bytes"`
	Runs         int           `json:"runs"`
	BuildSeconds float64       `json:"build_seconds"` // little if the libraries were there already
	Points       []pluginPoint `json:"points"`
}

// pluginPoint is what passes a kernel.
type pluginPoint struct {
	Kernel    string `json:"kernel"`
	Operation string `json:"operation"`
	// World is "component" for the kernel alone, "hls" for it on a lane of an
	// emulated engine, and "built-in" for what the engine computes itself in place of
	// a kernel in RTL.
	World        string  `json:"world"`
	BeatsASecond float64 `json:"beats_a_second"` // of the first operand
}

// Run measures, prints a table, and writes plugins.json into a directory.
func (o Plugins) Run(ctx context.Context, dir string, out, progress io.Writer) error {
	r := &pluginsReport{Platform: o.Platform, Bytes: o.Bytes, Runs: o.Runs}
	for _, form := range []string{platform.SourceHLS, platform.SourceRTL} {
		d, err := world.Design(o.Platform, "")
		if err != nil {
			return err
		}
		if d.Platform.Arithmetic == nil || d.Platform.Compression == nil {
			return fmt.Errorf("measure plugins of %s: it has not both, for arithmetic and compression", o.Platform)
		}
		d.PluginsAs(form)
		fmt.Fprintf(progress, "plugins as %s\n", form)
		if form == platform.SourceHLS {
			if err := r.components(ctx, d); err != nil {
				return err
			}
		}
		if err := r.engine(ctx, d, map[string]string{platform.SourceHLS: "hls",
			platform.SourceRTL: "built-in"}[form]); err != nil {
			return err
		}
	}
	if err := r.print(out); err != nil {
		return err
	}
	return report.Write(dir, "plugins.json", r)
}

// measure takes the median of some runs of what moves the report's bytes.
func (r *pluginsReport) measure(kernel, operation, in string, do func() error) error {
	took, err := median(r.Runs, do)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", kernel, operation, err)
	}
	r.Points = append(r.Points, pluginPoint{kernel, operation, in, float64(r.Bytes/beatBytes) / took.Seconds()})
	return nil
}

// engine measures calls of an emulated engine.
func (r *pluginsReport) engine(ctx context.Context, d *design.Design, in string) error {
	var fault error
	w, err := world.New(ctx, d, 1, world.Options{Engine: emu.Options{OnFault: func(err error) { fault = err }}})
	if err != nil {
		return err
	}
	defer w.Close()
	p := driverview.Of(d)
	e, err := accl.Open(ctx, w.Device(0), &p, w.Ranks(), 0)
	if err != nil {
		return err
	}
	n := r.Bytes / 4
	var buffers [3]*accl.Buffer[float32]
	for i := range buffers {
		if buffers[i], err = accl.Alloc[float32](ctx, e, n); err != nil {
			return err
		}
	}
	half, err := accl.AllocRaw(ctx, e, accl.TypeFloat16, n)
	if err != nil {
		return err
	}
	here := []accl.Option{accl.FromFPGA(), accl.ToFPGA()}
	err = r.measure(d.Platform.Arithmetic.Kernel, "sum of float32", in, func() error {
		_, err := e.Combine(ctx, buffers[0], buffers[1], buffers[2], n, accl.Sum, here...)
		return err
	})
	if err == nil {
		err = r.measure(d.Platform.Compression.Kernel, "float32 to float16", in, func() error {
			_, err := e.Copy(ctx, buffers[0], half, n, here...)
			return err
		})
	}
	return errors.Join(err, fault)
}

func (r *pluginsReport) print(w io.Writer) error {
	fmt.Fprintf(w, "Plugins of %s, %d bytes an operand, %d runs\n\n", r.Platform, r.Bytes, r.Runs)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kernel\toperation\tworld\tbeats a second\tGB a second\t")
	for _, p := range r.Points {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\t%.3f\t\n", p.Kernel, p.Operation, p.World, p.BeatsASecond,
			p.BeatsASecond*float64(beatBytes)/1e9)
	}
	return t.Flush()
}
