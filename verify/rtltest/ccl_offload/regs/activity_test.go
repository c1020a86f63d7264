package regs

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// lag is by how many cycles what the memory says of a stall may be old: two sweeps.
const lag = 256

// wide are the most that counters add in a cycle; others add one.
var wide = map[string]int{"tx_bytes": 64, "rx_bytes": 64, "moves_completed": 4}

// activityWorld is a model of what streams, queues and moves have done.
type activityWorld struct {
	t *testing.T
	b *block.Bench
	r *rand.Rand
	g *abi.Generation

	stalls      []bool
	busy        int      // of 256: how often stalls change and counters count
	stood       []uint32 // by stall: cycles until now
	total       []uint32
	counters    []uint32
	used, most  map[string]uint32
	capacity    map[string]uint32
	remotes     []uint64
	tx, rx      uint64
	given, free uint32
	calls, note uint32
	moves       [4]uint32
}

func newActivityWorld(t *testing.T, seed uint64) *activityWorld {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	g := d.ABI()
	b := set.Start(t, "activity", seed)
	w := &activityWorld{t: t, b: b, r: rand.New(rand.NewPCG(seed, 9)), g: g}
	w.begin()
	return w
}

// begin resets the module.
func (w *activityWorld) begin() {
	n := len(w.g.Record("stalls").Words)
	w.stalls, w.stood, w.total = make([]bool, n), make([]uint32, n), make([]uint32, n)
	w.counters = make([]uint32, len(w.g.Record("counters").Words))
	w.remotes = make([]uint64, len(w.g.Record("remotes").Words))
	w.tx, w.rx, w.given, w.free, w.calls, w.note, w.moves, w.busy = 0, 0, 0, 0, 0, 0, [4]uint32{}, 0
	w.most = map[string]uint32{}
	w.b.Reset()
	w.levels()
}

// levels notes how full queues are.
func (w *activityWorld) levels() {
	ones := func(v uint64) (n uint32) {
		for ; v != 0; v &= v - 1 {
			n++
		}
		return n
	}
	w.used = map[string]uint32{"rx_buffers": w.given - w.free, "tx_packets": ones(w.tx), "rx_packets": ones(w.rx),
		"calls": w.calls, "notices": w.note,
		"moves_0": w.moves[0], "moves_1": w.moves[1], "moves_2": w.moves[2], "moves_3": w.moves[3]}
	constant := func(name string) uint32 { return uint32(w.g.Constant(name).Value) }
	depth := constant("move_queue_depth")
	w.capacity = map[string]uint32{"rx_buffers": w.given, "tx_packets": constant("packet_slots"),
		"rx_packets": constant("packet_slots"), "calls": 127, "notices": constant("notices"),
		"moves_0": depth, "moves_1": depth, "moves_2": depth, "moves_3": depth}
	for name, used := range w.used {
		w.most[name] = max(w.most[name], used)
	}
}

// step runs a cycle in which at random something happens.
func (w *activityWorld) step() {
	happens := func(of256 int) bool { return w.r.IntN(256) < of256 }
	mask := uint64(0)
	for i := range w.stalls {
		if happens(w.busy / 8) {
			w.stalls[i] = !w.stalls[i]
		}
		if w.stalls[i] {
			mask |= 1 << i
			w.stood[i]++
			w.total[i]++
		} else {
			w.stood[i] = 0
		}
	}
	w.b.Set("stalls", mask)
	var amounts, remotes []block.Field
	for i, word := range w.g.Record("counters").Words {
		v := 0
		if happens(w.busy) {
			v = 1 + w.r.IntN(max(wide[word.Name], 1))
		}
		w.counters[i] += uint32(v)
		amounts = append([]block.Field{{Width: 7, Value: uint64(v)}}, amounts...)
	}
	w.b.Pack("amounts", amounts...)
	if happens(w.busy / 8) {
		w.tx, w.rx = w.r.Uint64()>>32, uint64(w.r.Uint32())
		w.given = uint32(w.r.IntN(257))
		w.free = uint32(w.r.IntN(int(w.given) + 1))
		w.calls, w.note = uint32(w.r.IntN(128)), uint32(w.r.IntN(64))
		for q := range w.moves {
			w.moves[q] = uint32(w.r.IntN(40))
		}
		for q := range w.remotes {
			w.remotes[q] = uint64(w.r.Uint32())
		}
		w.levels()
	}
	moves := uint64(0)
	for q, n := range w.moves {
		moves |= uint64(n) << (8 * q)
	}
	for _, v := range w.remotes {
		remotes = append([]block.Field{{Width: 32, Value: v}}, remotes...)
	}
	w.b.Pack("remotes", remotes...)
	for name, v := range map[string]uint64{"tx_slots": w.tx, "rx_slots": w.rx, "buffers_given": uint64(w.given),
		"buffers_free": uint64(w.free), "calls_waiting": uint64(w.calls), "notices_waiting": uint64(w.note),
		"moves_waiting": moves} {
		w.b.Set(name, v)
	}
	w.b.Step()
}

