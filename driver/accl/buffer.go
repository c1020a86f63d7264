package accl

import (
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// Buffer is memory of an engine that holds elements of one type, with a copy in host
// memory. Slices of a buffer share both with it.
type Buffer[T any] struct {
	span
	dtype DType
	host  []T
	part  bool // of a buffer that was allocated
	err   error
}

// AllocOption changes how a buffer is allocated.
type AllocOption func(*allocOptions)

type allocOptions struct {
	host, peer, raw bool
	at              *uint64
}

// HostOnly puts the buffer in host memory that the engine reaches, instead of in device
// memory. The engine works on the host's copy itself, unless the device is behind a socket
// (Mirrored). The error is ErrUnsupported on platforms without host memory.
func HostOnly() AllocOption { return func(o *allocOptions) { o.host = true } }

// PeerToPeer puts the buffer in device memory that the host and other devices reach
// directly, through the card's BAR. Emulated and simulated engines ignore it; the Coyote
// shell does not support it.
func PeerToPeer() AllocOption { return func(o *allocOptions) { o.peer = true } }

// At puts the buffer at an address, which must be free. Cards do not support it.
func At(address uint64) AllocOption {
	return func(o *allocOptions) { o.at = &address }
}

// NoPrealloc leaves the contents of device memory undefined. Otherwise the zeros of a new
// buffer are copied there.
func NoPrealloc() AllocOption { return func(o *allocOptions) { o.raw = true } }

// Alloc allocates n elements in the memory of an engine, all 0.
func Alloc[T Element](ctx context.Context, e *Engine, n int, o ...AllocOption) (*Buffer[T], error) {
	return AllocAs[T](ctx, e, TypeOf[T](), n, o...)
}

// AllocAs allocates n elements of a type of the platform, represented by the Go type T,
// which must have the same size and no pointers, for example uint8 or [16]byte. Use
// AllocRaw for types whose size is not known at compile time.
func AllocAs[T any](ctx context.Context, e *Engine, t DType, n int, o ...AllocOption) (*Buffer[T], error) {
	b, _, err := allocate[T](ctx, e, t, reflect.TypeFor[T](), n, o)
	return b, err
}

// allocate allocates n elements of a type of the platform and returns their size. T
// represents an element, or a byte of it if rep is nil.
func allocate[T any](ctx context.Context, e *Engine, t DType, rep reflect.Type, n int,
	o []AllocOption) (*Buffer[T], int, error) {
	var opts allocOptions
	for _, set := range o {
		if set != nil {
			set(&opts)
		}
	}
	fail := func(err error) (*Buffer[T], int, error) {
		return nil, 0, fmt.Errorf("allocate %d elements of %s: %w", n, t, err)
	}
	if e == nil {
		return fail(fmt.Errorf("%w: no engine", ErrArgument))
	}
	known, err := e.allocatable(t, rep, n, &opts)
	if err != nil {
		return fail(err)
	}
	bytes, size := n*known.Bytes, int(unsafe.Sizeof(*new(T)))
	mem, err := e.dev.Alloc(ctx, MemSpec{Bytes: max(bytes, 1), Host: opts.host, Peer: opts.peer, At: opts.at})
	if err != nil {
		return fail(err)
	}
	b := &Buffer[T]{dtype: t, span: span{region: newRegion(e, mem, opts.host), bytes: bytes}}
	if known.Align > 1 && mem.Addr()%uint64(known.Align) != 0 {
		err = fmt.Errorf("%w: the device gave memory at 0x%X, which is no multiple of %d", ErrAlignment,
			mem.Addr(), known.Align)
	} else if b.host, err = view[T](mem.Bytes(), size, bytes/size); err == nil && !opts.raw {
		clear(b.host)
		err = b.syncTo(ctx)
	}
	if err != nil {
		_ = mem.Free() // what went wrong before is what the caller wants to know
		return fail(err)
	}
	return b, known.Bytes, nil
}

// allocatable checks a request for memory and returns its type.
func (e *Engine) allocatable(t DType, rep reflect.Type, n int, o *allocOptions) (Type, error) {
	if e.closed.Load() {
		return Type{}, ErrClosed
	}
	known, ok := e.p.typeOf(t)
	switch {
	case !ok:
		return known, fmt.Errorf("%w: %s does not know %q", ErrType, e.p.Name, t)
	case rep != nil && (int(rep.Size()) != known.Bytes || !plain(rep)):
		return known, fmt.Errorf("%w: %s does not represent an element of %d bytes", ErrType, rep, known.Bytes)
	case n < 0 || n > int(^uint(0)>>1)/known.Bytes:
		return known, fmt.Errorf("%w: %d", ErrCount, n)
	case o.host && o.peer:
		return known, fmt.Errorf("%w: host memory cannot be peer-to-peer memory", ErrOption)
	case o.host && !(e.p.Features.HostOperands && e.p.HostMemory):
		return known, fmt.Errorf("%w: operands in host memory; %s has no host memory or %s no flag for it", ErrUnsupported,
			e.p.Name, e.p.Generation)
	case o.at != nil && known.Align > 1 && *o.at%uint64(known.Align) != 0:
		return known, fmt.Errorf("%w: at 0x%X; %s stands at multiples of %d", ErrAlignment, *o.at, t, known.Align)
	}
	return known, nil
}

// plain reports whether a type consists of numbers only, without pointers.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	}
	return false
}

