package engine

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/driver/card"
)

// controlRegister is that of kernels that are started.
const controlRegister = "control"

// apContinue says in the control register of ap_ctrl_chain that the result was taken.
const apContinue = 1 << 4

// control starts a kernel by its control register.
type control struct {
	regs                       card.Registers
	at                         uint32
	startBit, doneBit, idleBit uint32 // doneBit is cleared by reading
}

// controlOf finds the control register of a kernel.
func controlOf(k card.Kernel, regs card.Registers) (control, error) {
	r, ok := k.Register(controlRegister)
	c := control{regs: regs, at: r.At}
	for _, bit := range []struct {
		name string
		mask *uint32
	}{{"start", &c.startBit}, {"done", &c.doneBit}, {"idle", &c.idleBit}} {
		var has bool
		*bit.mask, has = r.Value(bit.name)
		ok = ok && has
	}
	if !ok {
		return c, fmt.Errorf("%w: kernel %s has no control register with start, done and idle", ErrRegister, k.Name)
	}
	return c, nil
}

func (c control) start(ctx context.Context) error { return c.regs.Write(ctx, c.at, c.startBit) }

// taken says that the result of a kernel with ap_ctrl_chain was.
func (c control) taken(ctx context.Context) error { return c.regs.Write(ctx, c.at, apContinue) }

// done reports whether the kernel has ended. Reading clears what says so: it is true
// once.
func (c control) done(ctx context.Context) (bool, error) {
	v, err := c.regs.Read(ctx, c.at)
	return v&c.doneBit != 0, err
}

// idle reports whether the kernel can be started.
func (c control) idle(ctx context.Context) (bool, error) {
	v, err := c.regs.Read(ctx, c.at)
	return v&c.startBit == 0 && v&c.idleBit != 0, err
}