// read is a word behind the constant detail_ of a name.
func (w *activityWorld) read(of string, i int) uint32 {
	w.t.Helper()
	w.b.Set("detail_number", w.g.Constant("detail_"+of).Value+uint64(i))
	w.b.Set("detail_choose", 1)
	w.step()
	w.b.Set("detail_choose", 0)
	w.step()
	for range 2 * lag {
		if w.b.Is("detail_valid") {
			return uint32(w.b.Get("detail_value"))
		}
		w.step()
	}
	w.t.Fatalf("word %d of %s is not shown", i, of)
	return 0
}

// settled compares all words while no counter counts; what stands goes on standing.
func (w *activityWorld) settled() {
	w.t.Helper()
	busy := w.busy
	w.busy = 0
	for range 8 {
		w.step()
	}
	w.levels()
	behind := func(what string, got, want uint32) {
		w.t.Helper()
		if got > want || want-got > lag && got != want {
			w.t.Fatalf("%s is %d, and was %d in the last %d cycles at most", what, got, want, lag)
		}
	}
	for i, word := range w.g.Record("stalls").Words {
		stood, before := w.read("stalls", i), w.stood[i]
		behind("cycles of "+word.Name, stood, before)
		total := w.read("stalled", i)
		behind("all cycles of "+word.Name, total, w.total[i])
		if !w.stalls[i] {
			assert.Equal(w.t, total, w.total[i], "all cycles of %s", word.Name)
		}
	}
	for i, word := range w.g.Record("queues").Words {
		used, capacity, kept := w.used[word.Name], w.capacity[word.Name], uint32(0)
		if word.Name == "rx_buffers" { // the last one
			kept = 1
		}
		want := used | w.most[word.Name]<<10 | capacity<<20
		if capacity > 0 && used+kept >= capacity {
			want |= 1 << 30
		}
		assert.Equal(w.t, w.read("queues", i), want, "%s: used, most << 10, capacity << 20, full << 30", word.Name)
	}
	for i := range w.remotes {
		assert.Equal(w.t, w.read("remotes", i), uint32(w.remotes[i]), "remote %d", i)
	}
	for i, word := range w.g.Record("counters").Words {
		assert.Equal(w.t, w.read("counters", i), w.counters[i], "%s", word.Name)
	}
	w.busy = busy
}

func TestActivityCounts(t *testing.T) {
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		w := newActivityWorld(t, seed)
		w.settled()
		for _, busy := range []int{256, 1, 40, 8, 256} {
			w.busy = busy
			for range w.r.IntN(3000) {
				w.step()
			}
			w.settled()
		}
		w.begin() // and everything anew
		w.settled()
		w.busy = 100
		for range 500 {
			w.step()
		}
		w.settled()
	}
}

// TestActivityKnowsItsWords: numbers of no word are 0, and answered.
func TestActivityKnowsItsWords(t *testing.T) {
	w := newActivityWorld(t, 0)
	w.busy = 256
	for _, of := range []string{"stalls", "stalled", "queues", "remotes", "counters"} {
		record := map[string]string{"stalled": "stalls"}[of]
		if record == "" {
			record = of
		}
		assert.Equal(t, w.read(of, len(w.g.Record(record).Words)), uint32(0), "behind %s", of)
	}
	assert.Equal(t, w.read("stalls", 255), uint32(0))
}
