package emu

import (
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Device is an engine as its host reaches it. All methods may be called
// concurrently.
type Device struct{ e *Engine }

var (
	_ engine.Device     = (*Device)(nil)
	_ accl.KernelCaller = (*Device)(nil)
)

// Device returns the host's side of the engine.
func (e *Engine) Device() engine.Device { return &Device{e} }

// usable is the error of a device that cannot be used now.
func (d *Device) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return d.e.calls.failure()
}

// ReadReg implements accl.Device. The error is ErrAddress for an offset that is not that of
// a word of the exchange memory.
func (d *Device) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	if word, is := d.e.n.inspection.word(off); is {
		return d.e.inspect(ctx, word)
	}
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	if err := d.e.exchange.check(off); err != nil {
		return 0, err
	}
	return d.e.exchange.Get(off), nil
}

// WriteReg implements accl.Device; errors are as with ReadReg.
func (d *Device) WriteReg(ctx context.Context, off, v uint32) error {
	word, is := d.e.n.inspection.word(off)
	if err := d.usable(ctx); err != nil && (word != "detail" || errors.Is(err, ErrClosed) || ctx.Err() != nil) {
		return err
	}
	if is {
		d.e.do(func() { d.e.control(word, v) })
		return nil
	}
	if err := d.e.exchange.check(off); err != nil {
		return err
	}
	d.e.exchange.Set(off, v)
	d.e.written.Store(true)
	return nil
}

// Start implements accl.Device. The error is ErrClient for an invalid client number, and
// the engine's own if it has failed.
func (d *Device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	t, err := d.e.calls.start(client, c)
	d.e.serve(ctx, nil)
	return t, err
}

// Wait implements accl.Device. The error is ErrTicket for a ticket without an
// answer to give, ErrClosed if the engine was closed, and wraps a *rv32.Trap
// if its firmware has failed.
func (d *Device) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	return d.e.calls.wait(ctx, t)
}

// Close closes the engine.
func (d *Device) Close() error { return d.e.Close() }

// OpenPort implements accl.SessionOpener. The port is told first where sessions lead.
func (d *Device) OpenPort(ctx context.Context, port uint16) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	d.e.do(d.e.routes.Survey)
	return d.e.port.Listen(port)
}

// OpenConnection implements accl.SessionOpener. It ends with the engine, too.
func (d *Device) OpenConnection(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	if err := d.usable(ctx); err != nil {
		return 0, err
	}
	d.e.do(d.e.routes.Survey)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.e.life, func() { cancel(ErrClosed) })()
	return d.e.port.Connect(ctx, ip, port)
}

// Push implements accl.KernelPort. The error is engine.ErrLoopback if the platform
// has no user kernel, and ErrKernel if a kernel runs there.
func (d *Device) Push(ctx context.Context, tdest uint32, data []byte) error {
	switch {
	case d.e.Looped():
		return engine.ErrLoopback
	case d.e.seated.in:
		return engine.ErrKernel
	}
	return d.e.fromKernel.Push(ctx, tdest, data)
}

// Pull implements accl.KernelPort. Errors are as with Push, and engine.ErrBeat if max is
// less than a beat.
func (d *Device) Pull(ctx context.Context, max int) (uint32, []byte, error) {
	switch {
	case d.e.Looped():
		return 0, nil, engine.ErrLoopback
	case d.e.seated.out:
		return 0, nil, engine.ErrKernel
	}
	return d.e.toKernel.Pull(ctx, max)
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
		addr, taken, err := e.allocators[0].Take(uint64(spec.Bytes), spec.At)
		if err != nil {
			return nil, err
		}
		return memory.New(memory.Block{
			Allocator: e.allocators[0], Taken: taken, Addr: addr, Bytes: spec.Bytes,
			To:   func(_ context.Context, b []byte, addr uint64) error { return copyIn(e.device, addr, b) },
			From: func(_ context.Context, b []byte, addr uint64) error { return copyOut(b, e.device, addr) },
		}), nil
	}
	host, ok := e.host.(*hostMemory)
	if e.o.SharedHost && e.clients[1] != nil {
		return nil, fmt.Errorf("%w: it is for clients that choose addresses themselves", ErrNoMemory)
	}
	if !ok {
		return nil, fmt.Errorf("%w: the platform %s does not reach host memory", ErrNoMemory, e.d.Platform.Name)
	}
	addr, taken, err := e.allocators[1].Take(uint64(spec.Bytes), spec.At)
	if err != nil {
		return nil, err
	}
	data := make([]byte, taken.To-taken.From)
	host.add(taken.From, data)
	at := addr - taken.From
	return memory.New(memory.Block{
		Allocator: e.allocators[1], Taken: taken, Addr: addr, Bytes: spec.Bytes,
		Shared: data[at : at+uint64(spec.Bytes)], Freed: func() { host.remove(taken.From) },
	}), nil
}

var _ engine.HostSharer = (*Engine)(nil)

// ShareHost implements engine.HostSharer. Errors are ErrFull, ErrTaken and
// ErrNoMemory.
func (e *Engine) ShareHost(addr uint64, data []byte) (release func() error, err error) {
	host, ok := e.host.(*hostMemory)
	if !ok {
		return nil, fmt.Errorf("%w: the platform %s reaches no memory of its host that is not its own", ErrNoMemory,
			e.d.Platform.Name)
	}
	if _, _, err := e.allocators[1].Take(uint64(len(data)), &addr); err != nil {
		return nil, err
	}
	taken := memory.Extent{From: addr, To: addr + uint64(len(data))}
	host.add(addr, data)
	return func() error {
		host.remove(addr)
		return e.allocators[1].Give(taken)
	}, nil
}
