package verbs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/timeline"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/ranks"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/fabric/capture"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/recorder"
)

// tracing says what is traced, and where it is written to.
type tracing struct {
	rates.Options
	op      string
	size    int
	dir     string
	summary bool
}

func traceVerb() *cobra.Command {
	var where target.Options
	o := tracing{Options: rates.Options{Warmup: 1}, size: 64 << 10}
	c := &cobra.Command{
		Use:   "trace [world]",
		Short: "make an operation visible: a sequence diagram, a timeline for Perfetto, packets for Wireshark",
		Long: "Trace runs an operation and writes what the engines have done meanwhile: timeline.html, a sequence\n" +
			"diagram; timeline.pftrace, which ui.perfetto.dev opens; timeline.jsonl, a JSON object a line. Of emulated\n" +
			"ranks it has all events, of others what the rings of their engines have kept. packets.pcapng has what\n" +
			"emulated and Verilated ranks have sent since they were opened. The files are there also if the operation\n" +
			"fails.",
		Example: "  cclforge trace u55c_tcp --op=allreduce --size=64KiB -n 4 --out=out/trace\n" +
			"  cclforge trace verilated:u55c_tcp --op=bcast -n 2 --summary",
	}
	f := c.Flags()
	f.StringVar(&o.op, "op", "allreduce", "`operation`")
	f.Func("size", "`bytes` of a rank's largest buffer (64KiB)", func(s string) error {
		sizes, err := rates.Sizes(s)
		if err == nil && len(sizes) != 1 {
			err = fmt.Errorf("%w: %q; expected is one size", rates.ErrSizes, s)
		}
		if err == nil {
			o.size = sizes[0]
		}
		return err
	})
	f.StringVar((*string)(&o.Type), "dtype", string(accl.TypeFloat32), "`type` of elements")
	f.StringVar((*string)(&o.Wire), "compress", "", "`type` that is sent (as they are)")
	f.StringVar((*string)(&o.Func), "redop", string(accl.Sum), "`reduction`, such as max")
	f.IntVar(&o.Root, "root", 0, "`rank` that is the root (0)")
	f.IntVar(&o.Warmup, "warmup", o.Warmup, "`number` of operations before the one that is traced")
	f.StringVar(&o.dir, "out", "out/trace", "`directory` for the files")
	f.BoolVar(&o.summary, "summary", false, "say where the time went")
	// Its own size comes before that of a launcher's world: all ranks are of this process.
	return worldVerb(&where, c, func(ctx context.Context, cmd *cobra.Command) error {
		return runTrace(ctx, cmd.OutOrStdout(), where, o)
	})
}

// runTrace traces an operation of a world.
func runTrace(ctx context.Context, out io.Writer, where target.Options, o tracing) (err error) {
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return fmt.Errorf("make the directory for traces: %w", err)
	}
	where.Env = func(string) (string, bool) { return "", false }
	source, err := newSource(&where)
	if err != nil {
		return err
	}
	w, err := target.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	c, err := o.Case(w.Platform, w.Size, o.op, o.size)
	if err != nil {
		return err
	}
	prepared, err := c.Prepare(ctx, w.Engines)
	if err != nil {
		return err
	}
	for range o.Warmup {
		err = errors.Join(err, w.Each(func(i int) error { return prepared.Call(ctx, i) }))
	}
	var recorded []timeline.Rank
	if err == nil {
		recorded, err = source.record(ctx, w, c, prepared)
	}
	err = errors.Join(err, prepared.Finish(ctx))
	if recorded == nil {
		return err
	}
	name := callName(w.Platform, c)
	for i := range recorded {
		recorded[i].Called = []string{name}
	}
	title := fmt.Sprintf("%s on %d ranks of %s, %s", name, w.Size, w.Platform.Name, w.What)
	packets, failed := source.packets()
	t := timeline.New(title, recorded)
	if source.records {
		t.Notes = []string{"Emulated engines share the processors of this machine: what they do is as on cards, " +
			"how long it takes is not."}
	}
	o.summary = o.summary || err != nil // it says who has waited for whom
	files := ranks.Files{Dir: o.dir, Packets: packets, Design: source.design}
	if err = errors.Join(err, failed, files.Write(out, t)); !o.summary {
		return err
	}
	fmt.Fprintln(out)
	return errors.Join(err, t.Summary(out))
}

