package emu

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// Counts of config calls that make no sense, as hosts send them that send none, leave
// limits and thresholds with which the engine works.
func TestCountsOfConfigCalls(t *testing.T) {
	const (
		setTimeout, setMaxEager, setMaxRendezvous = 2, 3, 4 // contract abi.md
		eagerInvalid, rendezvousInvalid           = 1 << 16, 1 << 17
		rx                                        = 4096
	)
	r := withKernels(t, ranksOptions{control: freeRunning, open: []accl.OpenOption{accl.WithRxBuffers(4, rx)}}, echo)
	d := r.emu[0].Device()
	for i, step := range []struct {
		function, count uint32
		code            accl.ReturnCode
		limit           uint32 // of waits inside the engine, afterwards
	}{
		{setTimeout, 123_456, 0, 123_456},
		{setTimeout, 0, 0, 1_000_000},
		{setTimeout, 10_000, 0, 10_000},
		{setTimeout, 9_999, 0, 1_000_000},
		{setTimeout, 1 << 31, 0, 1 << 31},
		{setMaxEager, 2 * rx, 0, 1 << 31},
		{setMaxEager, rx - 1, eagerInvalid, 1 << 31},
		{setMaxRendezvous, 2 * rx, rendezvousInvalid, 1 << 31}, // the eager one is what it was
		{setMaxRendezvous, 2*rx + 1, 0, 1 << 31},
		{setMaxEager, 0, 0, 1 << 31},
		{setMaxRendezvous, rx, rendezvousInvalid, 1 << 31},
		{setMaxRendezvous, rx + 1, 0, 1 << 31},
		{setMaxRendezvous, 0, 0, 1 << 31},
		{setMaxRendezvous, 1, rendezvousInvalid, 1 << 31},
	} {
		ticket, err := d.Start(within(t), 0, accl.Call{FunctionCode: step.function, Count: step.count})
		assert.NilError(t, err)
		if code, err := d.Wait(within(t), ticket); err != nil || code != step.code {
			t.Errorf("step %d: function %d with count %d: code 0x%X, %v, expected 0x%X", i, step.function, step.count,
				uint32(code), err, uint32(step.code))
		}
		if got := r.emu[0].timers.limitCycles; got != step.limit {
			t.Errorf("step %d: function %d with count %d: the limit is %d cycles, expected %d", i, step.function,
				step.count, got, step.limit)
		}
	}
}
