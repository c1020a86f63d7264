package verbs

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// broken is the firmware of a platform in which a function begins with no instruction.
func broken(t *testing.T, function string) (image []byte, symbols *rv32.Symbols, at uint32) {
	t.Helper()
	built, err := firmware.Prebuilt("accl-2024")
	must(t, err)
	symbols, err = rv32.ParseSymbols(built.Symbols)
	must(t, err)
	at, ok := symbols.Addr(function)
	assert.Assert(t, ok, "the firmware has no function %s", function)
	image = bytes.Clone(built.Code)
	binary.LittleEndian.PutUint32(image[at:], 0xFFFFFFFF)
	return image, symbols, at
}

// inspectedDesign is the platform whose hardware is built for package compare, too.
func inspectedDesign(t *testing.T) *design.Design {
	t.Helper()
	return designtest.Load(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True})
}

// inspectedBuild is how package compare builds it: the host is at the kernel streams.
var inspectedBuild = rtlsim.Build{KernelPort: true}

// hardwareOf is how ranks are simulated.
func hardwareOf(t *testing.T, d *design.Design, b rtlsim.Build) rtlsim.Options {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds hardware")
	}
	o := rtlsim.Options{Build: b, Clock: rtlsim.NewClock()}
	var err error
	if o.Library, err = rtlsim.Library(t.Context(), d, o.Build); errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	must(t, err)
	return o
}

// TestInspectNamesAHaltedProcessor: of two ranks whose firmware breaks in a call, inspect alone
// says which has halted, why and where; restarted, it works again.
func TestInspectNamesAHaltedProcessor(t *testing.T) {
	const function = "alltoall"
	image, symbols, at := broken(t, function)
	d := inspectedDesign(t)
	p := driverview.Of(d)
	for name, options := range map[string]func(t *testing.T) world.Options{
		"emulated": func(*testing.T) world.Options {
			return world.Options{Engine: emu.Options{Image: image, Symbols: symbols, Halts: true}}
		},
		"Verilated": func(t *testing.T) world.Options {
			nightly.Only(t)
			o := hardwareOf(t, d, inspectedBuild)
			o.Image, o.Symbols, o.Halts = image, symbols, true
			return world.Options{Maker: func(int) world.Maker { return o.Make }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t) // which may take long
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			w, err := world.New(ctx, d, 2, o)
			must(t, err)
			defer w.Close()
			kind := "inspected-" + name
			target.Register(target.Kind{Name: kind, Open: func(context.Context, *target.Request) (*target.Part, error) {
				return &target.Part{Platform: &p, Devices: w.Devices(), Close: func() error { return nil }}, nil
			}})
			inspect := func(flags ...string) (ranks []inspected, failed error) {
				t.Helper()
				var out bytes.Buffer
				where := target.Options{On: kind + ":", Ranks: 2}
				failed = runInspect(ctx, &out, where, inspection{events: 16, restart: len(flags) > 0, json: true})
				must(t, json.Unmarshal(out.Bytes(), &ranks))
				return ranks, failed
			}
			engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks())
			must(t, err)
			if ranks, err := inspect(); err != nil || ranks[1].Processor[:6] != "asleep" || ranks[1].Heartbeat == 0 ||
				ranks[1].Firmware != "accl-2024" || ranks[1].Design != "u55c_tcp" {
				t.Errorf("before: %+v, %v", ranks, err)
			}
			both := func(do func(rank int) error) error {
				errs := make(chan error, 2)
				for rank := range 2 {
					go func() { errs <- do(rank) }()
				}
				return errors.Join(<-errs, <-errs)
			}
			must(t, both(func(rank int) error { return sums(ctx, engines[rank], rank) }))
			if ranks, err := inspect(); err == nil {
				for _, name := range []string{"tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "moves_issued"} {
					assert.Check(t, slices.ContainsFunc(ranks[1].Counters, func(c accl.Counter) bool {
						return c.Name == name && c.Value > 0
					}), "%s: %+v", name, ranks[1].Counters)
				}
			}
			src, err := accl.Alloc[int32](ctx, engines[1], 16)
			must(t, err)
			dst, err := accl.Alloc[int32](ctx, engines[1], 16)
			must(t, err)
			request, err := engines[1].AllToAll(ctx, src, dst, 8, accl.Async())
			must(t, err)
			await(t, ctx, &p, w.Devices()[1], func(in accl.Inspection) bool { return in.Halted })
			ranks, err := inspect()
			says := fmt.Sprintf("halted: illegal instruction at pc 0x%08X, instruction 0xFFFFFFFF, in %s+0x0", at, function)
			if !errors.Is(err, errUnwell) || !strings.Contains(err.Error(), "rank 1 halted") || ranks[0].Halted ||
				ranks[1].Processor != says {
				t.Fatalf("%q, want %q; %v", ranks[1].Processor, says, err)
			}
			causes := ranks[1].Causes
			assert.Check(t, len(causes) == 1 && causes[0].Kind == accl.Halted && causes[0].Rank == 1, "%v", causes)
			events := ranks[1].Trace.Events
			if n := len(events); n < 2 || events[n-1].Name != "processor_halted" || !slices.ContainsFunc(events,
				func(e accl.Event) bool { return e.Name == "call_taken" && strings.Contains(e.Text, function) }) {
				t.Errorf("the trace of the processor that halted: %+v", events)
			}
			if ranks, _ = inspect("restart"); ranks[0].Restarted || !ranks[1].Restarted {
				t.Errorf("restarted: %+v", ranks)
			}
			var failed *accl.CallError
			if err := request.Wait(ctx); !errors.As(err, &failed) || failed.Bits[0].Name != "NOT_READY" {
				t.Errorf("the call that was taken: %v", err)
			}
			for ctx.Err() == nil {
				if ranks, err = inspect(); err == nil && ranks[1].Asleep {
					break
				}
			}
			assert.Check(t, ranks[1].Restarts == 1 && ranks[0].Restarts == 0, "after it: %+v", ranks)
			must(t, both(func(rank int) error {
				return errors.Join(engines[rank].Reset(ctx), sums(ctx, engines[rank], rank))
			}))
		})
	}
}

