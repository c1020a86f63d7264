package recorder_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/timeline"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/recorder"
)

// counted counts what a rank sends and receives.
type counted struct {
	fabric.Port
	mu       sync.Mutex
	sent     map[int]int // by the other rank
	received map[int]int
	eager    int         // messages that were received
	unseen   map[int]int // by the engine, of those received: data that RDMA writes; nil elsewhere
}

// Bytes of the header that are 0 in eager messages.
const messageType, notice, filler = 176 / 8, 384 / 8, 392 / 8

// data is the message type of rendezvous_data.
const data = 1

func (c *counted) Send(session uint32, p *fabric.Packet) error {
	err := c.Port.Send(session, p)
	if err == nil {
		c.mu.Lock()
		c.sent[int(session)]++
		c.mu.Unlock()
	}
	return err
}

func (c *counted) Receive() *fabric.Packet {
	p := c.Port.Receive()
	if p != nil {
		c.mu.Lock()
		c.received[int(p.Session)]++
		if h := &p.Header; h[messageType] == 0 && h[notice] == 0 && h[filler] == 0 {
			c.eager++
		}
		if c.unseen != nil && p.Header[messageType] == data {
			c.unseen[int(p.Session)]++
		}
		c.mu.Unlock()
	}
	return p
}

// ranks are open ranks.
type ranks struct {
	w       *world.World
	p       accl.Platform
	engines []*accl.Engine
	src     []*accl.Buffer[float32]
	dst     []*accl.Buffer[float32]
}

func open(t testing.TB, d *design.Design, n, elements int, o world.Options) *ranks {
	t.Helper()
	r := &ranks{p: driverview.Of(d)}
	var err error
	r.w, err = world.New(t.Context(), d, n, o)
	assert.NilError(t, err)
	t.Cleanup(func() { assert.Check(t, r.w.Close()) })
	r.engines, err = accl.OpenAll(t.Context(), r.w.Devices(), &r.p, r.w.Ranks())
	assert.NilError(t, err)
	for _, e := range r.engines {
		src, err := accl.Alloc[float32](t.Context(), e, elements)
		assert.NilError(t, err)
		dst, err := accl.Alloc[float32](t.Context(), e, elements*n)
		assert.NilError(t, err)
		r.src, r.dst = append(r.src, src), append(r.dst, dst)
	}
	return r
}

