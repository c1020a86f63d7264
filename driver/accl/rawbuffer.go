package accl

import (
	"context"
	"fmt"
)

// RawBuffer is a Buffer for elements of any type of the platform, as bytes: for types that
// no Go type represents.
type RawBuffer struct {
	bytes *Buffer[byte]
	size  int // bytes of an element
}

// AllocRaw allocates n elements of a type in the memory of an engine, all bytes 0, at a
// multiple of the type's alignment.
func AllocRaw(ctx context.Context, e *Engine, t DType, n int, o ...AllocOption) (*RawBuffer, error) {
	b, size, err := allocate[byte](ctx, e, t, nil, n, o)
	if err != nil {
		return nil, err
	}
	return &RawBuffer{b, size}, nil
}

// Host is the host's copy of all elements, without gaps.
func (b *RawBuffer) Host() []byte { return b.bytes.host }

// At returns the bytes of element i of the host's copy.
func (b *RawBuffer) At(i int) []byte { return b.bytes.host[i*b.size : (i+1)*b.size : (i+1)*b.size] }

// Len is the number of elements.
func (b *RawBuffer) Len() int { return len(b.bytes.host) / b.size }

// ElementBytes is the size of an element in bytes.
func (b *RawBuffer) ElementBytes() int { return b.size }

// DType is the element type.
func (b *RawBuffer) DType() DType { return b.bytes.dtype }

// Address is the address of the buffer as the engine sees it.
func (b *RawBuffer) Address() uint64 { return b.bytes.Address() }

// InHostMemory reports whether the buffer is in host memory only.
func (b *RawBuffer) InHostMemory() bool { return b.bytes.InHostMemory() }

// SyncToDevice copies the buffer from host to device.
func (b *RawBuffer) SyncToDevice(ctx context.Context) error { return b.bytes.SyncToDevice(ctx) }

// SyncFromDevice copies the buffer from device to host.
func (b *RawBuffer) SyncFromDevice(ctx context.Context) error { return b.bytes.SyncFromDevice(ctx) }

// Slice returns the elements i to j-1, as Buffer.Slice.
func (b *RawBuffer) Slice(i, j int) *RawBuffer {
	if b.bytes.err == nil && (i < 0 || j < i || j > b.Len()) {
		none := b.bytes.Slice(0, 0)
		none.err = fmt.Errorf("%w: elements %d to %d of a buffer of %d", ErrCount, i, j, b.Len())
		return &RawBuffer{none, b.size}
	}
	return &RawBuffer{b.bytes.Slice(i*b.size, j*b.size), b.size}
}

// As returns bytes of the buffer, from an offset on, as elements of another type of the platform, sharing their
// memory. Memory of the program that is not nil takes the place of the host's copy, from its first byte on: each
// call copies between it and the device, once in each direction, and the program must not touch it meanwhile.
// Err is ErrType, ErrCount or ErrAlignment.
func (b *RawBuffer) As(t DType, offset, bytes int, memory []byte) *RawBuffer {
	part := b.bytes.Slice(offset, offset+bytes)
	known, ok := b.bytes.engine.p.typeOf(t)
	switch {
	case part.err != nil:
	case !ok:
		part.err = fmt.Errorf("%w: %s does not know %q", ErrType, b.bytes.engine.p.Name, t)
	case known.Align > 1 && part.address()%uint64(known.Align) != 0:
		part.err = fmt.Errorf("%w: at 0x%X; %s stands at multiples of %d", ErrAlignment, part.address(), t, known.Align)
	case memory != nil && len(memory) < bytes:
		part.err = fmt.Errorf("%w: %d bytes in place of %d", ErrCount, len(memory), bytes)
	case memory != nil:
		part.outside, part.host = memory, memory[:bytes:bytes]
	}
	part.dtype = t
	return &RawBuffer{part, max(known.Bytes, 1)}
}

// Err is nil, or ErrCount if the buffer is a Slice out of range.
func (b *RawBuffer) Err() error { return b.bytes.err }

// Free returns the memory of the buffer and of all its slices to the device, as Buffer.Free.
func (b *RawBuffer) Free() error { return b.bytes.Free() }

func (b *RawBuffer) operand() ref {
	if b == nil {
		return ref{}
	}
	return b.bytes.operand()
}
