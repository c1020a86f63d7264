package regs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// given is an event as the trace was told of it.
type given struct {
	kind  int
	cycle uint32
}

// entry is one that it shows.
type entry struct {
	kind             int
	cycles, argument uint32
	afterLoss        bool
}

// traceWorld gives events to a trace, each with an argument of its own.
type traceWorld struct {
	t    *testing.T
	b    *block.Bench
	r    *rand.Rand
	g    *abi.Generation
	size int // events that it holds

	kinds  int
	busy   int     // of 1024: how often each kind happens
	events []given // by argument
	cycle  uint32
}

func newTraceWorld(t *testing.T, seed uint64) *traceWorld {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	g := d.ABI()
	kinds := len(g.Record("trace_events").Words)
	b := set.Start(t, "trace", seed)
	w := &traceWorld{t: t, b: b, r: rand.New(rand.NewPCG(seed, 10)), g: g, kinds: kinds, size: d.Platform.CCLO.Trace,
		cycle: ^uint32(0) - 1000}
	w.begin()
	return w
}

func (w *traceWorld) begin() {
	w.events = nil
	w.b.Reset()
	w.b.Step()
	assert.Check(w.t, w.b.Is("detail_valid") && w.b.Get("detail_value") == 0, "a word is shown after a reset")
}

// step runs a cycle in which events of a list of kinds happen, and others at random.
func (w *traceWorld) step(kinds ...int) {
	happens := uint64(0)
	var arguments []block.Field
	for kind := range w.kinds {
		argument := w.r.Uint32() // of nothing
		if slices.Contains(kinds, kind) || w.r.IntN(1024) < w.busy {
			happens |= 1 << kind
			argument = uint32(len(w.events))
			w.events = append(w.events, given{kind, w.cycle})
		}
		arguments = append([]block.Field{{Width: 32, Value: uint64(argument)}}, arguments...)
	}
	w.b.Set("happens", happens)
	w.b.Pack("arguments", arguments...)
	w.b.Set("cycles", uint64(w.cycle))
	w.b.Step()
	w.cycle++
}

func (w *traceWorld) read(number uint64) uint32 {
	w.t.Helper()
	w.choose(number)
	for range 200 {
		if w.b.Is("detail_valid") {
			value := w.b.Get("detail_value")
			w.step()
			assert.Check(w.t, w.b.Is("detail_valid") && w.b.Get("detail_value") == value, "word %d goes away", number)
			return uint32(value)
		}
		w.step()
	}
	w.t.Fatalf("word %d is not shown", number)
	return 0
}

func (w *traceWorld) choose(number uint64) {
	w.b.Set("detail_number", number)
	w.b.Set("detail_choose", 1)
	w.step()
	w.b.Set("detail_choose", 0)
	w.step()
}

func (w *traceWorld) state(name string) uint32 {
	w.t.Helper()
	i := slices.IndexFunc(w.g.Record("trace").Words, func(word abi.RecordWord) bool { return word.Name == name })
	return w.read(w.g.Constant("detail_trace").Value + uint64(i))
}

// field is one of layout trace_event.
func (w *traceWorld) field(name string, word uint32) uint32 {
	for _, f := range w.g.Layout("trace_event").Fields {
		if f.Name == name {
			return word >> f.Low & (1<<f.Bits() - 1)
		}
	}
	w.t.Fatalf("there is no field %s", name)
	return 0
}

// entries reads the ring, oldest first, and how many events were written and lost in all. It
// checks each entry against what was given.
func (w *traceWorld) entries() (found []entry, written, lost uint32) {
	w.t.Helper()
	assert.Equal(w.t, w.state("capacity"), uint32(w.size))
	written, lost = w.state("written"), w.state("lost")
	first, last := w.g.Constant("detail_trace_events").Value, map[int]uint32{}
	for i := written - min(written, uint32(w.size)); i != written; i++ {
		at := first + 4*uint64(i%uint32(w.size))
		kind := w.read(at + 2)
		e := entry{int(w.field("number", kind)), w.read(at), w.read(at + 1), w.field("after_loss", kind) != 0}
		assert.Equal(w.t, w.read(at+3), uint32(0))
		if int(e.argument) >= len(w.events) || w.events[e.argument].kind != e.kind {
			w.t.Fatalf("entry %d was never given: %+v", i, e)
		}
		if late := e.cycles - w.events[e.argument].cycle; late < 2 || late > uint32(2+w.kinds) {
			w.t.Fatalf("entry %d is %d cycles late", i, late)
		}
		if len(found) > 0 && int32(e.cycles-found[len(found)-1].cycles) <= 0 {
			w.t.Fatalf("entry %d is not after the one before", i)
		}
		if before, again := last[e.kind]; again && e.argument <= before {
			w.t.Fatalf("entry %d: %d of kind %d after %d", i, e.argument, e.kind, before)
		}
		last[e.kind] = e.argument
		found = append(found, e)
	}
	assert.Equal(w.t, w.state("written"), written, "it goes on while it is read")
	return found, written, lost
}

// goOn ends the reading.
func (w *traceWorld) goOn() { w.choose(0) }

