package compare

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

var (
	callsFlag = flag.Int("compare.calls", nightly.Of(0, 600),
		"calls of random worlds, at least, which go on for as many episodes as that takes; 0 for none")
	episodeFlag = flag.Int("compare.episode", -1, "the only episode of random worlds that runs; -1 for all")
	lengthFlag  = flag.Int("compare.length", nightly.Of(6, 40), "cases of an episode of random worlds that are compared")
)

const (
	longRanks   = 4
	seldom      = 8   // steps between looks at exchange memories
	resetEvery  = 100 // cases that are compared, on average
	harmedCases = 12  // while something is broken
	mendedCases = 6   // after it was mended
	smallCount  = 64  // elements, of every other case
	// milliseconds of the simulation that hardware waits for a rank: hosts have no processor for a while
	longLimit   = 100
	impatience  = 20000         // cycles that it waits for its memory while that is broken
	patience    = 1000000       // and otherwise
	episodeTime = time.Hour / 2 // of an episode, at most
	jitter      = time.Millisecond / 4
)

// harmed is a pair of worlds whose hardware can be broken.
type harmed struct {
	*worlds
	t     *testing.T
	rng   *rand.Rand
	cards [longRanks]*rtlsim.Engine
	last  conformance.Case // that was drawn
	calls int
}

// TestManyCalls runs random cases in episodes of random settings. In each, emulated and
// simulated ranks are compared case by case, on a network with random delays, which may
// cut and join what comes by TCP anywhere. Then the hardware's network or a memory is
// broken: every call is right, or ends with a code. After that, everything works again.
func TestManyCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	platforms := strings.Split(*platformsFlag, ",")
	calls, began := 0, time.Now()
	for episode := 0; calls < *callsFlag && !t.Failed(); episode++ {
		if *episodeFlag >= 0 {
			episode = *episodeFlag
		}
		platform := platforms[episode%len(platforms)]
		t.Run(fmt.Sprintf("%d/%s", episode, platform), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), episodeTime)
			defer cancel()
			h := newHarmed(ctx, t, platform, uint64(episode))
			t.Logf("again: -compare.seed=%d -compare.platforms=%s -compare.episode=%d -compare.length=%d", *seedFlag,
				*platformsFlag, episode, *lengthFlag)
			h.alike(ctx)
			h.mistaken(ctx)
			h.harm(ctx)
			calls += h.calls
			t.Logf("%d calls in all, in %v; %v", calls, time.Since(began).Round(time.Second), h.Seen())
		})
		if *episodeFlag >= 0 {
			return
		}
	}
}

func newHarmed(ctx context.Context, t *testing.T, platform string, episode uint64) *harmed {
	t.Helper()
	h := &harmed{worlds: load(t, platform), t: t, rng: rand.New(rand.NewPCG(*seedFlag, episode))}
	library := *libraryFlag
	if library == "" {
		var err error
		library, err = rtlsim.Library(ctx, h.design, build)
		assert.NilError(t, err)
	}
	h.settings()
	h.open(ctx, t, longRanks, [2]kind{emulated(t, h.design), h.hardware(t, library)})
	h.Seldom = seldom
	if h.rng.IntN(2) == 0 {
		for _, w := range h.worlds.worlds {
			w.Net().SetFaults(fabric.Faults{Jitter: time.Duration(h.rng.Int64N(int64(jitter)))})
		}
	}
	return h
}

// settings are random limits, which little data reaches.
func (h *harmed) settings() {
	h.p.RxBuffers = accl.RxBuffers{Count: 4 << h.rng.IntN(3), Bytes: 128 * (1 + h.rng.IntN(8))}
	if h.p.Features.Rendezvous {
		h.p.Limits.MaxEagerBytes = h.p.RxBuffers.Bytes + h.rng.IntN(3000)
		h.p.Limits.MaxRendezvousBytes = h.p.Limits.MaxEagerBytes + 1024 + 64*h.rng.IntN(100)
	}
}

func (h *harmed) hardware(t *testing.T, library string) kind {
	clock, cards, latency, cut := rtlsim.NewClock(), simtest.Record(t), h.rng.Uint32N(80), uint64(0)
	if h.rng.IntN(2) == 0 {
		cut = h.rng.Uint64()
	}
	return func(rank int, l *Log) world.Maker {
		return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
			e, err := rtlsim.New(ctx, d, l.Port(rank, port), rtlsim.Options{
				Library: library, Build: build, Seed: h.rng.Uint64(), CutSeed: cut, Clock: clock, Latency: latency,
				RemoteMilliseconds: longLimit,
				Record:             cards.Card(fmt.Sprint("rank", rank)),
				OnMove:             func(i rtlsim.Issue) { l.Move(rank, Issued(i), i.Cycle) },
			})
			if err != nil {
				return nil, err
			}
			h.cards[rank] = e
			return e, nil
		}
	}
}

