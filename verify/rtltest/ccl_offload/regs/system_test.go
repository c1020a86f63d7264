package regs

import (
	"maps"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const millisecond = 50 // cycles

var (
	pageSystem = block.Page{Request: "system_request", Response: "system_response"}
	pageTimers = block.Page{Request: "timers_request", Response: "timers_response"}
	events     = []string{"call", "move", "message", "network", "rendezvous"}
	parts      = []string{"moves", "messages", "network"}
)

type systemWorld struct {
	t        *testing.T
	b        *block.Bench
	r        *rand.Rand
	at       map[string]uint32 // offsets of registers
	bits     map[string]uint32 // of events and parts
	happened uint32            // events that were not answered yet
	this     uint32            // of the last cycle
	previous uint32            // of the one before
	ticks    int
	told     []uint32 // words traced, and of the firmware
	often    int
	d        uint32 // hardware id
	limit    int    // for remote ranks, in milliseconds
}

func newSystemWorld(t *testing.T, seed uint64) *systemWorld {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	b := set.Start(t, "system_registers", seed)
	w := &systemWorld{t: t, b: b, r: rand.New(rand.NewPCG(seed, 6)), at: map[string]uint32{}, bits: map[string]uint32{},
		d: d.HardwareID, limit: d.Platform.Limits.RemoteTimeoutMillis}
	for _, name := range []string{"system", "timers"} {
		maps.Copy(w.at, block.Offsets(d.ABI().RegisterMap(name)))
	}
	for _, s := range []*abi.BitSet{d.ABI().BitSet("wake_event"), d.ABI().BitSet("reset_part")} {
		for _, bit := range s.Bits {
			w.bits[s.Name+"."+bit.Name] = 1 << bit.At
		}
	}
	return w
}

func (w *systemWorld) step() {
	w.previous, w.this = w.this, 0
	for _, e := range events {
		v := w.often > 0 && w.r.IntN(w.often) == 0
		w.b.Set("event_"+e, block.Bit(v))
		if v {
			w.this |= w.bits["wake_event."+e]
		}
	}
	w.b.Step()
	w.happened |= w.this
	if w.b.Is("tick_millisecond") {
		w.ticks++
	}
	for word, valid := range map[string]string{"trace_word": "trace_valid", "begun_hash": "begun"} {
		if w.b.Is(valid) {
			w.told = append(w.told, uint32(w.b.Get(word)))
		}
	}
}

func (w *systemWorld) access(p block.Page, write bool, name string, v uint32) uint32 {
	w.t.Helper()
	got, err := w.b.Access(p, w.step, write, w.at[name], v)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	if w.b.Is("sleeping") {
		w.t.Fatalf("behind %s the processor sleeps", name)
	}
	return got
}

func TestSleepLosesNoEvent(t *testing.T) {
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		w := newSystemWorld(t, seed)
		w.access(pageSystem, true, "alarm", 1<<29)
		slept, told := 0, uint32(0)
		before, earlier := uint32(0), uint32(0) // what had happened one cycle before, and two
		for range 2000 {
			w.often = []int{2, 30, 300}[w.r.IntN(3)]
			w.b.Start(pageSystem, false, w.at["sleep"], 0)
			for range 10000 {
				earlier, before = before, w.happened
				w.step()
				got, ended, err := w.b.Ended(pageSystem)
				if ended != w.b.Is("woken") {
					t.Fatalf("woken is %t", !ended)
				}
				if !ended {
					if w.b.Is("sleeping") {
						slept++
					}
					continue
				}
				// The answer was made in the cycle before, of what had come until then.
				if err != nil || got == 0 || got != earlier {
					t.Fatalf("sleep answers %08X (%v), there were %08X", got, err, earlier)
				}
				w.happened &^= got
				told |= got
				// What came since then is still to be told, also if it is of the same kind.
				w.happened |= w.this | w.previous
				before = w.happened &^ w.this
				break
			}
		}
		if slept == 0 || told == 0 {
			t.Error("the processor never slept")
		}
	}
}

func TestTheAlarmEndsSleep(t *testing.T) {
	w := newSystemWorld(t, 0)
	for _, ahead := range []uint32{3, 0, 1, ^uint32(0), ^uint32(100)} {
		now := w.access(pageTimers, false, "milliseconds", 0)
		w.access(pageSystem, true, "alarm", now+ahead)
		if got := w.access(pageSystem, false, "sleep", 0); got != 0 {
			t.Errorf("sleep answers %08X", got)
		}
		after := w.access(pageTimers, false, "milliseconds", 0)
		if int32(after-now) < int32(ahead) || int32(ahead) >= 0 && after-now > ahead+1 {
			t.Errorf("an alarm %d ms ahead of %d came at %d", int32(ahead), now, after)
		}
		if w.b.Is("alarm_far") {
			t.Error("the alarm is not far away")
		}
	}
	w.access(pageSystem, true, "alarm", 0x3FFFFFFF)
	w.step()
	assert.Check(t, w.b.Is("alarm_far"), "the alarm is far away")
}

