package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/sim"
	"github.com/cclforge/cclforge/verify/world"
)

// hardware are the options of ranks whose engines are simulated from the
// description of the hardware.
type hardware struct {
	ranks   string
	careful bool
	seed    uint64
	trace   string
	window  string
	scope   string
	levels  int
	record  string
	replay  string

	from, to  uint64
	recorders map[int]*sim.Recorder // by card
}

// allRanks stands for every rank.
const allRanks = "all"

func (h *hardware) define(f *flag.FlagSet) {
	f.StringVar(&h.ranks, "simulate", "", "ranks whose engines are the hardware, simulated: a `list`, or all (none)")
	f.BoolVar(&h.careful, "careful", false, "check assertions, and begin with random values: slower")
	f.Uint64Var(&h.seed, "seed", 0, "`number` that those come from (0)")
	f.StringVar(&h.trace, "trace", "", "`file` for waveforms, in FST; %d in its name is the rank")
	f.StringVar(&h.window, "trace-window", "", "cycles of which there are waveforms, as `from:to` (all)")
	f.StringVar(&h.scope, "trace-scope", "", "`part` of the hierarchy, like TOP.platform_top.ccl_offload_0 (all)")
	f.IntVar(&h.levels, "trace-levels", 0, "`number` of levels below it (all)")
	f.StringVar(&h.record, "record", "", "`file` for a recording of what is done to the hardware; %d in its name is the rank")
	f.StringVar(&h.replay, "replay", "", "`file` of a recording, in place of a platform: waveforms of its last cycles, or of\n"+
		"-trace-window, in FST (beside it)")
}

// check reports values that cannot be.
func (h *hardware) check() (err error) {
	if h.record != "" && h.ranks == "" {
		return usagef("-record=%s: it is for ranks that are simulated, -simulate=all", h.record)
	}
	if h.window == "" {
		return nil
	}
	from, to, ok := strings.Cut(h.window, ":")
	if h.from, err = number(from); ok && err == nil {
		h.to, err = number(to)
	}
	if !ok || err != nil || h.to != 0 && h.to <= h.from {
		return usagef("-trace-window=%s: two numbers of cycles, like 1000:5000", h.window)
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
func (h *hardware) maker(ctx context.Context, d *design.Design, o *options, w launch.World, r *report) (func(rank int) world.Maker, error) {
	if h.ranks == "" {
		return nil, nil
	}
	ranks := w.Local
	if h.ranks != allRanks {
		var err error
		if ranks, err = launch.Ranks("-simulate", h.ranks); err != nil {
			return nil, err
		}
		if n := len(ranks); n > 0 && ranks[n-1] >= w.Size {
			return nil, usagef("-simulate=%s: there is no rank %d in a world of %d", h.ranks, ranks[n-1], w.Size)
		}
	}
	common := sim.Options{
		Build: sim.Build{
			KernelPort: o.kernelAt == emu.Client, Careful: h.careful, Trace: h.trace != "",
		},
		Seed: h.seed, Clock: sim.NewClock(), SharedHost: true,
	}
	if o.kernelAt == emu.Loopback && d.Platform.CCLO.KernelStream != "loopback" {
		return nil, errors.New("-kernel=loopback: simulated hardware has at its kernel streams what the platform has, or a client")
	}
	var err error
	if common.Library, err = sim.Library(ctx, d, common.Build); err != nil {
		return nil, err
	}
	cards := &sim.Cards{Options: func(card int) sim.Options {
		own := common
		if h.record != "" {
			own.Record = h.recorder(card)
		}
		if h.trace != "" {
			own.Trace = &sim.Trace{File: cardFile(h.trace, card), Scope: h.scope, Levels: h.levels, From: h.from, To: h.to}
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
