package sim

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// pieceBytes is the largest piece of a copy to or from the server in one message. Larger
// ones are not faster.
const pieceBytes = 256 << 10

// memory implements accl.Memory. What the engine sees is at the server, also of
// host memory, and Bytes are a copy.
type memory struct {
	d     *Device
	host  bool
	addr  uint64
	size  int // bytes
	taken extent

	mu    sync.RWMutex
	freed bool
	copy  sync.Once // makes bytes
	bytes []byte
}

// Alloc implements accl.Device: it chooses a free address and announces it to the server.
// The error is ErrTaken, ErrFull, or a *StatusError if the server has no such memory.
// Memory that was used before keeps its contents.
func (d *Device) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	if spec.Bytes <= 0 {
		return nil, fmt.Errorf("sim: allocating %d bytes: at least 1 expected", spec.Bytes)
	}
	s := d.space(spec.Host)
	addr, taken, err := s.take(uint64(spec.Bytes), spec.At)
	if err != nil {
		return nil, err
	}
	if _, err := d.do(ctx, &Request{Type: MemoryAllocate, Addr: addr, Len: uint64(spec.Bytes),
		Host: spec.Host}); err != nil {
		s.give(taken)
		return nil, err
	}
	return &memory{d: d, host: spec.Host, addr: addr, size: spec.Bytes, taken: taken}, nil
}

func (d *Device) space(host bool) *space {
	if host {
		return &d.spaces[1]
	}
	return &d.spaces[0]
}

func (m *memory) Addr() uint64 { return m.addr }

// Bytes is the host's copy. It is made on the first call, because memory that only the
// engine uses needs none.
func (m *memory) Bytes() []byte {
	m.copy.Do(func() { m.bytes = make([]byte, m.size) })
	return m.bytes
}

// Mirrored implements accl.Mirrored.
func (m *memory) Mirrored() bool { return true }

// SyncTo implements accl.Memory.
func (m *memory) SyncTo(ctx context.Context, offset, bytes int) error {
	return m.to(ctx, offset, bytes, func() []byte { return m.Bytes()[offset : offset+bytes] })
}

// SyncFrom implements accl.Memory.
func (m *memory) SyncFrom(ctx context.Context, offset, bytes int) error {
	return m.from(ctx, offset, bytes, func() []byte { return m.Bytes()[offset : offset+bytes] })
}

// CopyTo implements accl.Copier.
func (m *memory) CopyTo(ctx context.Context, offset int, from []byte) error {
	return m.to(ctx, offset, len(from), func() []byte { return from })
}

// CopyFrom implements accl.Copier.
func (m *memory) CopyFrom(ctx context.Context, offset int, to []byte) error {
	return m.from(ctx, offset, len(to), func() []byte { return to })
}

func (m *memory) to(ctx context.Context, offset, bytes int, of func() []byte) error {
	return m.sync(ctx, offset, bytes, of, func(at uint64, b []byte) error {
		_, err := m.d.do(ctx, &Request{Type: MemoryWrite, Addr: at, Host: m.host, Data: b})
		return err
	})
}

func (m *memory) from(ctx context.Context, offset, bytes int, of func() []byte) error {
	return m.sync(ctx, offset, bytes, of, func(at uint64, b []byte) error {
		r := Request{Type: MemoryRead, Addr: at, Len: uint64(len(b)), Host: m.host}
		reply, err := m.d.do(ctx, &r)
		if err != nil {
			return err
		}
		if reply.Data == nil || len(reply.Data) != len(b) {
			return fmt.Errorf("%s: %w: the reply has an rdata of %d bytes, asked for were %d", what(m.d.address, &r), ErrMessage,
				len(reply.Data), len(b))
		}
		copy(b, reply.Data)
		return nil
	})
}

// sync checks a range, and cuts the bytes of the host into pieces.
func (m *memory) sync(ctx context.Context, offset, bytes int, of func() []byte,
	transfer func(at uint64, b []byte) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.freed {
		return ErrFreed
	}
	if offset < 0 || bytes < 0 || offset > m.size || bytes > m.size-offset {
		return fmt.Errorf("sim: %d bytes from %d on are not within a memory of %d", bytes, offset, m.size)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	at := m.addr + uint64(offset)
	for part := range slices.Chunk(of(), pieceBytes) {
		if err := transfer(at, part); err != nil {
			return err
		}
		at += uint64(len(part))
	}
	return nil
}

// Free gives the addresses back. The error is ErrFreed if that was done before.
func (m *memory) Free() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return ErrFreed
	}
	m.freed = true
	m.d.space(m.host).give(m.taken)
	return nil
}
