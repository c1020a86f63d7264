package compare

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conform"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/engine"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/sim"
	"github.com/cclforge/cclforge/verify/sim/verilate"
	"github.com/cclforge/cclforge/verify/world"
)

var (
	seedFlag     = flag.Uint64("compare.seed", 1, "seed of the cases")
	casesFlag    = flag.Int("compare.cases", 1, "cases of each operation")
	libraryFlag  = flag.String("compare.library", "", "library of simulated hardware that was built before; \"\" for that of the platform")
	optimizeFlag = flag.String("compare.optimize", "", "how the C++ of simulated hardware is optimized; \"\" for -O2")
)

// maxCount bounds cases: simulated hardware is slow.
const maxCount = 1000

// pair is a world in two forms.
type pair struct {
	p       accl.Platform
	logs    [2]*Log // of the emulator, and of the hardware
	engines [2][]*accl.Engine
}

func newPair(ctx context.Context, t *testing.T, platform string, ranks int) *pair {
	t.Helper()
	if err := verilate.Available(ctx); err != nil {
		t.Skip(err)
	}
	// As the tests of conform have it: one library is enough.
	d := designtest.Load(t, platform, map[string]cty.Value{"host_memory": cty.True})
	p := &pair{p: driverview.Of(d)}
	p.p.RxBuffers = accl.RxBuffers{Count: 8, Bytes: 512}
	library := *libraryFlag
	if library == "" {
		var err error
		if library, err = sim.Library(ctx, d, sim.Build{Optimize: *optimizeFlag, Progress: func(m string) { t.Log(m) }}); err != nil {
			t.Fatal(err)
		}
	}
	image, err := firmware.Prebuilt(d.ABI().Name)
	if err != nil {
		t.Fatal(err)
	}
	clock := sim.NewClock()
	for i, maker := range []func(rank int, l *Log) world.Maker{
		func(rank int, l *Log) world.Maker {
			count := uint64(0)
			return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
				o := emu.Options{Image: image.Code, OnMove: func(m emu.Move) { count++; l.Move(rank, Emulated(m), count) }}
				return emu.New(ctx, d, l.Port(rank, port), o)
			}
		},
		func(rank int, l *Log) world.Maker {
			return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
				o := sim.Options{
					Library: library, Clock: clock, Build: sim.Build{Optimize: *optimizeFlag},
					OnMove: func(i sim.Issue) { l.Move(rank, Issued(i), i.Cycle) },
				}
				return sim.New(ctx, d, l.Port(rank, port), o)
			}
		},
	} {
		log := NewLog(ranks)
		p.logs[i] = log
		w, err := world.New(ctx, d, ranks, world.Options{
			Net:   fabric.Options{MaxPayload: int(d.ABI().Constant("max_packet_bytes").Value) - len(fabric.Packet{}.Header)}, // as the hardware has it
			Maker: func(rank int) world.Maker { return maker(rank, log) },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
		if p.engines[i], err = accl.OpenAll(ctx, w.Devices(), &p.p, w.Ranks()); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// run runs a case on both worlds.
func (p *pair) run(ctx context.Context, c conform.Case) error {
	for i, name := range []string{"emulator", "hardware"} {
		if err := c.Run(ctx, p.engines[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return Step(p.logs[0], p.logs[1], nil)
}

// TestWorldsDoTheSame runs calls one after the other on emulated and on simulated
// engines.
func TestWorldsDoTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	for _, ranks := range []int{2, 3} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			p := newPair(ctx, t, "u55c_tcp", ranks)
			if err := Step(p.logs[0], p.logs[1], nil); err != nil {
				t.Fatalf("opening: %v", err)
			}
			t.Logf("-compare.seed=%d", *seedFlag)
			rng := rand.New(rand.NewPCG(*seedFlag, uint64(ranks)))
			for range *casesFlag {
				for _, op := range conform.Operations(&p.p) {
					c := conform.RandomOp(rng, &p.p, ranks, op)
					if c.StreamOp0 || c.StreamRes {
						continue // what is on a stream is not of one call
					}
					c.Count = min(c.Count, maxCount)
					if err := p.run(ctx, c); err != nil {
						t.Fatalf("%v\n%v", c, err)
					}
				}
			}
		})
	}
}
