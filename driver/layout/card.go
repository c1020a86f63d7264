// Package layout describes how a platform lies on its card: its kernels, their
// connections, and the places of their registers. Generated driver packages have a
// Design; drivers of cards and networks take one, together with access to the registers
// of its kernels.
package layout

import (
	"context"
	"fmt"
	"slices"
)

// Design describes a linked platform to drivers. It is plain data, and must not change
// while it is in use.
type Design struct {
	Platform string
	Board    string
	Shell    string // Vitis platform that it is linked for
	// Hash is the SHA-256 of design.json in hexadecimal, which a finished .xclbin contains,
	// too.
	Hash      string
	Kernels   []Kernel
	Instances []Instance
	Streams   []Stream
	// Driver describes the driver of the shell that the design is built into, in one
	// element; it is empty if v++ links the design.
	Driver []Driver
}

// Kernel describes a kernel, for all its instances.
type Kernel struct {
	Name      string
	Control   string     // Handshake, Chain, FreeRunning or UserManaged
	Registers []Register // by offset; those that are described
	Facts     []Value    // build parameters of a kernel of another project
}

// Register is a register of a kernel.
type Register struct {
	Name    string
	At      uint32 // offset in bytes
	Bits    int    // 32, or 64: two words, low first
	Address bool   // contains a memory address
	// Count is the number of equal registers, each Stride bytes after the one before; 0 for
	// a single register.
	Count  int
	Stride uint32
	// Values are the names of its bits, as masks, or of its codes.
	Values []Value
}

// Value is a named mask, code or number.
type Value struct {
	Name  string
	Value uint32
}

// Instance is a kernel on the card.
type Instance struct {
	Name   string
	Kernel string
	Role   string // "engine", "host_controller", "dma", "poe", …
	CCLO   int    // the engine it belongs to, -1 for the whole card
	SLR    int    // -1 if not placed
	Banks  []Banks
}

// Banks are the banks that a memory port of an instance reaches.
type Banks struct {
	Port, Memory string
	First, Last  int
}

// Stream is a connection between ports of two instances.
type Stream struct {
	From, To string
	Width    int // bits of data
	TDEST    int // width in bits
	Depth    int // beats of the FIFO, 0 for none
	CCLO     int // the engine it belongs to, -1 for the whole card
	Group    string
}

// Registers are the registers of an instance. Offsets are in bytes, multiples of 4. The
// methods may be called concurrently.
type Registers interface {
	Read(ctx context.Context, offset uint32) (uint32, error)
	Write(ctx context.Context, offset, value uint32) error
}

// Roles of instances that drivers look for.
const (
	Engine         = "engine"
	HostController = "host_controller"
	DMA            = "dma"
	Network        = "poe"
	MAC            = "mac"
	Sessions       = "session_handler"
	User           = "user"
)

// Engines is the number of engines on the card.
func (d *Design) Engines() int {
	n := 0
	for _, in := range d.Instances {
		if in.Role == Engine {
			n++
		}
	}
	return n
}

// Of lists the instances of an engine with a role, in the order of the design.
func (d *Design) Of(cclo int, role string) []Instance {
	var out []Instance
	for _, in := range d.Instances {
		if in.CCLO == cclo && in.Role == role {
			out = append(out, in)
		}
	}
	return out
}

// Instance finds an instance by its name.
func (d *Design) Instance(name string) (Instance, bool) {
	return first(d.Instances, func(in Instance) bool { return in.Name == name })
}

// Kernel finds a kernel by its name.
func (d *Design) Kernel(name string) (Kernel, bool) {
	return first(d.Kernels, func(k Kernel) bool { return k.Name == name })
}

// Register finds a register by its name.
func (k Kernel) Register(name string) (Register, bool) {
	return first(k.Registers, func(r Register) bool { return r.Name == name })
}

// Fact finds a build parameter of the kernel by its name.
func (k Kernel) Fact(name string) (uint32, bool) { return named(k.Facts, name) }

// Value finds a mask or a code of the register by its name.
func (r Register) Value(name string) (uint32, bool) { return named(r.Values, name) }

func named(values []Value, name string) (uint32, bool) {
	v, ok := first(values, func(v Value) bool { return v.Name == name })
	return v.Value, ok
}

// first is the first element with a property.
func first[T any](list []T, is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Write writes a value to the register; of 64 bits, the low word first.
func (r Register) Write(ctx context.Context, regs Registers, v uint64) error {
	if err := regs.Write(ctx, r.At, uint32(v)); err != nil || r.Bits <= 32 {
		return err
	}
	return regs.Write(ctx, r.At+4, uint32(v>>32))
}

// Find returns the registers with these names, in their order. The error names the
// missing ones.
func (k Kernel) Find(registers ...string) ([]Register, error) {
	out := make([]Register, len(registers))
	var missing []string
	for i, name := range registers {
		r, ok := k.Register(name)
		if !ok {
			missing = append(missing, name)
		}
		out[i] = r
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("kernel %s has no registers %q", k.Name, missing)
	}
	return out, nil
}
