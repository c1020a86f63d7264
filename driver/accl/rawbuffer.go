package accl

import (
	"context"
	"fmt"
)

// RawBuffer is memory of an engine that holds elements of any type of the platform
// as bytes, with a copy in host memory: for types that Go has nothing for. As an
// operand it is what Buffer is.
type RawBuffer struct {
	bytes *Buffer[byte]
	size  int // bytes of an element
}

// AllocRaw allocates n elements of a type in the memory of an engine, all zero, at a
// multiple of the type's alignment.
func AllocRaw(ctx context.Context, e *Engine, t DType, n int, o ...AllocOption) (*RawBuffer, error) {
	b, size, err := allocate[byte](ctx, e, t, nil, n, o)
	if err != nil {
		return nil, err
	}
	return &RawBuffer{b, size}, nil
}

// Host is the host's copy, all elements one behind the other.
func (b *RawBuffer) Host() []byte { return b.bytes.host }

// At is element i of the host's copy.
func (b *RawBuffer) At(i int) []byte { return b.bytes.host[i*b.size : (i+1)*b.size : (i+1)*b.size] }

// Len is the number of elements.
func (b *RawBuffer) Len() int { return len(b.bytes.host) / b.size }

// ElementBytes is the size of an element.
func (b *RawBuffer) ElementBytes() int { return b.size }

// DType is the element type.
func (b *RawBuffer) DType() DType { return b.bytes.dtype }

// Address is where the engine sees the buffer.
func (b *RawBuffer) Address() uint64 { return b.bytes.Address() }

// InHostMemory reports whether the buffer is in host memory only.
func (b *RawBuffer) InHostMemory() bool { return b.bytes.InHostMemory() }

// SyncToDevice copies the buffer from host to device.
func (b *RawBuffer) SyncToDevice(ctx context.Context) error { return b.bytes.SyncToDevice(ctx) }

// SyncFromDevice copies the buffer from device to host.
func (b *RawBuffer) SyncFromDevice(ctx context.Context) error { return b.bytes.SyncFromDevice(ctx) }

// Slice is the part of the buffer from element i to before j, as Buffer.Slice.
func (b *RawBuffer) Slice(i, j int) *RawBuffer {
	if b.bytes.err == nil && (i < 0 || j < i || j > b.Len()) {
		none := b.bytes.Slice(0, 0)
		none.err = fmt.Errorf("%w: elements %d to %d of a buffer of %d", ErrCount, i, j, b.Len())
		return &RawBuffer{none, b.size}
	}
	return &RawBuffer{b.bytes.Slice(i*b.size, j*b.size), b.size}
}

// Err is what makes the buffer unusable, as Buffer.Err.
func (b *RawBuffer) Err() error { return b.bytes.err }

// Free gives the memory of the buffer and of all its slices back, as Buffer.Free.
func (b *RawBuffer) Free() error { return b.bytes.Free() }

func (b *RawBuffer) operand() ref {
	if b == nil {
		return ref{}
	}
	return b.bytes.operand()
}