// await waits for a state of an engine. The trace is not read: an event that happens while it is would be lost.
func await(t *testing.T, ctx context.Context, p *accl.Platform, dev accl.Device, is func(accl.Inspection) bool) {
	t.Helper()
	for {
		in, err := p.Inspect(ctx, dev.ReadReg)
		must(t, err)
		if is(in) {
			return
		}
	}
}

// sums reduces a vector over two ranks and checks it.
func sums(ctx context.Context, e *accl.Engine, rank int) error {
	src, err := accl.Alloc[int32](ctx, e, 1000)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[int32](ctx, e, 1000)
	if err != nil {
		return err
	}
	for i := range src.Host() {
		src.Host()[i] = int32(i * (rank + 1))
	}
	if _, err := e.AllReduce(ctx, src, dst, 1000, accl.Sum); err != nil {
		return err
	}
	for i, v := range dst.Host() {
		if v != int32(3*i) {
			return fmt.Errorf("rank %d: element %d is %d, not %d", rank, i, v, 3*i)
		}
	}
	return nil
}

// stuckWorld opens Verilated ranks, of which inspect finds what it says.
func stuckWorld(t *testing.T, d *design.Design, b rtlsim.Build, ranks int) (context.Context, []*accl.Engine,
	func() []inspected, []accl.Device) {
	t.Helper()
	p := driverview.Of(d)
	o := hardwareOf(t, d, b)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	w, err := world.New(ctx, d, ranks, world.Options{Maker: func(int) world.Maker { return o.Make }})
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks())
	must(t, err)
	target.Register(target.Kind{Name: t.Name(), Open: func(context.Context, *target.Request) (*target.Part, error) {
		return &target.Part{Platform: &p, Devices: w.Devices(), Close: func() error { return nil }}, nil
	}})
	return ctx, engines, func() (found []inspected) {
		t.Helper()
		var out bytes.Buffer
		must(t, runInspect(ctx, &out, target.Options{On: t.Name() + ":", Ranks: ranks}, inspection{json: true}))
		must(t, json.Unmarshal(out.Bytes(), &found))
		return found
	}, w.Devices()
}

