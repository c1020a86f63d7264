package xrt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/layout"
)

// memory is a buffer of XRT. It implements accl.Memory.
type memory struct {
	engine.Memory
	c      *Card
	handle uintptr
	addr   uint64
}

// Alloc implements accl.Device. The error is ErrMemory for memory at a given address,
// because XRT chooses addresses, and for host memory that the platform does not reach; it
// matches ENOMEM if there is no room.
func (d *Device) Alloc(_ context.Context, spec accl.MemSpec) (accl.Memory, error) {
	var flags uint64
	group, what := d.group, "device memory"
	switch {
	case spec.Bytes <= 0:
		return nil, fmt.Errorf("allocate %d bytes: at least 1 expected", spec.Bytes)
	case spec.At != nil:
		return nil, fmt.Errorf("%w: at 0x%X: on cards XRT chooses addresses", ErrMemory, *spec.At)
	case spec.Host && d.hostGroup < 0:
		return nil, fmt.Errorf("%w: engine %d does not reach host memory", ErrMemory, d.engine)
	case spec.Host:
		flags, group, what = hostOnly, d.hostGroup, "host memory"
	case spec.Peer:
		flags, what = peerToPeer, "peer-to-peer memory"
	}
	m, err := d.c.buffer(uint64(spec.Bytes), flags, uint32(group))
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of %s on %s: %w", spec.Bytes, what, d.c.name, err)
	}
	return m, nil
}

// Alloc allocates memory that a port of an instance reaches, such as "m00_axi" of
// "poe_0", for kernels with data of their own. Errors are those of Device.Alloc.
func (c *Card) Alloc(instance, port string, bytes int) (accl.Memory, error) {
	in, _ := c.design.Instance(instance)
	i := slices.IndexFunc(in.Banks, func(b layout.Banks) bool { return b.Port == port })
	arguments, err := c.layout.Arguments(instance)
	if err != nil || i < 0 || i >= len(arguments) || bytes <= 0 {
		return nil, errors.Join(fmt.Errorf("%w: %d bytes for %s of %s on %s", ErrMemory, bytes, port, instance, c.name), err)
	}
	at, err := c.layout.BufferBank(instance, arguments[i])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	m, err := c.buffer(uint64(bytes), 0, uint32(at.Index))
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes for %s on %s: %w", bytes, instance, c.name, err)
	}
	return m, nil
}

// buffer allocates and maps a buffer.
func (c *Card) buffer(bytes, flags uint64, group uint32) (*memory, error) {
	done, err := c.use()
	if err != nil {
		return nil, err
	}
	defer done()
	m := &memory{Memory: engine.Memory{Use: c.use, Direct: flags != 0}, c: c}
	if m.handle, err = c.l.handle("xrtBOAlloc",
		func() uintptr { return c.l.alloc(c.device, uintptr(bytes), flags, group) }); err != nil {
		return nil, err
	}
	var at unsafe.Pointer
	_, err = c.l.handle("xrtBOMap", func() uintptr {
		at = c.l.mapped(m.handle)
		return uintptr(at)
	})
	if m.addr = c.l.address(m.handle); err == nil && m.addr == math.MaxUint64 { // XRT's answer of an error
		err = &CallError{Function: "xrtBOAddress"}
	}
	if err != nil {
		return nil, errors.Join(err, status("xrtBOFree", c.l.free(m.handle)))
	}
	m.Host = unsafe.Slice((*byte)(at), bytes)
	c.mu.Lock()
	c.buffers[m] = true
	c.mu.Unlock()
	return m, nil
}

func (m *memory) Addr() uint64 { return m.addr }

func (m *memory) SyncTo(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, toDevice, offset, bytes)
}

func (m *memory) SyncFrom(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, fromDevice, offset, bytes)
}

func (m *memory) sync(ctx context.Context, direction uint32, offset, bytes int) error {
	return m.Transfer(ctx, offset, bytes, func() error {
		return status("xrtBOSync", m.c.l.sync(m.handle, direction, uintptr(bytes), uintptr(offset)))
	})
}

// Free implements accl.Memory. Its Bytes must not be used any more.
func (m *memory) Free() error {
	return m.Return(m.give, func() error {
		m.c.mu.Lock()
		defer m.c.mu.Unlock()
		delete(m.c.buffers, m)
		return nil
	})
}

// give gives a buffer back to XRT.
func (m *memory) give() error { return status("xrtBOFree", m.c.l.free(m.handle)) }

// holds reports whether an address lies in a buffer.
func (c *Card) holds(address uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return engine.Holds(maps.Keys(c.buffers), address)
}
