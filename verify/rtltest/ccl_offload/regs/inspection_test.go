package regs

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// inspectionWorld is a model of the words that the hardware has of itself.
type inspectionWorld struct {
	t    *testing.T
	b    *block.Bench
	r    *rand.Rand
	at   map[string]uint32 // offsets of words
	g    *abi.Generation
	want map[string]uint32

	chosen   []uint64 // numbers of details
	reset    int      // cycles that the processor has been in reset
	quiet    bool
	sleeping bool
}

var pageInspection = block.Page{Request: "inspection_request", Response: "inspection_response"}

func newInspectionWorld(t *testing.T, seed uint64) *inspectionWorld {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	b := set.Start(t, "inspection", seed)
	w := &inspectionWorld{t: t, b: b, r: rand.New(rand.NewPCG(seed, 8)), at: map[string]uint32{}, g: d.ABI(),
		want: map[string]uint32{}}
	for i, word := range w.g.Record("inspection").Words {
		w.at[word.Name] = uint32(4 * i)
	}
	var err error
	w.want["design_hash"], err = designjson.HardwareHash(d)
	assert.NilError(t, err)
	w.want["magic"] = uint32(w.g.Constant("inspection_magic").Value)
	w.want["state"] = w.field("counts")
	w.want["version"] = uint32(w.g.Constant("inspection_version").Value)
	w.b.Set("detail_valid", 1)
	return w
}

// step runs a cycle with random events, of which the model has the sums.
func (w *inspectionWorld) step() {
	rare := func() bool { return !w.quiet && w.r.IntN(4) == 0 }
	set := func(name string, v uint32) uint32 { w.b.Set(name, uint64(v)); return v }
	flag := func(name string) bool { v := rare(); w.b.Set(name, block.Bit(v)); return v }
	if flag("woken") {
		w.want["heartbeat"]++
		w.sleeping = true // it has asked
	}
	if v := set("begun_hash", w.r.Uint32()); flag("begun") {
		w.want["firmware_hash"] = v
	}
	if v := set("retired_pc", w.r.Uint32()); flag("retired") {
		w.want["pc"] = v
	}
	if flag("refused") {
		w.want["refused"]++
	}
	if v := set("given_up_session", uint32(w.r.IntN(1<<16))); flag("given_up") {
		w.want["given_up"]++
		w.want["given_up_session"] = v
	}
	w.b.Step()
	if w.b.Is("processor_rst") {
		w.reset++
	}
	if w.b.Is("detail_choose") {
		w.chosen = append(w.chosen, w.b.Get("detail_number"))
	}
}

func (w *inspectionWorld) field(name string) uint32 {
	for _, f := range w.g.Layout("inspection_state").Fields {
		if f.Name == name {
			return 1 << f.Low
		}
	}
	w.t.Fatalf("there is no field %s", name)
	return 0
}

func (w *inspectionWorld) read(name string) uint32 {
	w.t.Helper()
	v, err := w.b.Access(pageInspection, w.step, false, w.at[name], 0)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	return v
}

func (w *inspectionWorld) write(name string, v uint32) {
	w.t.Helper()
	if _, err := w.b.Access(pageInspection, w.step, true, w.at[name], v); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
}

// settled compares all words while nothing happens.
func (w *inspectionWorld) settled() {
	w.t.Helper()
	w.quiet = true
	w.step()
	for name := range w.at {
		if got := w.read(name); got != w.want[name] {
			w.t.Fatalf("%s is %08X, not %08X", name, got, w.want[name])
		}
	}
	w.quiet = false
}

func TestInspectionCountsAndShows(t *testing.T) {
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		w := newInspectionWorld(t, seed)
		w.settled()
		for range 30 {
			w.want["cycles"] = w.r.Uint32()
			w.b.Set("cycles", uint64(w.want["cycles"]))
			for range w.r.IntN(40) {
				w.step()
			}
			asleep := w.r.IntN(2) == 0
			w.b.Set("sleeping", block.Bit(asleep))
			w.step()
			w.want["state"] = w.field("counts")
			if asleep {
				w.want["state"] |= w.field("asleep")
			}
			if w.sleeping = w.sleeping || asleep; w.sleeping {
				w.want["state"] |= w.field("started")
			}
			w.settled()
		}
		for name := range w.at { // nobody writes
			w.write(name, w.r.Uint32())
		}
		w.settled()
		if w.reset > 2 { // at the beginning
			t.Errorf("the processor was %d cycles in reset", w.reset)
		}
	}
}

