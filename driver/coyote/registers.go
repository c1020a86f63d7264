package coyote

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/driver/layout"
)

// registers are those of an instance.
type registers struct {
	c     *Card
	name  string
	reach layout.Reach
}

var _ layout.Registers = (*registers)(nil)

// Registers returns the registers of an instance of a kernel, such as "hostctrl_0_0". The
// error is ErrInstance if the application has no such kernel with registers.
func (c *Card) Registers(instance string) (layout.Registers, error) {
	reach, ok := c.driver.Reach(instance)
	if !ok {
		return nil, fmt.Errorf("%w: %s of %s", ErrInstance, instance, c.name)
	}
	return &registers{c, instance, reach}, nil
}

// Read implements layout.Registers.
func (r *registers) Read(ctx context.Context, offset uint32) (v uint32, err error) {
	err = r.access(ctx, offset, func(at uint32) { v = uint32(r.c.application.Load(at)) })
	return v, err
}

// Write implements layout.Registers.
func (r *registers) Write(ctx context.Context, offset, value uint32) error {
	return r.access(ctx, offset, func(at uint32) { r.c.application.Store(at, uint64(value)) })
}

func (r *registers) access(ctx context.Context, offset uint32, f func(at uint32)) error {
	if offset%4 != 0 || offset >= r.reach.Bytes {
		return fmt.Errorf("%w: 0x%X of %s, which has 0x%X bytes of them", ErrRegister, offset, r.name, r.reach.Bytes)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done, err := r.c.use()
	if err != nil {
		return err
	}
	defer done()
	f(r.reach.At + r.c.driver.Spacing*offset)
	return nil
}
