package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// called is a kernel beside the engine that hosts call.
type called struct {
	instance  string
	kernel    layout.Kernel
	arguments []layout.Register // by offset
	regs      layout.Registers  // nil before the first call
	running   chan struct{}     // held while it is called
}

// findKernels finds the kernels of the engine that hosts call. The first call of each
// reserves its registers.
func (d *Engine) findKernels() {
	for _, in := range d.at.Design.Of(d.at.Number, layout.User) {
		k, ok := d.at.Design.Kernel(in.Kernel)
		if !ok || !k.Called() {
			continue
		}
		arguments := slices.DeleteFunc(slices.Clone(k.Registers),
			func(r layout.Register) bool { return r.Name == ControlRegister })
		d.kernels = append(d.kernels, &called{instance: in.Name, kernel: k, arguments: arguments,
			running: make(chan struct{}, 1)})
	}
}

// kernel finds a kernel by its name or that of its instance.
func (d *Engine) kernel(name string) (*called, error) {
	var found []*called
	var instances []string
	for _, k := range d.kernels {
		if k.instance == name {
			return k, nil
		}
		if k.kernel.Name == name {
			found, instances = append(found, k), append(instances, k.instance)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%w %s beside engine %d of %s", accl.ErrNoKernel, name, d.at.Number, d.at.Card)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%w: %s has several instances: %s", accl.ErrNoKernel, name, strings.Join(instances, ", "))
}

// CallKernel implements accl.KernelCaller. A kernel whose caller has given up can be
// called again once it has ended.
func (d *Engine) CallKernel(ctx context.Context, kernel string, arguments ...uint64) error {
	k, err := d.kernel(kernel)
	if err != nil {
		return err
	}
	if len(arguments) != len(k.arguments) {
		var names []string
		for _, a := range k.arguments {
			names = append(names, a.Name)
		}
		return accl.KernelArguments(names, len(arguments))
	}
	for i, a := range k.arguments {
		if a.Bits < 64 && arguments[i]>>a.Bits != 0 {
			return fmt.Errorf("%w: argument %s has %d bits, and 0x%X does not fit", accl.ErrArgument,
				a.Name, a.Bits, arguments[i])
		}
		if a.Address && !d.at.Holds(arguments[i]) {
			return fmt.Errorf("%w: %s is 0x%X, which is not in an allocation of this card", accl.ErrKernelAddress,
				a.Name, arguments[i])
		}
	}
	select {
	case k.running <- struct{}{}:
		defer func() { <-k.running }()
	default:
		return fmt.Errorf("%w: %s", accl.ErrKernelBusy, k.instance)
	}
	if d.life.Err() != nil {
		return context.Cause(d.life)
	}
	return d.run(ctx, k, arguments)
}

// run starts a kernel and waits until it has ended.
func (d *Engine) run(ctx context.Context, k *called, arguments []uint64) error {
	if k.regs == nil {
		regs, err := d.at.Registers(k.instance)
		if err != nil {
			return err
		}
		k.regs = regs
	}
	c, err := ControlOf(k.kernel, k.regs)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRegister, err)
	}
	idle, err := c.Idle(ctx)
	if err != nil {
		return err
	}
	if !idle {
		return fmt.Errorf("%w: %s has not ended the call before", accl.ErrKernelBusy, k.instance)
	}
	for i, a := range k.arguments {
		if err := a.Write(ctx, k.regs, arguments[i]); err != nil {
			return err
		}
	}
	if err := c.Start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.life, func() { cancel(context.Cause(d.life)) })()
	if err := c.AwaitDone(ctx); err != nil {
		if w, is := errors.AsType[*Waited](err); is {
			err = w.Cause
		}
		return &accl.KernelError{Kernel: k.kernel.Name, Instance: k.instance, Doing: "has not ended", Cause: err}
	}
	return nil
}
