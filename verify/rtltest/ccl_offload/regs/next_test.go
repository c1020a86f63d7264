package regs

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// woken is what a read of next answers, by the fields of the layout wake.
type woken struct {
	Events, Operation       uint32
	Taken, Refused, Written bool
	AtRest                  bool
}

func (w *systemWorld) woken(v uint32) (got woken) {
	w.t.Helper()
	d := designtest.Load(w.t, "u55c_tcp", nil)
	for _, f := range d.ABI().Layout("wake").Fields {
		x := field(f, v)
		switch f.Name {
		case "events":
			got.Events = x
		case "operation":
			got.Operation = x
		case "taken":
			got.Taken = x == 1
		case "reset_requested":
			got.Refused = x == 1
		case "tables":
			got.Written = x == 1
		case "at_rest":
			got.AtRest = x == 1
		}
	}
	return got
}

func field(f abi.Field, v uint32) uint32 { return v >> f.Low & uint32(1<<f.Bits()-1) }

// next reads the register, with one pulse at an input after some cycles, and gives the
// answer, how often a call was taken, and in which cycle the answer came; 0 if none
// came within a hundred.
func (w *systemWorld) next(after int, pulse string) (got woken, taken, cycle int) {
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
		if err != nil {
			w.t.Fatal(err)
		}
		if ended {
			if pulse != "" {
				w.b.Set(pulse, 0)
			}
			return w.woken(v), taken, cycle
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

	// After a reset nothing is known of the tables.
	if got, _, at := w.next(5, "event_move"); at == 0 || got != (woken{Events: move, Written: true}) {
		t.Errorf("the first answer is %+v", got)
	}
	// An event is told once, and ends the sleep at once.
	if got, _, at := w.next(7, "event_message"); at < 7 || at > 9 || got != (woken{Events: w.bits["wake_event.message"]}) {
		t.Errorf("after a message: %+v in cycle %d", got, at)
	}
	w.b.Set("at_rest", 1)
	if got, _, _ := w.next(3, "event_move"); got != (woken{Events: move, AtRest: true}) {
		t.Errorf("after the last move: %+v", got)
	}
	// That a call has come is no reason to wake: it shows by itself whether it can be taken.
	if got, _, at := w.next(3, "event_call"); at != 0 {
		t.Errorf("an event of a call alone: %+v", got)
	}
	if !w.b.Is("sleeping") {
		w.b.Start(pageSystem, false, w.at["next"], 0)
		w.b.Step()
		w.b.Step()
		assert.Check(t, w.b.Is("sleeping"), "nobody says that the processor sleeps")
		w.b.Set(pageSystem.Request, 0)
		w.b.Step()
	}
	// A call is taken once, in the cycle in which it is offered.
	w.b.Set("next_operation", 0xABCDE)
	w.b.Set("next_offered", 1)
	if got, taken, at := w.next(0, ""); at > 2 || taken > 1 ||
		got != (woken{Taken: true, Operation: 0xABCDE, Events: call}) {
		t.Errorf("a call that was offered: %+v in cycle %d", got, at)
	}
	w.b.Set("next_offered", 0)
	w.b.Set("at_rest", 0)
	w.b.Step()
	// One whose ticket is not found yet is waited for, whatever else happens.
	w.b.Set("next_delayed", 1)
	if got, taken, at := w.next(4, "event_move"); at != 0 || taken != 0 {
		t.Errorf("a call that cannot be taken yet: %+v", got)
	}
	w.b.Set("next_delayed", 0)
	if got, _, at := w.next(0, ""); at == 0 || got != (woken{Events: move}) {
		t.Errorf("what happened meanwhile: %+v", got)
	}
	// A reset among the calls ends the sleep, and nothing is taken.
	w.b.Set("next_refused", 1)
	if got, taken, at := w.next(0, ""); at == 0 || taken != 0 || got != (woken{Refused: true}) {
		t.Errorf("while a reset waits: %+v, %d taken", got, taken)
	}
	w.b.Set("next_refused", 0)
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
				if w.woken(v).Written {
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
	if got, _, at := w.next(0, ""); at == 0 || got != (woken{}) {
		t.Errorf("the alarm: %+v", got)
	}
}
