// Package bench measures cclforge itself, and reports it: how long it takes to generate and to find that a build
// has nothing to do, how many beats go through kernels in C++, and how many cycles calls take on simulated
// hardware. It asserts nothing but that results are right: the machine it runs on is not known.
package bench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
)

//go:embed testdata
var testdata embed.FS

// generateResult is what one case took.
type generateResult struct {
	Name    string `json:"name"`
	Engines int    `json:"engines,omitempty"` // of the synthetic platform
	Runs    int    `json:"runs"`
	// Median, Min and Max are times in milliseconds.
	Median float64 `json:"median_ms"`
	Min    float64 `json:"min_ms"`
	Max    float64 `json:"max_ms"`
	// Allocations and Bytes are what the median run allocated.
	Allocations uint64 `json:"allocations"`
	Bytes       uint64 `json:"bytes"`
	Written     int    `json:"files_written"`
	// Aim is the time in milliseconds that it should stay below, 0 for none.
	Aim float64 `json:"aim_ms,omitempty"`
}

// generateReport is everything that was measured, and where.
type generateReport struct {
	Go      string           `json:"go"`
	System  string           `json:"system"`
	CPUs    int              `json:"cpus"`
	Results []generateResult `json:"results"`
}

// benchCase is one thing to measure: generating a selection of platforms from
// nothing, or again if prepared is set, or without writing it if dry is set.
type benchCase struct {
	name          string
	engines       int
	only          string
	prepared, dry bool
	aim           float64
}

// engineCounts are the numbers of engines of the synthetic platform.
var engineCounts = []int{1, 2, 4, 8, 16, 32, 64}

func cases() []benchCase {
	list := []benchCase{
		{name: "one platform (u55c_tcp)", only: "u55c_tcp"},
		{name: "all shipped platforms", aim: 250},
		{name: "all shipped platforms, rendered but not written", dry: true},
		{name: "all shipped platforms, nothing to do", prepared: true, aim: 50},
	}
	for _, n := range engineCounts {
		list = append(list, benchCase{name: "synthetic platform", engines: n, only: "synthetic"})
	}
	return list
}

// measureGenerate runs every case several times, in process, each with a library read
// anew and an output directory of its own, below dir. The file system decides
// part of the result, so dir should be on the one that output is usually on.
func measureGenerate(ctx context.Context, dir string, runs int, progress func(name string)) (*generateReport, error) {
	r := &generateReport{Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0)}
	for _, c := range cases() {
		progress(c.title())
		result, err := c.measure(ctx, dir, runs)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", c.title(), err)
		}
		r.Results = append(r.Results, result)
	}
	return r, nil
}

func (c benchCase) title() string {
	if c.engines == 0 {
		return c.name
	}
	return fmt.Sprintf("%s, %d engines", c.name, c.engines)
}

type sample struct {
	took              time.Duration
	allocations, size uint64
	written           int
}

func (c benchCase) measure(ctx context.Context, dir string, runs int) (generateResult, error) {
	samples := make([]sample, 0, runs)
	for range runs {
		s, err := c.once(ctx, dir)
		if err != nil {
			return generateResult{}, err
		}
		samples = append(samples, s)
	}
	slices.SortFunc(samples, func(a, b sample) int { return int(a.took - b.took) })
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	middle := samples[len(samples)/2]
	return generateResult{
		Name: c.name, Engines: c.engines, Runs: runs, Aim: c.aim,
		Median: ms(middle.took), Min: ms(samples[0].took), Max: ms(samples[len(samples)-1].took),
		Allocations: middle.allocations, Bytes: middle.size, Written: middle.written,
	}, nil
}

func (c benchCase) once(ctx context.Context, parent string) (sample, error) {
	dir, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return sample{}, err
	}
	defer os.RemoveAll(dir)
	if c.prepared {
		if _, err := c.generate(ctx, dir); err != nil {
			return sample{}, err
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	report, err := c.generate(ctx, dir)
	took := time.Since(start)
	if err != nil {
		return sample{}, err
	}
	runtime.ReadMemStats(&after)
	written, _ := report.Changes()
	if c.dry {
		written = 0
	}
	return sample{took, after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, written}, nil
}

func (c benchCase) generate(ctx context.Context, dir string) (*workspace.Report, error) {
	layers := []fs.FS{platforms.FS}
	o := workspace.Options{Selection: workspace.Selection{Only: c.only}}
	if c.engines > 0 {
		overlay, err := fs.Sub(testdata, "testdata")
		if err != nil {
			return nil, err
		}
		layers = append([]fs.FS{overlay}, layers...)
		o.Vars = fmt.Sprintf("{engines = %d}", c.engines)
	}
	w := workspace.New(dir, func(string, ...any) {}, layers...)
	if c.dry {
		return w.Diff(ctx, o)
	}
	return w.Generate(ctx, o)
}
