package conformance_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/ranks"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/world"
)

var overFlag = flag.String("conform.over", "", "how all tests reach the ranks: "+strings.Join(wayNames(), ", ")+
	"; \"\" for CONFORM_OVER, or process")

var platformsFlag = flag.String("conform.platforms", "",
	"platforms that tests use, as names with commas between, or all; \"\" for those that a test uses in every run")

// everyPlatform stands for all that tests know.
const everyPlatform = "all"

// Tests run over the ways of -conform.over: all engines and the network in this
// process; clients and servers of the simulation protocol in it; real UDP and TCP
// sockets; the packet sockets of the protocol; a cclforge for each rank, started by
// mpirun, by itself, or in a network namespace of its own; the driver of cards, and that of cards in the Coyote shell;
// engines that are simulated from the description of the hardware, all or every other one. Without the flag they run
// in process, and TestOver runs a part of them on every other way. What a way does
// not have, or the machine, is skipped and says so.

// way is how tests reach the ranks of a world.
type way interface {
	name() string
	// open starts the ranks of a setup, or finds some that run, and skips the test
	// if they cannot be had.
	open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error)
	// loses reports whether packets of a platform may be lost on the way, though
	// there are no faults.
	loses(p *accl.Platform) bool
	// keeps reports whether worlds are kept for other tests, which therefore should
	// want the same ones.
	keeps() bool
	// close ends those.
	close() error
}

// reach is a world as tests reach it.
type reach struct {
	devices []accl.Device // by rank
	ranks   []accl.Rank
	network *fabric.Net // whose faults can be set; nil if there is no such
	clients int         // that each rank has for calls, 0 for many
	// kill ends a rank alone, and revive starts it again; nil if that cannot be.
	kill, revive func(rank int) error
	stats        func() string // what the engines have done, for failures
	// close ends the world, or keeps it for other tests unless this one failed.
	close func(engines []*accl.Engine, failed bool) error
}

// where is the way that a test goes, and how much it does there.
type where struct {
	way
	share     float64  // of the cases of a whole run
	platforms []string // nil for all
	ranks     []int    // sizes of worlds of random operations; nil for all
	atOnce    bool     // platforms of each
	losses    *losses
}

// ways are all that there are, made when they are first used.
var ways = []struct {
	name  string
	make  func() way
	share float64 // of the cases of a whole run, if all tests go there
}{
	{"process", func() way { return process{} }, 1},
	{"protocol", func() way { return protocol{} }, 1},
	{"sockets", func() way { return sockets{} }, 1},
	{"memory", func() way { return memory{} }, 1},
	{"packets", func() way { return packetSockets{} }, 1},
	{"mpirun", func() way { return newMPI() }, 1},
	{"processes", func() way { return newProcesses() }, 1},
	{"cards", func() way { return cardWay{} }, 1},
	{"coyote", func() way { return shellWay{} }, 1},
	{"verilated", func() way { return newHardware("verilated", false, process{}) }, hardwareShare},
	{"verilated-cards", func() way { return newHardware("verilated-cards", false, cardWay{}) }, hardwareShare},
	{"mixed", func() way { return newHardware("mixed", true, process{}) }, hardwareShare},
}

func wayNames() []string {
	var names []string
	for _, w := range ways {
		names = append(names, w.name)
	}
	return names
}

func goes(name string) (where, error) {
	for _, w := range ways {
		if w.name == name {
			return where{way: w.make(), share: w.share, losses: new(losses)}, nil
		}
	}
	return where{}, fmt.Errorf("over %q: there are %s", name, strings.Join(wayNames(), ", "))
}

// goesBy is where a test goes until it ends: hardware is slow, and says so to all tests.
func goesBy(t *testing.T, name string) where {
	before := slow.Load()
	on, err := goes(name)
	assert.NilError(t, err)
	t.Cleanup(func() {
		slow.Store(before)
		assert.Check(t, on.close())
	})
	return on
}

// all is where tests go that no other way is said of.
var all where

// TestMain runs the tests, or cclforge for them.
func TestMain(m *testing.M) { ranktest.Main(tests{m}, ranks.Main) }

type tests struct{ m *testing.M }

