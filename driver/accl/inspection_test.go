package accl_test

import (
	"context"
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

// detailed is an engine whose word detail shows what was chosen.
type detailed struct {
	accl.Device
	at, chosen uint32 // offset of the word, and what was chosen last
	words      map[uint32]uint32
}

func (d *detailed) WriteReg(ctx context.Context, off, v uint32) error {
	if off != d.at {
		return d.Device.WriteReg(ctx, off, v)
	}
	d.chosen = v
	return nil
}

func (d *detailed) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	if off != d.at {
		return d.Device.ReadReg(ctx, off)
	}
	return d.words[d.chosen], nil
}

// TestActivity reads an engine that waits for a rank, with a full queue.
func TestActivity(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	dev := newDevice(p)
	ctx := within(t)
	d := &detailed{Device: dev, at: 0x1FA0, words: map[uint32]uint32{}}
	if _, err := p.Activity(ctx, d); !errors.Is(err, accl.ErrNoInspection) {
		t.Errorf("an engine of others: %v", err)
	}
	dev.setReg(0x1F64, 0x4F4C4343)
	dev.setReg(0x1F68, 2)
	if _, err := p.Activity(ctx, d); !errors.Is(err, accl.ErrNoInspection) {
		t.Errorf("an older engine: %v", err)
	}
	dev.setReg(0x1F68, 3)
	d.words = map[uint32]uint32{192: 1}
	if a, err := p.Activity(ctx, d); err != nil || len(a.Counters) > 0 {
		t.Errorf("an engine that does not count: %+v, %v", a, err)
	}
	d.words = nil
	dev.setReg(0x1F74, 1<<4)
	a, err := p.Activity(ctx, d)
	assert.NilError(t, err)
	assert.Check(t, len(a.Stuck()) == 0, "idle: %q", a.Stuck())
	// By hand: numbers and bits.
	d.words = map[uint32]uint32{33: 70000, 64 + 33: 80000, 162: 1<<31 | 5<<16 | 3, 3: 1<<16 - 1,
		128: 1<<30 | 16<<20 | 16<<10 | 15, 129: 32<<20 | 7<<10 | 2, 192: 12345}
	a, err = p.Activity(ctx, d)
	assert.NilError(t, err)
	assert.DeepEqual(t, a.Stuck(), []string{
		"remote_2: The move in front of queue 2 waits for a message or for data of a remote rank. It is rank 3. " +
			"For 70000 cycles.",
		"rx_buffers: 15 of 16 in use, no more go in. Rx buffers that hold a message, or receive one.",
	})
	assert.Check(t, a.Stalls[33].Total == 80000 && a.Queues[1].Used == 2 && a.Queues[1].Most == 7 &&
		a.Queues[1].Capacity == 32 && a.Counters[0].Name == "tx_bytes" && a.Counters[0].Value == 12345, "%+v", a)
}

// TestTrace reads the trace of an engine whose ring has come round.
func TestTrace(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	dev := newDevice(p)
	ctx := within(t)
	d := &detailed{Device: dev, at: 0x1FA0}
	if _, err := p.Trace(ctx, d, 0); !errors.Is(err, accl.ErrNoInspection) {
		t.Errorf("an engine of others: %v", err)
	}
	dev.setReg(0x1F64, 0x4F4C4343)
	dev.setReg(0x1F68, 3)
	if trace, err := p.Trace(ctx, d, 0); err != nil || trace.Capacity != 0 || len(trace.Events) > 0 {
		t.Errorf("an engine without a trace: %+v, %v", trace, err)
	}
	d.words = map[uint32]uint32{256: 1 << 20, 257: 3}
	if _, err := p.Trace(ctx, d, 0); !errors.Is(err, accl.ErrNoInspection) {
		t.Errorf("no engine at all: %v", err)
	}
	// By hand: numbers and bits. Event 5 is entry 1.
	d.words = map[uint32]uint32{256: 4, 257: 6, 258: 7}
	for n, entry := range [][3]uint32{
		{0xFFFFFFF0, 15, 0}, {10, 1<<21 | 5<<11 | 2<<9 | 3<<6 | 1<<3 | 3, 2}, // events 4 and 5
		{0xFFFFFF00, 5<<4 | 0b1001, 3}, {0xFFFFFFE0, 1<<0 | 1<<4, 14 | 1<<5}, // events 2 and 3
	} {
		for i, word := range entry {
			d.words[32768+4*uint32(n)+uint32(i)] = word
		}
	}
	trace, err := p.Trace(ctx, d, 0)
	assert.NilError(t, err)
	var texts []string
	for _, e := range trace.Events {
		texts = append(texts, e.Text)
	}
	reasons := "A packet, or a message in it, was dropped: reasons no_buffer and closed."
	assert.DeepEqual(t, texts, []string{
		"Moves have completed: queues 0 and 3, rx buffers 5.", reasons,
		"The control processor has taken a call: operation exscan.",
		"The control processor has issued a move: op0 message, op1 memory, result network, queue 2, source 5, destination 1.",
	})
	times := []uint64{0, 0xE0, 0xF0, 0x10A}
	for i, e := range trace.Events {
		assert.Check(t, e.Cycles == times[i] && e.AfterLoss == (i == 1), "%+v", e)
	}
	assert.Check(t, trace.Written == 6 && trace.Lost == 7 && d.chosen < 256, "%+v; chosen is %d", trace, d.chosen)
	trace, err = p.Trace(ctx, d, 1)
	assert.Check(t, err == nil && len(trace.Events) == 1 && trace.Events[0].Cycles == 0 &&
		trace.Events[0].Argument["source"] == 5, "%+v, %v", trace, err)
}
