// Package world runs the ranks of a platform in this process: engines, emulated
// unless said otherwise, that run the platform's control firmware, on a network
// between them.
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
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Options change a world; the zero value is a world without faults, with the
// prebuilt control firmware.
type Options struct {
	Net    fabric.Options
	Engine emu.Options
	// Maker says how the engine of a rank is made; nil, or what is nil for a rank,
	// for emulated ones.
	Maker func(rank int) Maker
	// Ranks are the addresses of all ranks; nil for those of accl.LocalRanks.
	Ranks []accl.Rank
	// Port, if there, is how a rank sees the network, on which sessions are ranks.
	Port func(rank int, port fabric.Port) fabric.Port
	// OnEvent, if there, returns what is called for every event of an emulated rank, by the goroutine of its
	// engine (emu.Options).
	OnEvent func(rank int) func(emu.Event)
}

// Maker makes an engine that boots the platform's control firmware on a port,
// which it owns from then on.
type Maker func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error)

// World is a number of ranks and the network between them.
type World struct {
	net     *fabric.Net // nil if the ports were given
	ranks   []accl.Rank
	engines map[int]engine.Engine // those in this process, by rank
}

// Member is a rank that is to be started on a port.
type Member struct {
	Rank    int
	Port    fabric.Port
	Maker   Maker           // nil for an emulated engine
	OnEvent func(emu.Event) // of an emulated engine; may be nil
}

// New starts n ranks of a platform. They are ready when it returns.
func New(ctx context.Context, d *design.Design, n int, o Options) (*World, error) {
	if n < 1 {
		return nil, fmt.Errorf("start %d ranks: a world has at least 1", n)
	}
	kind, err := Network(d)
	if err != nil {
		return nil, err
	}
	net, ranks := fabric.NewNet(kind, o.Net), o.Ranks
	if len(ranks) == 0 {
		ranks = accl.LocalRanks(n)
	}
	if len(ranks) != n {
		return nil, fmt.Errorf("start %d ranks of %s: there are %d addresses", n, d.Platform.Name, len(ranks))
	}
	members := make([]Member, n)
	for i, rank := range ranks {
		ip := rank.IP.As4()
		port, _, err := net.Port(binary.BigEndian.Uint32(ip[:]), rank.Port)
		if err != nil {
			return nil, fmt.Errorf("start rank %d of %s: %w", i, d.Platform.Name, err)
		}
		if o.Port != nil {
			port = o.Port(i, port)
		}
		members[i] = Member{Rank: i, Port: port}
		if o.OnEvent != nil {
			members[i].OnEvent = o.OnEvent(i)
		}
		if o.Maker != nil {
			members[i].Maker = o.Maker(i)
		}
	}
	w, err := Start(ctx, d, members, o.Engine)
	if err != nil {
		return nil, err
	}
	w.net, w.ranks = net, ranks
	return w, nil
}

// Start starts ranks of a platform on ports that lead to the others, wherever
// these are. The world owns the ports, also if there is an error. Without an image
// in the options, engines have the prebuilt control firmware.
func Start(ctx context.Context, d *design.Design, members []Member, o emu.Options) (*World, error) {
	w := &World{engines: map[int]engine.Engine{}}
	if o.Image == nil {
		var err error
		if o.Image, o.Symbols, err = Prebuilt(d.ABI()); err != nil {
			return nil, errors.Join(err, closePorts(members))
		}
	}
	for i, m := range members {
		e, err := m.make(ctx, d, o)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start rank %d of %s: %w", m.Rank, d.Platform.Name, err), closePorts(members[i:]),
				w.Close())
		}
		w.engines[m.Rank] = e
	}
	return w, nil
}

func (m Member) make(ctx context.Context, d *design.Design, o emu.Options) (engine.Engine, error) {
	if m.Maker != nil {
		return m.Maker(ctx, d, m.Port)
	}
	if m.OnEvent != nil {
		o.OnEvent = m.OnEvent
	}
	e, err := emu.New(ctx, d, m.Port, o)
	if err != nil {
		return nil, err // not an engine that is a nil pointer
	}
	return e, nil
}

func closePorts(members []Member) error {
	var errs []error
	for _, m := range members {
		errs = append(errs, m.Port.Close())
	}
	return errors.Join(errs...)
}

// Prebuilt returns the control firmware that comes with the generator.
func Prebuilt(g *abi.Generation) (image []byte, symbols *rv32.Symbols, err error) {
	built, err := firmware.Prebuilt(g.Name)
	if err != nil {
		return nil, nil, err
	}
	symbols, err = rv32.ParseSymbols(built.Symbols)
	return built.Code, symbols, err
}

// Network is the kind of network that the engine of a design says it is built
// for.
func Network(d *design.Design) (fabric.Kind, error) {
	kind, ok := map[string]fabric.Kind{"udp": fabric.UDP, "tcp": fabric.TCP, "rdma": fabric.RDMA}[d.Stack()]
	if !ok {
		return 0, fmt.Errorf("%s has a network stack (%q) that is not emulated", d.Platform.Name, d.Stack())
	}
	return kind, nil
}

// Size is the number of ranks in this process.
func (w *World) Size() int { return len(w.engines) }

// Ranks are the addresses of all ranks, as Open takes them; none if their ports
// were given.
func (w *World) Ranks() []accl.Rank { return append([]accl.Rank(nil), w.ranks...) }

// Device is how a host reaches the engine of a rank, which must be in this
// process.
func (w *World) Device(rank int) engine.Device { return w.engines[rank].Device() }

// Engine is the engine of a rank, nil if it is not in this process.
func (w *World) Engine(rank int) engine.Engine { return w.engines[rank] }

// Net is the network, whose faults can be set; nil if ports were given.
func (w *World) Net() *fabric.Net { return w.net }

// Close ends all ranks.
func (w *World) Close() error {
	var errs []error
	for _, e := range w.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}