// callName is a case in words.
func callName(p *accl.Platform, c conformance.Case) string {
	if !p.Operation(c.Op).Operands() {
		return c.Op
	}
	text := fmt.Sprintf("%s of %d %s", c.Op, c.Count, c.Op0)
	if size := c.Count * c.ElementBytes(p); c.Op0 != "" {
		text += fmt.Sprintf(" (%s)", report.Size(size))
	}
	if c.Func != "" {
		text += ", " + string(c.Func)
	}
	if c.Wire != "" {
		text += ", sent as " + string(c.Wire)
	}
	return text
}

// source is where events come from: a recorder for emulated engines, or the rings of engines.
type source struct {
	design   *design.Design // of engines in this process, whose packets are captured
	records  bool
	recorder recorder.Recorder
	capture  *capture.Capture
	captured bytes.Buffer
}

func newSource(where *target.Options) (*source, error) {
	s := &source{}
	var simulated bool
	var err error
	if s.design, simulated, err = where.InProcess(); err != nil || s.design == nil {
		return s, err
	}
	kind, err := world.Network(s.design)
	if err != nil {
		return nil, err
	}
	where.Ranks = cmp.Or(where.Ranks, target.DefaultRanks)
	if where.Ranks > 0 && where.Ranks <= bringup.MaxSize { // else no world is opened
		where.World.Ranks = accl.LocalRanks(where.Ranks)
		s.capture, err = capture.New(&s.captured, kind, where.World.Ranks, func() int64 { return time.Now().UnixNano() })
		if err != nil {
			return nil, err
		}
		where.World.Port = s.capture.Port
	}
	if s.records = !simulated; s.records {
		where.World = s.recorder.Options(where.World)
	}
	return s, nil
}

// packets are those that were captured, if any were.
func (s *source) packets() ([]byte, error) {
	if s.capture == nil {
		return nil, nil
	}
	if err := s.capture.Close(); err != nil {
		return nil, fmt.Errorf("capture packets: %w", err)
	}
	return s.captured.Bytes(), nil
}

// record makes the call of each rank, and returns what the ranks have done meanwhile, also if
// calls have failed.
func (s *source) record(ctx context.Context, w *target.World, c conformance.Case, prepared *conformance.Prepared) (
	[]timeline.Rank, error) {
	if s.records {
		s.recorder.Start()
		err := w.Each(func(i int) error {
			begin := time.Now()
			err := prepared.Call(ctx, i)
			if calls := c.Op != "send" || i == c.Root || i == c.Peer; calls {
				s.recorder.Call(i, callName(w.Platform, c), begin, time.Now(), err)
			}
			return err
		})
		return s.recorder.Ranks(w.Platform, s.design.ABI()), err
	}
	before := make([]accl.Trace, len(w.Devices))
	for i, d := range w.Devices {
		var err error
		if before[i], err = w.Platform.Trace(ctx, d, 1); err != nil {
			return nil, fmt.Errorf("read the trace of rank %d: %w", i, err)
		}
		if before[i].Capacity == 0 {
			return nil, fmt.Errorf("read the trace of rank %d: %w: its platform says trace = 0", i, accl.ErrNoInspection)
		}
	}
	err := w.Each(func(i int) error { return prepared.Call(ctx, i) })
	ranks := make([]timeline.Rank, len(w.Devices))
	for i, d := range w.Devices {
		t, failed := w.Platform.Trace(ctx, d, 0)
		if failed != nil {
			return nil, errors.Join(err, fmt.Errorf("read the trace of rank %d: %w", i, failed))
		}
		t.Written, t.Lost = t.Written-before[i].Written, t.Lost-before[i].Lost
		t.Events = t.Events[len(t.Events)-min(len(t.Events), int(t.Written)):]
		sessions := map[uint32]int{}
		for rank, at := range w.Engines[i].World().Ranks() {
			sessions[at.Session] = rank
		}
		ranks[i] = timeline.Of(t, w.Platform.ClockMHz, sessions)
	}
	return ranks, err
}