// draw is a case that loses nothing by itself. Every other one is the last one on other data:
// from the third call that says the same on, firmware does what it remembers.
func (h *harmed) draw(streams bool) conformance.Case {
	if h.rng.IntN(2) == 0 && h.last.Op != "" && (streams || !h.last.Streams()) {
		h.last.Seed = int64(h.rng.Uint32())
		h.calls += h.last.Size(longRanks)
		return h.last
	}
	most := maxCount
	if h.rng.IntN(2) == 0 {
		most = smallCount
	}
	for {
		c := conformance.Random(h.rng, &h.p, longRanks)
		c.Count = min(c.Count, most)
		c.Fed = c.StreamOp0 // as cases has it
		if !c.MayLose(&h.p) && (streams || !c.StreamOp0 && !c.StreamRes && c.Op != "stream_put") {
			h.calls += c.Size(longRanks)
			h.last = c
			return c
		}
	}
}

// alike compares the two worlds.
func (h *harmed) alike(ctx context.Context) {
	h.t.Helper()
	assert.NilError(h.t, h.Step(ctx), "opening")
	for i := range *lengthFlag {
		if i > 0 && h.rng.IntN(resetEvery) == 0 {
			assert.NilError(h.t, h.reset(ctx), "reset")
		}
		c := h.draw(true)
		if err := h.run(ctx, c); err != nil {
			h.t.Fatalf("case %d: %v\n%v", i, c, err)
		}
	}
	assert.NilError(h.t, h.End(ctx), "in the end")
}

// mistaken has ranks of either world make the same mistake in what they call, and recover.
func (h *harmed) mistaken(ctx context.Context) {
	h.t.Helper()
	m := conformance.RandomMismatch(h.rng, &h.p, longRanks)
	next := conformance.RandomCollective(h.rng, &h.p, longRanks)
	bits := conformance.ReturnBits(&h.p, "RECEIVE_TIMEOUT", "COLLECTIVE_MISMATCH")
	for i, engines := range h.engines {
		assert.NilError(h.t, m.Run(ctx, engines, bits), "world %d", i)
		assert.NilError(h.t, conformance.Recover(ctx, engines), "world %d, after %s", i, m.What)
		assert.NilError(h.t, next.Run(ctx, engines), "world %d, after %s and Recover", i, m.What)
	}
	for _, calls := range m.Calls {
		h.calls += len(calls)
	}
}

// harm breaks something of the hardware, and mends it.
func (h *harmed) harm(ctx context.Context) {
	h.t.Helper()
	rank := h.rng.IntN(longRanks)
	network, fault := fabric.Faults{}, rtlsim.Works
	if h.p.Stack == "udp" && h.rng.IntN(2) == 0 {
		network = fabric.Faults{Loss: 0.02, Corrupt: 0.01, Duplicate: 0.05, Reorder: 0.05}
		h.net().SetFaults(network)
	} else {
		fault = []rtlsim.Fault{rtlsim.SlaveError, rtlsim.DecodeError, rtlsim.Silent}[h.rng.IntN(3)]
		h.breakMemory(ctx, rank, fault)
	}
	right := 0
	for i := range harmedCases {
		c := h.draw(false)
		err := c.Run(ctx, h.engines[1])
		if err == nil {
			right++
			continue
		}
		if why := told(err); why != nil {
			h.t.Fatalf("case %d with rank %d's memory %v, network %+v: %v\n%v", i, rank, fault, network, c, why)
		}
		h.restart(ctx)
	}
	h.net().SetFaults(fabric.Faults{})
	assert.NilError(h.t, h.cards[rank].SetFault(false, 0, ^uint64(0), rtlsim.Works))
	h.waits(ctx, rank, patience)
	h.restart(ctx)
	for range mendedCases {
		c := h.draw(false)
		if err := c.Run(ctx, h.engines[1]); err != nil {
			h.t.Fatalf("after all was mended: %v, called in cycles %d\n%v", c, h.called(1), err)
		}
	}
	h.t.Logf("%d of %d cases were right all the same (memory %v, network %+v)", right, harmedCases, fault, network)
}

func (h *harmed) net() *fabric.Net { return h.worlds.worlds[1].Net() }

// breakMemory breaks a part of what a rank has in use, or all of it.
func (h *harmed) breakMemory(ctx context.Context, rank int, f rtlsim.Fault) {
	h.t.Helper()
	h.waits(ctx, rank, impatience)
	from, to := uint64(0), ^uint64(0)
	if buf, err := accl.Alloc[int32](ctx, h.engines[1][rank], 256); err == nil {
		// What is allocated from now on lies behind it, or takes its place.
		from = buf.Address()
		assert.NilError(h.t, buf.Free())
	}
	if h.rng.IntN(3) == 0 {
		to = from + 4096
	}
	assert.NilError(h.t, h.cards[rank].SetFault(false, from, to, f))
}

func (h *harmed) waits(ctx context.Context, rank int, cycles uint32) {
	h.t.Helper()
	assert.NilError(h.t, h.engines[1][rank].SetTimeout(ctx, cycles))
}

// told is nil if every call that was not right ended with a code.
func told(err error) error {
	f := (*conformance.Failure)(nil)
	if !errors.As(err, &f) {
		return err
	}
	for rank, e := range f.Errs {
		if code := (*accl.CallError)(nil); e != nil && (!errors.As(e, &code) || code.Code == 0) {
			return fmt.Errorf("rank %d was told nothing: %w", rank, e)
		}
	}
	return nil
}

// restart resets the hardware's engines.
func (h *harmed) restart(ctx context.Context) {
	h.t.Helper()
	assert.NilError(h.t, reset(ctx, h.engines[1]), "reset")
}
