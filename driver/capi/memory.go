package capi

import (
	"cmp"
	"errors"
	"fmt"
	mathbits "math/bits"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
)

// Memory that is asked for.
const (
	inDevice = iota
	inHost
)

// most is how many bytes of device memory are kept for memory of the program that is not registered.
const most = 64 << 20

// memory is what a rank knows of addresses of the program.
type memory struct {
	mu      sync.RWMutex
	regions []*region       // by address
	idle    map[int][]*loan // by size
	kept    int             // bytes of these
}

// region is memory that was allocated or registered.
type region struct {
	at      uintptr
	bytes   int
	buffer  *accl.RawBuffer
	outside []byte         // of the program; nil if it is the buffer's own
	pinned  runtime.Pinner // C has the address of what Go may have allocated
}

// find is the place of the first region that ends behind an address.
func (m *memory) find(address uintptr) int {
	i, _ := slices.BinarySearchFunc(m.regions, address, func(r *region, a uintptr) int {
		if r.at+uintptr(r.bytes) <= a {
			return -1
		}
		return 1
	})
	return i
}

// holder is the region that has an address; nil if none has.
func (m *memory) holder(address uintptr) *region {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if i := m.find(address); i < len(m.regions) && m.regions[i].at <= address {
		return m.regions[i]
	}
	return nil
}

// insert keeps a region that overlaps no other.
func (m *memory) insert(r *region) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.find(r.at)
	if i < len(m.regions) && m.regions[i].at < r.at+uintptr(r.bytes) {
		return fmt.Errorf("%w: %d bytes at 0x%x overlap %d at 0x%x, which are registered", accl.ErrArgument, r.bytes, r.at,
			m.regions[i].bytes, m.regions[i].at)
	}
	m.regions = slices.Insert(m.regions, i, r)
	return nil
}

// allocate allocates memory of the engine for elements of any type.
func (r *rank) allocate(size int64, o ...accl.AllocOption) (*accl.RawBuffer, error) {
	if size < 0 || size > 1<<40 {
		return nil, fmt.Errorf("%w: %d bytes", accl.ErrCount, size)
	}
	widest := slices.MaxFunc(r.engine.Platform().Types, func(a, b accl.Type) int {
		return cmp.Compare(max(a.Bytes, a.Align), max(b.Bytes, b.Align))
	})
	n := (max(int(size), 1) + widest.Bytes - 1) / widest.Bytes
	return accl.AllocRaw(r.world.Context, r.engine, widest.Name, n, o...)
}

// alloc allocates memory, all 0, and returns its address.
func (r *rank) alloc(where, size int64) (unsafe.Pointer, error) {
	var o []accl.AllocOption
	switch where {
	case inDevice:
	case inHost:
		o = append(o, accl.HostOnly())
	default:
		return nil, fmt.Errorf("%w: memory %d", accl.ErrArgument, where)
	}
	b, err := r.allocate(size, o...)
	if err != nil {
		return nil, err
	}
	p := unsafe.Pointer(&b.Host()[0])
	kept := &region{at: uintptr(p), bytes: max(int(size), 1), buffer: b}
	kept.pinned.Pin(p)
	return p, r.insert(kept)
}

// register gives memory of the program device memory of its own.
func (r *rank) register(p unsafe.Pointer, size int64, o ...accl.AllocOption) error {
	if size < 1 {
		return fmt.Errorf("%w: %d bytes", accl.ErrCount, size)
	}
	b, err := r.allocate(size, append(o, accl.NoPrealloc())...)
	if err != nil {
		return err
	}
	err = r.insert(&region{at: uintptr(p), bytes: int(size), buffer: b, outside: unsafe.Slice((*byte)(p), size)})
	if err != nil {
		return errors.Join(err, b.Free())
	}
	return nil
}

// free gives up what was allocated or registered at an address.
func (r *rank) free(p unsafe.Pointer) error {
	known := r.holder(uintptr(p))
	if known == nil || known.at != uintptr(p) {
		return fmt.Errorf("%w: nothing was allocated or registered at %p", accl.ErrArgument, p)
	}
	if err := known.buffer.Free(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.regions = slices.DeleteFunc(r.regions, func(o *region) bool { return o == known })
	known.pinned.Unpin()
	return nil
}

// forget lets go of the memory of a world that is closed.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.regions {
		r.pinned.Unpin()
	}
	m.regions, m.idle, m.kept = nil, nil, 0
}

// view is memory at an address, as elements of a type. Memory of the program that is not registered, and elements
// that are not where the device can have them, get device memory for the call, which is returned, too.
func (r *rank) view(p unsafe.Pointer, size int, t accl.DType) (operand *accl.RawBuffer, lent *loan, err error) {
	if known := r.holder(uintptr(p)); known != nil {
		offset := int(uintptr(p) - known.at)
		if size > known.bytes-offset {
			return nil, nil, fmt.Errorf("%w: %d bytes at %p, and the buffer has %d", accl.ErrCount, size, p,
				known.bytes-offset)
		}
		var outside []byte
		if known.outside != nil {
			outside = known.outside[offset:]
		}
		b := known.buffer.As(t, offset, size, outside)
		if known.outside == nil || !errors.Is(b.Err(), accl.ErrAlignment) {
			return b, nil, nil
		}
	}
	if lent, err = r.lend(size); err != nil {
		return nil, nil, err
	}
	return lent.As(t, 0, size, unsafe.Slice((*byte)(p), size)), lent, nil
}

// class rounds a size up: at most by an eighth above 4 KiB.
func class(size int) int {
	size = max(size, 4<<10)
	step := 1 << (mathbits.Len(uint(size-1)) - 3)
	return (size + step - 1) &^ (step - 1)
}

// loan is device memory for a call, of a size.
type loan struct {
	*accl.RawBuffer
	size int
}

func (r *rank) lend(size int) (*loan, error) {
	size = class(size)
	r.mu.Lock()
	if all := r.idle[size]; len(all) > 0 {
		b := all[len(all)-1]
		r.idle[size] = all[:len(all)-1]
		r.kept -= size
		r.mu.Unlock()
		return b, nil
	}
	r.mu.Unlock()
	b, err := r.allocate(int64(size), accl.NoPrealloc())
	if err != nil {
		return nil, err
	}
	return &loan{b, size}, nil
}

// back takes what was lent. What a call that failed may still use stays its own.
func (r *rank) back(lent []*loan, failed bool) {
	for _, b := range lent {
		r.mu.Lock()
		keep := !failed && r.kept+b.size <= most
		if keep {
			if r.idle == nil {
				r.idle = map[int][]*loan{}
			}
			r.idle[b.size] = append(r.idle[b.size], b)
			r.kept += b.size
		}
		r.mu.Unlock()
		if !keep {
			_ = b.Free() // ErrBusy: it ends with the world
		}
	}
}
