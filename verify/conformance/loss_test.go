package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/world"
)

// impatient is a world whose ranks wait only this long for each other.
func impatient(limit time.Duration) world.Options {
	return world.Options{Engine: emu.Options{RemoteTimeout: limit, Patience: limit}}
}

// try runs a case that may fail with these bits of the return code, and nothing
// else may happen; it reports whether the case was right. Engines are reset after
// a failure.
func (b *bench) try(ctx context.Context, c conformance.Case, bits accl.ReturnCode) bool {
	b.t.Helper()
	right := b.truth(ctx, c, bits)
	if !right {
		b.reset(ctx)
	}
	return right
}

// truth is try without a reset.
func (b *bench) truth(ctx context.Context, c conformance.Case, bits accl.ReturnCode) (right bool) {
	b.t.Helper()
	err := b.do(ctx, c)
	if err == nil {
		return true
	}
	var f *conformance.Failure
	if !errors.As(err, &f) || !f.Tolerates(bits) {
		b.t.Fatalf("%v\nagain: %s", err, b.again(c))
	}
	return false
}

// works checks that the next case after a reset is right. Ranks wait so little for
// each other that a busy machine may need a second try, and faults may last.
func (b *bench) works(ctx context.Context, rng *rand.Rand) {
	b.t.Helper()
	tries := 3
	if b.setup.faults != "" {
		tries = 20
	}
	for range tries {
		c := lossless(rng, b.p, len(b.engines), "allreduce")
		if b.spilled {
			c.StreamOp0, c.StreamRes = false, false
		}
		if b.try(ctx, c, b.lost()) {
			return
		}
		b.spilled = b.spilled || c.Streams()
	}
	b.t.Fatal("nothing works after a reset")
}

// TestOverrun sends more than the receiver has rx buffers for, on a network that
// loses what does not fit: the data is right, or the receiver says that it did not
// come.
func TestOverrun(t *testing.T) {
	ctx := limited(t, time.Minute)
	rng := random(t)
	b := all.bench(ctx, t, setup{platform: "u55c_udp", ranks: 3, edit: small, world: impatient(300 * time.Millisecond)})
	right, lost := 0, 0
	for right+lost < all.times(20) {
		c := conformance.RandomOp(rng, b.p, 3, "send")
		if !c.MayLose(b.p) {
			continue
		}
		if b.try(ctx, c, b.lost()) {
			right++
			continue
		}
		if lost++; c.StreamOp0 || c.StreamRes {
			b.renew(ctx) // what is left on the kernel stream is not the engine's to clear
		}
		b.works(ctx, rng)
	}
	t.Logf("%d were right, %d lost", right, lost)
}

// TestPaced runs collectives of many eager messages on a network that loses what does not
// fit: ranks are asked for no more than rx buffers hold, each of which is larger than a packet.
func TestPaced(t *testing.T) { paced(t, all) }

func paced(t *testing.T, on where) {
	ctx := limited(t, time.Minute)
	rng := random(t)
	l := limits{RxBuffers: accl.RxBuffers{Count: 16, Bytes: 4096}, MaxEager: 1 << 20, MaxRendezvous: 2 << 20}
	for _, n := range []int{2, 3, 4} {
		if testing.Short() && n != 3 {
			continue
		}
		b := on.bench(ctx, t, l.of(setup{platform: "u55c_udp", ranks: n, world: impatient(2 * time.Second)}))
		for _, op := range conformance.Operations(b.p) {
			c := conformance.RandomOp(rng, b.p, n, op)
			if size := c.ElementBytes(b.p); size != 0 && len(c.Members) != 1 && op != "send" && op != "stream_put" &&
				op != "barrier" {
				c.Count = 256<<10/size + rng.IntN(100)
				c.StreamOp0, c.StreamRes, c.Fed = false, false, false
				if err := b.do(ctx, c); err != nil {
					t.Errorf("%v\nagain: %s", err, b.again(c))
					b.reset(ctx)
				}
			}
		}
	}
}