func TestTimeGoesOn(t *testing.T) {
	w := newSystemWorld(t, 0)
	begin := w.access(pageTimers, false, "cycles", 0)
	cycle := w.b.Cycle
	ticks := w.ticks
	now := w.access(pageTimers, false, "milliseconds", 0)
	assert.Check(t, begin < 40 && now == 0, "time begins with %d cycles, %d ms", begin, now)
	for range 20*millisecond + 7 {
		w.step()
	}
	if got := w.access(pageTimers, false, "cycles", 0) - begin; uint64(got) != w.b.Cycle-cycle {
		t.Errorf("%d cycles have gone, not %d", got, w.b.Cycle-cycle)
	}
	if got := w.access(pageTimers, false, "milliseconds", 0) - now; got < 20 || got > 21 || int(got) < w.ticks-ticks-1 ||
		int(got) > w.ticks-ticks+1 {
		t.Errorf("%d ms and %d ticks have gone", got, w.ticks-ticks)
	}
	if high, err := w.b.Access(pageTimers, w.step, false, w.at["cycles"]+4, 0); err != nil || high != 0 {
		t.Errorf("the upper word is %d (%v)", high, err)
	}
	if got := w.b.Get("remote_milliseconds"); got != uint64(w.limit) {
		t.Errorf("the limit for remote ranks begins with %d ms, not %d", got, w.limit)
	}
	for _, name := range []string{"limit_cycles", "remote_milliseconds"} {
		if w.b.Get(name) != uint64(w.access(pageTimers, false, name, 0)) || w.b.Get(name) == 0 {
			t.Errorf("%s begins with %d", name, w.b.Get(name))
		}
		v := w.r.Uint32()
		w.access(pageTimers, true, name, v)
		w.step()
		if got := w.access(pageTimers, false, name, 0); got != v || uint32(w.b.Get(name)) != v {
			t.Errorf("%s is %d and %d, not %d", name, got, w.b.Get(name), v)
		}
	}
	assert.Check(t, is.Equal(w.access(pageSystem, false, "hardware_id", 0), w.d), "the hardware id")
	for i, name := range []string{"trace", "firmware"} {
		w.access(pageSystem, true, name, 0xABCD)
		w.step()
		assert.Check(t, len(w.told) == i+1 && w.told[i] == 0xABCD, "%s: %X", name, w.told)
	}
}

func TestWhatIsNoRegisterIsRefused(t *testing.T) {
	w := newSystemWorld(t, 0)
	d := designtest.Load(t, "u55c_tcp", nil)
	for name, page := range map[string]block.Page{"system": pageSystem, "timers": pageTimers} {
		assert.Check(t, w.b.Undefined(page, w.step, w.r, d.ABI().RegisterMap(name)), "%s", name)
	}
	assert.Check(t, is.Equal(len(w.told), 0), "%X", w.told)
	for range 20 {
		v := w.r.Uint32()
		w.access(pageSystem, true, "alarm", v)
		if got := w.access(pageSystem, false, "alarm", 0); got != v {
			t.Errorf("the alarm is %08X, not %08X", got, v)
		}
	}
	for _, p := range parts {
		assert.Check(t, !w.b.Is("reset_"+p), p)
	}
}

func TestResetsLastUntilThePartIsIdle(t *testing.T) {
	w := newSystemWorld(t, 0)
	for mask := range uint32(8) {
		asked := uint32(0)
		delays := map[string]int{}
		for i, p := range parts {
			if mask>>i&1 != 0 {
				asked |= w.bits["reset_part."+p]
			}
			delays[p] = w.r.IntN(60)
			w.b.Set(p+"_idle", 0)
		}
		w.access(pageSystem, true, "reset", asked|1<<20)
		for cycle := range 80 {
			want := uint32(0)
			for i, p := range parts {
				if mask>>i&1 != 0 && cycle < delays[p] {
					want |= w.bits["reset_part."+p]
				}
				w.b.Set(p+"_idle", block.Bit(cycle >= delays[p]))
			}
			w.step()
			for _, p := range parts {
				if bit := w.bits["reset_part."+p]; want&bit != 0 && !w.b.Is("reset_"+p) || asked&bit == 0 && w.b.Is("reset_"+p) {
					t.Fatalf("reset of %s at cycle %d of %d: %t", p, cycle, delays[p], w.b.Is("reset_"+p))
				}
			}
		}
		if got := w.access(pageSystem, false, "reset", 0); got != 0 {
			t.Errorf("%08X is not reset", got)
		}
		for _, p := range parts {
			w.b.Set(p+"_idle", 0)
		}
		w.access(pageSystem, true, "reset", asked)
		if got := w.access(pageSystem, false, "reset", 0); got != asked {
			t.Errorf("while it resets it reads %08X, not %08X", got, asked)
		}
		for _, p := range parts { // idle parts still see their reset
			w.b.Set(p+"_idle", 1)
		}
		for range 10 {
			w.step()
		}
		w.access(pageSystem, true, "reset", asked)
		if w.step(); asked != 0 && !w.b.Is("reset_moves") && !w.b.Is("reset_messages") && !w.b.Is("reset_network") {
			t.Error("idle parts see no reset")
		}
		for range 10 {
			w.step()
		}
	}
}
