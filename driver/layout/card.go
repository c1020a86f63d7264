// Package layout describes how a platform lies on its card: which kernels are there,
// how they are connected, and where their registers are. Generated driver packages
// have a Design; what works on cards takes one, and registers of its kernels.
package layout

import (
	"context"
	"fmt"
	"slices"
)

// Design is what a driver knows of a linked platform. It is plain data, and must not
// change while it is in use.
type Design struct {
	Platform string
	Board    string
	Shell    string // the Vitis platform that it is linked for
	// Hash is the SHA-256 of design.json, hexadecimal; a finished .xclbin says the same.
	Hash      string
	Kernels   []Kernel
	Instances []Instance
	Streams   []Stream
	// Driver is that of the shell that the design is built into, one element; none if it
	// is linked by v++.
	Driver []Driver
}

// Kernel is what instances of it have in common.
type Kernel struct {
	Name      string
	Control   string     // Handshake, Chain, FreeRunning or UserManaged
	Registers []Register // by offset, as far as they are described
	Facts     []Value    // numbers that a kernel of others is built with
}

// Register is a register of a kernel.
type Register struct {
	Name    string
	At      uint32 // bytes
	Bits    int    // 32, or 64: two words, low first
	Address bool   // it holds an address in memory
	// Count is the number of registers in a row, each Stride bytes after the one
	// before; 0 for one alone.
	Count  int
	Stride uint32
	// Values are names of what it holds: of its bits, each as a mask, or of codes.
	Values []Value
}

// Value is a mask, a code or a number that has a name.
type Value struct {
	Name  string
	Value uint32
}

// Instance is a kernel on the card.
type Instance struct {
	Name   string
	Kernel string
	Role   string // what it is for: "engine", "host_controller", "dma", "poe", …
	CCLO   int    // the engine it belongs to, -1 for the whole card
	SLR    int    // -1 if not placed
	Banks  []Banks
}

// Banks are what a memory port of an instance reaches.
type Banks struct {
	Port, Memory string
	First, Last  int
}

// Stream is a connection between two instances, each end an instance and its port.
type Stream struct {
	From, To string
	Width    int // bits of data
	TDEST    int // bits
	Depth    int // beats of the FIFO, 0 for none
	CCLO     int // the engine it belongs to, -1 for the whole card
	Group    string
}

// Registers are those of an instance. Offsets are in bytes, multiples of 4. The
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

// Of lists the instances of an engine in a role, in the order of the design.
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
	i := slices.IndexFunc(d.Instances, func(in Instance) bool { return in.Name == name })
	if i < 0 {
		return Instance{}, false
	}
	return d.Instances[i], true
}

// Kernel finds a kernel by its name.
func (d *Design) Kernel(name string) (Kernel, bool) {
	i := slices.IndexFunc(d.Kernels, func(k Kernel) bool { return k.Name == name })
	if i < 0 {
		return Kernel{}, false
	}
	return d.Kernels[i], true
}

// Register finds a register by its name.
func (k Kernel) Register(name string) (Register, bool) {
	i := slices.IndexFunc(k.Registers, func(r Register) bool { return r.Name == name })
	if i < 0 {
		return Register{}, false
	}
	return k.Registers[i], true
}

// Fact finds a number of the kernel by its name.
func (k Kernel) Fact(name string) (uint32, bool) { return named(k.Facts, name) }

// Value finds a mask or a code of the register by its name.
func (r Register) Value(name string) (uint32, bool) { return named(r.Values, name) }

func named(values []Value, name string) (uint32, bool) {
	i := slices.IndexFunc(values, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return 0, false
	}
	return values[i].Value, true
}

// Write writes a value to the register: of 64 bits, the low word first.
func (r Register) Write(ctx context.Context, regs Registers, v uint64) error {
	if err := regs.Write(ctx, r.At, uint32(v)); err != nil || r.Bits <= 32 {
		return err
	}
	return regs.Write(ctx, r.At+4, uint32(v>>32))
}

// Offset is where a register is; ok is false if the kernel has none of this name.
func (k Kernel) Offset(register string) (at uint32, ok bool) {
	i := slices.IndexFunc(k.Registers, func(r Register) bool { return r.Name == register })
	if i < 0 {
		return 0, false
	}
	return k.Registers[i].At, true
}

// Find finds registers, in the order of their names. The error names those that the
// kernel does not have.
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
