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

// Copier is implemented by Memory that copies between device and any memory of the host, in place of
// Bytes, in one copy.
type Copier interface {
	CopyTo(ctx context.Context, offset int, from []byte) error // host to device
	CopyFrom(ctx context.Context, offset int, to []byte) error // device to host
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
	outside       []byte // memory of the program in place of the host's copy, if not nil
}

func (s span) address() uint64 { return s.mem.Addr() + uint64(s.offset) }

// inside is where the span lies in the host's copy.
func (s span) inside() []byte { return s.mem.Bytes()[s.offset : s.offset+s.bytes] }

// direct is the memory as a Copier, if bytes of the program go that way.
func (s span) direct() (Copier, bool) {
	c, ok := s.mem.(Copier)
	return c, ok && s.outside != nil && !s.shared
}

// syncTo copies from host to device; there is nothing to do where both see the same bytes.
func (s span) syncTo(ctx context.Context) (err error) {
	if s.bytes == 0 {
		return nil
	}
	if c, ok := s.direct(); ok {
		err = c.CopyTo(ctx, s.offset, s.outside[:s.bytes])
	} else {
		if s.outside != nil {
			copy(s.inside(), s.outside)
		}
		if !s.shared {
			err = s.mem.SyncTo(ctx, s.offset, s.bytes)
		}
	}
	if err != nil {
		return fmt.Errorf("copy %d bytes to the device at 0x%X: %w", s.bytes, s.address(), err)
	}
	return nil
}

func (s span) syncFrom(ctx context.Context) (err error) {
	if s.bytes == 0 {
		return nil
	}
	if c, ok := s.direct(); ok {
		err = c.CopyFrom(ctx, s.offset, s.outside[:s.bytes])
	} else {
		if !s.shared {
			err = s.mem.SyncFrom(ctx, s.offset, s.bytes)
		}
		if err == nil && s.outside != nil {
			copy(s.outside, s.inside())
		}
	}
	if err != nil {
		return fmt.Errorf("copy %d bytes from the device at 0x%X: %w", s.bytes, s.address(), err)
	}
	return nil
}
