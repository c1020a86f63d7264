package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/metrics"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/capture"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/recorder"
)

// Recording are the options of the benchmark of what it costs to record emulated ranks.
type Recording struct {
	Platform string
	Ranks    int
	Bytes    int // of the allreduce that is timed
	Calls    int // of a run
	Runs     int // of each world, in turn, of which the median counts
}

// DefaultRecording are the options that the bench target uses.
func DefaultRecording() Recording {
	return Recording{Platform: "u55c_tcp", Ranks: 4, Bytes: 1 << 10, Calls: 100, Runs: 61}
}

// recordingReport is everything that was measured.
type recordingReport struct {
	Recording
	Points []recordingPoint `json:"points"`
}

// recordingPoint is what a call takes in a world.
type recordingPoint struct {
	Recorded     string  `json:"recorded"`
	Microseconds float64 `json:"microseconds"`
	Ratio        float64 `json:"ratio"` // to what it takes without a record, in the same run
}

// recorded is a world that is recorded, and its engines.
type recorded struct {
	name   string
	world  *world.World
	call   []func(context.Context) error // by rank
	forget func()
	took   []time.Duration
}

// way is how a world is recorded: its options, and what is done before each run.
type way struct {
	name string
	make func() (o world.Options, forget func(), err error)
	open accl.OpenOption // of engines; may be nil
}

func (o Recording) ways(kind fabric.Kind) []way {
	const kept = 1 << 15 // as much as a server keeps
	nothing := func() {}
	return []way{
		{"nothing", func() (world.Options, func(), error) { return world.Options{}, nothing, nil }, nil},
		{"calls, for Prometheus", func() (world.Options, func(), error) { return world.Options{}, nothing, nil },
			metrics.New().Observe()},
		{"events", func() (world.Options, func(), error) {
			return world.Options{OnEvent: func(int) func(emu.Event) { return func(emu.Event) {} }}, nothing, nil
		}, nil},
		{"events and packets, for a timeline", func() (world.Options, func(), error) {
			r := &recorder.Recorder{Last: kept}
			return r.Options(world.Options{}), r.Start, nil
		}, nil},
		{"packets, for Wireshark", func() (world.Options, func(), error) {
			c, err := capture.New(io.Discard, kind, accl.LocalRanks(o.Ranks), func() int64 { return time.Now().UnixNano() })
			if err != nil {
				return world.Options{}, nil, err
			}
			return world.Options{Port: c.Port}, nothing, nil
		}, nil},
	}
}

// Run measures, prints a table, and writes recording.json into a directory.
func (o Recording) Run(ctx context.Context, dir string, out, progress io.Writer) (err error) {
	d, err := world.Design(o.Platform, "")
	if err != nil {
		return err
	}
	kind, err := world.Network(d)
	if err != nil {
		return err
	}
	p := driverview.Of(d)
	var worlds []*recorded
	defer func() {
		for _, r := range worlds {
			err = errors.Join(err, r.world.Close())
		}
	}()
	for _, way := range o.ways(kind) {
		options, forget, err := way.make()
		if err != nil {
			return err
		}
		w, err := world.New(ctx, d, o.Ranks, options)
		if err != nil {
			return err
		}
		r := &recorded{name: way.name, world: w, forget: forget}
		worlds = append(worlds, r)
		engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks(), way.open)
		if err != nil {
			return err
		}
		n := o.Bytes / 4
		for _, e := range engines {
			buffer, err := accl.Alloc[int32](ctx, e, n)
			if err != nil {
				return err
			}
			r.call = append(r.call, func(ctx context.Context) error {
				_, err := e.AllReduce(ctx, buffer, buffer, n, accl.Sum)
				return err
			})
		}
	}
	for run := range o.Runs + 1 {
		for i := range worlds { // none is always first
			r := worlds[(i+run)%len(worlds)]
			if err := r.run(ctx, o.Calls, run > 0); err != nil { // the first one warms up
				return fmt.Errorf("allreduce while %s is recorded: %w", r.name, err)
			}
		}
		fmt.Fprintf(progress, "\rrun %d of %d", run, o.Runs)
	}
	fmt.Fprintln(progress)
	result := &recordingReport{Recording: o}
	for _, r := range worlds {
		var micros, ratios []float64
		for run, took := range r.took {
			micros = append(micros, float64(took.Nanoseconds())/1e3/float64(o.Calls))
			ratios = append(ratios, float64(took)/float64(worlds[0].took[run]))
		}
		result.Points = append(result.Points, recordingPoint{r.name, middle(micros), middle(ratios)})
	}
	if err := result.print(out); err != nil {
		return err
	}
	return report.Write(dir, "recording.json", result)
}

// middle is the median of values, which it sorts.
func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// run has all ranks make their calls, each one after the other.
func (r *recorded) run(ctx context.Context, calls int, counts bool) error {
	r.forget()
	ended := make(chan error, len(r.call))
	began := time.Now()
	for _, call := range r.call {
		go func() {
			for range calls {
				if err := call(ctx); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	var errs []error
	for range r.call {
		errs = append(errs, <-ended)
	}
	if counts {
		r.took = append(r.took, time.Since(began))
	}
	return errors.Join(errs...)
}

func (r *recordingReport) print(out io.Writer) error {
	fmt.Fprintf(out, "allreduce of %d bytes on %d emulated ranks of %s, medians of %d runs in turn\n", r.Bytes, r.Ranks,
		r.Platform, r.Runs)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "recorded\tµs a call\tratio")
	for _, p := range r.Points {
		fmt.Fprintf(t, "%s\t%.1f\t%.2f\n", p.Recorded, p.Microseconds, p.Ratio)
	}
	return t.Flush()
}
