package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/world"
)

var (
	seedFlag = flag.Uint64("conform.seed", 0,
		"seed of random cases; 0 for CONFORM_SEED, or the one of every test run; the soak target takes others")
	scaleFlag = flag.Float64("conform.scale", 0,
		"how many random cases and repetitions, 1 being those of a nightly run; 0 for CONFORM_SCALE, or that of the run")
)

// everyRun is the seed of tests that are given none: what fails in one run fails
// in the next. New cases are the business of the soak target.
const everyRun = 1

var (
	seedOf = sync.OnceValue(func() uint64 {
		if *seedFlag != 0 {
			return *seedFlag
		}
		if seed, err := strconv.ParseUint(os.Getenv("CONFORM_SEED"), 0, 64); err == nil {
			return seed
		}
		return everyRun
	})
	scaleOf = sync.OnceValue(func() float64 {
		if *scaleFlag > 0 {
			return *scaleFlag
		}
		if scale, err := strconv.ParseFloat(os.Getenv("CONFORM_SCALE"), 64); err == nil && scale > 0 {
			return scale
		}
		return nightly.Of(everyScale, 1)
	})
)

// everyScale is the scale of every test run.
const everyScale = 0.25

// random is a generator for a part of a test, which says how to run it again.
func random(t *testing.T, part ...any) *rand.Rand {
	t.Helper()
	h := fnv.New64a()
	fmt.Fprint(h, t.Name(), part)
	t.Logf("-conform.seed=%d", seedOf())
	return rand.New(rand.NewPCG(seedOf(), h.Sum64()))
}

// times is how often something is done that a whole run does n times: less with
// -short, more with a scale.
func times(n int) int {
	scale := scaleOf()
	if testing.Short() {
		scale /= 10
	}
	return max(int(float64(n)*scale), 1)
}

// limited bounds a test, in nightly, which has the race detector, by five times as much. When the time is over, all
// goroutines are printed and waits end; if even that does not end the test, the program ends.
func limited(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	limit = unhurried(time.Duration(float64(limit) * max(scaleOf(), nightly.Of(1.0, 5))))
	ctx, cancel := context.WithTimeout(t.Context(), limit+time.Second) // when everything is printed
	dump := func() string {
		text := make([]byte, 1<<22)
		return string(text[:runtime.Stack(text, true)])
	}
	soft := time.AfterFunc(limit,
		func() { fmt.Fprintf(os.Stderr, "%s has not ended in %v\n%s\n", t.Name(), limit, dump()) })
	hard := time.AfterFunc(limit+30*time.Second, func() {
		fmt.Fprintf(os.Stderr, "%s does not end\n%s\n", t.Name(), dump())
		os.Exit(2)
	})
	t.Cleanup(func() { soft.Stop(); hard.Stop(); cancel() })
	return ctx
}

// setup is a world that a test wants.
type setup struct {
	platform string
	design   *design.Design // nil for that of the platform
	ranks    int
	vars     map[string]cty.Value
	edit     func(*accl.Platform) // what the driver is told
	world    world.Options
	faults   string // of the network, as package faults reads them
	fresh    bool   // nobody has used the ranks before
	unopened bool   // the test opens the engines itself
	open     []accl.OpenOption
}

// How long ranks wait for each other: where nothing should be lost, a loaded
// machine must not reach it; elsewhere each loss takes so long.
const (
	remote      = 20 * time.Second
	remoteLossy = 2 * time.Second
)

// bench is a world with an engine opened for each rank.
type bench struct {
	*reach
	t       *testing.T
	on      where
	setup   setup
	p       *accl.Platform
	engines []*accl.Engine
	spilled bool // kernel streams may hold what is left of a case that failed
}

// hostMemory lets the engine of a platform reach host memory, if its board can.
func hostMemory(platform string) map[string]cty.Value {
	if !strings.HasPrefix(platform, "u55c_") {
		return nil
	}
	return map[string]cty.Value{"host_memory": cty.True}
}

// small makes limits small, so that little data reaches them.
func small(p *accl.Platform) {
	p.RxBuffers = accl.RxBuffers{Count: 4, Bytes: 512}
	if p.Features.Rendezvous {
		p.Limits.MaxEagerBytes, p.Limits.MaxRendezvousBytes = 3000, 8192
	}
}

// bench starts a world that ends with the test.
func (on where) bench(ctx context.Context, t *testing.T, s setup) *bench {
	t.Helper()
	if s.design == nil {
		if _, built := on.way.(hardware); (on.keeps() || built) && s.vars == nil {
			s.vars = hostMemory(s.platform)
		}
		s.design = designtest.Load(t, s.platform, s.vars)
	}
	p := driverview.Of(s.design)
	if s.edit != nil {
		s.edit(&p)
	}
	b := &bench{t: t, on: on, setup: s, p: &p}
	t.Cleanup(func() { b.shut() })
	b.start(ctx)
	return b
}

