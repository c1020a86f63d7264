package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// Builds are the options of the benchmark of builds: how long it takes to plan, and to find that nothing is to be
// done. The vendor's tools are stand-ins.
type Builds struct {
	Platform string
	Many     int // platforms of the large plan
	Runs     int // of which the median counts
}

// DefaultBuilds are the options that the bench target uses. The platform is one that takes
// no kernels of others.
func DefaultBuilds() Builds { return Builds{Platform: "u280_axis3x", Many: 64, Runs: 7} }

// buildsReport is everything that was measured: medians.
type buildsReport struct {
	Platform string       `json:"platform"`
	Runs     int          `json:"runs"`
	Points   []buildPoint `json:"points"`
}

// buildPoint is one thing that was measured.
type buildPoint struct {
	What         string  `json:"what"` // "plan" or "nothing to do"
	Platforms    int     `json:"platforms"`
	Steps        int     `json:"steps"`
	Milliseconds float64 `json:"milliseconds"`
}

// Run measures, prints a table, and writes builds.json into a directory.
func (o Builds) Run(ctx context.Context, dir string, out, progress io.Writer) error {
	place, err := os.MkdirTemp("", "cclforge-builds-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	if err := install(place); err != nil {
		return err
	}
	b := &buildMeter{Builds: o, place: place, progress: progress,
		report: &buildsReport{Platform: o.Platform, Runs: o.Runs}}
	if err := b.write(o.Many); err != nil {
		return err
	}
	for _, measure := range []func(context.Context) error{b.planning, b.idle} {
		if err := measure(ctx); err != nil {
			return err
		}
	}
	if err := b.report.print(out); err != nil {
		return err
	}
	return report.Write(dir, "builds.json", b.report)
}

// install puts stand-ins for the tools into the environment.
func install(place string) error {
	binary := filepath.Join(place, "standin")
	if err := standin.Compile(binary); err != nil {
		return err
	}
	tools, err := standin.Create(filepath.Join(place, "tools"), binary, standin.Options{})
	if err != nil {
		return err
	}
	for name, value := range tools.Variables() {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return os.Setenv("XDG_CACHE_HOME", filepath.Join(place, "versions"))
}

type buildMeter struct {
	Builds
	place    string
	progress io.Writer
	report   *buildsReport
}

// write makes a workspace with many platforms, which are the shipped ones under other
// names.
func (b *buildMeter) write(many int) error {
	dir := filepath.Join(b.place, "many", "platforms")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	shipped, err := fs.Glob(platforms.FS, "*.hcl")
	if err != nil {
		return err
	}
	for i := range many {
		file := shipped[i%len(shipped)]
		text, err := fs.ReadFile(platforms.FS, file)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("many%02d", i)
		text = bytes.Replace(text, fmt.Appendf(nil, "platform %q", strings.TrimSuffix(file, ".hcl")),
			fmt.Appendf(nil, "platform %q", name), 1)
		if err := os.WriteFile(filepath.Join(dir, name+".hcl"), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (b *buildMeter) prepare(ctx context.Context, dir, only string) (*run.Build, error) {
	return run.Prepare(ctx, run.Request{
		Dir: dir, Selection: workspace.Selection{Only: only}, Cache: filepath.Join(b.place, "cache"),
		Log: func(string, ...any) {}, // what builds might fail of
	})
}

// planning measures how long it takes to say what would run, and why.
func (b *buildMeter) planning(ctx context.Context) error {
	for _, c := range []struct {
		dir, only string
		platforms int
	}{{b.place, b.Platform, 1}, {filepath.Join(b.place, "many"), "many*", b.Many}} {
		steps := 0
		err := b.measure("plan", c.platforms, &steps, func() error {
			p, err := b.prepare(ctx, c.dir, c.only)
			if err != nil {
				return err
			}
			steps = len(p.Plan.Steps)
			_, err = run.Why(p.Plan, p.Store)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// idle measures a build with nothing to do: all of it is there from the first one.
func (b *buildMeter) idle(ctx context.Context) error {
	executor := run.NewLocal(run.LocalOptions{})
	steps := 0
	once := func() error {
		p, err := b.prepare(ctx, b.place, b.Platform)
		if err != nil {
			return err
		}
		steps = len(p.Plan.Steps)
		if _, err = run.Run(ctx, p.Plan, p.Store, executor, run.Options{}); err != nil {
			return err
		}
		_, err = run.Deliver(p.Plan, p.Store, b.Platform, filepath.Join(b.place, "results"))
		return err
	}
	if err := once(); err != nil {
		return err
	}
	return b.measure("nothing to do", 1, &steps, once)
}

// measure takes the median of some runs.
func (b *buildMeter) measure(what string, platforms int, steps *int, do func() error) error {
	fmt.Fprintf(b.progress, "%s, %d platforms\n", what, platforms)
	took, err := median(b.Runs, do)
	if err != nil {
		return fmt.Errorf("%s, %d platforms: %w", what, platforms, err)
	}
	b.report.Points = append(b.report.Points,
		buildPoint{what, platforms, *steps, float64(took.Microseconds()) / 1000})
	return nil
}

// median is how long the middle one of some runs takes.
func median(runs int, do func() error) (time.Duration, error) {
	took := make([]time.Duration, runs)
	for i := range took {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[runs/2], nil
}

func (r *buildsReport) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "builds\tplatforms\tsteps\tms\t")
	for _, p := range r.Points {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t\n", p.What, p.Platforms, p.Steps, p.Milliseconds)
	}
	return t.Flush()
}
