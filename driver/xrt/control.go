package xrt

import (
	"context"

	"github.com/cclforge/cclforge/driver/card"
)

// The control register of kernels that are started, as Vitis has it: ap_ctrl_hs and
// ap_ctrl_chain.
const (
	controlRegister = 0x00

	apStart    = 1 << 0
	apDone     = 1 << 1 // cleared by reading
	apIdle     = 1 << 2
	apContinue = 1 << 4 // of ap_ctrl_chain: the result was taken
)

// control starts a kernel.
type control struct{ regs card.Registers }

func (c control) start(ctx context.Context) error {
	return c.regs.Write(ctx, controlRegister, apStart)
}

// done reports whether the kernel has ended. Reading clears what says so: it is true
// once.
func (c control) done(ctx context.Context) (bool, error) {
	v, err := c.regs.Read(ctx, controlRegister)
	return v&apDone != 0, err
}

// idle reports whether the kernel can be started.
func (c control) idle(ctx context.Context) (bool, error) {
	v, err := c.regs.Read(ctx, controlRegister)
	return v&apStart == 0 && v&apIdle != 0, err
}