// view sees bytes as elements. Copying instead would cost a pass over the data
// for each transfer, and could not be done for memory that the engine writes.
func view[T any](b []byte, size, n int) ([]T, error) {
	if n == 0 {
		return nil, nil
	}
	if len(b) < n*size {
		return nil, fmt.Errorf("the device gave %d bytes", len(b))
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("%w: hosts that are not little-endian", ErrUnsupported)
	}
	p := unsafe.Pointer(&b[0])
	if uintptr(p)%unsafe.Alignof(*new(T)) != 0 {
		return nil, fmt.Errorf("the device gave memory that is not aligned to %d bytes", unsafe.Alignof(*new(T)))
	}
	return unsafe.Slice((*T)(p), n), nil
}

// Host is the host's copy. Operations, SyncToDevice and SyncFromDevice copy it to and from
// the device.
func (b *Buffer[T]) Host() []T { return b.host }

// Len is the number of elements.
func (b *Buffer[T]) Len() int { return len(b.host) }

// DType is the element type.
func (b *Buffer[T]) DType() DType { return b.dtype }

// Address is the address of the buffer as the engine sees it.
func (b *Buffer[T]) Address() uint64 { return b.address() }

// InHostMemory reports whether the buffer is in host memory only.
func (b *Buffer[T]) InHostMemory() bool { return b.region.host }

// SyncToDevice copies the buffer from host to device.
func (b *Buffer[T]) SyncToDevice(ctx context.Context) error { return b.sync(ctx, b.syncTo) }

// SyncFromDevice copies the buffer from device to host.
func (b *Buffer[T]) SyncFromDevice(ctx context.Context) error { return b.sync(ctx, b.syncFrom) }

func (b *Buffer[T]) sync(ctx context.Context, copy func(context.Context) error) error {
	if b.err != nil {
		return b.err
	}
	if err := b.hold(); err != nil {
		return err
	}
	defer b.release()
	return copy(ctx)
}

// Slice returns the elements i to j-1 of the buffer as a buffer that shares its memory. If
// they are out of range, the slice is empty, and every use of it returns the error that Err
// returns.
func (b *Buffer[T]) Slice(i, j int) *Buffer[T] {
	part := &Buffer[T]{span: b.span, dtype: b.dtype, part: true, err: b.err}
	if part.err == nil && (i < 0 || j < i || j > len(b.host)) {
		part.err = fmt.Errorf("%w: elements %d to %d of a buffer of %d", ErrCount, i, j, len(b.host))
	}
	if part.err != nil {
		part.bytes = 0
		return part
	}
	size := int(unsafe.Sizeof(*new(T)))
	part.offset, part.bytes, part.host = b.offset+i*size, (j-i)*size, b.host[i:j:j]
	if b.outside != nil {
		part.outside = b.outside[i*size : j*size]
	}
	return part
}

// Err is nil, or ErrCount if the buffer is a Slice out of range.
func (b *Buffer[T]) Err() error { return b.err }

// Free returns the memory of the buffer and of all its slices to the device. The error is
// ErrBusy while a call uses it, ErrFreed the second time, and ErrArgument for a slice.
func (b *Buffer[T]) Free() error {
	if b.part {
		return fmt.Errorf("%w: a slice is freed with its buffer", ErrArgument)
	}
	return b.free()
}

func (b *Buffer[T]) operand() ref {
	if b == nil {
		return ref{}
	}
	return ref{kind: inMemory, span: b.span, dtype: b.dtype, err: b.err}
}
