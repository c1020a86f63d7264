package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/nightly"
)

// told is what the failed call of each rank names as its causes; those of other errors end the test.
func told(t *testing.T, errs []error) (causes [][]accl.Cause) {
	t.Helper()
	for rank, err := range errs {
		var failed *accl.CallError
		switch {
		case err == nil:
			causes = append(causes, nil)
		case errors.As(err, &failed):
			causes = append(causes, failed.Causes)
		default:
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	return causes
}

// TestCauses has calls fail for every reason that other ranks and the network can give: the errors name it, and the
// rank.
func TestCauses(t *testing.T) { causes(t, all) }

func causes(t *testing.T, on where) {
	if on.name() != all.name() && !nightly.Enabled() {
		t.Skip("the ways to engines tell causes alike; nightly asks on all")
	}
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		b := on.bench(ctx, t, setup{platform: name, ranks: 3, edit: small, world: impatient(patience)})
		const most = 24 // messages
		full := b.p.RxBuffers.Count + 4
		buffer := make([]*accl.Buffer[int32], 3)
		for i, e := range b.engines {
			var err error
			buffer[i], err = accl.Alloc[int32](ctx, e, most)
			assert.NilError(t, err)
		}
		// after resets all ranks and has a bcast as their last call. They wait so little for each other that a busy
		// machine may need another try.
		after := func() {
			t.Helper()
			var err error
			for range 5 {
				b.reset(ctx)
				err = errors.Join(b.everywhere(func(rank int, e *accl.Engine) error {
					_, err := e.Bcast(ctx, buffer[rank], 1, 0)
					return err
				})...)
				if err == nil {
					return
				}
			}
			t.Fatal(err)
		}
		// tagged has rank 1 send messages with some tags, and rank 0 wait for tag 7.
		tagged := func(tags ...accl.Tag) func(int, *accl.Engine) error {
			return func(rank int, e *accl.Engine) error {
				if rank == 0 {
					_, err := e.Recv(ctx, buffer[0], 1, 1, accl.WithTag(7))
					return err
				}
				for _, tag := range tags {
					if rank != 1 {
						break
					}
					if _, err := e.Send(ctx, buffer[1], 1, 0, accl.WithTag(tag)); err != nil {
						return err
					}
				}
				return nil
			}
		}
		for _, c := range []struct {
			name string
			do   func(rank int, e *accl.Engine) error
			// of ranks by which calls fail: kind and rank of the cause, and what it says
			who  []int
			kind accl.CauseKind
			is   int
			says string
			on   string // stacks; "" for all
		}{
			{name: "a rank leaves a collective out", who: []int{0, 1}, kind: accl.NotCalled, is: 2, says: "bcast",
				do: func(rank int, e *accl.Engine) error {
					if rank == 2 {
						return nil
					}
					_, err := e.AllReduce(ctx, buffer[rank], buffer[rank], 1, accl.Sum)
					return err
				}},
			{name: "another communicator", who: []int{0, 1, 2}, kind: accl.NotCalled, is: -1,
				says: "has not called allreduce of 1 elements of int32 (sum)",
				do: func(rank int, e *accl.Engine) error {
					members := []int{0, 1, 2}
					if rank == 2 {
						members = []int{1, 2, 0}
					}
					comm, err := e.Split(ctx, members)
					if err == nil {
						_, err = comm.AllReduce(ctx, buffer[rank], buffer[rank], 1, accl.Sum)
					}
					return err
				}},
			{name: "ranks receive from each other", who: []int{0, 1}, kind: accl.InCircle, is: -1, says: "wait for each other",
				do: func(rank int, e *accl.Engine) error {
					if rank == 2 {
						return nil
					}
					_, err := e.Recv(ctx, buffer[rank], 1, accl.Peer(1-rank))
					return err
				}},
			{name: "one waits for one that waits", who: []int{0, 1}, kind: accl.NotCalled, is: 2, says: "bcast",
				do: func(rank int, e *accl.Engine) error {
					if rank == 2 {
						return nil
					}
					_, err := e.Recv(ctx, buffer[rank], 1, accl.Peer(rank+1))
					return err
				}},
			{name: "events are lost while others read", who: []int{0}, kind: accl.NotCalled, is: 2, says: "bcast",
				do: func(rank int, e *accl.Engine) error {
					if rank != 0 {
						return nil
					}
					call, err := e.Recv(ctx, buffer[rank], 1, 2, accl.Async())
					for err == nil {
						select {
						case <-call.Done():
							return call.Err()
						default:
							_, err = e.Trace(ctx, 0)
						}
					}
					return err
				}},
			{name: "another tag", who: []int{0}, kind: accl.OtherTag, is: 0, says: "tag 5", do: tagged(5)},
			{name: "full rx buffers", who: []int{0}, kind: accl.BuffersFull, is: 0, says: "rank 0", on: "udp",
				do: func(rank int, e *accl.Engine) error {
					for range full {
						if rank == 1 {
							if _, err := e.Send(ctx, buffer[1], 1, 0); err != nil {
								return err
							}
						}
					}
					if rank != 0 {
						return nil
					}
					for b.dropped(ctx, e) == 0 && ctx.Err() == nil {
					}
					for range full {
						if _, err := e.Recv(ctx, buffer[0], 1, 1); err != nil {
							return err
						}
					}
					return nil
				}},
			{name: "full rx buffers, behind which another tag waits", who: []int{0}, kind: accl.BuffersFull, is: 0,
				says: "rank 0", on: "tcp", do: tagged(append(slices.Repeat([]accl.Tag{5}, full), 7)...)},
		} {
			if c.on != "" && (c.on != b.p.Stack || on.name() == "packets") { // those hold senders back
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				after()
				errs := b.everywhere(c.do)
				for rank, causes := range told(t, errs) {
					if !slices.Contains(c.who, rank) {
						assert.NilError(t, errs[rank], "rank %d", rank)
						continue
					}
					assert.Check(t, slices.ContainsFunc(causes, func(x accl.Cause) bool {
						return x.Kind == c.kind && (x.Rank == c.is || c.is < 0) && strings.Contains(x.Text, c.says)
					}) && len(causes) == 1, "rank %d: %v", rank, errs[rank])
					t.Log(errs[rank])
				}
			})
		}
	})
}