// TestInspectTellsACallByItsEvents: of emulated and Verilated ranks alike, the trace alone says
// what a call waits for, and in which order a call and its message went.
func TestInspectTellsACallByItsEvents(t *testing.T) {
	d := inspectedDesign(t)
	p := driverview.Of(d)
	tell := func(t *testing.T, ctx context.Context, engines []*accl.Engine, devices []accl.Device) {
		const n = 16
		src, err := accl.Alloc[int32](ctx, engines[1], n)
		must(t, err)
		dst, err := accl.Alloc[int32](ctx, engines[0], n)
		must(t, err)
		before, err := p.Inspect(ctx, devices[0].ReadReg)
		must(t, err)
		receive, err := engines[0].Recv(ctx, dst, n, 1, accl.Async())
		must(t, err)
		await(t, ctx, &p, devices[0], func(in accl.Inspection) bool {
			return in.Asleep && in.Heartbeat != before.Heartbeat
		})
		// since are the events of a rank from its last call on. The ring keeps still while it is read.
		since := func(rank int) (events []accl.Event) {
			t.Helper()
			trace, err := p.Trace(ctx, devices[rank], 0)
			must(t, err)
			assert.Check(t, int(trace.Capacity) == d.Platform.CCLO.Trace && trace.Written > 0, "%+v", trace)
			for i, e := range trace.Events {
				if e.Name == "call_taken" {
					events = trace.Events[i:]
				}
			}
			assert.Assert(t, len(events) > 1, "rank %d has no call with a move: %+v", rank, trace)
			return events
		}
		told := func(rank int) string {
			t.Helper()
			trace, err := p.Trace(ctx, devices[rank], 20)
			must(t, err)
			var out bytes.Buffer
			must(t, tellEvents(&out, []inspected{{Rank: rank, Trace: trace, clockMHz: p.ClockMHz, known: true}}))
			return out.String()
		}
		waits := since(0)
		for doing := ""; !strings.HasPrefix(doing, "in recv; it has waited for rank 1 for ") && ctx.Err() == nil; {
			report, err := p.Report(ctx, devices[0])
			must(t, err)
			doing = report.Doing(&p)
		}
		assert.Check(t, strings.HasSuffix(waits[0].Text, "taken a call: operation recv."), "%+v", waits)
		last := waits[len(waits)-1]
		assert.Check(t, last.Name == "move_issued" && strings.Contains(last.Text, "op0 message") &&
			last.Argument["source"] == 1, "a receive that waits for rank 1: %+v", waits)
		_, err = engines[1].Send(ctx, src, n, 0)
		must(t, err)
		must(t, receive.Wait(ctx))
		inOrder := func(rank int, names ...string) {
			t.Helper()
			events, cycles := since(rank), uint64(0)
			for _, e := range events {
				assert.Check(t, e.Cycles >= cycles, "%+v", events)
				cycles = e.Cycles
				if len(names) > 0 && e.Name == names[0] {
					names = names[1:]
				}
			}
			assert.Check(t, len(names) == 0, "rank %d: no %q in its place: %+v", rank, names, events)
			answer := events[len(events)-1]
			for _, e := range events {
				if e.Name == "call_answered" {
					answer = e
				}
			}
			assert.Check(t, answer.Argument["return_code"] == 0, "%+v", answer)
		}
		inOrder(0, "call_taken", "move_issued", "message_opened", "packet_arrived", "moves_completed", "call_answered")
		inOrder(1, "call_taken", "move_issued", "packet_sent", "call_answered")

		for _, says := range []string{"rank 1: the last ",
			"The control processor has taken a call: operation send.\n", "A call was answered: return code 0, client "} {
			assert.Check(t, strings.Contains(told(1), says), "%s", told(1))
		}
	}
	t.Run("emulated", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w, err := world.New(ctx, d, 2, world.Options{})
		must(t, err)
		defer w.Close()
		engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks())
		must(t, err)
		tell(t, ctx, engines, w.Devices())
	})
	t.Run("Verilated", func(t *testing.T) {
		ctx, engines, _, devices := stuckWorld(t, inspectedDesign(t), inspectedBuild, 2)
		tell(t, ctx, engines, devices)
	})
}

