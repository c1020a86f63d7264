package xrt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/driver/internal/tickets"
	"github.com/cclforge/cclforge/driver/xclbin"
)

// Device is an engine of a card. It implements accl.Device and accl.KernelCaller.
type Device struct {
	c           *Card
	engine      int
	exchange    *registers // of the engine itself
	controllers []*controller
	group       int // of XRT, for buffers in device memory
	hostGroup   int // for buffers in host memory, -1 if there is none
	kernels     []*called
	tickets     tickets.Set

	life     context.Context // ends with Close
	end      context.CancelCauseFunc
	spawning sync.Mutex
	tasks    sync.WaitGroup
}

var (
	_ accl.Device       = (*Device)(nil)
	_ accl.KernelCaller = (*Device)(nil)
)

// Engine opens an engine of the card, from 0 up, which this process has to itself until
// the card is closed. The platform must be the one that the card holds. The error is
// ErrOpen for an engine that is open; it can be opened again after its Close.
func (c *Card) Engine(ctx context.Context, p *accl.Platform, number int) (*Device, error) {
	d, err := c.engine(ctx, p, number)
	if err != nil {
		return nil, fmt.Errorf("open engine %d of %s: %w", number, c.name, err)
	}
	return d, nil
}

func (c *Card) engine(ctx context.Context, p *accl.Platform, number int) (*Device, error) {
	cclo := c.design.Of(number, card.Engine)
	switch {
	case len(cclo) != 1 || number < 0:
		return nil, fmt.Errorf("%w: %s has %d engines, they count from 0", ErrInstance, c.design.Platform, c.design.Engines())
	case p.Name != c.design.Platform:
		return nil, fmt.Errorf("%w: the card holds %s, not %s", ErrDesign, c.design.Platform, p.Name)
	}
	d := &Device{c: c, engine: number, hostGroup: -1}
	d.life, d.end = context.WithCancelCause(c.life)
	if err := d.claim(); err != nil {
		d.end(nil)
		return nil, err
	}
	if err := d.open(ctx, p, cclo[0]); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// claim enters the engine with its card, which has each only once: two that place calls
// would take each other's answers.
func (d *Device) claim() error {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if d.c.closed {
		return ErrClosed
	}
	for other := range d.c.engines {
		if other.engine == d.engine {
			return ErrOpen
		}
	}
	d.c.engines[d] = true
	return nil
}

func (d *Device) open(ctx context.Context, p *accl.Platform, cclo card.Instance) (err error) {
	if err := d.place(); err != nil {
		return err
	}
	if d.exchange, err = d.c.registers(cclo.Name); err != nil {
		return err
	}
	d.findKernels()
	controllers := d.c.design.Of(d.engine, card.HostController)
	if len(controllers) == 0 {
		controllers = []card.Instance{cclo} // which has the registers itself
	}
	for _, in := range controllers {
		k, err := openController(ctx, d, p, in)
		if err != nil {
			return err
		}
		d.controllers = append(d.controllers, k)
	}
	return nil
}

// place finds the memory that all memory ports of the engine reach: those of its DMA
// engines, or its own.
func (d *Device) place() error {
	var device, host []xclbin.Place // nil as long as no port has been seen
	for _, in := range movers(d.c.design, d.engine) {
		arguments, err := d.c.layout.Arguments(in.Name)
		if err != nil || len(arguments) != len(in.Banks) {
			return errors.Join(fmt.Errorf("%w: for %s", ErrMemory, in.Name), err)
		}
		for i, b := range in.Banks {
			at := &device
			if b.Memory == hostMemory {
				at = &host
			}
			if *at, err = d.common(in.Name, arguments[i], *at); err != nil {
				return err
			}
		}
	}
	if len(device) == 0 {
		return fmt.Errorf("%w: that all DMA engines of engine %d reach", ErrMemory, d.engine)
	}
	d.group = device[0].Index
	if len(host) > 0 {
		d.hostGroup = host[0].Index
	}
	return nil
}

// hostMemory is what the linker calls memory of the host.
const hostMemory = "HOST"

// movers are the instances that move an engine's data to and from memory: its DMA
// engines, or itself where they are inside.
func movers(d *card.Design, number int) []card.Instance {
	if dma := d.Of(number, card.DMA); len(dma) > 0 {
		return dma
	}
	return d.Of(number, card.Engine)
}

// common is what a memory port has in common with those before it, if there are any:
// where XRT itself puts buffers for it, followed by single banks.
func (d *Device) common(instance string, argument int, before []xclbin.Place) ([]xclbin.Place, error) {
	preferred, err := d.c.layout.BufferBank(instance, argument)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	reach, err := d.c.layout.Reach(instance, argument)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	reach = append([]xclbin.Place{preferred}, reach...)
	if before == nil {
		return reach, nil
	}
	return slices.DeleteFunc(slices.Clone(before), func(at xclbin.Place) bool {
		return !slices.ContainsFunc(reach, func(other xclbin.Place) bool { return other.Index == at.Index })
	}), nil
}

// ReadReg implements accl.Device.
func (d *Device) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	return d.exchange.Read(ctx, off)
}

// WriteReg implements accl.Device.
func (d *Device) WriteReg(ctx context.Context, off, v uint32) error {
	return d.exchange.Write(ctx, off, v)
}

// Start implements accl.Device. The error is ErrClient for clients beyond the engine's
// host controllers, of which most platforms have one.
func (d *Device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if client < 0 || client >= len(d.controllers) {
		return 0, fmt.Errorf("%w: %d; engine %d has %d host controllers, counted from 0", ErrClient, client, d.engine, len(d.controllers))
	}
	call, err := d.controllers[client].start(ctx, c)
	if err != nil {
		return 0, err
	}
	return d.tickets.Add(call), nil
}

// Wait implements accl.Device.
func (d *Device) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	code, err := d.tickets.Wait(ctx, t)
	if err != nil {
		return 0, fmt.Errorf("engine %d of %s: %w", d.engine, d.c.name, err)
	}
	return code, nil
}

// Close ends calls that wait with ErrClosed. Its kernels and memory remain this
// process's until the card is closed.
func (d *Device) Close() error {
	d.c.mu.Lock()
	delete(d.c.engines, d)
	d.c.mu.Unlock()
	d.stop()
	return nil
}

// spawn runs something that stop waits for. The error is why the engine has stopped.
func (d *Device) spawn(task func()) error {
	d.spawning.Lock()
	defer d.spawning.Unlock()
	if d.life.Err() != nil {
		return context.Cause(d.life)
	}
	d.tasks.Go(task)
	return nil
}

func (d *Device) stop() {
	d.spawning.Lock()
	d.end(fmt.Errorf("%w: engine %d of %s", ErrClosed, d.engine, d.c.name))
	d.spawning.Unlock()
	d.tasks.Wait()
}

// Number is that of the engine on its card.
func (d *Device) Number() int { return d.engine }
