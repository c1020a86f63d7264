package xrt

import (
	"context"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
)

// called is a kernel beside the engine that the host calls.
type called struct {
	instance  string
	kernel    card.Kernel
	arguments []card.Register // by offset
	regs      *registers
	running   chan struct{} // held while it is called
}

// findKernels finds the kernels of the engine that hosts call. Their registers are
// taken when they are called first.
func (d *Device) findKernels() error {
	d.kernels = map[string]*called{}
	for _, in := range d.c.design.Of(d.engine, card.User) {
		k, ok := d.c.design.Kernel(in.Kernel)
		if !ok || k.Control != "ap_ctrl_hs" && k.Control != "ap_ctrl_chain" {
			continue
		}
		arguments := slices.DeleteFunc(slices.Clone(k.Registers), func(r card.Register) bool { return r.At == controlRegister })
		c := &called{instance: in.Name, kernel: k, arguments: arguments, running: make(chan struct{}, 1)}
		d.kernels[in.Name] = c
		if d.kernels[in.Kernel] == nil {
			d.kernels[in.Kernel] = c
		}
	}
	return nil
}

// CallKernel implements accl.KernelCaller. A kernel whose call was left can be called
// again once it has ended.
func (d *Device) CallKernel(ctx context.Context, kernel string, arguments ...uint64) error {
	k := d.kernels[kernel]
	if k == nil {
		return fmt.Errorf("%w %s beside engine %d of %s", accl.ErrNoKernel, kernel, d.engine, d.c.name)
	}
	if len(arguments) != len(k.arguments) {
		var names []string
		for _, a := range k.arguments {
			names = append(names, a.Name)
		}
		return accl.KernelArguments(names, len(arguments))
	}
	for i, a := range k.arguments {
		if a.Address && !d.c.holds(arguments[i]) {
			return fmt.Errorf("%w: %s is 0x%X, which is not in an allocation of this card", accl.ErrKernelAddress, a.Name, arguments[i])
		}
	}
	select {
	case k.running <- struct{}{}:
		defer func() { <-k.running }()
	default:
		return fmt.Errorf("%w: %s", accl.ErrKernelBusy, k.instance)
	}
	if err := d.run(ctx, k, arguments); err != nil {
		return err
	}
	return nil
}

// run starts a kernel and waits until it has ended.
func (d *Device) run(ctx context.Context, k *called, arguments []uint64) (err error) {
	if k.regs == nil {
		if k.regs, err = d.c.registers(k.instance); err != nil {
			return err
		}
	}
	c := control{k.regs}
	idle, err := c.idle(ctx)
	if err != nil {
		return err
	}
	if !idle {
		return fmt.Errorf("%w: %s has not ended the call before", accl.ErrKernelBusy, k.instance)
	}
	for i, a := range k.arguments {
		if err := k.regs.Write(ctx, a.At, uint32(arguments[i])); err != nil {
			return err
		}
		if a.Bits > 32 {
			if err := k.regs.Write(ctx, a.At+4, uint32(arguments[i]>>32)); err != nil {
				return err
			}
		}
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	var w waiting
	for {
		done, err := c.done(ctx)
		if err == nil && done && k.kernel.Control == "ap_ctrl_chain" {
			return k.regs.Write(ctx, controlRegister, apContinue)
		}
		if err == nil && done {
			return nil
		}
		if err == nil {
			err = w.pause(ctx)
		}
		if err == nil && d.life.Err() != nil {
			err = context.Cause(d.life)
		}
		if err != nil {
			return &accl.KernelError{Kernel: k.kernel.Name, Instance: k.instance, Doing: "has not ended", Cause: err}
		}
	}
}

// holds reports whether an address lies in a buffer.
func (c *Card) holds(address uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for m := range c.buffers {
		if address >= m.addr && address-m.addr < uint64(len(m.bytes)) {
			return true
		}
	}
	return false
}
