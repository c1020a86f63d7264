// Package moves_test checks the engine's moves in hardware against what the
// emulator does with them: how they are cut, and what becomes of them.
package moves_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// bench is the hardware of a platform.
type bench struct {
	n      numbers
	create func(seed uint64) uintptr
	free   func(handle uintptr)
	cycle  func(handle uintptr, in, out *uint64)
}

func build(t *testing.T, name string) *bench {
	t.Helper()
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	d := designtest.Made(t, name, map[string]string{units + ".hcl": unitsText})
	all, err := verilate.SourcesOf(t.Context(), d, "ccl_offload")
	assert.NilError(t, err)
	tops, err := verilate.Place(map[string][]byte{"moves_tb.sv": []byte(top())})
	assert.NilError(t, err)
	sources, err := block.Needed(append(all, tops...), "moves_tb")
	assert.NilError(t, err)
	shell, err := filepath.Abs("shell/moves.cpp")
	assert.NilError(t, err)
	b := &bench{n: numbers{d, d.ABI()}}
	assert.NilError(t, verilate.Build{
		Top: "moves_tb", Sources: sources, Shell: []string{shell}, Careful: true,
	}.Bind(report.With(t.Context(), report.Lines(os.Stderr)), "bench_",
		map[string]any{"new": &b.create, "delete": &b.free, "cycle": &b.cycle}))
	return b
}

// units is a platform with conversions of several elements at a time, of which one
// fills a beat. Nobody compiles them here.
const (
	units     = "units"
	unitsText = `platform "units" {
  board = "u55c"
  clock = 250
  poe "tcp" {}
  type "half" { bytes = 2 }
  type "one" { bytes = 1 }
  type "best" { bytes = 8 }
  arithmetic "reduce_ops" {}
  compression "hp_compression" {
    conversion "float32" "float16" { tdest = 0 }
    conversion "float16" "float32" { tdest = 1 }
    conversion "float32" "half" {
      tdest     = 2
      ratio_log = 2
      cpp       = "float32_to_float16"
    }
    conversion "half" "float32" {
      tdest     = 3
      ratio_log = 2
      cpp       = "float32_to_float16"
    }
    conversion "float32" "best" {
      tdest     = 7
      ratio_log = 4
      cpp       = "float32_to_float16"
    }
    conversion "best" "float32" {
      tdest     = 5
      ratio_log = 4
      cpp       = "float32_to_float16"
    }
    conversion "one" "float64" {
      tdest     = 6
      ratio_log = 3
      cpp       = "float32_to_float16"
    }
    conversion "float64" "one" {
      tdest     = 4
      ratio_log = 3
      cpp       = "float32_to_float16"
    }
  }
  source = { hp_compression = "hls" }
}
`
)

func (b *bench) world(t *testing.T, seed uint64, md mode) *world {
	t.Helper()
	h := b.create(seed)
	t.Cleanup(func() { b.free(h) })
	return newWorld(&b.n, seed, md, func(in, out []uint64) { b.cycle(h, &in[0], &out[0]) })
}

var modes = []struct {
	name string
	mode mode
}{
	{"good moves", mode{}},
	{"moves that are not possible", mode{odd: true}},
	{"messages and windows that do not fit", mode{bad: true}},
	{"faults in memory", mode{faults: true}},
	{"waits that are too long", mode{stalls: true}},
	{"full queues", mode{overflows: true}},
	{"aborts", mode{aborts: true, stalls: true}},
	{"resets", mode{resets: true, faults: true}},
	{"a data path that is flushed", mode{flushes: true}},
	{"no network", mode{disabled: true}},
	{"everything", mode{faults: true, stalls: true, aborts: true, resets: true, bad: true, overflows: true, odd: true}},
}