// each makes a call on all ranks at the same time.
func (r *ranks) each(call func(rank int) error) error {
	errs := make([]error, len(r.engines))
	var all sync.WaitGroup
	for rank := range r.engines {
		all.Go(func() { errs[rank] = call(rank) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (r *ranks) allreduce(ctx context.Context, rank, n int) error {
	_, err := r.engines[rank].AllReduce(ctx, r.src[rank], r.dst[rank], n, accl.Sum, accl.FromFPGA(), accl.ToFPGA())
	return err
}

// TestRecordedIsWhatHappened: of each rank the events and packets are those that the test's calls, its
// own ports and the engine's counters tell of: none is missing, none is invented, the order is right.
func TestRecordedIsWhatHappened(t *testing.T) {
	const n, elements = 3, 16 << 10
	for _, platform := range []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022"} {
		t.Run(platform, func(t *testing.T) {
			ctx := t.Context()
			d := designtest.Load(t, platform, nil)
			ports := make([]*counted, n)
			var rec recorder.Recorder
			r := open(t, d, n, elements, rec.Options(world.Options{
				Port: func(rank int, port fabric.Port) fabric.Port {
					ports[rank] = &counted{Port: port, sent: map[int]int{}, received: map[int]int{}}
					if platform == "u55c_rdma" {
						ports[rank].unseen = map[int]int{}
					}
					return ports[rank]
				}}))
			assert.NilError(t, r.each(func(rank int) error { return r.allreduce(ctx, rank, 64) })) // ranks know each other now
			settle(t, ports)
			var before []emu.Stats
			for rank, c := range ports {
				before = append(before, r.w.Engine(rank).(*emu.Engine).Stats())
				clear(c.sent)
				clear(c.received)
				clear(c.unseen)
				c.eager = 0
			}
			rec.Start()
			made := make([][]string, n)
			call := func(name string, do func(rank int) (*accl.Request, error)) {
				t.Helper()
				assert.NilError(t, r.each(func(rank int) error {
					made[rank] = append(made[rank], name)
					_, err := do(rank)
					return err
				}))
			}
			for _, count := range []int{16, 1024, elements} {
				call("allreduce", func(rank int) (*accl.Request, error) { return nil, r.allreduce(ctx, rank, count) })
				call("bcast", func(rank int) (*accl.Request, error) {
					return r.engines[rank].Bcast(ctx, r.src[rank], count, 1, accl.FromFPGA(), accl.ToFPGA())
				})
				call("allgather", func(rank int) (*accl.Request, error) {
					return r.engines[rank].AllGather(ctx, r.src[rank], r.dst[rank], count, accl.FromFPGA(), accl.ToFPGA())
				})
				call("copy", func(rank int) (*accl.Request, error) {
					return r.engines[rank].Copy(ctx, r.src[rank], r.dst[rank], count, accl.FromFPGA(), accl.ToFPGA())
				})
			}
			settle(t, ports)
			recorded := rec.Ranks(&r.p, d.ABI())
			line := timeline.New("test", recorded)
			for rank, own := range recorded {
				after := r.w.Engine(rank).(*emu.Engine).Stats()
				of := map[string]int{}
				var calls []string
				answered, last := 0, int64(0)
				for _, e := range own.Events {
					of[e.Name]++
					assert.Assert(t, e.At >= last, "rank %d: %s is at %d, after %d", rank, e.Name, e.At, last)
					last = e.At
					if e.Name == "call_taken" {
						assert.Assert(t, answered == len(calls), "rank %d takes a call while it has one", rank)
						calls = append(calls, e.Names["operation"])
					} else if e.Name == "call_answered" {
						answered++
						assert.Check(t, answered == len(calls) && e.Argument["return_code"] == 0)
					}
				}
				assert.DeepEqual(t, calls, made[rank])
				assert.Equal(t, answered, len(calls))
				assert.Equal(t, of["move_issued"], int(after.Moves-before[rank].Moves))
				assert.Equal(t, of["moves_completed"], of["move_issued"])
				assert.Equal(t, of["message_opened"], ports[rank].eager)
				for other := range n {
					sent, got := ports[rank].sent[other], ports[rank].received[other]
					assert.Equal(t, count(line.Messages, rank, other), sent, "messages of rank %d to rank %d", rank, other)
					assert.Equal(t, count(line.Messages, other, rank), got, "messages of rank %d to rank %d", other, rank)
					assert.Equal(t, told(own, "packet_sent", other), sent)
					assert.Equal(t, told(own, "packet_arrived", other), got-ports[rank].unseen[other])
				}
				a := line.Accounts[rank]
				assert.Equal(t, a.Calls, len(calls))
				assert.Equal(t, a.Total, a.Firmware+a.Moves+a.Wire+a.Waiting())
			}
			for _, m := range line.Messages {
				assert.Check(t, m.Arrived >= m.Sent, "%+v", m)
			}
			for _, s := range line.Spans {
				assert.Check(t, !s.Open && s.End >= s.Begin, "%+v", s)
			}
			for rank := range n {
				suffix(t, &r.p, r.w.Device(rank), recorded[rank].Events)
			}
		})
	}
}

// settle waits until what was sent has been received.
func settle(t *testing.T, ports []*counted) {
	t.Helper()
	for t.Context().Err() == nil {
		sent, received := 0, 0
		for _, p := range ports {
			p.mu.Lock()
			for _, n := range p.sent {
				sent += n
			}
			for _, n := range p.received {
				received += n
			}
			p.mu.Unlock()
		}
		if sent == received {
			return
		}
	}
}

func count(all []timeline.Message, from, to int) (n int) {
	for _, m := range all {
		if m.From == from && m.To == to {
			n++
		}
	}
	return n
}

func told(r timeline.Rank, event string, other int) (n int) {
	for _, e := range r.Events {
		if e.Name == event && e.Argument["session"] == uint32(other) && e.Argument["own"] == 0 {
			n++
		}
	}
	return n
}

// suffix holds the ring of an engine against the end of what was recorded.
func suffix(t *testing.T, p *accl.Platform, r accl.Registers, events []timeline.Event) {
	t.Helper()
	ring, err := p.Trace(t.Context(), r, 0)
	if errors.Is(err, accl.ErrNoInspection) {
		return
	}
	assert.NilError(t, err)
	assert.Assert(t, ring.Lost == 0 && len(ring.Events) > 0)
	n := min(len(ring.Events), len(events))
	kept, all := ring.Events[len(ring.Events)-n:], events[len(events)-n:]
	assert.Assert(t, slices.EqualFunc(kept, all, func(a accl.Event, b timeline.Event) bool {
		return a.Text == b.Text
	}), "the ring has other events than the recorder")
}

// TestTheLastIsKept: a recorder with a bound has the end of what the engine's own ring has, and says
// how much went before.
func TestTheLastIsKept(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	rec, all := recorder.Recorder{Last: 50}, recorder.Recorder{}
	bounded := rec.Options(world.Options{})
	o := all.Options(bounded)
	o.OnEvent = bounded.OnEvent
	r := open(t, d, 2, 1024, o)
	for range 20 {
		assert.NilError(t, r.each(func(rank int) error { return r.allreduce(t.Context(), rank, 1024) }))
	}
	whole := all.Ranks(&r.p, d.ABI())
	for rank, own := range rec.Ranks(&r.p, d.ABI()) {
		assert.Equal(t, len(own.Events), 50)
		assert.Equal(t, len(own.Packets), min(50, len(whole[rank].Packets)))
		assert.Equal(t, int(own.MissingPackets)+len(own.Packets), len(whole[rank].Packets))
		ring, err := r.p.Trace(t.Context(), r.w.Device(rank), 0)
		assert.NilError(t, err)
		assert.Equal(t, own.Missing+50, uint64(ring.Written))
		suffix(t, &r.p, r.w.Device(rank), own.Events)
	}
}