func TestInspectionNamesATrap(t *testing.T) {
	w := newInspectionWorld(t, 0)
	ram := w.g.Memory("local_ram").Size
	for _, pc := range []uint32{0, 0x1234, ram - 4, ram, 0xFFFFFFFC} {
		cause := uint32(w.r.IntN(16))
		w.want["pc"], w.want["address"], w.want["instruction"] = pc, w.r.Uint32(), w.r.Uint32()
		w.b.Set("trap_pc", uint64(pc))
		w.b.Set("trap_address", uint64(w.want["address"]))
		w.b.Set("trap_instruction", uint64(w.want["instruction"]))
		w.b.Set("cause", uint64(cause))
		w.b.Set("halted", 1)
		if pc >= ram {
			w.want["instruction"] = 0
		}
		w.want["state"] = w.field("counts") | w.field("halted") | w.field("cause")*cause
		w.settled()
	}
	w.b.Set("halted", 0)
	w.want["state"], w.want["pc"], w.want["address"], w.want["instruction"] = w.field("counts"), 0, 0, 0
	w.settled()
}

// TestInspectionRestarts: only the constant restarts, the reset is long enough for the vendor's
// processor, and what was known of the processor is forgotten.
func TestInspectionRestarts(t *testing.T) {
	w := newInspectionWorld(t, 0)
	restart := uint32(w.g.Constant("inspection_restart").Value)
	for range 50 {
		w.step()
	}
	w.b.Set("sleeping", 1)
	w.step()
	w.b.Set("sleeping", 0)
	w.reset = 0
	for _, v := range []uint32{0, 1, ^uint32(0), restart ^ 1, restart ^ 1<<31} {
		w.write("control", v)
	}
	w.write("magic", restart)
	assert.Equal(t, w.reset, 0, "something else restarts the processor")
	for n := range uint32(3) {
		w.quiet, w.reset = true, 0
		w.write("control", restart)
		if !w.b.Is("restarting") || w.read("state")&w.field("restarting") == 0 {
			t.Error("it does not say that it restarts")
		}
		for range 100 {
			w.step()
		}
		if w.reset < 16 || w.reset > 80 || w.b.Is("restarting") || w.b.Is("processor_rst") {
			t.Errorf("the processor was %d cycles in reset", w.reset)
		}
		w.want["restarts"], w.want["firmware_hash"], w.want["pc"], w.want["state"] = n+1, 0, 0,
			w.field("counts")
		w.settled()
		w.quiet = true
		w.b.Set("begun_hash", 0x1234)
		w.b.Set("begun", 1)
		w.b.Step()
		w.b.Set("begun", 0)
		w.want["firmware_hash"] = 0x1234
		w.settled()
	}
}

// TestInspectionShowsADetail: a word is chosen by its number, once, and shown when it is there.
func TestInspectionShowsADetail(t *testing.T) {
	w := newInspectionWorld(t, 0)
	for _, number := range []uint32{0, 3, 64, 255, 256, 1 << 15, 1<<16 - 1, 1 << 16, 1 << 20, ^uint32(0)} {
		w.chosen = nil
		w.write("detail", number)
		w.step()
		if len(w.chosen) != 1 || w.chosen[0] != uint64(min(number, 1<<16-1)) {
			t.Errorf("%d: chosen are %v", number, w.chosen)
		}
		w.b.Set("detail_valid", 0)
		w.b.Set("detail_value", 1)
		wait, value := 1+w.r.IntN(50), w.r.Uint32()
		cycle := w.b.Cycle
		got, err := w.b.Access(pageInspection, func() {
			if w.step(); w.b.Cycle == cycle+uint64(wait) {
				w.b.Set("detail_valid", 1)
				w.b.Set("detail_value", uint64(value))
			}
		}, false, w.at["detail"], 0)
		if err != nil || got != value || w.b.Cycle < cycle+uint64(wait) {
			t.Errorf("%d: %08X after %d cycles, %v; it is %08X after %d", number, got, w.b.Cycle-cycle, err, value, wait)
		}
		w.write("magic", number)
		assert.Equal(t, len(w.chosen), 1, "a read, or a write of another word, chooses")
	}
}
