package rtlsim

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Device is a simulated engine as its host reaches it. All methods may be called
// concurrently.
type Device struct{ e *Engine }

var _ engine.Device = (*Device)(nil)

// Device implements engine.Engine.
func (e *Engine) Device() engine.Device { return &Device{e} }

// usable is the error of a device that cannot be used now.
func (d *Device) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return d.e.calls.failure()
}

// check is the error for an offset that is no word's of the exchange memory.
func (d *Device) check(ctx context.Context, off uint32) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	if e := d.e; off%wordBytes != 0 || off < e.first || off >= e.end {
		return fmt.Errorf("%w: offset 0x%X is not a multiple of %d from 0x%X to 0x%X", engine.ErrAddress, off, wordBytes,
			e.first, e.end-wordBytes)
	}
	return nil
}

// ReadReg implements accl.Device.
func (d *Device) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	if err := d.check(ctx, off); err != nil {
		return 0, err
	}
	return d.e.access(ctx, &access{port: d.e.control, address: off})
}

// WriteReg implements accl.Device.
func (d *Device) WriteReg(ctx context.Context, off, v uint32) error {
	if err := d.check(ctx, off); err != nil {
		return err
	}
	_, err := d.e.access(ctx, &access{port: d.e.control, write: true, address: off, data: v})
	if err == nil {
		d.e.net.wrote(off, v)
	}
	return err
}

// Start implements accl.Device.
func (d *Device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	return d.e.calls.start(client, c)
}

// Wait implements accl.Device.
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
	return d.e.net.listen(port)
}

// OpenConnection implements accl.SessionOpener. It ends with the engine, too.
func (d *Device) OpenConnection(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.e.life, func() { cancel(engine.ErrClosed) })()
	return d.e.net.connect(ctx, ip, port)
}

// streams is why clients cannot be at the kernel streams.
func (e *Engine) streams() error {
	switch {
	case e.Looped():
		return engine.ErrLoopback
	case e.Occupied():
		return engine.ErrKernel
	}
	return nil
}

// Push implements accl.KernelPort. The error is ErrLoopback if nobody but the
// engine is at its kernel streams, ErrKernel if a kernel of the platform is.
func (d *Device) Push(ctx context.Context, tdest uint32, data []byte) error {
	if err := d.e.streams(); err != nil {
		return err
	}
	return d.e.kernel.in.Push(ctx, tdest, data)
}

// Pull implements accl.KernelPort.
func (d *Device) Pull(ctx context.Context, max int) (uint32, []byte, error) {
	if err := d.e.streams(); err != nil {
		return 0, nil, err
	}
	return d.e.kernel.out.Pull(ctx, max)
}

// Alloc implements accl.Device. Of host memory there is a copy, too.
func (d *Device) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	if err := d.usable(ctx); err != nil {
		return nil, err
	}
	if spec.Bytes <= 0 {
		return nil, fmt.Errorf("allocating %d bytes: at least 1 expected", spec.Bytes)
	}
	if spec.Host && d.e.o.SharedHost && d.e.spaces[1] != nil {
		return nil, fmt.Errorf("%w: it is for clients that choose addresses themselves", memory.ErrNoMemory)
	}
	s, err := d.e.space(spec.Host)
	if err != nil {
		return nil, err
	}
	addr, taken, err := s.allocator.Take(uint64(spec.Bytes), spec.At)
	if err != nil {
		return nil, err
	}
	return memory.New(memory.Block{
		Allocator: s.allocator, Taken: taken, Addr: addr, Bytes: spec.Bytes, Mirrored: spec.Host,
		To:   func(_ context.Context, b []byte, addr uint64) error { return s.write(b, addr) },
		From: func(_ context.Context, b []byte, addr uint64) error { return s.read(b, addr) },
	}), nil
}