// dropped is how many packets an engine has dropped for want of an rx buffer.
func (b *bench) dropped(ctx context.Context, e *accl.Engine) uint32 {
	r, err := e.Report(ctx)
	assert.Check(b.t, err)
	return r.Dropped
}

// TestCauseOfLoss: a network loses all that one rank sends to the other, which is named with its number.
func TestCauseOfLoss(t *testing.T) { causeOfLoss(t, all) }

func causeOfLoss(t *testing.T, on where) {
	for _, c := range []struct {
		name, way string // that loses
		count     int
		who       int // is told
		want      accl.Cause
	}{
		{"eager", "1>0", 1, 0, accl.Cause{Kind: accl.MessageLost, Rank: 0,
			Text: "message 0 of rank 1 to rank 0 was sent and has not arrived"}},
		{"clear-to-send", "0>1", 40000, 1, accl.Cause{Kind: accl.MessageLost, Rank: 1,
			Text: "the clear-to-send 0 of rank 0 to rank 1 was sent and has not arrived"}},
		{"data", "1>0", 40000, 0, accl.Cause{Kind: accl.MessageLost, Rank: 0,
			Text: "packet 0 with data of rank 1 for rank 0 was sent and has not arrived: all packets are lost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			b := on.bench(ctx, t, setup{platform: "u55c_udp", ranks: 2, edit: small, world: impatient(patience),
				faults: fmt.Sprintf(`{links = {%q = {loss = 1.0}}}`, c.way), fresh: true})
			errs := b.everywhere(func(rank int, e *accl.Engine) error {
				buffer, err := accl.Alloc[int32](ctx, e, c.count)
				if err != nil {
					return err
				}
				if rank == 1 {
					_, err = e.Send(ctx, buffer, c.count, 0)
				} else {
					_, err = e.Recv(ctx, buffer, c.count, 1)
				}
				return err
			})
			got := told(t, errs)[c.who]
			for i := range got { // how many there are is another number on each way
				var lost, sent int
				before, counts, _ := strings.Cut(got[i].Text, ": ")
				if _, err := fmt.Sscanf(counts, "%d of %d packets", &lost, &sent); err == nil && lost == sent && sent > 1 {
					got[i].Text = before + ": all packets are lost"
				}
			}
			assert.DeepEqual(t, got, []accl.Cause{c.want})
		})
	}
}

// TestCauseOfRefusal sends to a rank that has no place for more, and to one that is dead, until nothing is taken any
// more: the error of the send says which of both it is.
func TestCauseOfRefusal(t *testing.T) { causeOfRefusal(t, all) }

