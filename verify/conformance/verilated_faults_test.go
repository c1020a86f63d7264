package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// remoteMilliseconds is how long simulated hardware waits for remote ranks where
// they do not come: milliseconds of the simulation are short, but the limit of
// the platforms is long.
const remoteMilliseconds = 20

// breakable are ranks of simulated hardware that a test can do harm to.
type breakable struct {
	*bench
	cards   []*rtlsim.Engine
	records *simtest.Cards
	rng     *rand.Rand
}

// breakable starts hardware whose ranks soon give each other up.
func newBreakable(ctx context.Context, t *testing.T, on where, platform string, ranks int) *breakable {
	t.Helper()
	if err := verilate.Available(ctx); err != nil {
		t.Skip(err)
	}
	vars := hostMemory(platform)
	d := designtest.Load(t, platform, vars)
	o, err := simulated(ctx, d, false)
	assert.NilError(t, err)
	o.RemoteMilliseconds = remoteMilliseconds
	b := &breakable{cards: make([]*rtlsim.Engine, ranks), records: simtest.Record(t), rng: random(t)}
	on.way = made{on.way, func(rank int) world.Maker {
		return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
			e, err := rtlsim.New(ctx, d, port, watched(o, b.records.Card(fmt.Sprint("rank", rank)), rank))
			if err != nil {
				return nil, err // not an engine that is a nil pointer
			}
			b.cards[rank] = e
			return e, nil
		}
	}}
	b.bench = on.bench(ctx, t, setup{
		platform: platform, ranks: ranks, edit: small, vars: vars,
		world: world.Options{Net: fabric.Options{WindowBytes: 8192}}, open: []accl.OpenOption{accl.NoCauses()},
	})
	return b
}

// made is a way to ranks in this process whose engines a test makes.
type made struct {
	way
	maker func(rank int) world.Maker
}

func (m made) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	s.world.Maker = m.maker
	return process{}.open(ctx, t, d, s)
}

// with is the same for a part of the test.
func (b *breakable) with(t *testing.T) *breakable {
	b.records.Part(t)
	part := *b.bench
	part.t = t
	return &breakable{bench: &part, cards: b.cards, records: b.records, rng: b.rng}
}

// anything is a case of an operation that leaves nothing on kernel streams.
func (b *breakable) anything(op string) conformance.Case {
	for {
		c := lossless(b.rng, b.p, len(b.engines), op)
		if !c.StreamOp0 && !c.StreamRes {
			return c
		}
	}
}

// right runs a case that must be right.
func (b *breakable) right(ctx context.Context, op string) {
	b.t.Helper()
	c := b.anything(op)
	if err := b.do(ctx, c); err != nil {
		b.t.Fatalf("%v\nagain: %s%s", err, b.again(c), b.stats())
	}
}

// rightAll runs a case of some operations, or every one with a larger scale.
func (b *breakable) rightAll(ctx context.Context) {
	b.t.Helper()
	for _, op := range some(b.rng, conformance.Operations(b.p), 4) {
		if op != "stream_put" {
			b.right(ctx, op)
		}
	}
}

// codeOf is the return code that a call ended with; other errors end the test.
func (b *breakable) codeOf(err error) accl.ReturnCode {
	b.t.Helper()
	var c *accl.CallError
	if err != nil && !errors.As(err, &c) {
		b.t.Fatal(err)
	}
	if err == nil {
		return 0
	}
	return c.Code
}

// ended checks how a call has ended.
func (b *breakable) ended(what string, err error, want ...string) {
	b.t.Helper()
	if got := b.codeOf(err); got != b.code(want...) {
		b.t.Errorf("%s: %s, not %v", what, accl.BitNames(b.p.Describe(got)), want)
	}
}

// wrong has memory of a rank answer wrongly.
func (b *breakable) wrong(rank int, from, bytes uint64, f rtlsim.Fault) {
	b.t.Helper()
	assert.NilError(b.t, b.cards[rank].SetFault(false, from, from+bytes, f))
}

// mend ends all faults of a rank's memory.
func (b *breakable) mend(rank int) {
	b.t.Helper()
	assert.NilError(b.t, b.cards[rank].SetFault(false, 0, ^uint64(0), rtlsim.Works))
}

// cycles waits until a rank has run for so many, or has nothing to do.
func (b *breakable) cycles(ctx context.Context, rank int, n uint64) {
	end, last, seen := b.cards[rank].Cycle()+n, uint64(0), time.Now()
	for ctx.Err() == nil {
		now := b.cards[rank].Cycle()
		if now >= end || now == last && time.Since(seen) > 300*time.Millisecond {
			return
		}
		if now != last {
			last, seen = now, time.Now()
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// words are buffers for as many words on each rank, which tests use.
func (b *breakable) words(ctx context.Context, rank, n, k int) *accl.Buffer[int32] {
	b.t.Helper()
	buf := alloc(ctx, b.t, b.engines[rank], n)
	fillWords(buf, n, k)
	assert.NilError(b.t, buf.SyncToDevice(ctx))
	return buf
}

// patience sets how many cycles a rank waits for its memory.
func (b *breakable) patience(ctx context.Context, rank int, cycles uint32) {
	b.t.Helper()
	assert.NilError(b.t, b.engines[rank].SetTimeout(ctx, cycles))
}

const usualPatience = 1000000

// some are n of a list, more or all with a larger scale, in any order.
func some[T any](rng *rand.Rand, list []T, n int) []T {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), times(n))]
}

