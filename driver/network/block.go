package network

import (
	"context"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/layout"
)

// block is an instance with its registers, by name.
type block struct {
	instance string
	kernel   layout.Kernel
	r        layout.Registers
}

// newBlock finds the registers of an instance. needs lists registers that must be
// described: a name, or a name and one of its values, joined by a point.
func newBlock(d *layout.Design, in layout.Instance, open Opener, needs []string) (*block, error) {
	k, ok := d.Kernel(in.Kernel)
	if !ok {
		return nil, failure(ErrDesign, in.Name, nil, "there is no kernel %s", in.Kernel)
	}
	var missing []string
	for _, need := range needs {
		name, value, valued := strings.Cut(need, ".")
		r, ok := k.Register(name)
		if ok && valued {
			_, ok = r.Value(value)
		}
		if !ok {
			missing = append(missing, need)
		}
	}
	if len(missing) > 0 {
		return nil, failure(ErrDesign, in.Name, nil,
			"kernel %s is described without %s; its platform is older than this driver", k.Name, strings.Join(missing, ", "))
	}
	r, err := open(in.Name)
	if err != nil {
		return nil, failure(ErrAccess, in.Name, err, "its registers cannot be opened")
	}
	return &block{in.Name, k, r}, nil
}

// register is a register that newBlock has found.
func (b *block) register(name string) layout.Register {
	r, _ := b.kernel.Register(name)
	return r
}

// mask is the mask of named bits of a register, or one of its codes.
func (b *block) mask(name string, values ...string) uint32 {
	var m uint32
	for _, v := range values {
		bit, _ := b.register(name).Value(v)
		m |= bit
	}
	return m
}

// names lists the names of the set bits.
func (b *block) names(name string, value uint32) string {
	var set []string
	for _, v := range b.register(name).Values {
		if value&v.Value != 0 {
			set = append(set, v.Name)
		}
	}
	if len(set) == 0 {
		return "nothing"
	}
	return strings.Join(set, ", ")
}

// rows is the number of registers in a row.
func (b *block) rows(name string) int { return max(1, b.register(name).Count) }

func (b *block) read(ctx context.Context, at uint32, name string) (uint32, error) {
	v, err := b.r.Read(ctx, at)
	if err != nil {
		return 0, failure(ErrAccess, b.instance, err, "read %s", name)
	}
	return v, nil
}

func (b *block) get(ctx context.Context, name string, row int) (uint64, error) {
	r := b.register(name)
	at := r.At + uint32(row)*r.Stride
	low, err := b.read(ctx, at, name)
	if err != nil || r.Bits == 32 {
		return uint64(low), err
	}
	high, err := b.read(ctx, at+4, name)
	return uint64(high)<<32 | uint64(low), err
}

// word reads a register of 32 bits.
func (b *block) word(ctx context.Context, name string) (uint32, error) {
	v, err := b.get(ctx, name, 0)
	return uint32(v), err
}

func (b *block) put(ctx context.Context, name string, row int, v uint64) error {
	r := b.register(name)
	r.At += uint32(row) * r.Stride
	if err := r.Write(ctx, b.r, v); err != nil {
		return failure(ErrAccess, b.instance, err, "write %s", name)
	}
	return nil
}

// keep writes a register and checks that it reads as the value, or as one of the others.
func (b *block) keep(ctx context.Context, name string, row int, v uint64, others ...uint64) error {
	if err := b.put(ctx, name, row, v); err != nil {
		return err
	}
	got, err := b.get(ctx, name, row)
	if err != nil || got == v || slices.Contains(others, got) {
		return err
	}
	return failure(ErrHardware, b.instance, nil, "%s[%d] is 0x%X after 0x%X was written", name, row, got, v)
}
