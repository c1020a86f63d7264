package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
)

var (
	slowFlag    = flag.Float64("conform.slow", 20, "how much longer simulated hardware may take than emulated ranks")
	libraryFlag = flag.String("conform.library", "",
		"library of simulated hardware that was built before; \"\" for that of the platform")
	carefulFlag = flag.Bool("conform.careful", false,
		"simulated hardware checks its assertions, and starts with random values")
	traceFlag = flag.String("conform.trace", "",
		"waveforms of simulated hardware: a file for each card begins with this")
	traceFrom   = flag.Uint64("conform.trace.from", 0, "first cycle of waveforms")
	traceTo     = flag.Uint64("conform.trace.to", 0, "cycle after the last one of waveforms; 0 for no end")
	traceLevels = flag.Int("conform.trace.levels", 0, "levels of the hierarchy in waveforms; 0 for all")
)

// mostHardware is how many ranks of simulated hardware tests use.
const mostHardware = 8

// hardwareShare is how much is done on simulated hardware, which is slow.
const hardwareShare = 0.05

// slow is how much longer tests may take than they are expected to in process.
var slow atomic.Uint64 // of math.Float64bits

func slowness() float64 { return max(math.Float64frombits(slow.Load()), 1) }

// unhurried is a time by the wall as tests on simulated hardware have to wait for
// what takes so long in process.
func unhurried(d time.Duration) time.Duration { return time.Duration(float64(d) * slowness()) }

// remoteShare is how many milliseconds of a limit of emulated ranks make one of
// simulated hardware, which takes some 20 to 100 ms.
const remoteShare = 10 * time.Millisecond

// hardware has ranks whose engines are simulated from the description of the
// hardware, on the network in this process.
type hardware struct {
	as    string
	mixed bool
	by    way // which reaches them: process or cardWay
}

func newHardware(as string, mixed bool, by way) way {
	slow.Store(math.Float64bits(*slowFlag))
	return hardware{as, mixed, by}
}

func (h hardware) name() string            { return h.as }
func (hardware) loses(*accl.Platform) bool { return false }
func (hardware) keeps() bool               { return false }
func (hardware) close() error              { return nil }

// simulated is how the flags have ranks of a design simulated. Their library is there
// when it returns, before the time of a test begins. It is that of the lock step (package
// compare), so that each platform is built once: the host is at the kernel streams, and
// sends back what comes. With -conform.over, and in a nightly run, the hardware does so.
func simulated(ctx context.Context, d *design.Design, kernelPort bool) (rtlsim.Options, error) {
	shared := *overFlag == "" && !nightly.Enabled()
	o := rtlsim.Options{
		Library: *libraryFlag, Seed: seedOf(), Clock: rtlsim.NewClock(), Loop: shared && !kernelPort,
		Build: rtlsim.Build{
			KernelPort: kernelPort || shared, Careful: *carefulFlag, Trace: *traceFlag != "",
		},
	}
	if o.Library != "" {
		return o, nil
	}
	var err error
	o.Library, err = rtlsim.Library(ctx, d, o.Build)
	return o, err
}

// watched are options for a card with its recording, and with waveforms if the flags
// want them.
func watched(o rtlsim.Options, record *rtlsim.Recorder, card int) rtlsim.Options {
	o.Record = record
	if *traceFlag != "" {
		o.Trace = &rtlsim.Trace{File: fmt.Sprintf("%s%d.fst", *traceFlag, card), Levels: *traceLevels, From: *traceFrom,
			To: *traceTo}
	}
	return o
}

