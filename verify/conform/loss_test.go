package conform_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conform"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
)

// impatient is a world whose ranks wait only this long for each other.
func impatient(limit time.Duration) world.Options {
	return world.Options{Engine: emu.Options{RemoteTimeout: limit, Patience: limit}}
}

// try runs a case that may fail with these bits of the return code, and nothing
// else may happen; it reports whether the case was right. Engines are reset after
// a failure.
func (b *bench) try(ctx context.Context, c conform.Case, bits accl.ReturnCode) bool {
	b.t.Helper()
	err := c.Run(ctx, b.engines)
	if err == nil {
		return true
	}
	var f *conform.Failure
	if !errors.As(err, &f) || !f.Tolerates(bits) {
		b.t.Fatalf("%v\nagain: %s", err, b.again(c))
	}
	b.reset(ctx)
	return false
}

// works checks that the next case after a reset is right. Ranks wait so little for
// each other that a busy machine may need a second try.
func (b *bench) works(ctx context.Context, rng *rand.Rand) {
	b.t.Helper()
	for range 3 {
		if b.try(ctx, lossless(rng, b.p, len(b.engines), "allreduce"), b.code("RECEIVE_TIMEOUT")) {
			return
		}
	}
	b.t.Fatal("nothing works after a reset")
}

// TestOverrun sends more than the receiver has rx buffers for, on a network that
// loses what does not fit: the data is right, or the receiver says that it did not
// come.
func TestOverrun(t *testing.T) {
	ctx := limited(t, time.Minute)
	rng := random(t)
	make := func() *bench {
		return newBench(ctx, t, setup{platform: "u55c_udp", ranks: 3, edit: small, world: impatient(300 * time.Millisecond)})
	}
	b := make()
	right, lost := 0, 0
	for right+lost < times(20) {
		c := conform.RandomOp(rng, b.p, 3, "send")
		if !c.MayLose(b.p) {
			continue
		}
		if b.try(ctx, c, b.code("RECEIVE_TIMEOUT")) {
			right++
			continue
		}
		if lost++; c.StreamOp0 || c.StreamRes {
			b = make() // what is left on the kernel stream is not the engine's to clear
		}
		b.works(ctx, rng)
	}
	t.Logf("%d were right, %d lost", right, lost)
}

// TestUnreliable runs everything on a network that loses, repeats, reorders and
// damages packets.
func TestUnreliable(t *testing.T) {
	for name, faults := range map[string]fabric.Faults{
		"loss":        {Loss: 0.02},
		"corruption":  {Corrupt: 0.02},
		"duplication": {Duplicate: 0.3},
		"reordering":  {Reorder: 0.2},
		"latency":     {Latency: 200 * time.Microsecond, Jitter: time.Millisecond},
		"everything":  {Loss: 0.01, Corrupt: 0.01, Duplicate: 0.1, Reorder: 0.1, Jitter: 100 * time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			rng := random(t)
			o := impatient(500 * time.Millisecond)
			o.Net.Seed = rng.Int64()
			make := func() *bench {
				return newBench(ctx, t, setup{platform: "u55c_udp", ranks: 3, world: o, edit: func(p *accl.Platform) {
					small(p)
					p.RxBuffers = accl.RxBuffers{Count: 16, Bytes: 512}
				}})
			}
			b := make()
			right, failed := 0, 0
			for right < times(30) && failed < times(6) {
				b.Net().SetFaults(faults)
				c := lossless(rng, b.p, 3, conform.Operations(b.p)[rng.IntN(len(conform.Operations(b.p)))])
				if c.Op == "stream_put" {
					continue // what the stream does not get, the call that waits for it says
				}
				if b.tryFaulty(ctx, c) {
					right++
					continue
				}
				if failed++; c.StreamOp0 || c.StreamRes {
					b = make() // see TestOverrun
				}
				b.works(ctx, rng)
			}
			t.Logf("%d cases were right, %d failed as they should", right, failed)
			if right == 0 && failed > 5 {
				t.Error("nothing went well")
			}
			if failed > 0 && slices.Contains([]string{"duplication", "reordering", "latency"}, name) {
				t.Error("the transport is to repair that")
			}
		})
	}
}

// tryFaulty is try that ends the faults before a reset.
func (b *bench) tryFaulty(ctx context.Context, c conform.Case) bool {
	b.t.Helper()
	err := c.Run(ctx, b.engines)
	b.Net().SetFaults(fabric.Faults{})
	if err == nil {
		return true
	}
	var f *conform.Failure
	if !errors.As(err, &f) || !f.Tolerates(b.code("RECEIVE_TIMEOUT")) {
		b.t.Fatalf("%v\nagain, with faults: %s", err, b.again(c))
	}
	b.reset(ctx)
	return false
}