// localWorks checks that a rank computes by itself.
func (b *breakable) localWorks(ctx context.Context, rank int) {
	b.t.Helper()
	const n = 300
	k := b.rng.IntN(1000)
	from, to := b.words(ctx, rank, n, k), b.words(ctx, rank, n, -1)
	if _, err := b.engines[rank].Copy(ctx, from, to, n); err != nil {
		b.t.Fatalf("rank %d: the next copy: %v", rank, err)
	}
	assert.NilError(b.t, checkWords(to, n, k), "rank %d: the next copy", rank)
}

var memoryFaults = []struct {
	name  string
	fault rtlsim.Fault
	bit   string
}{
	{"SLVERR", rtlsim.SlaveError, "DMA_SLAVE"},
	{"DECERR", rtlsim.DecodeError, "DMA_DECODE"},
	{"no answer", rtlsim.Silent, "DMA_TIMEOUT"},
}

// TestHardwareFaults does harm to simulated hardware: every call ends with the
// truth, and what comes after it is right. A run of all tests does what takes
// seconds; a nightly one, or a scale above 1, does the rest.
func TestHardwareFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	const platform = "u55c_tcp"
	if !slices.Contains(all.of(platform), platform) {
		t.Skipf("it takes %s", platform)
	}
	on := goesBy(t, "verilated")
	ctx := limited(t, time.Minute)
	b := newBreakable(ctx, t, on, platform, 3)
	for _, part := range []struct {
		name string
		run  func(*breakable, context.Context)
		long bool // waits for remote ranks, which takes long
	}{
		{"memory of operands and results", (*breakable).memory, false},
		{"reset while memory is silent", (*breakable).resetSilent, true},
		{"pauses and refusals", (*breakable).pauses, true},
		{"full rx buffers", (*breakable).full, true},
		{"resets", (*breakable).resets, true},
		{"a rank ends", (*breakable).oneEnds, true}, // last
	} {
		if part.long && scaleOf() <= 1 && !nightly.Enabled() {
			continue
		}
		if !t.Run(part.name, func(t *testing.T) {
			part.run(b.with(t), ctx)
		}) && ctx.Err() != nil {
			t.Fatal(context.Cause(ctx))
		}
	}
}

// memory has each operand of a local call and its result in memory that fails,
// somewhere.
func (b *breakable) memory(ctx context.Context) {
	const n = 700
	e := b.engines[0]
	b.patience(ctx, 0, 10000)
	bufs := [3]*accl.Buffer[int32]{b.words(ctx, 0, n, 1), b.words(ctx, 0, n, 2), b.words(ctx, 0, n, 3)}
	names := []string{"operand 0", "operand 1", "result"}
	for _, f := range memoryFaults {
		for at, name := range names {
			for _, two := range []bool{false, true} {
				if at == 1 && !two {
					continue
				}
				bad := bufs[at].Address() + uint64(b.rng.IntN(4*n))
				b.wrong(0, bad, 1, f.fault)
				op, err := "copy", error(nil)
				if two {
					op = "combine"
					_, err = e.Combine(ctx, bufs[0], bufs[1], bufs[2], n, accl.Sum)
				} else {
					_, err = e.Copy(ctx, bufs[0], bufs[2], n)
				}
				b.ended(fmt.Sprintf("%s at byte %d of %s, two operands: %v", f.name, bad-bufs[at].Address(), name, two), err, f.bit)
				if f.fault == rtlsim.Silent {
					found, unread := e.Causes(ctx)
					assert.Check(b.t, unread)
					assert.Check(b.t, is.DeepEqual(found, []accl.Cause{{Kind: accl.StreamHeld, Rank: 0,
						Text: "rank 0: its memory, a plugin or its user kernel has not given, or not taken, the data of " + op +
							" within the limit"}}))
				}
				b.mend(0)
				b.localWorks(ctx, 0)
			}
		}
	}
	b.patience(ctx, 0, usualPatience)
	b.right(ctx, "combine")
}

// resetSilent resets an engine whose memory does not answer, which comes back
// before the reset, or after.
func (b *breakable) resetSilent(ctx context.Context) {
	const n = 700
	for _, back := range some(b.rng, []bool{false, true}, 1) {
		from, to := b.words(ctx, 0, n, 1), b.words(ctx, 0, n, 2)
		b.wrong(0, from.Address()+uint64(b.rng.IntN(4*n)), 1, rtlsim.Silent)
		b.wrong(0, to.Address()+uint64(b.rng.IntN(4*n)), 1, rtlsim.Silent)
		r, err := b.engines[0].Copy(ctx, from, to, n, accl.Async())
		assert.NilError(b.t, err)
		b.t.Logf("memory is back before the reset: %v", back)
		b.cycles(ctx, 0, uint64(5000+b.rng.IntN(5000)))
		if back {
			b.mend(0)
		}
		b.reset(ctx)
		if err := r.Wait(ctx); b.codeOf(err)&^b.code("NOT_READY", "DMA_TIMEOUT") != 0 || err == nil && !back {
			b.t.Errorf("the copy that was reset: %v", err)
		}
		b.mend(0)
		b.localWorks(ctx, 0)
		b.right(ctx, "allreduce")
	}
}