func (h hardware) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	if err := verilate.Available(ctx); err != nil {
		t.Skip(err)
	}
	if s.ranks > mostHardware {
		t.Skipf("%d ranks: simulated hardware takes too long from %d on", s.ranks, mostHardware+1)
	}
	if n := rtlsim.Reach(d); n > 0 && (s.ranks > n || h.mixed) {
		t.Skipf("%s: the %d engines of a card reach each other alone", d.Platform.Name, n)
	}
	o, err := simulated(ctx, d, s.world.Engine.Kernel == emu.Client)
	if err != nil {
		return nil, err
	}
	o.RemoteMilliseconds = uint32(max(s.world.Engine.RemoteTimeout/remoteShare, 1))
	records := simtest.Record(t)
	cards := &rtlsim.Cards{Options: func(card int) rtlsim.Options {
		return watched(o, records.Card(fmt.Sprint("card", card)), card)
	}}
	s.world.Maker = func(rank int) world.Maker {
		if h.mixed && rank%2 == 0 {
			return nil
		}
		return cards.Maker(rank)
	}
	r, err := h.by.open(ctx, t, d, s)
	if err != nil {
		return nil, err
	}
	if rtlsim.Reach(d) > 0 {
		r.network = nil // nothing goes over it
	}
	end := r.close
	r.close = func(engines []*accl.Engine, failed bool) error {
		err := end(engines, failed)
		if err != nil {
			records.Keep(t)
		}
		return err
	}
	return r, nil
}

// kernelBytes is what the kernel streams of hardware hold for sure.
const kernelBytes = 4096

// onHardware makes a case smaller that puts more on a kernel stream than hardware
// holds there.
func onHardware(p *accl.Platform, c conformance.Case) conformance.Case {
	if c.Streams() {
		c.Count = min(c.Count, kernelBytes/max(c.ElementBytes(p), 1))
	}
	return c
}

// TestOverVerilated is TestOver on the ways to simulated hardware, which may still be built while that runs.
func TestOverVerilated(t *testing.T) {
	over(t, true, []passage{
		{"verilated", hardwareShare, []string{"u55c_tcp"}, []string{}, 9}, // TestVerilated
		{"verilated-cards", hardwareShare, []string{"u55c_tcp"}, []string{"u55c_tcp"}, 1},
	})
}

// TestVerilated runs every operation on simulated hardware, and on worlds of which
// half is emulated: of one platform, or of those of -conform.platforms.
func TestVerilated(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	wanted := all.platforms
	if wanted == nil {
		wanted = []string{"u55c_tcp"} // a build of another platform takes minutes
	}
	for _, test := range []struct {
		platform, way string
		ranks         int
	}{
		{"u55c_tcp", "verilated", 2}, {"u55c_tcp", "verilated", 4}, {"u55c_tcp", "mixed", 3},
		{"u55c_udp", "verilated", 2}, {"u55c_udp", "verilated", 4}, {"u55c_udp", "mixed", 3},
		{"u55c_rdma", "verilated", 2}, {"u55c_rdma", "verilated", 4}, {"u55c_rdma", "mixed", 3},
		{"u280_2022", "verilated", 2}, {"u280_2022", "verilated", 4}, {"u280_2022", "mixed", 3},
		{"u280_manual", "verilated", 2}, {"u280_manual", "verilated", 4}, {"u280_manual", "mixed", 3},
		{joined, "verilated", 1}, {joined, "verilated", 2}, {joined, "verilated", 3},
	} {
		if !slices.Contains(wanted, test.platform) && !slices.Contains(wanted, everyPlatform) {
			continue
		}
		if all.platforms == nil && test.way == "verilated" && !nightly.Enabled() {
			continue // worlds of cards (TestOverVerilated) run each operation on two ranks
		}
		t.Run(fmt.Sprint(test.platform, "/", test.way, "/", test.ranks), func(t *testing.T) {
			on := goesBy(t, test.way)
			ctx := limited(t, time.Minute)
			rng := random(t)
			b := on.bench(ctx, t, setup{platform: test.platform, ranks: test.ranks, edit: small})
			for _, op := range conformance.Operations(b.p) {
				b.run(ctx, lossless(rng, b.p, test.ranks, op))
			}
		})
	}
}