// noticed is a port that tells of each packet whether it is a notice.
type noticed struct {
	fabric.Port
	sends func(notice bool) (lost bool)
	field abi.Field
}

func (n *noticed) Send(session uint32, p *fabric.Packet) error {
	if n.sends(p.Header[n.field.Low/8]>>(n.field.Low%8)&1 != 0) {
		p.Release()
		return nil
	}
	return n.Port.Send(session, p)
}

// overheard is a world of which one rank's port is such.
func overheard(t *testing.T, platform string, ranks, rank int, sends func(notice bool) (lost bool)) setup {
	t.Helper()
	d := designtest.Load(t, platform, nil)
	field := *d.ABI().Layout(abi.MessageHeader).Field("notice")
	o := impatient(20 * time.Second)
	o.Port = func(r int, port fabric.Port) fabric.Port {
		if r != rank {
			return port
		}
		return &noticed{port, sends, field}
	}
	return setup{design: d, ranks: ranks, fresh: true, world: o}
}

// TestLostReplyIsRepeated loses all that one rank says while ranks agree on the number of their first collective: the
// other one asks on, and learns it from the rank that is in the collective already.
func TestLostReplyIsRepeated(t *testing.T) {
	ctx := limited(t, time.Minute)
	var over atomic.Bool
	b := all.bench(ctx, t, overheard(t, "u55c_udp", 2, 1, func(notice bool) bool {
		over.Store(over.Load() || !notice)
		return !over.Load()
	}))
	b.right(ctx, conformance.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 1})
}

// TestAskingLeavesNothing has ranks ask, in calls that are remembered, what one does that comes late: what they send
// is not what the next of these calls finds in the registers of moves.
func TestAskingLeavesNothing(t *testing.T) {
	const ranks, count = 5, 7
	ctx := limited(t, time.Minute)
	asked := make(chan struct{})
	b := all.bench(ctx, t, overheard(t, "u55c_tcp", ranks, 0, func(notice bool) bool {
		if notice {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
		return false
	}))
	for rank, err := range b.everywhere(func(rank int, e *accl.Engine) error {
		buffer, err := accl.Alloc[int32](ctx, e, 2*ranks*count)
		for turn := 0; turn < 4 && err == nil; turn++ {
			if rank == 1 && turn > 0 && turn < 3 {
				<-asked
			}
			_, err = e.AllToAll(ctx, buffer.Slice(0, ranks*count), buffer.Slice(ranks*count, 2*ranks*count), count)
		}
		return err
	}) {
		assert.Check(t, err, "rank %d", rank)
	}
}

// TestUnreliable runs everything on a network that loses, repeats, reorders and
// damages packets.
func TestUnreliable(t *testing.T) { unreliable(t, all) }

func unreliable(t *testing.T, on where) {
	for name, plan := range map[string]string{
		"loss":        "loss = 0.02",
		"corruption":  "corrupt = 0.02",
		"duplication": "duplicate = 0.3",
		"reordering":  "reorder = 0.2",
		"latency":     `latency = "200us", jitter = "1ms"`,
		"everything":  `loss = 0.01, corrupt = 0.01, duplicate = 0.1, reorder = 0.1, jitter = "100us"`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			rng := random(t)
			plan := fmt.Sprintf("{seed = %d, %s}", rng.Int32(), plan)
			s := setup{platform: "u55c_udp", ranks: 3, world: impatient(500 * time.Millisecond), fresh: true,
				edit: func(p *accl.Platform) {
					small(p)
					p.RxBuffers = accl.RxBuffers{Count: 16, Bytes: 512}
				}}
			bad := func(*bench) func() { return func() {} }
			if on.name() == "process" {
				bad = storm(t, plan)
			} else {
				s.faults = plan
			}
			b := on.bench(ctx, t, s)
			right, failed := 0, 0
			for right < on.times(30) && failed < on.times(6) {
				c := lossless(rng, b.p, 3, conformance.Operations(b.p)[rng.IntN(len(conformance.Operations(b.p)))])
				if c.Op == "stream_put" {
					continue // what the stream does not get, the call that waits for it says
				}
				if b.tryFaulty(ctx, c, bad) {
					right++
					continue
				}
				if failed++; c.StreamOp0 || c.StreamRes {
					b.renew(ctx) // see TestOverrun
				}
				b.works(ctx, rng)
			}
			t.Logf("%d cases were right, %d failed as they should", right, failed)
			assert.Check(t, right != 0 || failed <= 5, "nothing went well")
			assert.Check(t, failed <= 0 || !slices.Contains([]string{"duplication", "reordering", "latency"}, name),
				"the transport is to repair that")
		})
	}
}

