package coyote

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
)

// Device is an engine of a card. It implements accl.Device and accl.KernelCaller.
type Device struct {
	*engine.Engine
	c    *Card
	host bool // it reaches host memory
}

var (
	_ accl.Device       = (*Device)(nil)
	_ accl.KernelCaller = (*Device)(nil)
)

// Engine opens an engine of the card, numbered from 0. p must be the platform of the
// card's design. The error is ErrOpen if the engine is open; it can be opened again after
// its Close.
func (c *Card) Engine(ctx context.Context, p *accl.Platform, number int) (*Device, error) {
	d, err := c.engine(ctx, p, number)
	if err != nil {
		return nil, fmt.Errorf("open engine %d of %s: %w", number, c.name, err)
	}
	return d, nil
}

func (c *Card) engine(ctx context.Context, p *accl.Platform, number int) (*Device, error) {
	if p.Name != c.design.Platform {
		return nil, fmt.Errorf("%w: the card is opened with %s, not with %s", ErrDesign, c.design.Platform, p.Name)
	}
	e, err := c.engines.Open(number, func() (*engine.Engine, error) {
		return engine.Open(ctx, c.life, p, engine.Place{
			Card: c.name, Design: c.design, Number: number, Registers: c.Registers, Holds: c.holds,
		})
	})
	if err != nil {
		return nil, err
	}
	return &Device{Engine: e, c: c, host: p.HostMemory}, nil
}

// Close ends waits for calls with ErrClosed. The process keeps the engine's memory until
// the card is closed.
func (d *Device) Close() error {
	d.c.engines.Return(d.Engine)
	return nil
}