// Every move ends, is counted once, and does what the emulator does.
func TestMovesAreCutAndCountedAsInTheEmulator(t *testing.T) {
	cancelled := 0
	for _, name := range nightly.Of([]string{units}, []string{"u55c_tcp", "u55c_udp", "u55c_rdma", units}) {
		t.Run(name, func(t *testing.T) {
			b := build(t, name)
			apart, landed := 0, 0
			for _, m := range modes {
				t.Run(m.name, func(t *testing.T) {
					seeds := uint64(1)
					if name == "u55c_tcp" && !testing.Short() {
						seeds = nightly.Of[uint64](1, 4)
					}
					for seed := range seeds {
						w := b.world(t, seed, m.mode)
						w.run(nightly.Of(80, 160))
						assert.NilError(t, w.failure, "seed %d", seed)
						t.Logf("seed %d: %d cycles, %d slices, %v with something beside, %v that keep, %d moves done, %d failures", seed,
							w.now, w.slices, w.besides, w.keeps, w.done, w.failed)
						apart, landed, cancelled = apart+w.apart, landed+w.landed, cancelled+w.cancelled
						if m.mode == (mode{}) && min(w.besides[0], w.besides[1], w.keeps[0], w.keeps[1]) == 0 {
							t.Errorf("seed %d: %v slices had something beside, %v kept what they sent", seed, w.besides, w.keeps)
						}
					}
				})
			}
			assert.Check(t, apart != 0, "no message was of another collective")
			assert.Check(t, landed > 10, "%d posts have landed", landed)
		})
	}
	assert.Check(t, cancelled > 0, "no post was cancelled")
}

// Moves that wait are counted once when they are given up, whenever the one before them ends.
func TestMovesAreCutShortAsOthersEnd(t *testing.T) {
	w := build(t, units).world(t, 0, mode{})
	w.promptly = true
	for delay := range 24 {
		var moves [3]*move
		for i := range moves {
			moves[i] = &move{id: 3*delay + i + 1, messageType: "eager", bytes: [2]uint64{200000, 200000}}
			moves[i].op = [2]operand{{kind: memory, address: 1 << 40}, {kind: none}}
			moves[i].result = operand{kind: memory, address: 1 << 41}
			moves[i].settle(w.n, true, w.known, false, w.payload)
			w.issue(moves[i])
		}
		for limit := w.now + 5000; !moves[0].cut && w.now < limit; {
			w.tick()
		}
		for range delay {
			w.tick()
		}
		w.status(true, w.n.offset("move_status", "abort"), 1)
		for limit := w.now + 5000; w.out[outIdle] == 0 && w.now < limit; {
			w.tick()
		}
		for range 9 {
			w.tick()
		}
		w.compare(0)
		assert.NilError(t, w.failure, "an abort %d cycles behind the last slice", delay)
	}
	assert.Check(t, w.met > 0, "no abort has met the end of a move")
}

// run issues moves and waits for their ends.
func (w *world) run(moves int) {
	for i := 0; i < moves && w.failure == nil; i++ {
		w.issue(w.random())
		for range w.r.IntN(80) {
			w.tick()
		}
		if w.chance(30) {
			w.compare(w.r.IntN(queues))
		}
		if w.mode.aborts && w.chance(10) {
			w.status(true, w.n.offset("move_status", "abort"), uint64(w.r.IntN(16)))
		}
		if w.mode.resets && w.chance(3) {
			w.resetMoves()
		}
	}
	for limit := w.now + 400000; w.failure == nil && w.out[outIdle] == 0; {
		if w.tick(); w.now > limit {
			w.fail("there is no end: %v %v %v %v", w.queue[0], w.queue[1], w.queue[2], w.queue[3])
		}
	}
	for range 300 {
		w.tick()
	}
	for q := range queues {
		if len(w.queue[q]) > 0 {
			w.fail("%v is left", w.queue[q])
		}
		w.compare(q)
	}
	if len(w.buffers) > 0 {
		w.fail("buffers are left: %v", w.buffers)
	}
	for i, s := range w.slot {
		if s != nil {
			w.fail("slot %d is left", i)
		}
	}
	for i, s := range w.sessions {
		if s.rest != 0 {
			w.fail("a message of session %d is not complete: %v", i, s.m)
		}
	}
	if w.inPart != 0 || w.outPart != 0 {
		w.fail("parts of beats are left: %d, %d", w.inPart, w.outPart)
	}
}

