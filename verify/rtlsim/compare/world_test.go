package compare

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

var (
	seedFlag  = flag.Uint64("compare.seed", 1, "seed of the cases")
	casesFlag = flag.Int("compare.cases", nightly.Of(1, 2), "cases of each operation")
	ranksFlag = flag.String("compare.ranks", nightly.Of("", "2,3,4"), "sizes of worlds, with commas between; "+
		"\"\" for none but that whose streams are cut")
	platformsFlag = flag.String("compare.platforms", nightly.Of("u55c_tcp", strings.Join(generations, ",")),
		"platforms, with commas between: u55c_tcp, u55c_udp, u55c_rdma, u280_2022, u280_manual")
	libraryFlag = flag.String("compare.library", "",
		"library of the one platform's simulated hardware that was built before, with the host at its kernel streams; "+
			"\"\" for that of each platform")
)

// TestMain makes waveforms of hardware that differs.
func TestMain(m *testing.M) { os.Exit(simtest.Main(m)) }

// build is how the simulated hardware is made: the host is at its kernel streams, and
// sees what passes them.
var build = rtlsim.Build{KernelPort: true}

// hardware makes engines that are simulated from the hardware's description. A seed
// has what TCP brings them cut and joined anywhere.
func hardware(t *testing.T, library string, cut uint64) kind {
	t.Helper()
	clock, cards := rtlsim.NewClock(), simtest.Record(t)
	return func(rank int, l *Log) world.Maker {
		return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
			o := rtlsim.Options{
				Library: library, Build: build, Seed: *seedFlag, CutSeed: cut, Clock: clock,
				Record: cards.Card(fmt.Sprint("rank", rank)),
				OnMove: func(i rtlsim.Issue) { l.Move(rank, Issued(i), i.Cycle) },
			}
			return o.Make(ctx, d, l.Port(rank, port))
		}
	}
}

// TestWorldsDoTheSame runs calls one after the other on emulated and on simulated
// engines.
func TestWorldsDoTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	for _, platform := range strings.Split(*platformsFlag, ",") {
		library := *libraryFlag
		if library == "" {
			var err error
			library, err = rtlsim.Library(t.Context(), load(t, platform).design, build)
			assert.NilError(t, err)
		}
		for text := range strings.FieldsFuncSeq(*ranksFlag, func(r rune) bool { return r == ',' }) {
			t.Run(platform+"/"+text, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
				defer cancel()
				var ranks int
				if _, err := fmt.Sscan(text, &ranks); err != nil {
					t.Fatal(err)
				}
				w := load(t, platform)
				w.open(ctx, t, ranks, [2]kind{emulated(t, w.design), hardware(t, library, 0)})
				w.all(ctx, t, ranks, *casesFlag)
			})
		}
	}
}

// TestWorldsWhoseStreamsAreCut has messages found in the bytes of sessions wherever
// the stack cuts and joins them.
func TestWorldsWhoseStreamsAreCut(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	const platform = "u55c_tcp"
	ranks := nightly.Of(2, 4)
	library := *libraryFlag
	if library == "" {
		var err error
		library, err = rtlsim.Library(t.Context(), load(t, platform).design, build)
		assert.NilError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	w := load(t, platform)
	w.open(ctx, t, ranks, [2]kind{emulated(t, w.design), hardware(t, library, *seedFlag+1)})
	w.all(ctx, t, ranks, 1)
}
