package rtlsim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// The toy has registers of its engine alone: words that stay.
func TestRegistersOfAnInstance(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
	d, ctx := e.Device().(*Device), limited(t)
	r, err := d.Registers("ccl_offload_0")
	assert.NilError(t, err)
	var registers layout.Registers = r
	at := e.first + 0x20
	assert.NilError(t, registers.Write(ctx, at, 0xABCD1234))
	if got, err := d.ReadReg(ctx, at); err != nil || got != 0xABCD1234 {
		t.Errorf("%X, %v", got, err)
	}
	assert.NilError(t, d.WriteReg(ctx, at, 5))
	if got, err := registers.Read(ctx, at); err != nil || got != 5 {
		t.Errorf("%X, %v", got, err)
	}
	for _, offset := range []uint32{at + 1, at + 2, 0x2000, 0xFFFFFFFC} {
		if _, err := registers.Read(ctx, offset); !errors.Is(err, engine.ErrAddress) {
			t.Errorf("a read of 0x%X: %v", offset, err)
		}
		assert.Check(t, is.ErrorIs(registers.Write(ctx, offset, 1), engine.ErrAddress), "a write to 0x%X", offset)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := registers.Read(over, at); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context has ended: %v", err)
	}
	for _, name := range []string{"", "hostctrl", "arith_0"} { // the last one has no registers
		if _, err := d.Registers(name); !errors.Is(err, ErrNoRegisters) || !strings.Contains(err.Error(), "hostctrl_0_0") {
			t.Errorf("%q: %v", name, err)
		}
	}
	assert.NilError(t, e.Close())
	if _, err := registers.Read(ctx, at); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
