package accl_test

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestInspect reads an engine that halts, runs, and is no engine of ours.
func TestInspect(t *testing.T) {
	for _, name := range platformNames {
		p := platformOf(t, name)
		d := newDevice(p)
		ctx := within(t)
		if in, err := p.Inspect(ctx, d.ReadReg); !errors.Is(err, accl.ErrNoInspection) {
			t.Errorf("%s: an engine of others: %+v, %v", name, in, err)
		}
		assert.Check(t, is.ErrorIs(p.RestartProcessor(ctx, d), accl.ErrNoInspection), "%s: it is restarted", name)
		// By hand: places of words and bits.
		base := map[string]uint32{"accl-2021": 0x1000}[p.Generation]
		if base == 0 {
			base = 0x1F64
		}
		set := func(word int, v uint32) { d.setReg(base+4*uint32(word), v) }
		for i := range 16 {
			set(i, uint32(100+i))
		}
		set(0, 0x4F4C4343)
		seen := func(state uint32) accl.Inspection {
			set(4, state)
			in, err := p.Inspect(ctx, d.ReadReg)
			assert.NilError(t, err)
			return in
		}
		got := seen(0x205) // halted, has started, cause 2
		want := accl.Inspection{Version: 101, DesignHash: 102, FirmwareHash: 103, Halted: true, Started: true,
			Cause: "illegal_instruction", PC: 105, Instruction: 106, Address: 107, Heartbeat: 108, Cycles: 109, Restarts: 111,
			Refused: 112, GivenUp: 113, GivenUpSession: 114}
		assert.Check(t, got == want, "%s: %+v, want %+v", name, got, want)
		var before accl.Inspection
		for _, test := range []struct {
			state     uint32
			heartbeat uint32 // before
			cycles    uint32
			says      string
		}{
			{0x205, 0, 0, "halted: illegal instruction at pc 0x00000069, instruction 0x0000006A, address 0x0000006B"},
			{0x705, 108, 109, "halted: unmapped store at pc 0x00000069, instruction 0x0000006A, address 0x0000006B"},
			{6, 108, 0, "asleep, 108 events so far"},
			{4, 107, 0, "busy, 108 events so far"},
			{4, 108, 0, "busy without taking events, at pc 0x00000069"},
			{0, 108, 0, "has not started, at pc 0x00000069"},
			{12, 108, 0, "in reset"},
			{6, 107, 109, "no clock: the cycle counter stands"},
		} {
			before.Heartbeat, before.Cycles = test.heartbeat, test.cycles
			if says := seen(test.state).Processor(before); says != test.says {
				t.Errorf("%s: state 0x%X: %q, want %q", name, test.state, says, test.says)
			}
		}
		assert.Check(t, p.RestartProcessor(ctx, d), "%s", name)
		if v, err := d.ReadReg(ctx, base+40); err != nil || v != 0x52535452 {
			t.Errorf("%s: control is 0x%X, %v", name, v, err)
		}
	}
}