// storm puts a plan in force on the network of a bench while a case runs.
func storm(t *testing.T, text string) func(b *bench) (end func()) {
	plan, err := faults.Parse(text)
	assert.NilError(t, err)
	return func(b *bench) func() {
		plan.Apply(t.Context(), b.network)
		return func() { b.network.SetFaults(fabric.Faults{}) }
	}
}

// tryFaulty is try that ends the faults before a reset.
func (b *bench) tryFaulty(ctx context.Context, c conformance.Case, bad func(*bench) (end func())) bool {
	b.t.Helper()
	end := bad(b)
	err := b.do(ctx, c)
	end()
	if err == nil {
		return true
	}
	var f *conformance.Failure
	if !errors.As(err, &f) || !f.Tolerates(b.lost()) {
		b.t.Fatalf("%v\nagain, with faults: %s", err, b.again(c))
	}
	b.reset(ctx)
	return false
}

// partitionForATime has a plan cut ranks off, and later let them through again: in
// between calls end with the truth, and afterwards all is well.
func partitionForATime(t *testing.T, on where) {
	on.each(t, later, func(ctx context.Context, t *testing.T, name string) {
		for length := 600 * time.Millisecond; !cutFor(ctx, t, on, name, unhurried(length)); length *= 2 {
			t.Logf("a partition of %v was over before a call ran into it", unhurried(length))
		}
	})
}

// cutFor has a partition of that length, and reports whether calls have failed. On
// TCP those that began shortly before its end need not: what they sent came then.
func cutFor(ctx context.Context, t *testing.T, on where, platform string, length time.Duration) bool {
	t.Helper()
	const ranks = 4
	from := length * 2 / 3
	to := from + length
	early := time.Now() // the plan begins to count between this
	b := on.bench(ctx, t, setup{platform: platform, ranks: ranks, edit: small, fresh: true,
		// What does not depend on the network may take as long as the machine needs.
		world:  world.Options{Engine: emu.Options{RemoteTimeout: 200 * time.Millisecond}},
		faults: fmt.Sprintf(`{partitions = [{groups = [[0, 2]], from = "%v", to = "%v"}]}`, from, to)})
	defer b.shut()
	late := time.Now() // and this
	c := conformance.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 100}
	// Messages that the partition holds back come when it ends, and engines that have
	// been reset meanwhile count anew, and may take them for others.
	holds := b.p.Stack != "udp"
	failed := false
	for ; time.Since(late) < to && !(holds && failed); c.Seed++ {
		begun := time.Since(late)
		if !b.truth(ctx, c, b.gone()) {
			failed = true
			if !holds {
				b.reset(ctx)
			}
		} else if begun > from+length/2 && time.Since(early) < to {
			t.Errorf("a call that began %v after the world went through the partition from %v to %v", begun, from, to)
			return true
		}
	}
	if holds && failed {
		time.Sleep(to - time.Since(late))
		_ = b.do(ctx, c) // comes after all that was held back, however it ends
		b.reset(ctx)
	}
	for range 3 {
		b.works(ctx, random(t))
	}
	return failed
}
