package conformance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

// reliable are the platforms whose networks lose nothing: calls at the same time
// share the rx buffers.
var reliable = []string{"u280_manual", "u280_2022", "u55c_tcp", "u55c_rdma"}

// known has tests do what is known not to work: engines hold queues
// of moves and rx buffers while they wait for remote ranks, so that more
// communicators at once than queues, or several that fill the rx buffers, may wait
// for each other until the time limit.
var known = os.Getenv("CONFORM_KNOWN") != ""

// TestCommunicatorsAtOnce uses disjoint, overlapping and permuted communicators
// at the same time.
func TestCommunicatorsAtOnce(t *testing.T) { communicatorsAtOnce(t, all) }

func communicatorsAtOnce(t *testing.T, on where) {
	for _, test := range []struct {
		name   string
		ranks  int
		groups [][]int
	}{
		{"overlapping", 6, [][]int{{0, 1, 2}, {3, 4, 5}, {2, 3}, {5, 4, 3, 2, 1, 0}, {0, 4, 5}, nil}},
		{"permuted", 3, [][]int{nil, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 1}, {1, 0}}},
	} {
		for _, name := range on.of(reliable...) {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				ctx := limited(t, time.Minute)
				b := on.bench(ctx, t, setup{platform: name, ranks: test.ranks, edit: func(p *accl.Platform) {
					small(p)
					if p.RxBuffers.Count = 64; p.Exchange.Bytes < 4096 {
						p.RxBuffers.Count = 16 // there is no room for more
					}
				}})
				groups := test.groups
				if !known && test.name == "permuted" {
					groups = groups[:4]
				}
				if b.p.Exchange.Bytes < 4096 {
					groups = groups[:3]
				}
				var running sync.WaitGroup
				for g, members := range groups {
					running.Go(func() { b.collectives(ctx, random(t, g), members, b.client(g), on.times(20)) })
				}
				running.Wait()
			})
		}
	}
}

// client is one of those that the ranks have.
func (b *bench) client(k int) int {
	if b.clients > 0 {
		k %= b.clients
	}
	return k
}

// collectives runs random collectives of a communicator, as one client.
func (b *bench) collectives(ctx context.Context, rng *rand.Rand, members []int, client, n int) {
	var names []string
	for _, name := range conformance.Operations(b.p) {
		if !slices.Contains([]string{"nop", "copy", "combine", "send", "stream_put"}, name) {
			names = append(names, name)
		}
	}
	for range n {
		c := lossless(rng, b.p, len(b.engines), names[rng.IntN(len(names))])
		if c.Members, c.Client = members, client; c.Members != nil {
			c.Root %= len(members)
		}
		c.StreamOp0, c.StreamRes = false, false // there is one for all
		if !known {
			c.Count = b.apart(c)
		}
		if err := b.do(ctx, c); err != nil {
			b.t.Errorf("%v\nagain, alone: %s", err, b.again(c))
			return
		}
	}
}

// apart is a number of elements with which collectives at the same time do not
// share rx buffers: a message each, or by rendezvous.
func (b *bench) apart(c conformance.Case) int {
	size := max(c.ElementBytes(b.p), 1)
	large := b.p.Features.Rendezvous && c.Wire == ""
	if large && c.Count*size > b.p.Limits.MaxEagerBytes {
		return c.Count
	}
	return min(c.Count, b.p.RxBuffers.Bytes/size)
}

// TestReceivesBeforeSends posts many receives before anything is sent: with tags
// in another order than the sends', and more than the engine has open at once.
func TestReceivesBeforeSends(t *testing.T) { receivesBeforeSends(t, all) }

