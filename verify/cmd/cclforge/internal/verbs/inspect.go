package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// between is the time between two looks at a rank: a processor that takes no event meanwhile is
// busy with something else.
const between = 100 * time.Millisecond

// errUnwell matches errors of ranks whose control processor has halted, has no clock or has
// not started.
var errUnwell = errors.New("a control processor does not run")

func inspectVerb() *cobra.Command {
	var where target.Options
	var o inspection
	c := worldVerb(&where, &cobra.Command{
		Use:   "inspect [world]",
		Short: "say of the ranks of a world how their control processors are, what is stuck, and what they have done",
		Long: "Inspect says of the ranks of a world how their control processors are, which firmware they run, what the\n" +
			"network has refused, which streams and remote ranks have been waited for, which queues are full, and\n" +
			"what the engines have done so far; with --events what was last, with its time. It reads registers\n" +
			"that need no firmware, so that it names a processor that has halted: why, where, and at which\n" +
			"instruction. Nothing is configured or reset, except with --restart. The exit code is\n" +
			"1 if a processor does not run.",
		Example: "  cclforge inspect sim:5500 -n 4\n  cclforge inspect card:u55c_tcp.xclbin -n 1 --events=100",
	}, func(ctx context.Context, cmd *cobra.Command) error {
		return runInspect(ctx, cmd.OutOrStdout(), where, o)
	})
	c.Flags().IntVar(&o.events, "events", 0, "print up to this number of the last events of each rank (40)")
	c.Flags().Lookup("events").NoOptDefVal = "40"
	c.Flags().BoolVar(&o.restart, "restart", false,
		"restart the processors that have halted; engines must be configured again then")
	command.JSON(c.Flags(), &o.json, "print a JSON list in place of the table")
	return c
}

// inspection says what is printed and done.
type inspection struct {
	events        int // of each rank, the last ones
	restart, json bool
}

// inspected is a rank as it was found.
type inspected struct {
	Rank      int    `json:"rank"`
	Processor string `json:"processor"`
	Function  string `json:"function"` // of the firmware at the pc; "" if not known
	Firmware  string `json:"firmware"` // interface version if it is the one that is known here, or its hash
	Design    string `json:"design"`   // platform if its engines are like these, or their hash
	Restarted bool   `json:"restarted"`
	accl.Inspection
	Stuck []string `json:"stuck"` // what stands for long, in sentences; queues that are full
	accl.Activity
	Trace  accl.Trace   `json:"trace"`
	Doing  string       `json:"doing"`  // which call the rank is in, and for whom it waits
	Causes []accl.Cause `json:"causes"` // why it waits for long, or why its last call has failed

	clockMHz int
	known    bool // its version of the inspection
}

