package conformance_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
)

// gone are the bits by which calls say that a remote rank is not there: nothing
// came, or nothing could be sent, or another rank has found that out.
func (b *bench) gone() accl.ReturnCode { return b.lost() | b.code("PACK_TIMEOUT_STS") }

// lost are those that say that a message did not come.
func (b *bench) lost() accl.ReturnCode { return b.code("RECEIVE_TIMEOUT", "COLLECTIVE_MISMATCH") }

// TestDeath kills a rank in mid-collective: no data is wrong, all others end
// within the limit, and after a reset they work without it.
func TestDeath(t *testing.T) {
	const ranks, limit = 4, 500 * time.Millisecond
	all.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		ops := []string{"allreduce", "bcast", "gather"}
		for _, op := range ops[:min(all.times(10), 3)] {
			b := all.bench(ctx, t, setup{platform: name, ranks: ranks, edit: small, world: impatient(limit)})
			network := b.needsNetwork()
			c := conformance.Case{Op: op, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 60000, Root: 1,
				Seed: rng.Int64N(1e6)}
			if op == "allreduce" {
				c.Func, c.Root = accl.Sum, 0
			}
			time.AfterFunc(unhurried(time.Duration(rng.IntN(3000))*time.Microsecond), func() { network.Kill(3) })
			err := error(nil)
			for err == nil { // until it is dead
				err = b.do(ctx, c)
			}
			var f *conformance.Failure
			if !errors.As(err, &f) || !f.Tolerates(b.gone()) {
				t.Fatalf("%v\nagain, with a death: %s", err, b.again(c))
			}
			b.survive(ctx, 3)
		}
	})
}

// survive resets all ranks but a dead one and has them work together.
func (b *bench) survive(ctx context.Context, dead int) {
	b.t.Helper()
	if b.p.Features.EngineSessions {
		return // the engines open sessions of the world, which is not whole
	}
	b.resetAllBut(ctx, dead)
	b.tryThrice(ctx, conformance.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeInt32, Res: accl.TypeInt32,
		Count: 3000, Members: []int{0, 1, 2}}, dead)
}

func (b *bench) resetAllBut(ctx context.Context, dead int) {
	b.t.Helper()
	b.each(func(rank int, e *accl.Engine) error {
		if rank == dead {
			return nil
		}
		return e.Reset(ctx)
	})
}

// tryThrice runs a case that should be right, on engines that wait so little for
// each other that a busy machine may be too slow. One may be dead.
func (b *bench) tryThrice(ctx context.Context, c conformance.Case, dead int) {
	b.t.Helper()
	err := b.do(ctx, c)
	for i := 0; err != nil && i < 2; i++ {
		b.resetAllBut(ctx, dead) // the communicator is broken
		err = b.do(ctx, c)
	}
	assert.NilError(b.t, err)
}

// TestPartition cuts the network and heals it: before the limit, where nothing is
// lost; after it; and with a reset before.
func TestPartition(t *testing.T) {
	const ranks, limit = 4, 500 * time.Millisecond
	all.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		b := all.bench(ctx, t, setup{platform: name, ranks: ranks, edit: small, world: impatient(limit)})
		network := b.needsNetwork()
		cut := func(op string) error {
			c := lossless(rng, b.p, ranks, op)
			c.Members, c.Count = nil, 500+rng.IntN(2000)
			c.StreamOp0, c.StreamRes = false, false
			c.Client = b.client(c.Client)
			network.Partition([]int{0, 2})
			return b.do(ctx, c)
		}
		if b.p.Stack != "udp" {
			heal := time.AfterFunc(unhurried(limit/5), network.Heal)
			if err := cut("allreduce"); err != nil && !b.tolerated(err) {
				t.Errorf("healed in time: %v", err)
			} else if err != nil {
				b.reset(ctx)
			}
			heal.Stop()
		}
		ops := []string{"allgather", "reduce_scatter"}
		for _, op := range ops[:min(all.times(10), 2)] {
			err := cut(op)
			assert.Check(t, err != nil && b.tolerated(err), "%s on a network that is cut: %v", op, err)
			network.Heal()
			time.Sleep(unhurried(10 * time.Millisecond)) // what was on its way arrives
			b.reset(ctx)
			b.works(ctx, rng)
		}
	})
}

func (b *bench) tolerated(err error) bool {
	var f *conformance.Failure
	return errors.As(err, &f) && f.Tolerates(b.gone())
}

