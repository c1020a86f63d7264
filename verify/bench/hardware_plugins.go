package bench

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
)

// Plugin is how fast a plugin of simulated hardware is in one of its forms.
type Plugin struct {
	Kernel       string  `json:"kernel"`
	Form         string  `json:"form"` // "rtl" or "hls": C++ on the streams of the model
	Operation    string  `json:"operation"`
	Bytes        int     `json:"bytes"`
	Cycles       uint32  `json:"cycles"`         // of a call
	BeatsASecond float64 `json:"beats_a_second"` // into the plugin, with everything around it
}

// plugins measures calls of one rank that go through plugins.
func (r *hardwareReport) plugins(ctx context.Context, o Hardware, so rtlsim.Options, progress io.Writer) error {
	for _, form := range []string{platform.SourceRTL, platform.SourceHLS} {
		d, err := world.Design(o.Platform, "")
		if err != nil {
			return err
		}
		d.PluginsAs(form)
		fmt.Fprintf(progress, "plugins as %s\n", form)
		if so.Library, err = rtlsim.Library(ctx, d, so.Build); err != nil {
			return err
		}
		if err := r.form(ctx, d, form, o.PluginBytes, so); err != nil {
			return fmt.Errorf("plugins as %s: %w", form, err)
		}
	}
	return nil
}

func (r *hardwareReport) form(ctx context.Context, d *design.Design, form string, bytes int, so rtlsim.Options) error {
	word := d.ABI().Memory(abi.Exchange).Word("performance_counter")
	if word == nil {
		return fmt.Errorf("%w: %s", ErrNoCounter, d.ABI().Name)
	}
	so.Clock = rtlsim.NewClock()
	w, err := world.New(ctx, d, 1, world.Options{Maker: func(int) world.Maker { return so.Make }})
	if err != nil {
		return err
	}
	defer w.Close()
	p := driverview.Of(d)
	e, err := accl.Open(ctx, w.Device(0), &p, w.Ranks(), 0)
	if err != nil {
		return err
	}
	combine := conformance.Plain(&p, "combine", accl.TypeFloat32, bytes/4)
	convert := conformance.Plain(&p, "copy", accl.TypeFloat32, bytes/4)
	convert.Res = accl.TypeFloat16
	for _, call := range []struct {
		kernel, operation string
		conformance.Case
	}{{d.Platform.Arithmetic.Kernel, "combine", combine}, {d.Platform.Compression.Kernel, "copy to float16", convert}} {
		took, err := through(ctx, e, call.Case)
		if err != nil {
			return fmt.Errorf("%s: %w", call.operation, err)
		}
		cycles, err := w.Device(0).ReadReg(ctx, word.At)
		if err != nil {
			return err
		}
		r.Plugins = append(r.Plugins, Plugin{call.kernel, form, call.operation, bytes, cycles,
			float64(bytes/beatBytes) / took.Seconds()})
	}
	return nil
}

// through is how long a call takes that another one has come before, whose result is right.
func through(ctx context.Context, e *accl.Engine, c conformance.Case) (took time.Duration, err error) {
	for range 2 { // the first call fills what remembers
		prepared, err := c.Prepare(ctx, []*accl.Engine{e})
		if err != nil {
			return 0, err
		}
		began := time.Now()
		if err := prepared.Call(ctx, 0); err != nil {
			return 0, err
		}
		took = time.Since(began)
		if err := prepared.Finish(ctx); err != nil {
			return 0, err
		}
	}
	return took, nil
}

func (r *hardwareReport) printPlugins(w io.Writer) error {
	if len(r.Plugins) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "plugin\tform\toperation\tbytes\tcycles\tbeats a second\t")
	for _, p := range r.Plugins {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%.0f\t\n", p.Kernel, p.Form, p.Operation, p.Bytes, p.Cycles, p.BeatsASecond)
	}
	return t.Flush()
}
