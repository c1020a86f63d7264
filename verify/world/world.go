// Package world runs the ranks of a platform in this process: emulated engines
// that run the platform's control firmware, on a network between them.
package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rv32"
)

// Options change a world; the zero value is a world without faults, with the
// prebuilt control firmware.
type Options struct {
	Net    fabric.Options
	Engine emu.Options
}

// World is a number of ranks and the network between them.
type World struct {
	net     *fabric.Net
	ranks   []accl.Rank
	engines []*emu.Engine
}

// New starts n ranks of a platform. They are ready when it returns.
func New(ctx context.Context, d *design.Design, n int, o Options) (*World, error) {
	if n < 1 {
		return nil, fmt.Errorf("start %d ranks: a world has at least 1", n)
	}
	if o.Engine.Image == nil {
		if err := prebuilt(d.ABI(), &o.Engine); err != nil {
			return nil, err
		}
	}
	kind, err := network(d)
	if err != nil {
		return nil, err
	}
	w := &World{net: fabric.NewNet(kind, o.Net), ranks: accl.LocalRanks(n)}
	for i, rank := range w.ranks {
		if err := w.start(ctx, d, rank, o.Engine); err != nil {
			return nil, errors.Join(fmt.Errorf("start rank %d of %s: %w", i, d.Platform.Name, err), w.Close())
		}
	}
	return w, nil
}

func prebuilt(g *abi.Generation, o *emu.Options) error {
	image, err := firmware.Prebuilt(g.Name)
	if err != nil {
		return err
	}
	o.Image = image.Code
	o.Symbols, err = rv32.ParseSymbols(image.Symbols)
	return err
}

func (w *World) start(ctx context.Context, d *design.Design, rank accl.Rank, o emu.Options) error {
	ip := rank.IP.As4()
	port, _, err := w.net.Port(binary.BigEndian.Uint32(ip[:]), rank.Port)
	if err != nil {
		return err
	}
	e, err := emu.New(ctx, d, port, o)
	if err != nil {
		return errors.Join(err, port.Close())
	}
	w.engines = append(w.engines, e)
	return nil
}

// network is the kind of network that the engine says it is built for.
func network(d *design.Design) (fabric.Kind, error) {
	g := d.ABI()
	code := uint32(0)
	for _, f := range g.Layout(abi.HardwareID).Fields {
		if f.Name == "stack" {
			code = d.HardwareID >> f.Low & (1<<f.Bits() - 1)
		}
	}
	kinds := map[string]fabric.Kind{"udp": fabric.UDP, "tcp": fabric.TCP, "rdma": fabric.RDMA}
	for _, v := range g.Enum(abi.Stacks).Values {
		if kind, ok := kinds[v.Name]; ok && v.Value == code {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("%s has a network stack (%d) that is not emulated", d.Platform.Name, code)
}

// Size is the number of ranks.
func (w *World) Size() int { return len(w.engines) }

// Ranks are the addresses of all ranks, as Open takes them.
func (w *World) Ranks() []accl.Rank { return append([]accl.Rank(nil), w.ranks...) }

// Device is how a host reaches the engine of a rank.
func (w *World) Device(rank int) *emu.Device { return w.engines[rank].Device() }

// Engine is the engine of a rank.
func (w *World) Engine(rank int) *emu.Engine { return w.engines[rank] }

// Net is the network, whose faults can be set.
func (w *World) Net() *fabric.Net { return w.net }

// Close ends all ranks.
func (w *World) Close() error {
	var errs []error
	for _, e := range w.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}
