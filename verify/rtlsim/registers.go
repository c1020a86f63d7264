package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// ErrNoRegisters says that there is no such instance, or that it has no registers.
var ErrNoRegisters = errors.New("no such instance with registers")

// Registers are those of an instance on a simulated card.
type Registers struct {
	e     *Engine
	name  string
	port  int32
	bytes uint64 // 0 if nobody knows
}

var _ layout.Registers = (*Registers)(nil)

// Registers gives the registers of an instance on the card of the engine, by its name.
// Kernels that are linked as they are have models instead, most of them without
// registers. The error is ErrNoRegisters if there are none.
//
// A call that is placed by registers of a host controller goes beside those of Start,
// and is unknown to Stats.
func (d *Device) Registers(instance string) (*Registers, error) {
	var known []string
	for _, i := range d.e.d.Instances {
		at := slices.IndexFunc(i.Ports, func(p *design.Port) bool { return p.Protocol == design.AXILite && !p.Output })
		if at < 0 {
			continue
		}
		known = append(known, i.Name)
		if i.Name != instance {
			continue
		}
		port, err := controlPortOf(d.e.d, i)
		if err != nil {
			return nil, err
		}
		return &Registers{e: d.e, name: i.Name, port: port, bytes: i.Ports[at].Range}, nil
	}
	return nil, fmt.Errorf("%w: %s; there are %s", ErrNoRegisters, instance, strings.Join(known, ", "))
}

// Read reads a register. The error is engine.ErrAddress if offset is none.
func (r *Registers) Read(ctx context.Context, offset uint32) (uint32, error) {
	if err := r.check(ctx, offset); err != nil {
		return 0, err
	}
	return r.e.access(ctx, &access{port: r.port, address: offset})
}

// Write writes a register. The error is engine.ErrAddress if offset is none.
func (r *Registers) Write(ctx context.Context, offset, value uint32) error {
	if err := r.check(ctx, offset); err != nil {
		return err
	}
	_, err := r.e.access(ctx, &access{port: r.port, write: true, address: offset, data: value})
	if err == nil && r.port == r.e.control && offset >= r.e.first && offset < r.e.end {
		r.e.net.wrote(offset, value)
	}
	return err
}

func (r *Registers) check(ctx context.Context, offset uint32) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if offset%wordBytes != 0 || r.bytes != 0 && uint64(offset) >= r.bytes {
		return fmt.Errorf("%w: offset 0x%X of %s, which has 0x%X bytes", engine.ErrAddress, offset, r.name, r.bytes)
	}
	return nil
}
