// Package engine has the parts of engines and cards that do not depend on the way to the
// card: registers, host controllers that take calls, answers by ticket, and kernels that
// hosts call; and of cards the end of their use, open engines, and memory.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// Errors of engines on cards.
var (
	ErrInstance = errors.New("the card has no such kernel")
	ErrRegister = errors.New("no such register")
	ErrClient   = errors.New("no such client")
	ErrClosed   = errors.New("the card is closed")
	ErrOpen     = errors.New("the engine is open") // in this process
	ErrFreed    = errors.New("the memory was freed")
	ErrSilent   = errors.New("it neither takes nor answers calls") // of the host controller
)

// Place is the place of an engine.
type Place struct {
	Card   string // in errors: "card 0"
	Design *layout.Design
	Number int // of the engine
	// Registers returns the registers of an instance, and reserves it for this process.
	Registers func(instance string) (layout.Registers, error)
	// Holds reports whether an address lies in allocated memory.
	Holds func(address uint64) bool
}

// Engine is an accl.Device without memory, and an accl.KernelCaller.
type Engine struct {
	at          Place
	exchange    layout.Registers // of the engine itself
	controllers []*controller
	kernels     []*called
	tickets     Tickets

	life     context.Context // ends with Stop
	end      context.CancelCauseFunc
	spawning sync.Mutex
	tasks    sync.WaitGroup
}

// Open opens an engine of a platform. It ends with life, the context of its card.
func Open(ctx, life context.Context, p *accl.Platform, at Place) (*Engine, error) {
	d := &Engine{at: at}
	d.life, d.end = context.WithCancelCause(life)
	if err := d.open(ctx, p); err != nil {
		d.Stop()
		return nil, err
	}
	return d, nil
}

func (d *Engine) open(ctx context.Context, p *accl.Platform) (err error) {
	cclo, err := Of(d.at.Design, d.at.Number)
	if err != nil {
		return err
	}
	if d.exchange, err = d.at.Registers(cclo.Name); err != nil {
		return err
	}
	d.findKernels()
	controllers := d.at.Design.Of(d.at.Number, layout.HostController)
	if len(controllers) == 0 {
		controllers = []layout.Instance{cclo} // which has the registers itself
	}
	for _, in := range controllers {
		k, err := openController(ctx, d, p, in)
		if err != nil {
			return err
		}
		d.controllers = append(d.controllers, k)
	}
	return nil
}

// Of returns the instance of an engine.
func Of(d *layout.Design, number int) (layout.Instance, error) {
	cclo := d.Of(number, layout.Engine)
	if len(cclo) != 1 || number < 0 {
		return layout.Instance{}, fmt.Errorf("%w: %s has %d engines, they count from 0", ErrInstance, d.Platform, d.Engines())
	}
	return cclo[0], nil
}

// ReadReg implements accl.Device.
func (d *Engine) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	return d.exchange.Read(ctx, off)
}

// WriteReg implements accl.Device.
func (d *Engine) WriteReg(ctx context.Context, off, v uint32) error {
	return d.exchange.Write(ctx, off, v)
}

// Start implements accl.Device. The error is ErrClient if the engine has no such host
// controller; most platforms have one.
func (d *Engine) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if client < 0 || client >= len(d.controllers) {
		return 0, fmt.Errorf("%w: %d; engine %d has %d host controllers, counted from 0", ErrClient, client, d.at.Number,
			len(d.controllers))
	}
	call, err := d.controllers[client].start(ctx, c)
	if err != nil {
		return 0, err
	}
	return d.tickets.Add(call), nil
}

// Wait implements accl.Device.
func (d *Engine) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	code, err := d.tickets.Wait(ctx, t)
	if err != nil {
		return 0, fmt.Errorf("engine %d of %s: %w", d.at.Number, d.at.Card, err)
	}
	return code, nil
}

// Number is the number of the engine on its card.
func (d *Engine) Number() int { return d.at.Number }

// spawn runs something that Stop waits for. The error is why the engine has stopped.
func (d *Engine) spawn(task func()) error {
	d.spawning.Lock()
	defer d.spawning.Unlock()
	if d.life.Err() != nil {
		return context.Cause(d.life)
	}
	d.tasks.Go(task)
	return nil
}

// Stop ends waits for calls with ErrClosed.
func (d *Engine) Stop() {
	d.spawning.Lock()
	d.end(fmt.Errorf("%w: engine %d of %s", ErrClosed, d.at.Number, d.at.Card))
	d.spawning.Unlock()
	d.tasks.Wait()
}
