package ranks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
)

// hardware are the options of ranks whose engines are simulated from the
// description of the hardware.
type hardware struct {
	ranks   string
	careful bool
	seed    uint64
	waves   string
	window  string
	scope   string
	levels  int
	record  string
	replay  string

	from, to  uint64
	recorders map[int]*rtlsim.Recorder // by card
}

// allRanks stands for every rank.
const allRanks = "all"

func (h *hardware) define(f *pflag.FlagSet) {
	f.StringVar(&h.ranks, "only", allRanks, "ranks that are simulated, the others are emulated, a `list`: 0,2-3")
	f.BoolVar(&h.careful, "careful", false, "check assertions, and begin with random values")
	f.Uint64Var(&h.seed, "seed", 0, "`number` that those come from (0)")
	h.defineWaves(f, "file for waveforms, in FST; %d in its name is the rank", "all")
	f.StringVar(&h.record, "record", "",
		"`file` for a recording, of which replay makes waveforms; %d in its name is the rank")
}

// defineWaves defines the options of waveforms.
func (h *hardware) defineWaves(f *pflag.FlagSet, file, cycles string) {
	f.StringVar(&h.waves, "waves", "", strings.Replace(file, "file", "`file`", 1))
	f.StringVar(&h.window, "window", "", "`cycles` of which there are waveforms: 1000:5000 ("+cycles+")")
	f.StringVar(&h.scope, "scope", "", "`part` of the hierarchy: TOP.platform_top.ccl_offload_0 (all)")
	f.IntVar(&h.levels, "levels", 0, "`levels` of it (all)")
}

// check reports values that cannot be.
func (h *hardware) check() (err error) {
	if h.window == "" {
		return nil
	}
	from, to, ok := strings.Cut(h.window, ":")
	if h.from, err = number(from); ok && err == nil {
		h.to, err = number(to)
	}
	if !ok || err != nil || h.to != 0 && h.to <= h.from {
		return command.Misuse("--window=%s: two numbers of cycles, like 1000:5000", h.window)
	}
	return nil
}

// number reads a number; none is 0.
func number(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}

// maker says which engines are simulated; nil if none is. It builds the hardware.
func (h *hardware) maker(ctx context.Context, d *design.Design, o *options, w launch.World) (
	func(rank int) world.Maker, error) {
	if h.ranks == "" {
		return nil, nil
	}
	ranks := w.Local
	if h.ranks != allRanks {
		var err error
		if ranks, err = launch.Ranks("--only", h.ranks); err != nil {
			return nil, err
		}
		if n := len(ranks); n > 0 && ranks[n-1] >= w.Size {
			return nil, command.Misuse("--only=%s: there is no rank %d in a world of %d", h.ranks, ranks[n-1], w.Size)
		}
	}
	common := rtlsim.Options{
		Build: rtlsim.Build{
			KernelPort: o.kernelAt == emu.Client, Careful: h.careful, Trace: h.waves != "",
		},
		Seed: h.seed, Clock: rtlsim.NewClock(), SharedHost: true,
	}
	if o.kernelAt == emu.Loopback && d.Platform.CCLO.KernelStream != "loopback" {
		return nil, errors.New(
			"--kernel=loopback: simulated hardware has at its kernel streams what the platform has, or a client")
	}
	var err error
	if common.Library, err = rtlsim.Library(ctx, d, common.Build); err != nil {
		return nil, err
	}
	cards := &rtlsim.Cards{Options: func(card int) rtlsim.Options {
		own := common
		if h.record != "" {
			own.Record = h.recorder(card)
		}
		if h.waves != "" {
			own.Trace = &rtlsim.Trace{File: cardFile(h.waves, card), Scope: h.scope, Levels: h.levels, From: h.from, To: h.to}
		}
		return own
	}}
	return func(rank int) world.Maker {
		if !slices.Contains(ranks, rank) {
			return nil
		}
		return cards.Maker(rank)
	}, nil
}

// cardFile is the file of a card: of a rank, if it has one engine.
func cardFile(name string, rank int) string {
	if strings.Contains(name, "%d") {
		return strings.Replace(name, "%d", strconv.Itoa(rank), 1)
	}
	if rank == 0 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, rank)
}
