package memory

import (
	"context"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// Block describes an allocation.
type Block struct {
	Allocator *Allocator
	Taken     Extent // from it
	Addr      uint64
	Bytes     int
	// To and From move bytes between the host's copy and the memory of the engine.
	// Without them both see the same bytes: Shared.
	To, From func(ctx context.Context, b []byte, addr uint64) error
	Shared   []byte
	// Mirrored marks host memory that has a copy.
	Mirrored bool
	// Freed is called when the block is given back; may be nil.
	Freed func()
}

// New returns the block as the driver's accl.Memory.
func New(b Block) accl.Memory { return &memory{b: b, bytes: b.Shared} }

// memory implements accl.Memory.
type memory struct {
	b Block

	mu    sync.RWMutex
	freed bool
	copy  sync.Once // makes the host's copy
	bytes []byte
}

// Addr implements accl.Memory.
func (m *memory) Addr() uint64 { return m.b.Addr }

// Mirrored implements accl.Mirrored.
func (m *memory) Mirrored() bool { return m.b.Mirrored }

// Bytes is the host's copy. It is made when somebody asks for it: nobody does for
// what only the engine uses.
func (m *memory) Bytes() []byte {
	if m.b.Shared == nil {
		m.copy.Do(func() { m.bytes = make([]byte, m.b.Bytes) })
	}
	return m.bytes
}

// SyncTo implements accl.Memory.
func (m *memory) SyncTo(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, offset, bytes, m.b.To)
}

// SyncFrom implements accl.Memory.
func (m *memory) SyncFrom(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, offset, bytes, m.b.From)
}

// CopyTo implements accl.Copier.
func (m *memory) CopyTo(ctx context.Context, offset int, from []byte) error {
	return m.move(ctx, offset, len(from), m.b.To, func() []byte { return from })
}

// CopyFrom implements accl.Copier.
func (m *memory) CopyFrom(ctx context.Context, offset int, to []byte) error {
	return m.move(ctx, offset, len(to), m.b.From, func() []byte { return to })
}

func (m *memory) sync(ctx context.Context, offset, bytes int,
	transfer func(context.Context, []byte, uint64) error) error {
	return m.move(ctx, offset, bytes, transfer, func() []byte { return m.Bytes()[offset : offset+bytes] })
}

// move checks a range, and moves bytes of the host unless both see the same.
func (m *memory) move(ctx context.Context, offset, bytes int,
	transfer func(context.Context, []byte, uint64) error, of func() []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.freed {
		return ErrFreed
	}
	if offset < 0 || bytes < 0 || offset > m.b.Bytes || bytes > m.b.Bytes-offset {
		return fmt.Errorf("%d bytes from %d on are not within a memory of %d", bytes, offset, m.b.Bytes)
	}
	if transfer == nil {
		return nil
	}
	return transfer(ctx, of(), m.b.Addr+uint64(offset))
}

// Free gives the memory back. The error is ErrFreed if that was done before.
func (m *memory) Free() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return ErrFreed
	}
	m.freed = true
	if m.b.Freed != nil {
		m.b.Freed()
	}
	return m.b.Allocator.Give(m.b.Taken)
}