func causeOfRefusal(t *testing.T, on where) {
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		o := impatient(patience / 2)
		o.Net.WindowBytes = 8192
		b := on.bench(ctx, t, setup{platform: name, ranks: 2, edit: small, world: o,
			open: []accl.OpenOption{accl.WaitLimit(time.Minute)}}) // simulated engines take long to tell all
		if b.p.Stack == "udp" {
			t.Skip("the network takes all, and loses it")
		}
		network, n := b.needsNetwork(), b.p.RxBuffers.Bytes/4
		buffer := alloc(ctx, t, b.engines[0], n)
		for _, c := range []struct {
			name   string
			before func()
			want   accl.Cause
		}{
			{"full", func() {}, accl.Cause{Kind: accl.BuffersFull, Rank: 1, Text: "the rx buffers of rank 1 are full: it has " +
				"to receive what they hold; packets of rank 0 to it have no place"}},
			{"dead", func() { b.reset(ctx); network.Kill(1) }, accl.Cause{Kind: accl.NoAnswer, Rank: 1, Text: "rank 1 does " +
				"not answer on the network: packets of rank 0 to it were refused for too long"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				if _, is := on.way.(hardware); is && c.name == "dead" {
					t.Skip("the stack of simulated hardware takes what is sent to a dead rank")
				}
				c.before()
				var err error
				for err == nil {
					_, err = b.engines[0].Send(ctx, buffer, n, 1)
				}
				assert.Check(t, onlyBits(err, b.code("PACK_TIMEOUT_STS")), "%v", err)
				assert.DeepEqual(t, told(t, []error{err})[0], []accl.Cause{c.want})
			})
		}
	})
}

// TestHealthyIsNotAccused asks for causes again and again while a slow network delays a collective, and while a rank
// comes late to it.
func TestHealthyIsNotAccused(t *testing.T) { healthyIsNotAccused(t, all) }

func healthyIsNotAccused(t *testing.T, on where) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
		t.Run(platform, func(t *testing.T) { slowIsNotAccused(t, on, platform) })
	}
}

func slowIsNotAccused(t *testing.T, on where, platform string) {
	ctx := limited(t, time.Minute)
	b := on.bench(ctx, t, setup{platform: platform, ranks: 3, edit: small, faults: `{latency = "150ms"}`, fresh: true,
		world: impatient(8 * time.Second)}) // a busy machine does not wait for a quarter of it
	asked := make(chan struct{})
	for rank, err := range b.everywhere(func(rank int, e *accl.Engine) error {
		buffer, err := accl.Alloc[int32](ctx, e, 4000)
		if err != nil {
			return err
		}
		if rank == 2 {
			<-asked // the others wait for it then
		}
		call, err := e.AllReduce(ctx, buffer, buffer, 4000, accl.Sum, accl.Async())
		if err != nil {
			return err
		}
		for times := 0; ; times++ {
			if rank == 0 && times == 10 {
				close(asked)
			}
			found, err := e.Causes(ctx)
			assert.Check(t, err == nil && len(found) == 0, "rank %d: %v, %v", rank, found, err)
			select {
			case <-call.Done():
				if rank != 0 || times >= 10 {
					return call.Err()
				}
			default:
			}
		}
	}) {
		assert.NilError(t, err, "rank %d", rank)
	}
}

// TestCauseIsAKernel has a send wait for data of the user kernel, and a receive for that send.
func TestCauseIsAKernel(t *testing.T) { causeIsAKernel(t, all) }

func causeIsAKernel(t *testing.T, on where) {
	ctx := limited(t, time.Minute)
	b := on.bench(ctx, t, setup{platform: "u55c_tcp", ranks: 2, edit: small})
	call, err := b.engines[1].Send(ctx, accl.KernelStream(accl.TypeInt32), 16, 0, accl.Async())
	assert.NilError(t, err)
	var found []accl.Cause
	for len(found) == 0 && call.Err() == nil && ctx.Err() == nil {
		found, err = b.engines[1].Causes(ctx)
		assert.NilError(t, err)
	}
	assert.Assert(t, len(found) == 1 && found[0].Kind == accl.StreamHeld && found[0].Rank == 1 &&
		strings.Contains(found[0].Text, "user kernel"), "%v", found)
	b.reset(ctx)
	_ = call.Wait(ctx) // it was dropped
}

// TestCauseWasAKernel: if nothing comes from the user kernel within the limit, the failed send says so, and the receive
// that has waited for it.
func TestCauseWasAKernel(t *testing.T) { causeWasAKernel(t, all) }

func causeWasAKernel(t *testing.T, on where) {
	ctx := limited(t, time.Minute)
	b := on.bench(ctx, t, setup{platform: "u55c_tcp", ranks: 2, edit: small, world: impatient(patience)})
	_, sent := b.engines[1].Send(ctx, accl.KernelStream(accl.TypeInt32), 16, 0)
	_, received := b.engines[0].Recv(ctx, alloc(ctx, t, b.engines[0], 16), 16, 1)
	want := []accl.Cause{{Kind: accl.StreamHeld, Rank: 1,
		Text: "rank 1: its user kernel has not given, or not taken, the data of send within the limit"}}
	assert.DeepEqual(t, told(t, []error{received, sent}), [][]accl.Cause{want, want})
	b.reset(ctx)
}

// TestCauseIsABusyRank has a rank send slowly to another one, while a third waits for what it is to send after that.
func TestCauseIsABusyRank(t *testing.T) { causeIsABusyRank(t, all) }

