package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

var _ accl.KernelCaller = (*Device)(nil)

// called is a kernel that the host calls by its registers.
type called struct {
	instance  *design.Instance
	control   int32 // port
	component int   // number, or -1: it is RTL
}

// calledKernels are those of a card, by the engine that they belong to.
func calledKernels(d *design.Design) (map[int][]*called, error) {
	list := map[int][]*called{}
	components := emit.Components(d)
	for _, i := range d.Instances {
		if !i.Kernel.Called() || i.Role == "host_controller" || i.Kernel.Source == "xo" {
			continue // of those there are models only
		}
		port, err := controlPortOf(d, i)
		if err != nil {
			return nil, err
		}
		k := &called{instance: i, control: port, component: slices.Index(components, i)}
		list[max(i.Scope, 0)] = append(list[max(i.Scope, 0)], k)
	}
	return list, nil
}

// calledKernel finds a kernel by its name or that of its instance.
func (e *Engine) calledKernel(name string) (*called, error) {
	var found []*called
	var known []string
	for _, k := range e.card.called[int(e.number)] {
		known = append(known, k.instance.Name)
		if k.instance.Name == name || k.instance.Kernel.Name == name {
			found = append(found, k)
		}
	}
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("%w: %s; %s has none that the host calls", accl.ErrNoKernel, name, e.d.Platform.Name)
	case len(found) == 0:
		return nil, fmt.Errorf("%w: %s; the host can call %s", accl.ErrNoKernel, name, strings.Join(known, ", "))
	case len(found) > 1:
		return nil, fmt.Errorf("%w: %s has several instances: %s", accl.ErrNoKernel, name, strings.Join(known, ", "))
	}
	return found[0], nil
}

// mirror is an allocation that an argument points into.
type mirror struct {
	space  int32
	extent memory.Extent
}

// check checks the arguments of a call, and finds what they point to.
func (e *Engine) check(k *called, arguments []uint64) ([]mirror, error) {
	if err := engine.CheckArguments(k.instance.Kernel, arguments); err != nil {
		return nil, err
	}
	var found []mirror
	for i, a := range k.instance.Kernel.Arguments {
		pointer := func(p *design.Port) bool { return p.Name == a.Port && p.Protocol == design.AXI4 }
		if !slices.ContainsFunc(k.instance.Ports, pointer) {
			continue
		}
		number := int32(emit.Space(e.d, k.instance, a.Port))
		at := slices.IndexFunc(e.spaces[:], func(s *space) bool { return s != nil && s.number == number })
		if at < 0 {
			return nil, fmt.Errorf("%w: argument %s: %w", accl.ErrKernelAddress, a.Name, memory.ErrNoMemory)
		}
		extent, ok := e.spaces[at].allocator.Find(arguments[i])
		if !ok {
			return nil, fmt.Errorf("%w: argument %s: %w 0x%X", accl.ErrKernelAddress, a.Name, memory.ErrNoMemory, arguments[i])
		}
		found = append(found, mirror{number, extent})
	}
	return found, nil
}

// controlBits are the register by which kernels are called, and its bits.
type controlBits struct {
	offset            uint32
	start, done, idle uint32
}

func newControlBits(g *abi.Generation) (b controlBits, err error) {
	control, bits := g.RegisterMap(abi.HostControl).Register("control"), g.BitSet("hostctrl_control")
	if control == nil {
		return b, fmt.Errorf("%w: the control register of kernels of %s", emu.ErrMissing, g.Name)
	}
	b.offset = control.At
	for name, to := range map[string]*uint32{"start": &b.start, "done": &b.done, "idle": &b.idle} {
		bit := bits.Bit(name)
		if bit == nil {
			return b, fmt.Errorf("%w: the bit %s in the control register of kernels of %s", emu.ErrMissing, name, g.Name)
		}
		*to = 1 << bit.At
	}
	return b, nil
}

// CallKernel implements accl.KernelCaller, by the registers of the kernel.
func (d *Device) CallKernel(ctx context.Context, name string, arguments ...uint64) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	e := d.e
	k, err := e.calledKernel(name)
	if err != nil {
		return err
	}
	mirrors, err := e.check(k, arguments)
	if err != nil {
		return err
	}
	if !e.card.begin(k) {
		return fmt.Errorf("%w: %s", accl.ErrKernelBusy, k.instance.Name)
	}
	defer e.card.end(k)
	return e.call(ctx, k, arguments, mirrors)
}

// begin tells whether nobody else calls a kernel now.
func (c *Card) begin(k *called) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calling[k] {
		return false
	}
	c.calling[k] = true
	return true
}

func (c *Card) end(k *called) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calling, k)
}

func (e *Engine) call(ctx context.Context, k *called, arguments []uint64, mirrors []mirror) error {
	started, err := e.run(ctx, k, arguments, mirrors)
	switch {
	case err == nil:
		return nil
	case started && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return e.stalled(k, err)
	}
	return e.broken(k, err)
}

// run starts a kernel and waits for its end.
func (e *Engine) run(ctx context.Context, k *called, arguments []uint64, mirrors []mirror) (started bool, err error) {
	bits := e.card.control
	now, err := e.access(ctx, &access{port: k.control, address: bits.offset})
	if err != nil {
		return false, err
	}
	if now&bits.idle == 0 {
		return false, fmt.Errorf("%w: %s", accl.ErrKernelBusy, k.instance.Name)
	}
	if k.component >= 0 {
		if err := e.do(func() {
			for i, m := range mirrors {
				e.f.KernelMirror(e.model, int32(k.component), int32(min(i, 1)), m.space, m.extent.From, m.extent.To-m.extent.From)
			}
		}); err != nil {
			return false, err
		}
	}
	write := func(at, v uint32) error {
		_, err := e.access(ctx, &access{port: k.control, write: true, address: at, data: v})
		return err
	}
	for i, a := range k.instance.Kernel.Arguments {
		for word := range uint32(a.Width) / (8 * wordBytes) {
			if err := write(a.At+word*wordBytes, uint32(arguments[i]>>(8*wordBytes*word))); err != nil {
				return false, err
			}
		}
	}
	if err := write(bits.offset, bits.start); err != nil {
		return true, err
	}
	_, err = e.access(ctx, &access{port: k.control, address: bits.offset, await: bits.done})
	return true, err
}

// broken is the error of a call that has ended with the card: of the kernel, if that is
// what has failed.
func (e *Engine) broken(k *called, cause error) error {
	if k.component < 0 || !strings.Contains(cause.Error(), k.instance.Name+" ("+k.instance.Kernel.Name+"): ") {
		return cause
	}
	return &accl.KernelError{Kernel: k.instance.Kernel.Name, Instance: k.instance.Name, Failed: true, Doing: "has failed",
		Cause: cause}
}

// stalled is the error of a call that has not ended when its context has.
func (e *Engine) stalled(k *called, cause error) error {
	out := &accl.KernelError{Kernel: k.instance.Kernel.Name, Instance: k.instance.Name, Doing: "has not ended",
		Cause: cause}
	if err := e.card.do(func() {
		e.f.Cancel(e.model, k.control)
		if k.component >= 0 {
			s := e.card.kernelState(k.component)
			out.Doing, out.Stream, out.Beat = s.String(), s.Stream, s.Moved+1
		}
	}); err != nil {
		return err
	}
	return out
}