// TestFull fills the rx buffers of a rank that does not receive. Where nothing is
// lost, the sender is held back until its limit; else the data is gone.
func TestFull(t *testing.T) {
	all.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		o := impatient(500 * time.Millisecond)
		o.Net.WindowBytes = 8192
		b := all.bench(ctx, t, setup{platform: name, ranks: 2, edit: small, world: o})
		n := b.p.RxBuffers.Bytes / 4
		bufs := [2]*accl.Buffer[int32]{alloc(ctx, t, b.engines[0], n), alloc(ctx, t, b.engines[1], n)}
		fillWords(bufs[0], n, 1)
		lossy := b.p.Stack == "udp"
		most := 1000 // network engines hold some, too
		if lossy {
			most = 100
		}
		fill := func() (sent int, err error) {
			for ; sent < most && err == nil; sent++ {
				_, err = b.engines[0].Send(ctx, bufs[0], n, 1)
			}
			return sent, err
		}
		sent, err := fill()
		assert.Check(t, !lossy || err == nil, "message %d: %v", sent, err)
		assert.Check(t, lossy || onlyBits(err, b.code("PACK_TIMEOUT_STS")), "message %d: %v", sent, err)
		// What came is right, what did not is said not to have come.
		for k := range sent {
			if _, err = b.engines[1].Recv(ctx, bufs[1], n, 0); err != nil {
				assert.Check(t, k >= b.p.RxBuffers.Count && onlyBits(err, b.code("RECEIVE_TIMEOUT")),
					"message %d of %d: %v", k, sent, err)
				break
			}
			assert.NilError(t, checkWords(bufs[1], n, 1))
		}
		b.reset(ctx)
		b.works(ctx, rng)
		if !lossy { // rank 0 recovers behind all that it sent
			fill()
			b.recover(ctx)
			b.works(ctx, rng)
		}
	})
}

// onlyBits reports whether an error is a return code with one of these bits and
// no others.
func onlyBits(err error, bits accl.ReturnCode) bool {
	var c *accl.CallError
	return errors.As(err, &c) && c.Code&bits != 0 && c.Code&^bits == 0
}

// TestResetInTheMiddle resets all ranks while collectives are on their way: every
// call ends, and the next one is right.
func TestResetInTheMiddle(t *testing.T) { resetInTheMiddle(t, all) }

func resetInTheMiddle(t *testing.T, on where) {
	const ranks = 3
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		b := on.bench(ctx, t, setup{platform: name, ranks: ranks, edit: small, world: impatient(2 * time.Second)})
		for round := range on.times(10) {
			c := conformance.Case{Op: "allreduce", Func: accl.Sum, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 20000,
				Async: round%2 == 0, Seed: rng.Int64N(1e6)}
			b.resetDuring(ctx, c, func() { time.Sleep(unhurried(time.Duration(rng.IntN(3000)) * time.Microsecond)) })
			b.works(ctx, rng)
		}
	})
}

// resetDuring resets all ranks, after a wait, while they run a case again and again.
func (b *bench) resetDuring(ctx context.Context, c conformance.Case, wait func()) {
	b.t.Helper()
	stop, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		var err error
		for err == nil && stop.Err() == nil {
			err = b.do(ctx, c)
		}
		done <- err
	}()
	wait()
	b.reset(ctx)
	cancel()
	err := <-done
	var f *conformance.Failure
	// Calls that find the engine being reset are refused.
	if err != nil && (!errors.As(err, &f) || !droppedOrRefused(f, b.code("NOT_READY")|b.gone())) {
		b.t.Fatal(err)
	}
	b.reset(ctx)
}

// droppedOrRefused reports whether ranks failed with these bits, or because an
// engine was being reset.
func droppedOrRefused(f *conformance.Failure, bits accl.ReturnCode) bool {
	for _, err := range f.Errs {
		one := conformance.Failure{Errs: []error{err}}
		if err != nil && !errors.Is(err, accl.ErrNotConfigured) && !one.Tolerates(bits) {
			return false
		}
	}
	return true
}

// TestRemoteMemory checks that late data of a call that has failed changes
// nothing: the sender of a rendezvous is slow, the receiver gives up.
func TestRemoteMemory(t *testing.T) {
	all.waits().each(t, []string{"u55c_tcp", "u55c_rdma"}, func(ctx context.Context, t *testing.T, name string) {
		b := all.bench(ctx, t, setup{platform: name, ranks: 2, edit: small, world: world.Options{
			Net:    fabric.Options{MaxPayload: 1024},
			Engine: emu.Options{RemoteTimeout: 200 * time.Millisecond},
		}})
		network := b.needsNetwork()
		const n = 2000
		out, in := alloc(ctx, t, b.engines[0], n), alloc(ctx, t, b.engines[1], n)
		fillWords(out, n, 1)
		network.SetFaults(fabric.Faults{Latency: unhurried(400 * time.Millisecond)})
		errs := b.everywhere(func(rank int, e *accl.Engine) error {
			var err error
			if rank == 0 {
				_, err = e.Send(ctx, out, n, 1)
			} else {
				_, err = e.Recv(ctx, in, n, 0)
			}
			return err
		})
		for rank, err := range errs {
			assert.Check(t, onlyBits(err, b.gone()), "rank %d: %v", rank, err)
		}
		fillWords(in, n, 2)
		assert.NilError(t, in.SyncToDevice(ctx))
		time.Sleep(unhurried(time.Second))
		assert.NilError(t, in.SyncFromDevice(ctx))
		assert.Check(t, checkWords(in, n, 2), "after the call has failed")
		network.SetFaults(fabric.Faults{})
		b.reset(ctx)
		b.tryThrice(ctx, conformance.Case{Op: "send", Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: n, Peer: 1}, -1)
	})
}
