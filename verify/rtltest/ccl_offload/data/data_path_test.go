// Package datapath_test checks what slices of moves do to memory, packet slots
// and kernel streams against a model of it.
package datapath_test

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
)

// run gives the data path so many slices and waits for their ends. At most limit
// cycles may pass without the end of a slice.
func (w *world) run(n int, limit uint64, only func(*move)) {
	w.t.Helper()
	target := w.retired + n
	w.lastEvent = w.b.Cycle
	for w.retired < target {
		w.offer(only)
		w.step()
		if w.b.Cycle-w.lastEvent > limit {
			w.t.Fatalf("cycle %d: nothing has ended for %d cycles: %d slices are under way, first %+v", w.b.Cycle, limit,
				len(w.flying), w.flying)
		}
	}
}

// offer shows the data path a slice if there is one. As in the engine, nothing
// is dispatched while it flushes.
func (w *world) offer(only func(*move)) {
	if len(w.kernelIn.queue) < 4 && w.r.IntN(3) > 0 {
		var b beat
		for i := range b.data {
			b.data[i] = byte(w.r.Uint32())
		}
		w.kernelIn.queue = append(w.kernelIn.queue, b)
	}
	if w.offered != nil || w.wasFlushing || !chance(w.r, w.pace) {
		return
	}
	first := w.r.IntN(queues)
	for i := range queues {
		if w.offered = w.next(w.channels[(first+i)%queues], only); w.offered != nil {
			return
		}
	}
}

// drain ends all moves: what is under way ends, and what has failed is given up.
func (w *world) drain(limit uint64) {
	w.t.Helper()
	w.lastEvent = w.b.Cycle
	for cycles := uint64(0); len(w.flying) > 0 || w.offered != nil || w.busy(); cycles++ {
		if w.offered == nil && !w.wasFlushing {
			for _, c := range w.channels {
				if c.move == nil && !c.filling && !c.failed && !c.broken {
					continue
				}
				if w.offered = w.next(c, nil); w.offered != nil {
					break
				}
			}
		}
		if len(w.kernelIn.queue) == 0 {
			w.kernelIn.queue = append(w.kernelIn.queue, beat{})
		}
		w.step()
		if w.b.Cycle-w.lastEvent > limit {
			w.t.Fatalf("cycle %d: nothing has ended for %d cycles: %d slices are under way, first %+v", w.b.Cycle, limit,
				len(w.flying), w.flying)
		}
	}
}

func (w *world) busy() bool {
	for _, c := range w.channels {
		if c.move != nil || c.filling || c.failed || c.broken {
			return true
		}
	}
	return false
}

func (w *world) wait(cycles int) {
	for range cycles {
		w.step()
	}
}

// finish waits for late beats of the kernel stream and checks the memories.
func (w *world) finish() {
	w.t.Helper()
	w.drain(50_000)
	w.wait(2000)
	if len(w.expected) != 0 {
		w.t.Fatalf("%d beats are missing on the kernel stream", len(w.expected))
	}
	if !w.b.Is("idle") {
		w.t.Fatal("the data path is not idle")
	}
	w.checkMemory()
}

func TestSlicesOfManyMovesGoWhereTheyBelong(t *testing.T) {
	for seed := range nightly.Of[uint64](2, 4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := newWorld(t, seed)
			for range 6 {
				w.pace = []int{100, 90, 50, 15}[w.r.IntN(4)]
				w.run(250, 50_000, nil)
			}
			assert.Assert(t, w.failed == 0 && w.flushes == 0, "%d slices failed", w.failed)
			assert.Assert(t, min(w.besides[0], w.besides[1]) >= 40, "only %v slices had something beside", w.besides)
			assert.Assert(t, w.keeps >= 20, "only %d slices kept what they sent", w.keeps)
			w.finish()
		})
	}
}

// What a reset leaves of a beat would show in the first one.
func TestTheFirstSliceHasItsOwnBytesOnly(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, seed)
		w.run(1, 5000, func(m *move) {
			*m = move{ops: [2]operand{{from: fromMemory, bytes: 1}}, slices: 1, packetBytes: m.packetBytes, size: 5}
			m.template.toKernel = true
		})
		w.finish()
	}
}

func TestFaultsOfDMAEnginesEndTheirSlices(t *testing.T) {
	for seed := range nightly.Of[uint64](1, 3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := newWorld(t, seed)
			w.faults = 40
			for range 4 {
				w.pace = []int{100, 90, 50}[w.r.IntN(3)]
				w.run(250, 50_000, nil)
			}
			assert.Assert(t, w.failed >= 20 && w.flushes == 0, "%d slices failed, %d flushes", w.failed, w.flushes)
			w.faults = 0
			w.finish()
			before := w.failed
			w.run(100, 50_000, nil)
			assert.Equal(t, w.failed, before, "a slice failed after the faults")
		})
	}
}

// disturb begins a time in which slices may be given up, after so many cycles.
func (w *world) disturb(limit uint32) { w.abandons, w.limit = true, limit }