// TestInspectSaysWhatIsNotThere: an engine without trace and counters says so.
func TestInspectSaysWhatIsNotThere(t *testing.T) {
	d := designtest.Text(t, "bare", `platform "bare" {
  board = "u55c"
  cclo {
    trace    = 0
    activity = false
  }
  poe "tcp" {}
}
`)
	p := driverview.Of(d)
	w, err := world.New(t.Context(), d, 1, world.Options{})
	must(t, err)
	defer w.Close()
	target.Register(target.Kind{Name: t.Name(), Open: func(context.Context, *target.Request) (*target.Part, error) {
		return &target.Part{Platform: &p, Devices: w.Devices(), Close: func() error { return nil }}, nil
	}})
	var out bytes.Buffer
	must(t, runInspect(t.Context(), &out, target.Options{On: t.Name() + ":", Ranks: 1}, inspection{events: 10}))
	for _, says := range []string{"rank 0: The engine counts nothing: its platform says activity = false.",
		"rank 0: The engine has no trace: its platform says trace = 0."} {
		assert.Check(t, strings.Contains(out.String(), says), "%s", out.String())
	}
}

// until inspects until a rank says a line, and returns all lines of it.
func until(t *testing.T, inspect func() []inspected, rank int, says string) []string {
	t.Helper()
	var lines []string
	var queues []accl.Queue
	for range 4 {
		found := inspect()[rank]
		lines, queues = found.Stuck, found.Queues
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, says) }) {
			return lines
		}
	}
	t.Fatalf("rank %d does not say %q, but %q; %+v", rank, says, lines, queues)
	return nil
}

// TestInspectNamesWhatIsStuck: a silent rank and a queue that is full are each named by inspect
// alone, and nothing of engines that have nothing to do.
func TestInspectNamesWhatIsStuck(t *testing.T) {
	ctx, engines, inspect, _ := stuckWorld(t, inspectedDesign(t), inspectedBuild, 2)
	quiet := func(what string) []inspected {
		t.Helper()
		all := inspect()
		for _, r := range all {
			assert.Check(t, len(r.Stuck) == 0, "%s: rank %d says %q", what, r.Rank, r.Stuck)
		}
		return all
	}
	quiet("at the beginning")
	const n = 16
	src, err := accl.Alloc[int32](ctx, engines[1], n)
	must(t, err)
	dst, err := accl.Alloc[int32](ctx, engines[0], n)
	must(t, err)

	silent, err := engines[0].Recv(ctx, dst, n, 1, accl.Async())
	must(t, err)
	lines := until(t, inspect, 0, "remote_")
	assert.Check(t, strings.Contains(lines[0], "It is rank 1."), "%q", lines)
	_, err = engines[1].Send(ctx, src, n, 0)
	must(t, err)
	must(t, silent.Wait(ctx))

	buffers := driverview.Of(inspectedDesign(t)).RxBuffers.Count
	for range buffers {
		_, err := engines[1].Send(ctx, src, n, 0)
		must(t, err)
	}
	until(t, inspect, 0, fmt.Sprintf("rx_buffers: %d of %d in use, no more go in.", buffers-1, buffers))
	for range buffers {
		_, err := engines[0].Recv(ctx, dst, n, 1)
		must(t, err)
	}
	done := quiet("after all messages")[0]
	assert.Check(t, slices.ContainsFunc(done.Counters, func(c accl.Counter) bool {
		return c.Name == "rx_packets" && c.Value >= uint32(buffers)+1
	}), "%+v", done.Counters)
}

// TestInspectNamesAKernelThatStands has a build of its own: the loop-back is hardware.
func TestInspectNamesAKernelThatStands(t *testing.T) {
	nightly.Only(t)
	ctx, engines, inspect, _ := stuckWorld(t, designtest.Load(t, "u55c_tcp", nil), rtlsim.Build{}, 1)
	// The loop-back keeps what it cannot give back.
	const large = 1 << 16
	from, err := accl.Alloc[int32](ctx, engines[0], large)
	must(t, err)
	stream, err := engines[0].Copy(ctx, from, accl.KernelStream(accl.TypeInt32), large, accl.Async())
	must(t, err)
	until(t, inspect, 0, "kernel_out: The user kernel does not take what the engine offers (m_axis_krnl).")
	var failed *accl.CallError
	if err := stream.Wait(ctx); !errors.As(err, &failed) {
		t.Errorf("the copy to a kernel that does not take: %v", err)
	}
}