// compare reads what the processor sees of a queue, and clears its errors.
func (w *world) compare(q int) {
	name := func(s string) uint64 { return w.n.offset("move_status", fmt.Sprint(s, q)) }
	before := w.counted[q]
	if got := uint32(w.status(false, name("completed_"), 0)); got-before > w.counted[q]-before {
		w.fail("queue %d has completed %d, not %d to %d", q, got, before, w.counted[q])
	}
	errors := w.errors[q]
	if got := uint32(w.status(false, name("error_"), 0)); errors != 0 && w.in[inResetMoves] == 0 && got&errors != errors ||
		got&^w.errors[q] != 0 {
		w.fail("queue %d has the errors 0x%X, not 0x%X", q, got, errors)
	}
	depth, most := uint64(w.n.constant("move_queue_depth")), uint64(len(w.queue[q]))
	room := w.status(false, w.n.offset("move_status", "room"), 0) >> (8 * q) & 0xFF
	if least := uint64(len(w.queue[q])); room < depth-most || room > depth-least {
		w.fail("queue %d has room for %d, and %d to %d moves", q, room, least, most)
	}
	busy, failed := uint64(w.n.put("move_state", "busy", 1<<q)), uint64(w.n.put("move_state", "failed", 1<<q))
	state := func() uint64 {
		return busy*flag(len(w.queue[q]) > 0) | failed*flag(w.errors[q] != 0 || w.in[inResetMoves] != 0)
	}
	last := func(i int) func() uint64 { return func() uint64 { return w.failing[q][i] } }
	for _, x := range []struct {
		name string
		at   uint64
		mask uint64
		is   func() uint64
	}{
		{"state", w.n.offset("move_status", "state"), busy | failed, state},
		{"source", name("failed_source_"), ^uint64(0), last(0)},
		{"tag", name("failed_tag_"), ^uint64(0), last(1)},
		{"bytes", name("failed_bytes_"), ^uint64(0), last(2)},
	} {
		was := x.is()
		if got := w.status(false, x.at, 0) & x.mask; got != was && got != x.is() {
			w.fail("the %s of queue %d is 0x%X, not 0x%X or 0x%X", x.name, q, got, was, x.is())
		}
	}
	if errors != 0 {
		w.status(true, name("error_"), 1)
		w.errors[q] = 0
	}
}

func (w *world) resetMoves() {
	w.in[inResetMoves] = 1
	for limit := w.now + 6000; ; {
		w.tick()
		if w.failure != nil || w.out[outIdle] != 0 {
			break
		}
		if w.now > limit {
			w.fail("a reset does not end")
			break
		}
	}
	w.in[inResetMoves] = 0
}

// bus is an access of the processor.
func (w *world) bus(valid, write, address, data, ready, fault, answer int, writes bool, at, v uint64) uint64 {
	w.in[valid], w.in[write], w.in[address], w.in[data] = 1, flag(writes), at, v
	for limit := w.now + 500; ; {
		w.tick()
		if w.failure != nil || w.out[ready] != 0 {
			break
		}
		if w.now > limit {
			w.fail("an access to 0x%X does not end", at)
			break
		}
	}
	w.in[valid] = 0
	if (w.out[fault] != 0) != w.refuses {
		w.fail("an access to 0x%X fails: %d", at, w.out[fault])
	}
	return w.out[answer]
}

func (w *world) status(writes bool, at, v uint64) uint64 {
	return w.bus(inStatusValid, inStatusWrite, inStatusAddress, inStatusData, outStatusReady, outStatusError,
		outStatusData, writes, at, v)
}

func (w *world) register(writes bool, at, v uint64) uint64 {
	return w.bus(inMoveValid, inMoveWrite, inMoveAddress, inMoveData, outMoveReady, outMoveError,
		outMoveData, writes, at, v)
}