func receivesBeforeSends(t *testing.T, on where) {
	for _, name := range on.of(generations...) {
		for _, test := range []struct {
			name     string
			messages int
			tag      func(k int) accl.Tag
		}{
			{"in order", 100, func(k int) accl.Tag { return accl.Tag(k) }},
			{"backwards", 30, func(k int) accl.Tag { return accl.Tag(29 - k) }},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				ctx := limited(t, time.Minute)
				b := on.bench(ctx, t, setup{platform: name, ranks: 2, edit: func(p *accl.Platform) {
					if small(p); p.Stack == "udp" {
						p.RxBuffers.Count = 128 // they are sent faster than received
					}
				}})
				const n = 50
				messages := test.messages
				posted := make(chan struct{})
				b.each(func(rank int, e *accl.Engine) error {
					if rank == 0 {
						<-posted
						buf := alloc(ctx, t, e, n)
						for k := range messages {
							fillWords(buf, n, k)
							if _, err := e.Send(ctx, buf, n, 1, accl.WithTag(accl.Tag(k))); err != nil {
								return fmt.Errorf("send %d: %w", k, err)
							}
						}
						return nil
					}
					bufs := make([]*accl.Buffer[int32], messages)
					var requests []*accl.Request
					for k := range bufs {
						bufs[k] = alloc(ctx, t, e, n)
						r, err := e.Recv(ctx, bufs[k], n, 0, accl.WithTag(test.tag(k)), accl.Async())
						if err != nil {
							return fmt.Errorf("recv %d: %w", k, err)
						}
						requests = append(requests, r)
					}
					close(posted)
					if err := accl.WaitAll(ctx, requests...); err != nil {
						return err
					}
					for k, buf := range bufs {
						if err := checkWords(buf, n, int(test.tag(k))); err != nil {
							return err
						}
					}
					return nil
				})
			})
		}
	}
}

// TestChains runs calls one after the other by After, also of several engines,
// and sees an error go down the chain.
func TestChains(t *testing.T) { chains(t, all) }

func chains(t *testing.T, on where) {
	on.each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		b := on.bench(ctx, t, setup{platform: name, ranks: 2, edit: small,
			world: world.Options{Engine: emu.Options{Patience: 300 * time.Millisecond}}})
		a, z := b.engines[0], b.engines[1]
		const n = 90
		for k := range on.times(50) {
			src, mid, dst, sum := alloc(ctx, t, a, n), alloc(ctx, t, a, n), alloc(ctx, t, z, n), alloc(ctx, t, z, n)
			fillWords(src, n, k)
			var requests []*accl.Request
			step := func(r *accl.Request, err error) *accl.Request {
				t.Helper()
				assert.NilError(t, err)
				requests = append(requests, r)
				return r
			}
			// What comes last is placed first.
			received := step(z.Recv(ctx, dst, n, 0, accl.Async(), accl.ToFPGA()))
			copied := step(a.Copy(ctx, src, mid, n, accl.Async(), accl.ToFPGA()))
			step(a.Send(ctx, mid, n, 1, accl.Async(), accl.FromFPGA(), accl.After(copied)))
			step(z.Combine(ctx, dst, dst, sum, n, accl.Sum, accl.Async(), accl.FromFPGA(), accl.FromFPGA1(),
				accl.After(received)))
			assert.NilError(t, accl.WaitAll(ctx, requests...))
			for i, v := range sum.Host() {
				if v != 2*word(k, i) {
					t.Fatalf("round %d: element %d is %d, not %d", k, i, v, 2*word(k, i))
				}
			}
			for _, buf := range []*accl.Buffer[int32]{src, mid, dst, sum} {
				assert.NilError(t, buf.Free())
			}
		}
		src, dst := alloc(ctx, t, a, n), alloc(ctx, t, a, n)
		// The engine refuses this one: the stream gives nothing.
		if conformance.Loopback(b.p) {
			refused, err := a.Copy(ctx, accl.KernelStream(accl.TypeInt32), dst, n, accl.Async())
			assert.NilError(t, err)
			after, err := a.Copy(ctx, src, src.Slice(0, n), n, accl.Async(), accl.After(refused))
			if err == nil {
				err = after.Wait(ctx)
			}
			assert.Check(t, is.ErrorIs(err, b.code("KRNL_TIMEOUT_STS")), "after a call that failed")
		}
	})
}
