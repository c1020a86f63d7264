package xrt

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/cclforge/cclforge/driver/layout"
)

// registers are those of an instance, which this process has to itself.
type registers struct {
	c     *Card
	name  string
	index uint32 // by which XRT knows it
}

var _ layout.Registers = (*registers)(nil)

// Registers returns the registers of an instance of a kernel, such as "poe_0". The
// process has the kernel to itself until the card is closed. The error matches ErrBusy if
// another process has it, and ErrInstance if the card has no such kernel with registers.
func (c *Card) Registers(instance string) (layout.Registers, error) {
	done, err := c.use()
	if err != nil {
		return nil, err
	}
	defer done()
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.kernels[instance]; r != nil {
		return r, nil
	}
	k, err := c.layout.Kernel(instance)
	if err != nil {
		return nil, fmt.Errorf("%w: %s of %s", ErrInstance, instance, c.name)
	}
	index := c.l.index(c.shim, k.Kernel+":"+k.Instance)
	if index < 0 {
		return nil, fmt.Errorf("%w: %s of %s: %w", ErrInstance, instance, c.name, &CallError{"xclIPName2Index", int(index)})
	}
	if err := status("xclOpenContext", c.l.acquire(c.shim, &c.uuid, uint32(index), !shared)); err != nil {
		err = fmt.Errorf("take %s of %s: %w", instance, c.name, err)
		// The kernel module says EBUSY of what another has, which XRT passes on as EINVAL:
		// it also says that when another has loaded the card since.
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EPERM) {
			err = fmt.Errorf("%w: %w", ErrBusy, err)
		}
		return nil, err
	}
	r := &registers{c, instance, uint32(index)}
	c.kernels[instance] = r
	return r, nil
}

// Read implements layout.Registers.
func (r *registers) Read(ctx context.Context, offset uint32) (v uint32, err error) {
	err = r.access(ctx, "read", offset, func() error {
		return status("xclRegRead", r.c.l.readReg(r.c.shim, r.index, offset, &v))
	})
	return v, err
}

// Write implements layout.Registers.
func (r *registers) Write(ctx context.Context, offset, value uint32) error {
	return r.access(ctx, "write", offset, func() error {
		return status("xclRegWrite", r.c.l.writeReg(r.c.shim, r.index, offset, value))
	})
}

func (r *registers) access(ctx context.Context, doing string, offset uint32, f func() error) error {
	if offset%4 != 0 {
		return fmt.Errorf("%w: 0x%X of %s is no multiple of 4", ErrRegister, offset, r.name)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done, err := r.c.use()
	if err != nil {
		return err
	}
	defer done()
	if err := f(); err != nil {
		return fmt.Errorf("%s register 0x%X of %s on %s: %w", doing, offset, r.name, r.c.name, err)
	}
	return nil
}
