package compare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// worlds are a world in two forms, with the host at their kernel streams.
type worlds struct {
	*Pair
	design  *design.Design
	p       accl.Platform
	engines [2][]*accl.Engine
	worlds  [2]*world.World
}

// kind says how the engines of a world are made, and where moves are noted.
type kind func(rank int, l *Log) world.Maker

// load is a platform as the tests of the driver have it, with limits that little data
// reaches.
func load(t *testing.T, platform string) *worlds {
	t.Helper()
	vars := map[string]cty.Value{}
	if strings.HasPrefix(platform, "u55c_") {
		vars["host_memory"] = cty.True
	}
	w := &worlds{design: designtest.Load(t, platform, vars)}
	w.p = driverview.Of(w.design)
	w.p.RxBuffers = accl.RxBuffers{Count: 8, Bytes: 512}
	if w.p.Features.Rendezvous {
		w.p.Limits.MaxEagerBytes, w.p.Limits.MaxRendezvousBytes = 3000, 8192
	}
	return w
}

// open starts both worlds.
func (w *worlds) open(ctx context.Context, t *testing.T, ranks int, kinds [2]kind) {
	t.Helper()
	var err error
	w.Pair, err = NewPair(w.design.ABI(), ranks)
	assert.NilError(t, err)
	for side, l := range []*Log{w.Emulated, w.Hardware} {
		made, err := world.New(ctx, w.design, ranks, world.Options{
			// as the hardware has it
			Net: fabric.Options{MaxPayload: int(w.design.ABI().Constant("max_packet_bytes").Value) - len(
				fabric.Packet{}.Header)},
			Maker: func(rank int) world.Maker { return kinds[side](rank, l) },
		})
		assert.NilError(t, err)
		t.Cleanup(func() {
			assert.Check(t, made.Close())
		})
		w.worlds[side] = made
		var devices []accl.Device
		for rank := range ranks {
			d := l.Device(rank, made.Engine(rank))
			devices = append(devices, d)
			go l.Loop(ctx, rank, d)
		}
		w.engines[side], err = accl.OpenAll(ctx, devices, &w.p, made.Ranks())
		assert.NilError(t, err)
	}
}

// emulated makes emulated engines.
func emulated(t *testing.T, d *design.Design) kind {
	t.Helper()
	image, err := firmware.Prebuilt(d.ABI().Name)
	assert.NilError(t, err)
	return func(rank int, l *Log) world.Maker {
		count := uint64(0)
		return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
			o := emu.Options{Image: image.Code, Kernel: emu.Client,
				OnMove: func(m emu.Move) { count++; l.Move(rank, Emulated(m), count) }}
			return emu.New(ctx, d, l.Port(rank, port), o)
		}
	}
}

// run runs a case on both worlds.
func (w *worlds) run(ctx context.Context, c conformance.Case) error {
	for side, name := range []string{"emulator", "hardware"} {
		if err := c.Run(ctx, w.engines[side]); err != nil {
			return fmt.Errorf("%s, whose ranks were called last in cycles %d: %w", name, w.called(side), err)
		}
	}
	return w.Step(ctx)
}

// called is when the ranks of a world were called last, which tells ranks that wait for one
// that is late from those that wait for what does not come.
func (w *worlds) called(side int) []uint64 {
	l := [2]*Log{w.Emulated, w.Hardware}[side]
	cycles := make([]uint64, len(w.engines[side]))
	for rank := range cycles {
		h := &l.hosts[rank]
		h.mu.Lock()
		cycles[rank] = h.called
		h.mu.Unlock()
	}
	return cycles
}

// reset resets all engines of both worlds, each world at once.
func (w *worlds) reset(ctx context.Context) error {
	for _, engines := range w.engines {
		if err := reset(ctx, engines); err != nil {
			return err
		}
	}
	return w.Step(ctx)
}

// reset resets engines of one world, all at once.
func reset(ctx context.Context, engines []*accl.Engine) error {
	errs := make([]error, len(engines))
	var group sync.WaitGroup
	for rank, e := range engines {
		group.Go(func() { errs[rank] = e.Reset(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// all compares from the beginning to the end: cases, a reset, and some more.
func (w *worlds) all(ctx context.Context, t *testing.T, ranks, each int) {
	t.Helper()
	t.Logf("-compare.seed=%d", *seedFlag)
	w.Traced = &w.p
	assert.NilError(t, w.Step(ctx))
	list := cases(rand.New(rand.NewPCG(*seedFlag, uint64(ranks))), &w.p, ranks, each)
	for i, c := range list {
		if i == len(list)*3/4 {
			assert.NilError(t, w.reset(ctx))
		}
		assert.NilError(t, w.run(ctx, c), "%v", c)
	}
	assert.NilError(t, w.End(ctx), "in the end")
	w.saw(t)
}

// saw checks that there was something to compare.
func (w *worlds) saw(t *testing.T) {
	t.Helper()
	s := w.Seen()
	if s.Moves == 0 || s.Messages == 0 || s.Words == 0 || s.Bytes == 0 || w.Traced != nil && s.Events == 0 ||
		conformance.Loopback(&w.p) && s.Beats == 0 {
		t.Errorf("hardly anything was compared: %v", s)
	}
	t.Log(s)
}

// maxCount bounds cases: simulated hardware is slow.
const maxCount = 1000

// cases are some of each operation and some with kernel streams, none of which may
// lose data on the way.
func cases(rng *rand.Rand, p *accl.Platform, ranks, each int) (out []conformance.Case) {
	draw := func(op string, wanted func(*conformance.Case) bool) {
		for {
			c := conformance.RandomOp(rng, p, ranks, op)
			c.Count = min(c.Count, maxCount)
			// Of two calls at a time it would depend on when they end which queue each has,
			// and so which part of the scratch buffers.
			c.Fed = c.StreamOp0
			if !c.MayLose(p) && wanted(&c) {
				out = append(out, c)
				return
			}
		}
	}
	for range each {
		for _, op := range conformance.Operations(p) {
			draw(op, func(*conformance.Case) bool { return true })
			if conformance.Loopback(p) && streamable(p.Operation(op)) {
				draw(op, (*conformance.Case).Streams)
			}
		}
	}
	return out
}

// streamable reports whether cases of an operation can have kernel streams as operands or results, and cases without.
func streamable(o *accl.Operation) bool {
	return o.Result.At != accl.AtPeer && (o.Op0.Stream || o.Result.Stream)
}
