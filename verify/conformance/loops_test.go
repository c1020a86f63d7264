package conformance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
)

// word is element i of message k: no two messages are alike.
func word(k, i int) int32 { return int32(k)*0x01000193 ^ int32(i)*0x2F1B + int32(k>>16) }

func fillWords(b *accl.Buffer[int32], n, k int) {
	for i, host := 0, b.Host(); i < n; i++ {
		host[i] = word(k, i)
	}
}

func checkWords(b *accl.Buffer[int32], n, k int) error {
	for i, got := range b.Host()[:n] {
		if got != word(k, i) {
			return fmt.Errorf("message %d: element %d of %d is %#x, not %#x", k, i, n, got, word(k, i))
		}
	}
	return nil
}

func alloc(ctx context.Context, t *testing.T, e *accl.Engine, n int) *accl.Buffer[int32] {
	t.Helper()
	b, err := accl.Alloc[int32](ctx, e, n)
	assert.NilError(t, err)
	return b
}

// TestMixedSends mixes messages of all sizes, eager and by rendezvous, in both
// directions, waited for or not.
func TestMixedSends(t *testing.T) { mixedSends(t, all) }

func mixedSends(t *testing.T, on where) {
	on.each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		b := on.bench(ctx, t, setup{platform: name, ranks: 2, edit: func(p *accl.Platform) {
			small(p)
			// More messages are on their way than this test waits for.
			p.RxBuffers = accl.RxBuffers{Count: 16, Bytes: 1024}
		}})
		script := mixedScript(rng, b.p, on.times(10000))
		meet := func() error { return nil }
		if b.p.Stack == "udp" {
			meet = meeting(ctx, 2) // that a message was sent does not mean that it was received
		}
		b.each(func(rank int, e *accl.Engine) error { return playScript(ctx, t, e, script, meet) })
	})
}

// letter is a message of a script that both ranks follow.
type letter struct {
	from, n int
	wait    bool // for it, and with it for all before
	async   bool
}

// mixedScript keeps what is not waited for within the rx buffers: what is more
// may be lost.
func mixedScript(rng *rand.Rand, p *accl.Platform, n int) []letter {
	script := make([]letter, n)
	used := 0
	largest := 2 * p.RxBuffers.Bytes
	if p.Features.Rendezvous {
		largest = 2 * p.Limits.MaxRendezvousBytes
	}
	for k := range script {
		l := letter{from: rng.IntN(2), n: rng.IntN(300), async: rng.IntN(3) > 0}
		if rng.IntN(8) == 0 {
			l.n = rng.IntN(largest / 4)
		}
		buffers := 1 + 4*l.n/p.RxBuffers.Bytes
		if p.Features.Rendezvous && 4*l.n > p.Limits.MaxEagerBytes {
			buffers = 0
		}
		if used += buffers; used > p.RxBuffers.Count/2 || rng.IntN(20) == 0 {
			l.wait, used = true, 0
		}
		script[k] = l
	}
	return script
}

