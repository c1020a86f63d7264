package accl

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Mirrored is implemented by Memory in host memory. If Mirrored returns true, Bytes is a
// copy, because the engine reaches the memory of another host, a server behind a socket;
// SyncTo and SyncFrom copy then, as with device memory.
type Mirrored interface {
	Mirrored() bool
}

// region is memory of an engine that buffers share. Calls hold it while they
// are in flight.
type region struct {
	engine *Engine
	mem    Memory
	host   bool // it lies in host memory
	shared bool // engine and host see the same bytes
	// holds is the number of calls in flight, or freed.
	holds atomic.Int32
}

const freed = -1 << 31

// hold keeps the memory from being freed.
func (r *region) hold() error {
	for {
		n := r.holds.Load()
		if n == freed {
			return ErrFreed
		}
		if r.holds.CompareAndSwap(n, n+1) {
			return nil
		}
	}
}

func (r *region) release() { r.holds.Add(-1) }

func (r *region) free() error {
	if !r.holds.CompareAndSwap(0, freed) {
		if r.holds.Load() == freed {
			return ErrFreed
		}
		return ErrBusy
	}
	if err := r.mem.Free(); err != nil {
		return fmt.Errorf("free the memory at 0x%X: %w", r.mem.Addr(), err)
	}
	return nil
}

func newRegion(e *Engine, mem Memory, host bool) *region {
	copied, ok := mem.(Mirrored)
	return &region{engine: e, mem: mem, host: host, shared: host && !(ok && copied.Mirrored())}
}

// span is the part of a region that a buffer has, or a call uses.
type span struct {
	*region
	offset, bytes int
}

func (s span) address() uint64 { return s.mem.Addr() + uint64(s.offset) }

// sync copies between host and device; there is nothing to do where both see the
// same bytes.
func (s span) sync(ctx context.Context, copy func(context.Context, int, int) error, way string) error {
	if s.shared || s.bytes == 0 {
		return nil
	}
	if err := copy(ctx, s.offset, s.bytes); err != nil {
		return fmt.Errorf("copy %d bytes %s 0x%X: %w", s.bytes, way, s.address(), err)
	}
	return nil
}

func (s span) syncTo(ctx context.Context) error {
	return s.sync(ctx, s.mem.SyncTo, "to the device at")
}

func (s span) syncFrom(ctx context.Context) error {
	return s.sync(ctx, s.mem.SyncFrom, "from the device at")
}