// TestTraceKeepsWhatHappens: whatever is not in the ring was overwritten or is counted as lost,
// and marked where it is missing.
func TestTraceKeepsWhatHappens(t *testing.T) {
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		w := newTraceWorld(t, seed)
		for _, busy := range []int{0, 2, 20, 200, 1024, 5} {
			w.goOn()
			w.begin()
			w.busy = busy
			for range 100 + w.r.IntN(1500) {
				w.step()
			}
			w.busy = 0
			for range w.r.IntN(4) {
				w.step()
			}
			total := uint32(len(w.events))
			found, written, lost := w.entries()
			assert.Equal(t, written+lost, total, "busy %d", busy)
			in := map[uint32]bool{}
			marks := uint32(0)
			for _, e := range found {
				in[e.argument] = true
				if e.afterLoss {
					marks++
				}
			}
			if written <= uint32(w.size) { // all are there: those that are not were lost, where it says so
				missing := []uint32{}
				for n, e := range w.events {
					if !in[uint32(n)] {
						missing = append(missing, e.cycle)
					}
				}
				assert.Equal(t, uint32(len(missing)), lost)
				for i, e := range found {
					from := e.cycles - uint32(w.kinds) - 4
					if i > 0 {
						from = found[i-1].cycles
					}
					near := slices.ContainsFunc(missing, func(c uint32) bool {
						return int32(c+2-from) >= -1 && int32(e.cycles-c-2) >= 0
					})
					surely := slices.ContainsFunc(missing, func(c uint32) bool {
						return int32(c-from) > 2 && int32(e.cycles-c) > 4
					})
					if e.afterLoss && !near || !e.afterLoss && surely {
						t.Fatalf("entry %d, %+v after cycle %d: lost were those of %d", i, e, from, missing)
					}
				}
			}
			if busy <= 2 { // far less than one a cycle, mostly alone
				assert.Check(t, lost*20 <= total, "%d of %d lost", lost, total)
			}
			if busy == 1024 { // a write in each cycle, every kind in turn
				assert.Check(t, written*uint32(w.kinds) >= total-uint32(w.kinds*w.kinds), "%d of %d written", written, total)
				counts := make([]int, w.kinds)
				for _, e := range found {
					counts[e.kind]++
				}
				assert.Check(t, slices.Max(counts)-slices.Min(counts) <= 1, "by kind: %v", counts)
			}
		}
	}
}

// TestTraceKeepsPairs: an event of each kind at once, and another one of a kind in the next
// cycle but for those that still wait.
func TestTraceKeepsPairs(t *testing.T) {
	w := newTraceWorld(t, 0)
	for kind := range w.kinds {
		w.step(kind)
		w.step(kind)
		w.step(kind)
		for range 5 {
			w.step()
		}
	}
	all := make([]int, w.kinds)
	for kind := range all {
		all[kind] = kind
	}
	w.step(all...)
	assert.Equal(t, w.state("written"), uint32(4*w.kinds), "it is shown before all are written")
	found, written, lost := w.entries()
	assert.Equal(t, lost, uint32(0))
	assert.Equal(t, written, uint32(4*w.kinds))
	for n, e := range found[:3*w.kinds] { // alone, each is in its place
		assert.Equal(t, e.argument, uint32(n))
	}
}

// TestTraceStopsWhileItIsRead: what happens meanwhile is lost, and marked.
func TestTraceStopsWhileItIsRead(t *testing.T) {
	w := newTraceWorld(t, 0)
	w.step(3)
	w.choose(w.g.Constant("detail_trace").Value)
	w.step(4)
	w.step(4, 5)
	found, written, lost := w.entries()
	assert.Check(t, written == 1 && lost == 3 && len(found) == 1 && found[0].kind == 3 && !found[0].afterLoss,
		"%+v, %d written, %d lost", found, written, lost)
	w.goOn()
	for range 3 {
		w.step()
	}
	w.step(6)
	w.step(7)
	found, written, lost = w.entries()
	assert.Check(t, written == 3 && lost == 3 && found[1].afterLoss && found[1].kind == 6 && !found[2].afterLoss,
		"%+v, %d written, %d lost", found, written, lost)
	w.begin()
	w.choose(w.g.Constant("detail_trace").Value - 1) // the last word of activity
	w.step(1)
	assert.Equal(t, w.read(w.g.Constant("detail_trace").Value-1), uint32(0), "a word of others")
	found, _, lost = w.entries()
	assert.Check(t, len(found) == 1 && lost == 0, "%+v", found)
}

// TestTraceStopsAtAHalt: the event that comes with the halt is the last one, until the processor
// runs again.
func TestTraceStopsAtAHalt(t *testing.T) {
	w := newTraceWorld(t, 0)
	all := make([]int, w.kinds)
	for kind := range all {
		all[kind] = kind
	}
	w.step(2)
	w.b.Set("halted", 1)
	w.step(all...)
	w.step(all...)
	w.busy = 200
	for range 100 {
		w.step()
	}
	w.busy = 0
	found, written, lost := w.entries()
	total := uint32(len(w.events))
	assert.Check(t, int(written) == 1+w.kinds && written+lost == total, "%d written, %d lost of %d", written, lost, total)
	for _, e := range found[1:] {
		assert.Check(t, int(e.argument) <= w.kinds, "%+v", e)
	}
	w.goOn()
	w.step(1)
	w.b.Set("halted", 0)
	for range 3 {
		w.step()
	}
	w.step(9)
	found, written, _ = w.entries()
	last := found[len(found)-1]
	assert.Check(t, int(written) == 2+w.kinds && last.kind == 9 && last.afterLoss, "%d written, last %+v", written, last)
}
