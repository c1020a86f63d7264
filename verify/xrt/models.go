package xrt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/sim"
	"github.com/cclforge/cclforge/verify/wire"
)

// sessionLimit bounds how long a session handler waits for its stack.
const sessionLimit = 10 * time.Second

// model is what an instance's registers do: those of the hardware's description where
// that is simulated, and models of it elsewhere; the server's lock is held.
func (c *slot) model(name string) card.Registers {
	if r := c.Registers[name]; r != nil {
		return r
	}
	in := c.instance(name)
	if in == nil {
		return &words{}
	}
	scope := max(in.Scope, 0)
	if scope >= len(c.Engines) {
		if called(in) {
			return newHandshake(nil)
		}
		return &words{}
	}
	dev := c.Engines[scope].Device()
	if simulated, ok := dev.(*sim.Device); ok && in.Kernel.Source != platform.SourceXO {
		r, err := simulated.Registers(name)
		if err == nil {
			return r
		}
		c.s.report(fmt.Errorf("registers of %s: %w", name, err))
	}
	switch {
	case in.Role == card.Engine && called(in):
		below := newHostController(c.s.life, dev, 0, c.s.fault)
		return &split{c.Design.ABI().Memory(abi.Exchange).Base, below, &exchange{dev}}
	case in.Role == card.Engine:
		return &exchange{dev}
	case in.Role == card.HostController:
		client := 0
		for _, other := range c.Design.Instances {
			if other == in {
				break
			}
			if other.Role == in.Role && other.Scope == in.Scope {
				client++
			}
		}
		h := newHostController(c.s.life, dev, client, c.s.fault)
		h.foreign = c.Foreign
		return h
	case in.Role == card.Sessions:
		return wire.NewHandler(dev, sessionLimit)
	case !called(in):
		return &words{}
	}
	caller, ok := dev.(accl.KernelCaller)
	if !ok || in.Role == card.Network || in.Kernel.Origin != "" {
		return newHandshake(nil)
	}
	return newHandshake(func(arguments *words) {
		if err := caller.CallKernel(c.s.life, in.Name, argumentsOf(in, arguments)...); err != nil && c.s.life.Err() == nil {
			c.s.fault(fmt.Errorf("%s: %w", in.Name, err))
			<-c.s.life.Done() // it never ends
		}
	})
}

// called tells whether the host starts an instance.
func called(in *design.Instance) bool {
	return in.Kernel.Control == "ap_ctrl_hs" || in.Kernel.Control == "ap_ctrl_chain"
}

func (s *Server) faultOf(u *unit, err error) {
	if s.life.Err() == nil {
		s.fault(fmt.Errorf("a register of %s: %w", u.name, err))
	}
}

// exchange is an engine's exchange memory.
type exchange struct{ dev accl.Device }

func (r *exchange) Read(ctx context.Context, offset uint32) (uint32, error) {
	return r.dev.ReadReg(ctx, offset)
}

func (r *exchange) Write(ctx context.Context, offset, value uint32) error {
	return r.dev.WriteReg(ctx, offset, value)
}

// split are the registers of two models, one behind the other: those of an engine that
// is its own host controller.
type split struct {
	at           uint32
	below, above card.Registers
}

func (r *split) of(offset uint32) card.Registers {
	if offset < r.at {
		return r.below
	}
	return r.above
}

func (r *split) Read(ctx context.Context, offset uint32) (uint32, error) {
	return r.of(offset).Read(ctx, offset)
}

func (r *split) Write(ctx context.Context, offset, value uint32) error {
	return r.of(offset).Write(ctx, offset, value)
}

// words are registers that hold what is written.
type words struct {
	mu   sync.Mutex
	held map[uint32]uint32
}

func (r *words) Read(_ context.Context, offset uint32) (uint32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[offset], nil
}

func (r *words) Write(_ context.Context, offset, value uint32) error {
	r.set(offset, value)
	return nil
}

func (r *words) get(offset uint32) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[offset]
}

func (r *words) set(offset, value uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = map[uint32]uint32{}
	}
	r.held[offset] = value
}

// copy is what the registers hold now.
func (r *words) copy() *words {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &words{held: maps.Clone(r.held)}
}

// argumentsOf are the arguments of a kernel, in the order of their registers.
func argumentsOf(in *design.Instance, w *words) []uint64 {
	arguments := slices.Clone(in.Kernel.Arguments)
	slices.SortStableFunc(arguments, func(a, b design.Argument) int { return int(a.At) - int(b.At) })
	out := make([]uint64, len(arguments))
	for i, a := range arguments {
		out[i] = uint64(w.get(a.At))
		if a.Width > 32 {
			out[i] |= uint64(w.get(a.At+4)) << 32
		}
	}
	return out
}
