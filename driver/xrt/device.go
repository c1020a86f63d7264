package xrt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// Device is an engine of a card. It implements accl.Device and accl.KernelCaller.
type Device struct {
	*engine.Engine
	c         *Card
	engine    int
	group     int // of XRT, for buffers in device memory
	hostGroup int // for buffers in host memory, -1 if there is none
}

var (
	_ accl.Device       = (*Device)(nil)
	_ accl.KernelCaller = (*Device)(nil)
)

// Engine opens an engine of the card, numbered from 0. The process has the engine to
// itself until the card is closed. p must be the platform of the card's design. The error
// is ErrOpen if the engine is open; it can be opened again after its Close.
func (c *Card) Engine(ctx context.Context, p *accl.Platform, number int) (*Device, error) {
	d, err := c.engine(ctx, p, number)
	if err != nil {
		return nil, fmt.Errorf("open engine %d of %s: %w", number, c.name, err)
	}
	return d, nil
}

func (c *Card) engine(ctx context.Context, p *accl.Platform, number int) (*Device, error) {
	if _, err := engine.Of(c.design, number); err != nil {
		return nil, err
	}
	if p.Name != c.design.Platform {
		return nil, fmt.Errorf("%w: the card holds %s, not %s", ErrDesign, c.design.Platform, p.Name)
	}
	d := &Device{c: c, engine: number, hostGroup: -1}
	e, err := c.engines.Open(number, func() (*engine.Engine, error) {
		if err := d.place(); err != nil {
			return nil, err
		}
		return engine.Open(ctx, c.life, p, engine.Place{
			Card: c.name, Design: c.design, Number: number, Registers: c.Registers, Holds: c.holds,
		})
	})
	if err != nil {
		return nil, err
	}
	d.Engine = e
	return d, nil
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

// hostMemory is the linker's name of host memory.
const hostMemory = "HOST"

// movers are the instances that move an engine's data to and from memory: its DMA
// engines, or itself where they are inside.
func movers(d *layout.Design, number int) []layout.Instance {
	if dma := d.Of(number, layout.DMA); len(dma) > 0 {
		return dma
	}
	return d.Of(number, layout.Engine)
}

// common returns the banks that a memory port and all ports before it reach: first the
// bank in which XRT itself puts buffers of the port, then single banks.
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

// Close ends waits for calls with ErrClosed. The process keeps the engine's kernels and
// memory until the card is closed.
func (d *Device) Close() error {
	d.c.engines.Return(d.Engine)
	return nil
}
