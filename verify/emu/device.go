package emu

import (
	"context"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// Device is an engine as its host reaches it. All methods may be called
// concurrently.
type Device struct{ e *Engine }

var (
	_ accl.Device        = (*Device)(nil)
	_ accl.SessionOpener = (*Device)(nil)
	_ accl.KernelPort    = (*Device)(nil)
)

// Device returns the host's side of the engine.
func (e *Engine) Device() *Device { return &Device{e} }

// usable is the error of a device that cannot be used now.
func (d *Device) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return d.e.calls.failure()
}

// ReadReg implements accl.Device. The error is ErrAddress for what is no word
// of the exchange memory.
func (d *Device) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	if err := d.e.exchange.check(off); err != nil {
		return 0, err
	}
	return d.e.exchange.get(off), nil
}

// WriteReg implements accl.Device; errors are as with ReadReg.
func (d *Device) WriteReg(ctx context.Context, off, v uint32) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	if err := d.e.exchange.check(off); err != nil {
		return err
	}
	d.e.exchange.set(off, v)
	return nil
}

// Start implements accl.Device. The error is ErrClient for a client that
// cannot be, and that of the engine if it has failed.
func (d *Device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	return d.e.calls.start(client, c)
}

// Wait implements accl.Device. The error is ErrTicket for a ticket without an
// answer to give, ErrClosed if the engine was closed, and wraps a *rv32.Trap
// if its firmware has failed.
func (d *Device) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	return d.e.calls.wait(ctx, t)
}

// Close closes the engine.
func (d *Device) Close() error { return d.e.Close() }

// OpenPort implements accl.SessionOpener.
func (d *Device) OpenPort(ctx context.Context, port uint16) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	d.e.learn()
	return d.e.port.Listen(port)
}

// OpenConnection implements accl.SessionOpener. It ends with the engine, too.
func (d *Device) OpenConnection(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	d.e.learn()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.e.life, func() { cancel(ErrClosed) })()
	return d.e.port.Connect(ctx, ip, port)
}

// Push implements accl.KernelPort. The error is ErrLoopback if the platform
// has no user kernel.
func (d *Device) Push(ctx context.Context, tdest uint32, data []byte) error {
	if d.e.Looped() {
		return ErrLoopback
	}
	return d.e.fromKernel.push(ctx, tdest, data)
}

// Pull implements accl.KernelPort. The error is ErrLoopback if the platform
// has no user kernel, and ErrBeat if max is less than a beat.
func (d *Device) Pull(ctx context.Context, max int) (uint32, []byte, error) {
	if d.e.Looped() {
		return 0, nil, ErrLoopback
	}
	return d.e.toKernel.pull(ctx, max)
}

// Alloc implements accl.Device. Errors are ErrFull, ErrTaken and ErrNoMemory.
func (d *Device) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	if err := d.usable(ctx); err != nil {
		return nil, err
	}
	if spec.Bytes <= 0 {
		return nil, fmt.Errorf("emu: allocating %d bytes: at least 1 expected", spec.Bytes)
	}
	e := d.e
	if !spec.Host {
		addr, taken, err := e.allocators[0].take(uint64(spec.Bytes), spec.At)
		if err != nil {
			return nil, err
		}
		return &memory{e: e, a: e.allocators[0], taken: taken, addr: addr, size: spec.Bytes}, nil
	}
	host, ok := e.host.(*hostMemory)
	if e.o.SharedHost && e.clients[1] != nil {
		return nil, fmt.Errorf("%w: it is for clients that choose addresses themselves", ErrNoMemory)
	}
	if !ok {
		return nil, fmt.Errorf("%w: the platform %s does not reach host memory", ErrNoMemory, e.d.Platform.Name)
	}
	addr, taken, err := e.allocators[1].take(uint64(spec.Bytes), spec.At)
	if err != nil {
		return nil, err
	}
	data := make([]byte, taken.to-taken.from)
	host.add(taken.from, data)
	at := addr - taken.from
	return &memory{e: e, a: e.allocators[1], taken: taken, addr: addr, size: spec.Bytes, host: host, bytes: data[at : at+uint64(spec.Bytes)]}, nil
}

// memory implements accl.Memory.
type memory struct {
	e     *Engine
	a     *allocator
	taken extent
	addr  uint64
	size  int         // bytes
	host  *hostMemory // nil for device memory

	mu    sync.RWMutex
	freed bool
	copy  sync.Once // makes the host's copy of device memory
	bytes []byte
}

func (m *memory) Addr() uint64 { return m.addr }

// Bytes is the host's copy. That of device memory is made when somebody asks for
// it: nobody does for what only the engine uses.
func (m *memory) Bytes() []byte {
	if m.host == nil {
		m.copy.Do(func() { m.bytes = make([]byte, m.size) })
	}
	return m.bytes
}

func (m *memory) SyncTo(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, offset, bytes, func(b []byte, addr uint64) error { return copyIn(m.e.device, addr, b) })
}

func (m *memory) SyncFrom(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, offset, bytes, func(b []byte, addr uint64) error { return copyOut(b, m.e.device, addr) })
}

func (m *memory) sync(ctx context.Context, offset, bytes int, transfer func([]byte, uint64) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.freed {
		return ErrFreed
	}
	if offset < 0 || bytes < 0 || offset > m.size || bytes > m.size-offset {
		return fmt.Errorf("emu: %d bytes from %d on are not within a memory of %d", bytes, offset, m.size)
	}
	if m.host != nil {
		return nil
	}
	return transfer(m.Bytes()[offset:offset+bytes], m.addr+uint64(offset))
}

// Free gives the memory back. The error is ErrFreed if that was done before.
func (m *memory) Free() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return ErrFreed
	}
	m.freed = true
	if m.host != nil {
		m.host.remove(m.taken.from)
	}
	return m.a.give(m.taken)
}