// clean runs slices that must not fail.
func (w *world) clean(only func(*move)) {
	w.t.Helper()
	w.drain(100_000)
	w.wait(5000)
	w.abandons, w.faults, w.limit = false, 0, forever
	for _, d := range []*dma{w.op0, w.op1, w.result} {
		d.codes = nil
	}
	w.keeper.codes = nil
	failed, flushes := w.failed, w.flushes
	w.run(100, 50_000, only)
	if w.failed != failed || w.flushes != flushes {
		w.t.Fatalf("%d slices failed and %d flushes after the fault was gone", w.failed-failed, w.flushes-flushes)
	}
}

func TestLateAnswersOfDMAEnginesAreTimeouts(t *testing.T) {
	for seed := range nightly.Of[uint64](1, 3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := newWorld(t, seed)
			w.disturb(600)
			w.lates, w.faults = true, 20
			w.run(400, 20_000, nil)
			assert.Assert(t, w.failed >= 4, "%d slices failed", w.failed)
			w.faults = 0
			w.clean(nil)
			w.finish()
		})
	}
}

func TestAnswersThatComeJustAtTheLimit(t *testing.T) {
	w := newWorld(t, 0)
	engines := []*dma{w.op0, w.op1, w.result}
	for limit := uint32(30); limit < 54; limit++ {
		w.disturb(limit)
		w.pace = 100
		for i := range 9 {
			for j, d := range engines {
				d.exact, d.latency = true, 3
				if j == i%3 {
					d.latency = 40
				}
			}
			w.run(1+i/3, 5000, func(m *move) {
				m.ops[0].from, m.ops[1].from, m.template.reduce = fromMemory, fromMemory, true
				m.ops[1].bytes = m.ops[0].bytes
				m.ops[0].convert, m.ops[1].convert = false, false
				m.ops[0].bytes, m.ops[1].bytes = 1<<m.unit, 1<<m.unit
				m.template.toMemory, m.template.toKernel, m.size = true, false, 1+w.r.IntN(200)
			})
		}
		for _, d := range engines {
			d.exact, d.latency = false, 60
		}
		w.clean(nil)
	}
	assert.Assert(t, w.failed >= 20 && w.failed <= w.retired/2, "%d of %d slices failed", w.failed, w.retired)
	w.finish()
}

func TestSlicesFollowEachOtherWithoutGaps(t *testing.T) {
	const total = 1 << 20
	for _, c := range []struct {
		name   string
		cycles uint64
		shape  func(*move)
	}{
		{"memory to memory", 17_000, func(m *move) {
			m.template.toMemory = true
		}},
		{"two operands to memory", 17_000, func(m *move) {
			m.ops[1] = operand{from: fromMemory, bytes: 1}
			m.template.reduce, m.template.toMemory = true, true
		}},
		{"an operand to memory, the other to a slot", 17_000, func(m *move) {
			m.ops[1] = operand{from: fromMemory, bytes: 1}
			m.template.apart, m.template.toMemory, m.template.toNetwork = true, true, true
		}},
		{"an operand to memory, the other to a slot and kept", 17_500, func(m *move) {
			m.ops[1] = operand{from: fromMemory, bytes: 1}
			m.template.apart, m.template.keeps, m.template.toMemory, m.template.toNetwork = true, true, true, true
		}},
		{"two operands to memory, another beside to a slot", 25_500, func(m *move) {
			m.ops[1] = operand{from: fromMemory, bytes: 1}
			m.beside = operand{from: fromMemory, bytes: 1}
			m.template.reduce, m.template.toMemory, m.template.toNetwork = true, true, true
		}},
		{"memory to a slot", 17_000, func(m *move) {
			m.template.toNetwork = true
		}},
		{"memory to memory, narrowed", 17_000, func(m *move) {
			m.unit, m.ops[0].bytes, m.size = 2, 4, 1024
			m.template.toMemory, m.template.resultConvert, m.template.convertTDEST = true, true, narrow
		}},
		{"memory to the kernel stream", 17_000, func(m *move) {
			m.template.toKernel = true
		}},
		{"the kernel stream to memory", 17_000, func(m *move) {
			m.ops[0].from = fromKernel
			m.template.toMemory = true
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 0)
			w.pace = 100
			n := total / sliceBytes
			for range 8 {
				w.kernelIn.queue = append(w.kernelIn.queue, beat{})
			}
			began := w.b.Cycle
			for w.retired < n {
				for len(w.kernelIn.queue) < 8 {
					w.kernelIn.queue = append(w.kernelIn.queue, beat{})
				}
				if ch := w.channels[0]; w.offered == nil && w.retired+len(w.flying) < n {
					if ch.move == nil {
						m := &move{ops: [2]operand{{from: fromMemory, bytes: 1}}, slices: 1 << 20, packetBytes: sliceBytes,
							size: sliceBytes}
						c.shape(m)
						m.toKernel = m.template.toKernel
						ch.move = m
					}
					if len(w.sent)-w.position >= sliceBytes || ch.move.ops[0].from != fromKernel {
						w.offered = w.next(ch, nil)
					}
				}
				w.step()
				if w.b.Cycle-began > 10*c.cycles {
					t.Fatal("no end")
				}
			}
			cycles := w.b.Cycle - began
			t.Logf("1 MiB: %d cycles, %.2f a slice", cycles, float64(cycles)/float64(n))
			assert.Check(t, cycles <= c.cycles, "%d cycles, want at most %d", cycles, c.cycles)
		})
	}
}
