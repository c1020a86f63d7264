package regs

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// wake is an answer of next, by the fields of its layout.
func (w *systemWorld) wake(fields map[string]uint32) (v uint32) {
	for _, f := range designtest.Load(w.t, "u55c_tcp", nil).ABI().Layout("wake").Fields {
		v |= fields[f.Name] << f.Low
	}
	return v
}

// next reads the register, with one pulse at an input after some cycles, and gives the
// answer, how often a call was taken, and in which cycle the answer came; 0 if none
// came within a hundred.
func (w *systemWorld) next(after int, pulse string) (got uint32, taken, cycle int) {
	w.t.Helper()
	w.b.Start(pageSystem, false, w.at["next"], 0)
	for cycle := 1; cycle < 100; cycle++ {
		if pulse != "" {
			w.b.Set(pulse, block.Bit(cycle == after))
		}
		w.b.Step()
		if w.b.Is("next_take") {
			taken++
		}
		v, ended, err := w.b.Ended(pageSystem)
		if err != nil || ended != w.b.Is("woken") {
			w.t.Fatalf("next ends: %t, woken: %t (%v)", ended, w.b.Is("woken"), err)
		}
		if ended {
			if pulse != "" {
				w.b.Set(pulse, 0)
			}
			return v, taken, cycle
		}
	}
	w.b.Set(pageSystem.Request, 0)
	w.b.Step()
	return got, taken, 0
}

func TestNextTakesCallsOrSleeps(t *testing.T) {
	w := newSystemWorld(t, 0)
	w.access(pageSystem, true, "alarm", 1<<29)
	move, call := w.bits["wake_event.move"], w.bits["wake_event.call"]

	type fields = map[string]uint32
	for _, x := range []struct {
		what        string
		inputs      map[string]uint64 // from here on
		after       int
		pulse       string
		early, late int // cycles in which the answer may come; 0: none comes
		want        fields
	}{
		{"at first nothing is known of the tables", nil, 5, "event_move", 1, 99, fields{"events": move, "tables": 1}},
		{"an event is told once, and ends the sleep at once", nil, 7, "event_message", 7, 9,
			fields{"events": w.bits["wake_event.message"]}},
		{"the last move", map[string]uint64{"at_rest": 1}, 3, "event_move", 1, 99, fields{"events": move, "at_rest": 1}},
		{"that a call has come is no reason: it shows by itself whether it can be taken", nil, 3, "event_call", 0, 0, nil},
		{"a call is taken once, in the cycle in which it is offered",
			map[string]uint64{"next_operation": 0xABCDE, "next_offered": 1}, 0, "", 1, 2,
			fields{"taken": 1, "operation": 0xABCDE, "events": call}},
		{"one whose ticket is not found yet is waited for, whatever else happens",
			map[string]uint64{"next_offered": 0, "at_rest": 0, "next_delayed": 1}, 4, "event_move", 0, 0, nil},
		{"what happened meanwhile", map[string]uint64{"next_delayed": 0}, 0, "", 1, 99, fields{"events": move}},
		{"a reset among the calls ends the sleep, and nothing is taken", map[string]uint64{"next_refused": 1}, 0, "", 1, 99,
			fields{"reset_requested": 1}},
	} {
		for name, v := range x.inputs {
			w.b.Set(name, v)
		}
		w.b.Step()
		got, taken, at := w.next(x.after, x.pulse)
		if got != w.wake(x.want) || at < x.early || at > x.late || taken > int(x.want["taken"]) {
			t.Errorf("%s: %08X in cycle %d, %d taken", x.what, got, at, taken)
		}
	}
	w.b.Set("next_refused", 0)
	w.b.Start(pageSystem, false, w.at["next"], 0)
	for range 3 {
		w.b.Step()
	}
	assert.Check(t, w.b.Is("sleeping"), "nobody says that the processor sleeps")
	w.b.Set(pageSystem.Request, 0)
	w.b.Step()
	// What the host writes is told with the next answer, once, also if it comes with it.
	for delay := range 8 {
		w.b.Set("event_move", 0)
		written := 0
		w.b.Start(pageSystem, false, w.at["next"], 0)
		for cycle := range 30 {
			w.b.Set("host_written", block.Bit(cycle == delay))
			w.b.Set("event_move", block.Bit(cycle == 3 || cycle == 20))
			w.b.Step()
			if v, ended, _ := w.b.Ended(pageSystem); ended {
				if v&w.wake(fields{"tables": 1}) != 0 {
					written++
				}
				w.b.Start(pageSystem, false, w.at["next"], 0)
			}
		}
		w.b.Set(pageSystem.Request, 0)
		w.b.Step()
		if written != 1 {
			t.Errorf("a write after %d cycles is told %d times", delay, written)
		}
	}
	// The alarm.
	now := w.access(pageTimers, false, "milliseconds", 0)
	w.access(pageSystem, true, "alarm", now+1)
	if got, _, at := w.next(0, ""); at == 0 || got != 0 {
		t.Errorf("the alarm: %08X", got)
	}
}