func causeIsABusyRank(t *testing.T, on where) {
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		o := impatient(patience)
		o.Net.WindowBytes = 8192 // else what waits for the link comes later than the limit
		b := on.bench(ctx, t, setup{platform: name, ranks: 3, world: o, fresh: true,
			open:   []accl.OpenOption{accl.WaitLimit(time.Minute)}, // simulated engines take long to tell all
			faults: `{links = {"1>2" = {bandwidth = "400kB/s"}}}`})
		const n = 1 << 21 // takes 20 s
		from, to := alloc(ctx, t, b.engines[1], n), alloc(ctx, t, b.engines[2], n)
		_, err := b.engines[1].Send(ctx, from, n, 2, accl.Async())
		assert.NilError(t, err)
		_, err = b.engines[2].Recv(ctx, to, n, 1, accl.Async())
		assert.NilError(t, err)
		_, err = b.engines[0].Recv(ctx, alloc(ctx, t, b.engines[0], 16), 16, 1)
		causes := told(t, []error{err})[0]
		// It is in send, or in a call, if its trace has lost the beginning.
		assert.Check(t, len(causes) == 1 && causes[0].Kind == accl.NotSent && causes[0].Rank == 1 &&
			strings.HasPrefix(causes[0].Text, "rank 1 has not sent what is waited for: it is in "), "%v", err)
		b.reset(ctx) // it is not sent to the end
	})
}

// TestCauseIsAFailure has the call of a rank fail by itself, and another rank wait for a message of it.
func TestCauseIsAFailure(t *testing.T) { causeIsAFailure(t, all) }

func causeIsAFailure(t *testing.T, on where) {
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		r := newRaw(ctx, t, on, name, impatient(patience))
		r.ended("a copy of what is in no memory", r.call(ctx, 1, 0, accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith,
			Count: 100, Addr0: 1 << 60}), r.code("DMA_DECODE"))
		_, err := r.engines[0].Recv(ctx, alloc(ctx, t, r.engines[0], 16), 16, 1)
		assert.DeepEqual(t, told(t, []error{err})[0], []accl.Cause{{Kind: accl.CallFailed, Rank: 1,
			Text: "rank 1: it is in no call; its last one, copy, has failed with DMA_DECODE"}})
	})
}

// TestCauseOfStandstill: a move that the data path waits for longer than the control processor ends its call with
// DMA_TIMEOUT. The error says what it waits for, and that of another rank, which waits for its message, says so of it.
// TestHardwareFaults has memory that stands. No firmware of this project ends calls with DEQUEUE_BUFFER_TIMEOUT, only
// that of others, whose engines tell nothing of themselves; TestCallError has what the driver says then.
func TestCauseOfStandstill(t *testing.T) {
	all.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		o := impatient(patience / 2)
		o.Engine.Patience = time.Hour
		b := all.bench(ctx, t, setup{platform: name, ranks: 2, edit: small, world: o})
		_, stood := b.engines[1].Copy(ctx, accl.KernelStream(accl.TypeInt32), alloc(ctx, t, b.engines[1], 16), 16)
		assert.Check(t, onlyBits(stood, b.code("DMA_TIMEOUT")), "%v", stood)
		_, received := b.engines[0].Recv(ctx, alloc(ctx, t, b.engines[0], 16), 16, 1)
		assert.DeepEqual(t, told(t, []error{stood, received}), [][]accl.Cause{
			{{Kind: accl.StreamHeld, Rank: 1,
				Text: "rank 1: A move waits for the user kernel: for its data, or for room in the stream to it."}},
			{{Kind: accl.StreamHeld, Rank: 1, Text: "rank 1: its memory, a plugin or its user kernel has not given, or not " +
				"taken, the data of copy within the limit"}},
		})
		b.reset(ctx)
	})
}

// TestCausesOnHardware asks simulated engines for the causes that TestOver does not.
func TestCausesOnHardware(t *testing.T) {
	nightly.Only(t)
	on := goesBy(t, "verilated")
	on.platforms = []string{"u55c_tcp"}
	t.Run("loss", func(t *testing.T) { causeOfLoss(t, on) })
	t.Run("refusal", func(t *testing.T) { causeOfRefusal(t, on) })
	t.Run("healthy", func(t *testing.T) { healthyIsNotAccused(t, on) })
	t.Run("kernel", func(t *testing.T) { causeIsAKernel(t, on) })
	t.Run("kernel within the limit", func(t *testing.T) { causeWasAKernel(t, on) })
	t.Run("busy rank", func(t *testing.T) { causeIsABusyRank(t, on) })
	t.Run("failure", func(t *testing.T) { causeIsAFailure(t, on) })
}