func runInspect(ctx context.Context, out io.Writer, where target.Options, o inspection) (err error) {
	w, err := target.Attach(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	before := make([]accl.Inspection, len(w.Devices))
	for i, d := range w.Devices {
		if before[i], err = w.Platform.Inspect(ctx, d.ReadReg); err != nil {
			return fmt.Errorf("rank %d: %w", w.Local[i], err)
		}
	}
	select {
	case <-time.After(between):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	names := nameInspected(w.Platform, where.Vars)
	var all []inspected
	var unwell []error
	reports := map[int]accl.Report{}
	for i, d := range w.Devices {
		in, err := w.Platform.Inspect(ctx, d.ReadReg)
		if err != nil {
			return fmt.Errorf("rank %d: %w", w.Local[i], err)
		}
		r := names(in)
		if r.Activity, err = w.Platform.Activity(ctx, d); err != nil && !errors.Is(err, accl.ErrNoInspection) {
			return fmt.Errorf("rank %d: %w", w.Local[i], err)
		}
		if o.events > 0 {
			if r.Trace, err = w.Platform.Trace(ctx, d, o.events); err != nil && !errors.Is(err, accl.ErrNoInspection) {
				return fmt.Errorf("rank %d: %w", w.Local[i], err)
			}
		}
		if reports[w.Local[i]], err = w.Platform.Report(ctx, d); err != nil {
			return fmt.Errorf("rank %d: %w", w.Local[i], err)
		}
		r.Stuck, r.clockMHz = r.Activity.Stuck(), w.Platform.ClockMHz
		r.known = in.Version == w.Platform.Inspection.Version
		r.Rank, r.Processor = w.Local[i], in.Processor(before[i])
		if in.Halted || !in.Started || in.Cycles == before[i].Cycles {
			unwell = append(unwell, fmt.Errorf("%w: rank %d %s", errUnwell, r.Rank, r.Processor))
		}
		if r.Function != "" {
			r.Processor += ", in " + r.Function
		}
		if o.restart && in.Halted {
			if err := w.Platform.RestartProcessor(ctx, d); err != nil {
				return fmt.Errorf("rank %d: %w", r.Rank, err)
			}
			r.Restarted = true
		}
		all = append(all, r)
	}
	for i := range all {
		report := reports[all[i].Rank]
		all[i].Doing = report.Doing(w.Platform)
		all[i].Causes = accl.Causes(ctx, w.Platform, report, func(_ context.Context, rank int) (accl.Report, error) {
			r, is := reports[rank]
			if !is {
				return r, fmt.Errorf("it is not among the ranks that were inspected")
			}
			return r, nil
		})
	}
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(all)
	} else {
		err = tellInspected(out, all)
		if o.events > 0 {
			err = errors.Join(err, tellEvents(out, all))
		}
	}
	return errors.Join(err, errors.Join(unwell...))
}

// nameInspected names what is known here: the firmware of the platform's interface version, its
// functions, and the design.
func nameInspected(p *accl.Platform, vars string) func(accl.Inspection) inspected {
	image, noImage := firmware.Prebuilt(p.Generation)
	var symbols *rv32.Symbols
	if noImage == nil {
		symbols, noImage = rv32.ParseSymbols(image.Symbols)
	}
	var hash uint32
	if d, err := world.Design(p.Name, vars); err == nil {
		hash, _ = designjson.HardwareHash(d) // then it has none
	}
	return func(in accl.Inspection) inspected {
		r := inspected{
			Inspection: in, Firmware: fmt.Sprintf("0x%08X", in.FirmwareHash), Design: fmt.Sprintf("%08x", in.DesignHash),
		}
		if noImage == nil && image.Hash() == in.FirmwareHash {
			r.Firmware = p.Generation
			if !in.Asleep {
				r.Function = symbols.Func(in.PC)
			}
		}
		if hash != 0 && hash == in.DesignHash {
			r.Design = p.Name
		}
		return r
	}
}

func tellInspected(out io.Writer, all []inspected) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rank\tfirmware\tdesign\trefused\tgiven up\tcontrol processor")
	for _, r := range all {
		text := r.Processor
		switch {
		case r.Restarted:
			text += "; restarted now"
		case r.Restarts > 0:
			text += fmt.Sprintf("; restarted %d times", r.Restarts)
		}
		givenUp := fmt.Sprint(r.GivenUp)
		if r.GivenUp > 0 {
			givenUp += fmt.Sprintf(" (session %d)", r.GivenUpSession)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%d\t%s\t%s\n", r.Rank, r.Firmware, r.Design, r.Refused, givenUp, text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	causes := map[string]bool{}
	for _, r := range all {
		fmt.Fprintf(out, "rank %d: %s\n", r.Rank, r.Doing)
		for _, c := range r.Causes {
			causes[c.Text] = true
		}
	}
	for _, text := range slices.Sorted(maps.Keys(causes)) {
		fmt.Fprintf(out, "cause: %s\n", text)
	}
	for _, r := range all {
		for _, line := range r.Stuck {
			fmt.Fprintf(out, "rank %d: %s\n", r.Rank, line)
		}
		switch {
		case !r.known:
			fmt.Fprintf(out, "rank %d: The engine is not of this version: what it counts and traces is not known here.\n", r.Rank)
		case !r.Counts:
			fmt.Fprintf(out, "rank %d: The engine counts nothing: its platform says activity = false.\n", r.Rank)
		}
	}
	fmt.Fprintln(out)
	tellDone(t, all)
	return t.Flush()
}

// tellEvents prints the traces of engines.
func tellEvents(out io.Writer, all []inspected) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range all {
		switch {
		case !r.known:
			continue
		case r.Trace.Capacity == 0:
			fmt.Fprintf(t, "\nrank %d: The engine has no trace: its platform says trace = 0.\n", r.Rank)
			continue
		}
		fmt.Fprintf(t, "\nrank %d: the last %d of %d events", r.Rank, len(r.Trace.Events), r.Trace.Written)
		if r.Trace.Lost > 0 {
			fmt.Fprintf(t, "; %d more were lost: too many at once, or while the trace was read or the processor halted",
				r.Trace.Lost)
		}
		fmt.Fprintln(t, "\ncycles\tns\tevent")
		for _, e := range r.Trace.Events {
			if e.AfterLoss {
				fmt.Fprintln(t, "\t\t(events were lost here)")
			}
			fmt.Fprintf(t, "%d\t%d\t%s\n", e.Cycles, e.Cycles*1000/uint64(r.clockMHz), e.Text)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return t.Flush()
}

// tellDone prints what engines have done, in a line each what is not 0 in all of them.
func tellDone(t io.Writer, all []inspected) {
	type row struct {
		name   string
		values []string // by rank
		some   bool     // is not 0
	}
	var rows []row
	for _, r := range all {
		at := 0
		add := func(name string, some bool, format string, a ...any) {
			if at == len(rows) {
				rows = append(rows, row{name: name})
			}
			rows[at].values, rows[at].some = append(rows[at].values, fmt.Sprintf(format, a...)), rows[at].some || some
			at++
		}
		for _, c := range r.Counters {
			add(c.Name, c.Value != 0, "%d", c.Value)
		}
		for _, q := range r.Queues {
			add(q.Name, q.Most != 0, "%d, at most %d of %d", q.Used, q.Most, q.Capacity)
		}
		for _, s := range r.Stalls {
			add(s.Name, s.Total != 0, "stood for %d cycles", s.Total)
		}
	}
	for _, r := range rows {
		if r.some {
			fmt.Fprintf(t, "%s\t%s\n", r.name, strings.Join(r.values, "\t"))
		}
	}
}