// meeting returns a function that ends when all of n have called it.
func meeting(ctx context.Context, n int) func() error {
	var mu sync.Mutex
	there, all := 0, make(chan struct{})
	return func() error {
		mu.Lock()
		wait := all
		if there++; there == n {
			close(all)
			there, all = 0, make(chan struct{})
		}
		mu.Unlock()
		select {
		case <-wait:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func playScript(ctx context.Context, t *testing.T, e *accl.Engine, script []letter, meet func() error) error {
	me := e.Rank()
	type pending struct {
		k       int
		buf     *accl.Buffer[int32]
		request *accl.Request
	}
	var open []pending
	var spare []*accl.Buffer[int32]
	settle := func() error {
		for _, p := range open {
			if err := p.request.Wait(ctx); err != nil {
				return fmt.Errorf("message %d of %+v: %w", p.k, script[p.k], err)
			}
			if script[p.k].from != me {
				if err := checkWords(p.buf, script[p.k].n, p.k); err != nil {
					return err
				}
			}
			spare = append(spare, p.buf)
		}
		open = open[:0]
		return nil
	}
	for k, l := range script {
		var buf *accl.Buffer[int32]
		if len(spare) > 0 {
			buf, spare = spare[len(spare)-1], spare[:len(spare)-1]
		} else {
			buf = alloc(ctx, t, e, 1<<13)
		}
		// A call that is waited for at once must not wait for those behind it on
		// the other side; where one direction waits, so does the other.
		var o []accl.Option
		if l.async || !l.wait {
			o = append(o, accl.Async())
		}
		var r *accl.Request
		var err error
		if l.from == me {
			fillWords(buf, l.n, k)
			r, err = e.Send(ctx, buf, l.n, accl.Peer(1-me), o...)
		} else {
			r, err = e.Recv(ctx, buf, l.n, accl.Peer(1-me), o...)
		}
		if err != nil {
			return fmt.Errorf("message %d of %+v: %w", k, l, err)
		}
		open = append(open, pending{k, buf, r})
		if l.wait {
			if err := settleAndMeet(settle, meet); err != nil {
				return err
			}
		}
	}
	return settle()
}

func settleAndMeet(settle, meet func() error) error {
	if err := settle(); err != nil {
		return err
	}
	return meet()
}

// TestManyInvite has many ranks wait for one rank's data in many parts: each has windows for
// some of them open, of which the engine of the one remembers so many.
func TestManyInvite(t *testing.T) {
	for _, n := range []int{16, 40} {
		ctx := limited(t, 2*time.Minute)
		l := limits{RxBuffers: accl.RxBuffers{Count: 8, Bytes: 512}, MaxEager: 3000, MaxRendezvous: 8192,
			Tuning: []accl.Setting{{Name: "bcast_flat_max_ranks", Value: uint32(n)}}}
		b := all.bench(ctx, t, l.of(setup{platform: "u55c_tcp", ranks: n}))
		for _, op := range []string{"scatter", "bcast", "gather"} {
			b.run(ctx, conformance.Case{Op: op, Op0: accl.TypeFloat64, Res: accl.TypeFloat64, Count: 2790, Root: n - 3})
		}
	}
}

// TestFanIn gathers what must be compressed at the root from more ranks at a time than it has
// scratch buffers, in parts.
func TestFanIn(t *testing.T) {
	ctx := limited(t, time.Minute)
	l := limits{RxBuffers: accl.RxBuffers{Count: 8, Bytes: 320}, MaxEager: 3602, MaxRendezvous: 6085,
		Tuning: []accl.Setting{{Name: "gather_fan_in", Value: 8}}}
	b := all.bench(ctx, t, l.of(setup{platform: "u55c_tcp", ranks: 6}))
	b.run(ctx, conformance.Case{Op: "gather", Op0: accl.TypeFloat32, Res: accl.TypeFloat16, Count: 3997, Root: 3})
}

// TestScratchInvites has many ranks wait for one rank's data in many parts, which land in
// scratch buffers: a window is not another one's before what came there has been read.
func TestScratchInvites(t *testing.T) {
	for _, n := range []int{7, 16, 40} {
		ctx := limited(t, time.Minute)
		l := limits{RxBuffers: accl.RxBuffers{Count: 8, Bytes: 704}, MaxEager: 1500, MaxRendezvous: 2841}
		b := all.bench(ctx, t, l.of(setup{platform: "u55c_tcp", ranks: n}))
		b.run(ctx, conformance.Case{Op: "scatter", Op0: accl.TypeFloat32, Res: accl.TypeFloat16, Count: 2155, Root: 1})
	}
}

// TestStreamInParts reduces what goes through small scratch buffers in parts, to a kernel
// stream, where each part but the last is whole beats.
func TestStreamInParts(t *testing.T) {
	for _, n := range []int{3, 4, 8} {
		for _, most := range []int{2900, 3333, 5902} {
			ctx := limited(t, time.Minute)
			l := limits{RxBuffers: accl.RxBuffers{Count: 16, Bytes: 896}, MaxEager: 2766, MaxRendezvous: most}
			b := all.bench(ctx, t, l.of(setup{platform: "u55c_tcp", ranks: n}))
			for _, res := range []accl.DType{accl.TypeFloat16, accl.TypeFloat32} {
				b.run(ctx, conformance.Case{Op: "reduce", Func: accl.Max, Op0: accl.TypeFloat32, Res: res, Wire: accl.TypeFloat16,
					Count: 673, Root: 2, StreamRes: true})
			}
		}
	}
}

// TestManyPost has many ranks post receives from one, more than its engine remembers
// invitations to, before it sends anything; and again while all ranks have data of its own
// to come in many parts besides. Every other message is one between the two alone.
func TestManyPost(t *testing.T) {
	const each, n = 20, 5000 // messages to a rank; words of one, for which several windows are needed
	for _, ranks := range []int{6, 9, 12} {
		if testing.Short() && ranks > 6 {
			continue
		}
		for _, besides := range []bool{false, true} {
			t.Run(fmt.Sprint(ranks, "/", besides), func(t *testing.T) {
				ctx := limited(t, time.Minute)
				l := limits{RxBuffers: accl.RxBuffers{Count: 8, Bytes: 512}, MaxEager: 3000, MaxRendezvous: 8192}
				b := all.bench(ctx, t, l.of(setup{platform: "u55c_tcp", ranks: ranks}))
				root := ranks - 1
				b.each(func(rank int, e *accl.Engine) error { return manyPosts(ctx, t, e, root, each, n, besides) })
			})
		}
	}
}

func manyPosts(ctx context.Context, t *testing.T, e *accl.Engine, root, each, n int, besides bool) error {
	rank := e.Rank()
	parts := alloc(ctx, t, e, 8*n*e.Size())
	scatter := func() (*accl.Request, error) {
		if rank == root {
			fillWords(parts, parts.Len(), -1)
			return e.Scatter(ctx, parts, parts.Slice(0, 8*n), 8*n, accl.Peer(root), accl.Async())
		}
		return e.Scatter(ctx, parts, parts, 8*n, accl.Peer(root), accl.Async())
	}
	bufs := make([]*accl.Buffer[int32], each)
	for k := range bufs {
		bufs[k] = alloc(ctx, t, e, n)
	}
	pairs := map[int]*accl.Comm{} // by the rank that is not the root
	for other := range root {
		if rank == other || rank == root {
			pair, err := e.World().Split(ctx, []int{other, root})
			if err != nil {
				return err
			}
			pairs[other] = pair
		}
	}
	var requests []*accl.Request
	if rank != root {
		for k, b := range bufs {
			c, from := e.World(), root
			if k%2 != 0 {
				c, from = pairs[rank], 1
			}
			r, err := c.Recv(ctx, b, n, accl.Peer(from), accl.WithTag(accl.Tag(k)), accl.Async())
			if err != nil {
				return err
			}
			requests = append(requests, r)
		}
	}
	for range 8 { // meanwhile what comes before is posted
		r, err := e.Barrier(ctx, accl.Async())
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	if besides && rank != root {
		r, err := scatter()
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	if rank == root {
		for _, r := range requests {
			if err := r.Wait(ctx); err != nil {
				return err
			}
		}
		requests = nil
		if besides {
			r, err := scatter()
			if err != nil {
				return err
			}
			requests = append(requests, r)
		}
		for k, b := range bufs {
			fillWords(b, n, k)
			for other := range root {
				c, to := e.World(), other
				if k%2 != 0 {
					c, to = pairs[other], 0
				}
				if _, err := c.Send(ctx, b, n, accl.Peer(to), accl.WithTag(accl.Tag(k))); err != nil {
					return fmt.Errorf("message %d to rank %d: %w", k, other, err)
				}
			}
		}
	}
	for k, r := range requests {
		if err := r.Wait(ctx); err != nil {
			return fmt.Errorf("request %d: %w", k, err)
		}
	}
	if rank == root {
		return nil
	}
	for k, b := range bufs {
		if err := checkWords(b, n, k); err != nil {
			return err
		}
	}
	return nil
}

// TestManyRanks runs a few cases on worlds of many ranks.
func TestManyRanks(t *testing.T) {
	for _, name := range all.of(generations...) {
		for _, n := range nightly.Of([]int{10, 64}, []int{10, 12, 16, 64}) {
			p := name
			if n == 64 && name == "u280_manual" {
				continue // its exchange memory has no room for so many
			}
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				if testing.Short() && n > 10 {
					t.Skip("short")
				}
				ctx := limited(t, 2*time.Minute)
				rng := random(t)
				b := all.bench(ctx, t, setup{platform: p, ranks: n, edit: func(p *accl.Platform) {
					small(p)
					p.RxBuffers.Count = 8
				}})
				if n == 64 {
					// Each operation of all ranks, with a little data.
					for _, op := range conformance.Operations(b.p) {
						c := lossless(rng, b.p, n, op)
						c.Members, c.Count = nil, min(c.Count, 100)
						b.run(ctx, c)
					}
					return
				}
				for range all.times(8) {
					b.run(ctx, lossless(rng, b.p, n, conformance.Operations(b.p)[rng.IntN(len(conformance.Operations(b.p)))]))
				}
			})
		}
	}
}
