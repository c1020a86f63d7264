// Package kernels models the registers of kernels on cards, as hosts see them: host
// control, and the network kernels of others, which are the UDP stack, its 100G MAC, the TCP
// stack and the session handler, on cards that a simulated Wire connects. The network kernels
// are typed from their public register maps and sources, not from what drivers are generated
// from, so that they are an independent reference for drivers. Packets of engines do not
// travel on the Wire, but their sessions can have the numbers that its TCP stacks gave them
// (Numbering).
//
// All registers implement layout.Registers. An access to an offset where the kernel has
// nothing is an error, ErrNowhere; hardware does not report it.
package kernels

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// sessionLimit bounds how long a session handler waits for its stack.
const sessionLimit = 10 * time.Second

// Card is a card as the models of its kernels see it.
type Card struct {
	Design    *design.Design
	Engines   []engine.Engine             // by number
	Registers map[string]layout.Registers // models of instances, instead of those of this package
	// Foreign makes host controllers those of another make: calls can be started, but not
	// posted. It has no effect on simulated hardware.
	Foreign bool
	Life    context.Context // models end with it
	Fault   func(error)     // hears of misuse, and of what has failed
}

// Instance returns an instance of the design, nil if it has none of this name.
func (c *Card) Instance(name string) *design.Instance {
	if c.Design == nil {
		return nil
	}
	i := slices.IndexFunc(c.Design.Instances, func(in *design.Instance) bool { return in.Name == name })
	if i < 0 {
		return nil
	}
	return c.Design.Instances[i]
}

// Model returns the registers of an instance: those of the RTL where that is simulated, and
// a model elsewhere.
func (c *Card) Model(name string) (layout.Registers, error) {
	if r := c.Registers[name]; r != nil {
		return r, nil
	}
	in := c.Instance(name)
	if in == nil {
		return &words{}, nil
	}
	scope := max(in.Scope, 0)
	if scope >= len(c.Engines) {
		if in.Kernel.Called() {
			return newHandshake(nil), nil
		}
		return &words{}, nil
	}
	dev := c.Engines[scope].Device()
	if simulated, ok := dev.(*rtlsim.Device); ok && in.Kernel.Source != platform.SourceXO {
		r, err := simulated.Registers(name)
		if err == nil {
			return r, nil
		}
		return &words{}, fmt.Errorf("registers of %s: %w", name, err)
	}
	switch {
	case in.Role == layout.Engine && in.Kernel.Called():
		below := newHostController(c.Life, dev, 0, c.Fault)
		return &split{c.Design.ABI().Memory(abi.Exchange).Base, below, &exchange{dev}}, nil
	case in.Role == layout.Engine:
		return &exchange{dev}, nil
	case in.Role == layout.HostController:
		client := 0
		for _, other := range c.Design.Instances {
			if other == in {
				break
			}
			if other.Role == in.Role && other.Scope == in.Scope {
				client++
			}
		}
		h := newHostController(c.Life, dev, client, c.Fault)
		h.foreign = c.Foreign
		return h, nil
	case in.Role == layout.Sessions:
		return NewHandler(dev, sessionLimit), nil
	case !in.Kernel.Called():
		return &words{}, nil
	}
	caller, ok := dev.(accl.KernelCaller)
	if !ok || in.Role == layout.Network || in.Kernel.Origin != "" {
		return newHandshake(nil), nil
	}
	return newHandshake(func(arguments *words) {
		if err := caller.CallKernel(c.Life, in.Name, argumentsOf(in, arguments)...); err != nil && c.Life.Err() == nil {
			c.Fault(fmt.Errorf("%s: %w", in.Name, err))
			<-c.Life.Done() // it never ends
		}
	}), nil
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
	below, above layout.Registers
}

func (r *split) of(offset uint32) layout.Registers {
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