// Run finds the way that all tests go, and runs them.
func (t tests) Run() int {
	if err := flag.Set("test.parallel", "8"); err != nil { // those that are parallel wait; the command line may say else
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	flag.Parse()
	name := *overFlag
	if name == "" {
		name = os.Getenv("CONFORM_OVER")
	}
	name = cmp.Or(name, "process")
	var err error
	if all, err = goes(name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if *platformsFlag != "" {
		all.platforms = strings.Split(*platformsFlag, ",")
	}
	ready := buildAhead(name) // for files that begin with v, which are the last ones
	code := simtest.Main(t.m)
	ready()
	if err := all.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// buildAhead builds the simulated hardware that all tests need while those run that wait for other things. Tests
// that are chosen by name build what they need. What is returned ends that.
func buildAhead(way string) (end func()) {
	if chosen := flag.Lookup("test.run").Value.String(); chosen != "" || way != "process" || testing.Short() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	built := make(chan struct{})
	go func() {
		defer close(built)
		if d, err := world.Design("u55c_tcp", "{host_memory = true}"); err == nil {
			_, _ = simulated(ctx, d, false) // a test says what has failed
		}
	}()
	return func() { cancel(); <-built }
}

// times is how often something is done there that a whole run does n times.
func (on where) times(n int) int { return times(max(int(float64(n)*on.share), 1)) }

// joined has engines that reach each other on their card alone. It does what those
// of a TCP network do, on as many ranks as it has engines, if it is asked for.
const joined = "u280_axis3x"

// of are those of the platforms that tests use there.
func (on where) of(platforms ...string) []string {
	if on.platforms == nil || slices.Contains(on.platforms, everyPlatform) {
		return platforms
	}
	if slices.Contains(platforms, "u55c_tcp") {
		platforms = append(slices.Clone(platforms), joined)
	}
	return slices.DeleteFunc(slices.Clone(platforms),
		func(name string) bool { return !slices.Contains(on.platforms, name) })
}

// waits lets the platforms of a test that waits for limits more than it works run at once, and beside other such tests.
func (on where) waits() where {
	_, on.atOnce = on.way.(process)
	return on
}

// each runs a test on those of the platforms that tests use there, for a minute each.
func (on where) each(t *testing.T, platforms []string, test func(ctx context.Context, t *testing.T, name string)) {
	t.Helper()
	if on.atOnce {
		t.Parallel()
	}
	for _, name := range on.of(platforms...) {
		t.Run(name, func(t *testing.T) {
			if on.atOnce {
				t.Parallel()
			}
			test(limited(t, time.Minute), t, name)
		})
	}
}

// protocolClients are the clients of the protocol: two controllers of the host, and
// one of a kernel.
const protocolClients = 3

// needsNetwork skips a test that changes the network while it runs.
func (b *bench) needsNetwork() *fabric.Net {
	b.t.Helper()
	if b.network == nil {
		b.t.Skipf("over %s the network cannot be changed by the test, only over process", b.on.name())
	}
	return b.network
}

// losses counts what a network has lost that may lose a little.
type losses struct{ cases, lost atomic.Int64 }

// note notes a case that ended because of a loss, and fails the test if that is
// more than now and then.
func (l *losses) note(t *testing.T) {
	t.Helper()
	if lost, cases := l.lost.Add(1), l.cases.Load(); lost > 2+cases/20 {
		t.Fatalf("%d of %d cases ended with a loss: that is more than now and then", lost, cases)
	}
}

// parts are tests of which TestOver does something on each way.
var parts = []struct {
	name string
	run  func(*testing.T, where)
}{
	{"operations", func(t *testing.T, on where) { operations(t, on, 4) }},
	{"mixed sends", mixedSends},
	{"communicators at once", communicatorsAtOnce},
	{"receives before sends", receivesBeforeSends},
	{"addresses", addresses}, // what follows wants worlds of its own
	{"left out", leftOut}, {"mistakes", mistakes}, {"told at once", atOnce},
	{"causes", causes},
	{"kernel streams", kernelStreams}, {"stream through the kernel", streamThroughKernel},
	{"streams through the kernel at once", streamThroughKernelAtOnce},
	{"chains", chains},
	{"before configuration", beforeConfiguration}, {"refused", refused}, {"failing sends", failingSends},
	{"performance counter", performanceCounter},
	{"reset drops calls", resetDropsCalls}, {"reset in the middle", resetInTheMiddle},
	{"unreliable", unreliable}, {"partition for a time", partitionForATime},
}

// TestOver does a part of all on each way but that which all tests go anyway.
func TestOver(t *testing.T) {
	over(t, false, []passage{
		{"process", 0.1, nil, nil, len(parts)},
		{"protocol", 0.1, nil, []string{"u280_2022"}, len(parts)},
		{"sockets", 0.2, nil, []string{"u280_manual"}, len(parts)},
		{"memory", 0.1, nil, []string{"u55c_tcp", "u55c_udp"}, len(parts)},
		{"packets", 0.2, []string{"u280_manual", "u280_2022", "u55c_udp", "u55c_tcp"}, []string{"u55c_udp"},
			nightly.Of(8, len(parts)-2)},
		{"mpirun", 0.05, []string{"u280_2022", "u55c_udp", "u55c_tcp", "u55c_rdma"}, []string{"u55c_udp"}, 4},
		{"processes", 0.05, []string{"u55c_udp", "u55c_tcp"}, []string{"u55c_tcp"}, 6},
		{"cards", 0.03, nil, []string{"u55c_tcp"}, len(parts) - 2},
		{"coyote", 0.1, []string{"u55c_rdma"}, []string{"u55c_rdma"}, len(parts) - 2},
	})
}

// passage is what TestOver does on a way.
type passage struct {
	way       string
	share     float64
	platforms []string // of a nightly run; nil for all
	sample    []string // of every run
	parts     int
}

// over does it on each way.
func over(t *testing.T, hardware bool, passages []passage) {
	for _, test := range passages {
		if test.way == all.name() {
			continue
		}
		t.Run(test.way, func(t *testing.T) {
			if testing.Short() && test.parts < 7 {
				t.Skip("short")
			}
			if test.sample != nil && len(test.sample) == 0 {
				nightly.Only(t)
			}
			if !hardware {
				t.Parallel() // each waits for limits more than it works
			}
			on := goesBy(t, test.way)
			on.share, on.platforms = test.share, nightly.Of(test.sample, test.platforms)
			if test.way == "verilated-cards" {
				on.ranks = nightly.Of([]int{2}, nil) // the size of the world is nothing to cards
			}
			for _, part := range parts[:test.parts] {
				t.Run(part.name, func(t *testing.T) { part.run(t, on) })
			}
		})
	}
}