// pauses runs everything with memory and network stacks that take their time.
func (b *breakable) pauses(ctx context.Context) {
	shape := func(m rtlsim.MemoryShape, n rtlsim.NetworkShape) {
		for rank, e := range b.cards {
			n.Seed += uint64(rank)
			assert.NilError(b.t, errors.Join(e.ShapeMemory(false, m), e.ShapeMemory(true, m), e.ShapeNetwork(n)))
		}
	}
	defer shape(rtlsim.MemoryShape{}, rtlsim.NetworkShape{})
	for range times(1) {
		shape(
			rtlsim.MemoryShape{Latency: b.rng.Uint32N(100), Jitter: b.rng.Uint32N(100), Stalls: b.rng.Uint32N(300),
				Longest: 1 + b.rng.Uint32N(40)},
			rtlsim.NetworkShape{Latency: b.rng.Uint32N(100), Jitter: b.rng.Uint32N(200), Pauses: b.rng.Uint32N(700),
				Refusals: b.rng.Uint32N(700), Seed: b.rng.Uint64()})
		b.rightAll(ctx)
	}
}

// full sends more than the rank that is to receive it has room for before it does.
func (b *breakable) full(ctx context.Context) {
	const n, messages = 750, 14 // as much as is sent eagerly
	var sent []*accl.Request
	for k := range messages {
		r, err := b.engines[0].Send(ctx, b.words(ctx, 0, n, k), n, 1, accl.Async())
		assert.NilError(b.t, err)
		sent = append(sent, r)
	}
	done := func() (k int) {
		for _, r := range sent {
			select {
			case <-r.Done():
				k++
			default:
			}
		}
		return k
	}
	for last := -1; done() != last; {
		last = done()
		b.cycles(ctx, 0, remoteMilliseconds*rtlsim.DefaultMillisecond/8)
	}
	b.t.Logf("%d of %d messages were sent before one was received", done(), messages)
	assert.Check(b.t, done() != messages, "the sender was not held back")
	in := b.words(ctx, 1, n, -1)
	for k := range messages {
		if _, err := b.engines[1].Recv(ctx, in, n, 0); err != nil {
			b.t.Fatalf("message %d: %v", k, err)
		}
		assert.NilError(b.t, checkWords(in, n, k))
	}
	for k, r := range sent {
		assert.Check(b.t, r.Wait(ctx), "send %d", k)
	}
	b.right(ctx, "allreduce")
}

// resets resets all ranks while calls are on their way.
func (b *breakable) resets(ctx context.Context) {
	ops := []string{"send", "allreduce", "bcast", "gather", "allgather", "reduce_scatter", "alltoall", "scatter",
		"reduce", "barrier"}
	for range times(2) {
		c := b.anything(ops[b.rng.IntN(len(ops))])
		delay, rank := uint64(b.rng.IntN(20000)), b.rng.IntN(len(b.engines))
		b.t.Logf("reset %d cycles of rank %d after the beginning of %s", delay, rank, c)
		b.resetDuring(ctx, c, func() { b.cycles(ctx, rank, delay) })
		b.right(ctx, ops[b.rng.IntN(len(ops))])
	}
	b.rightAll(ctx)
}

// oneEnds ends a rank: those that wait for it are told, and the others go on.
func (b *breakable) oneEnds(ctx context.Context) {
	const n = 100
	dead := len(b.engines) - 1
	assert.NilError(b.t, b.cards[dead].Close())
	for rank := range dead {
		in := b.words(ctx, rank, n, 1)
		_, err := b.engines[rank].Recv(ctx, in, n, accl.Peer(dead))
		b.ended(fmt.Sprintf("rank %d waits for a rank that has ended", rank), err, "RECEIVE_TIMEOUT")
	}
	between := func() {
		b.t.Helper()
		k := b.rng.IntN(1000)
		out, in := b.words(ctx, 0, n, k), b.words(ctx, 1, n, -1)
		for rank, err := range b.everywhere(func(rank int, e *accl.Engine) (err error) {
			switch rank {
			case 0:
				_, err = e.Send(ctx, out, n, 1)
			case 1:
				_, err = e.Recv(ctx, in, n, 0)
			}
			return err
		}) {
			assert.Check(b.t, err, "rank %d", rank)
		}
		assert.Check(b.t, checkWords(in, n, k))
	}
	between()
	out := b.words(ctx, 0, 2000, 1)
	if _, err := b.engines[0].Send(ctx, out, 2000, accl.Peer(dead)); !onlyBits(err, b.gone()) {
		b.t.Errorf("a rendezvous with a rank that has ended: %v", err)
	}
	between()
}