// start starts the ranks and opens them.
func (b *bench) start(ctx context.Context) {
	b.t.Helper()
	s := b.setup
	if s.world.Engine.RemoteTimeout == 0 {
		s.world.Engine.RemoteTimeout = remote
		if b.on.loses(b.p) || s.faults != "" {
			s.world.Engine.RemoteTimeout = remoteLossy
		}
		s.world.Engine.RemoteTimeout = unhurried(s.world.Engine.RemoteTimeout)
	}
	if s.world.Engine.Patience == 0 {
		s.world.Engine.Patience = unhurried(10 * time.Second)
	}
	b.p.Limits.RemoteTimeoutMilliseconds = int(s.world.Engine.RemoteTimeout.Milliseconds())
	var err error
	if b.reach, err = b.on.open(ctx, b.t, s.design, &s); err != nil {
		b.t.Fatalf("over %s: %v", b.on.name(), err)
	}
	if s.unopened {
		return
	}
	if b.engines, err = accl.OpenAll(ctx, b.devices, b.p, b.ranks, s.open...); err != nil {
		b.t.Fatalf("over %s: %v%s", b.on.name(), err, b.stats())
	}
}

// shut ends what start began.
func (b *bench) shut() {
	if b.reach == nil {
		return
	}
	if err := b.reach.close(b.engines, b.t.Failed()); err != nil {
		b.t.Errorf("over %s: close the world: %v", b.on.name(), err)
	}
	b.reach, b.engines, b.spilled = nil, nil, false
}

// renew starts the world anew, without what is left on kernel streams.
func (b *bench) renew(ctx context.Context) {
	b.t.Helper()
	b.shut()
	b.setup.fresh = true
	b.start(ctx)
}

// Device is how a rank is reached.
func (b *bench) Device(rank int) accl.Device { return b.devices[rank] }

// limits are what random worlds change of a platform.
type limits struct {
	RxBuffers               accl.RxBuffers
	MaxEager, MaxRendezvous int            `json:",omitempty"` // bytes
	Tuning                  []accl.Setting `json:",omitempty"`
}

// of is a world with these limits.
func (l limits) of(s setup) setup {
	s.edit = func(p *accl.Platform) {
		p.RxBuffers, p.Limits.MaxEagerBytes, p.Limits.MaxRendezvousBytes, p.Tuning = l.RxBuffers, l.MaxEager,
			l.MaxRendezvous, l.Tuning
	}
	// The driver takes twice the eager limit of a platform that wants less.
	if l.MaxRendezvous != 0 {
		s.open = append(s.open, accl.WithMaxRendezvous(l.MaxRendezvous))
	}
	return s
}

// again is how a case on this world is repeated.
func (b *bench) again(c conformance.Case) string {
	l, err := json.Marshal(limits{b.p.RxBuffers, b.p.Limits.MaxEagerBytes, b.p.Limits.MaxRendezvousBytes, b.p.Tuning})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf(
		"CONFORM_OVER=%s CONFORM_PLATFORM=%s CONFORM_RANKS=%d CONFORM_LIMITS='%s' CONFORM_CASE='%s' go test "+
			"./verify/conformance -run TestCase",
		b.on.name(), b.p.Name, len(b.engines), l, c)
}

// do runs a case, of a client that there is.
func (b *bench) do(ctx context.Context, c conformance.Case) error {
	c.Client = b.client(c.Client)
	return c.Run(ctx, b.engines)
}

// run runs a case that must be right. Where the network may lose packets, a case
// may also end with the truth about that, now and then.
func (b *bench) run(ctx context.Context, c conformance.Case) {
	b.t.Helper()
	if _, ok := b.on.way.(hardware); ok {
		c = onHardware(b.p, c)
	}
	err := b.do(ctx, c)
	lossy := b.on.loses(b.p)
	if lossy {
		b.on.losses.cases.Add(1)
	}
	if err == nil {
		return
	}
	var f *conformance.Failure
	if !lossy || !errors.As(err, &f) || !f.Tolerates(b.lost()) {
		b.t.Fatalf("%v\nagain: %s%s", err, b.again(c), b.stats())
	}
	b.t.Logf("lost: %v", err)
	b.on.losses.note(b.t)
	if c.Streams() {
		b.renew(ctx)
		return
	}
	b.reset(ctx)
}

// each does something for all engines at the same time and fails on an error.
func (b *bench) each(do func(rank int, e *accl.Engine) error) {
	b.t.Helper()
	errs := b.everywhere(do)
	for rank, err := range errs {
		assert.Check(b.t, err, "rank %d", rank)
	}
	if errors.Join(errs...) != nil {
		b.t.FailNow()
	}
}

func (b *bench) everywhere(do func(rank int, e *accl.Engine) error) []error {
	errs := make([]error, len(b.engines))
	var group sync.WaitGroup
	for rank, e := range b.engines {
		group.Go(func() { errs[rank] = do(rank, e) })
	}
	group.Wait()
	return errs
}

func (b *bench) reset(ctx context.Context) { b.t.Helper(); b.resetAllBut(ctx, -1) }

// code is the return code with the named bits.
func (b *bench) code(names ...string) accl.ReturnCode {
	b.t.Helper()
	code := accl.ReturnCode(0)
	for _, name := range names {
		bit := conformance.ReturnBits(b.p, name)
		assert.Assert(b.t, bit != 0, "%s has no %s", b.p.Generation, name)
		code |= bit
	}
	return code
}
