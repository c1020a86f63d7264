package accl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Engine is a collective engine that serves one rank of a program.
type Engine struct {
	dev Device
	p   *Platform
	w   *wire
	o   openOptions
	own *witness
	// caller is the device, or what WithCaller has put before it.
	caller Caller

	streams bool // the engine has kernel streams

	// gate is open, for reading, to calls; configuration closes it.
	gate    sync.RWMutex
	ready   atomic.Bool // configured: calls are taken
	closed  atomic.Bool
	started atomic.Uint64
	world   atomic.Pointer[Comm]
	flying  atomic.Int64
	limit   atomic.Pointer[context.Context] // the last that waits have shared
	unasked unaskedRequests

	// setup guards what follows. What calls read of it does not change while the
	// engine is ready, other than under the gate.
	setup   sync.Mutex
	rx      []Memory
	scratch []Memory
	layout  layout
	configs []config
	comms   []*Comm
	enabled bool
}

// New returns an engine without accessing its device. SetupRxBuffers, ConfigureCommunicator,
// OpenPort and OpenCon configure it, in this order; Open does all of that.
func New(dev Device, p *Platform, o ...OpenOption) (*Engine, error) {
	e := &Engine{dev: dev, p: p}
	for _, set := range o {
		if set != nil {
			set(&e.o)
		}
	}
	if dev == nil || p == nil {
		return nil, fmt.Errorf("%w: no device or no platform", ErrArgument)
	}
	if e.caller = dev; e.o.caller != nil {
		e.caller = e.o.caller(e, dev)
	}
	if e.own = e.o.own; e.own == nil {
		e.own = newWitness(p, dev)
	}
	if err := e.o.complete(p); err != nil {
		return nil, fmt.Errorf("configure %s: %w", p.Name, err)
	}
	var err error
	if e.w, err = newWire(p); err != nil {
		return nil, fmt.Errorf("configure %s: %w", p.Name, err)
	}
	e.streams = p.DecodeHardwareID(p.HardwareID.Value).KernelStreams
	for _, t := range e.o.tuning {
		if !e.tunes(t.Name) {
			return nil, fmt.Errorf("configure %s: %w: %s has no tuning word %q", p.Name, ErrArgument, p.Generation, t.Name)
		}
	}
	if e.o.tell != nil {
		e.o.tell(e.own.report)
	}
	return e, nil
}

func (e *Engine) tunes(name string) bool {
	w := e.p.Exchange.Word(name)
	return w != nil && w.Group == "tuning"
}

// Open configures the engine behind a device as a member of a world of ranks; local is its
// index among them. Close does not close the device.
//
// On networks with sessions, ranks wait for each other: open the ranks of one program at
// the same time, by OpenAll or in a goroutine each. On UDP and RDMA, messages to a rank
// that is not open yet are lost: all ranks must be open before one of them communicates.
// Package bringup ensures that across processes.
func Open(ctx context.Context, dev Device, p *Platform, ranks []Rank, local int, o ...OpenOption) (*Engine, error) {
	e, err := New(dev, p, o...)
	if err != nil {
		return nil, err
	}
	if err := e.open(ctx, ranks, local); err != nil {
		if cleanup := e.abort(ctx); cleanup != nil {
			err = errors.Join(err, cleanup)
		}
		return nil, fmt.Errorf("open rank %d on %s: %w", local, p.Name, err)
	}
	return e, nil
}

func (e *Engine) open(ctx context.Context, ranks []Rank, local int) error {
	if err := checkRanks(ranks, local); err != nil {
		return err
	}
	if _, err := e.w.plan(&e.p.Exchange, e.o.rx.Count, len(ranks), e.o.configs); err != nil {
		return err
	}
	if err := e.claim(ctx); err != nil {
		return err
	}
	if err := e.SetupRxBuffers(ctx, 0, 0); err != nil {
		return err
	}
	if _, err := e.ConfigureCommunicator(ctx, ranks, local); err != nil {
		return err
	}
	if err := e.OpenPort(ctx); err != nil {
		return err
	}
	return e.OpenCon(ctx)
}

// abort gives back what a failed Open took.
func (e *Engine) abort(ctx context.Context) error {
	if len(e.rx) == 0 {
		e.closed.Store(true)
		e.own.close()
		return nil // the engine was not touched
	}
	return e.Close(context.WithoutCancel(ctx))
}

// OpenAll opens an engine for each device, all at the same time: device i is rank i of the
// world. If it opens all ranks, it sets OwnPeers. On an error, it closes the engines that
// it has opened.
func OpenAll(ctx context.Context, devices []Device, p *Platform, ranks []Rank, o ...OpenOption) ([]*Engine, error) {
	engines := make([]*Engine, len(devices))
	errs := make([]error, len(devices))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	beside := Beside(p, devices)
	o = append([]OpenOption{OwnPeers(len(devices) == len(ranks))}, o...)
	var group sync.WaitGroup
	for i, dev := range devices {
		group.Go(func() {
			if engines[i], errs[i] = Open(ctx, dev, p, ranks, i, append(slices.Clone(o), beside[i])...); errs[i] != nil {
				cancel() // the others would wait for this one
			}
		})
	}
	group.Wait()
	err := firstOf(errs)
	if err == nil {
		return engines, nil
	}
	for _, e := range engines {
		if e != nil {
			_ = e.Close(context.WithoutCancel(ctx)) // the first error is what matters
		}
	}
	return nil, err
}

// firstOf prefers errors that are not a cancellation by OpenAll.
func firstOf(errs []error) error {
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || errors.Is(first, context.Canceled) && !errors.Is(err, context.Canceled)) {
			first = err
		}
	}
	return first
}

// Platform is the platform that the engine was opened with. It must not be changed.
func (e *Engine) Platform() *Platform { return e.p }

// World is the communicator of all ranks, nil before ConfigureCommunicator.
func (e *Engine) World() *Comm { return e.world.Load() }

// calls is the world, or a communicator whose operations return an error if there is none.
func (e *Engine) calls() *Comm {
	if c := e.world.Load(); c != nil {
		return c
	}
	return &Comm{engine: e}
}

// Rank is the index of this engine in the world, -1 before ConfigureCommunicator.
func (e *Engine) Rank() int { return e.World().Rank() }

// Size is the number of ranks in the world, 0 before ConfigureCommunicator.
func (e *Engine) Size() int { return e.World().Size() }

// usable returns why calls cannot be placed, or nil.
func (e *Engine) usable() error {
	switch {
	case e.ready.Load():
		return nil
	case e.closed.Load():
		return ErrClosed
	default:
		return ErrNotConfigured
	}
}

// configure makes a config call and waits for its answer.
func (e *Engine) configure(ctx context.Context, function string, count uint32, comm *Comm) error {
	code, ok := e.w.configs[function]
	if !ok {
		return fmt.Errorf("%w: %s has no %s", ErrUnsupported, e.p.Generation, function)
	}
	c := Call{Scenario: e.w.config, Count: count, FunctionCode: code, Tag: e.p.TagAny}
	if comm != nil {
		c.Comm = comm.at
	}
	ctx, cancel := e.limited(ctx)
	defer cancel()
	ticket, err := e.caller.Start(ctx, e.o.client, c)
	if err != nil {
		return fmt.Errorf("%s: place the call: %w", function, orCause(ctx, err))
	}
	answer, err := e.caller.Wait(ctx, ticket)
	if err != nil {
		return fmt.Errorf("%s: wait for the answer: %w", function, orCause(ctx, err))
	}
	if answer != 0 {
		return e.failure(context.WithoutCancel(ctx), function, comm, answer, nil)
	}
	return nil
}

// limited bounds a wait without a deadline.
func (e *Engine) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return e.bounded(ctx)
}

// bounded bounds a wait by the engine's limit. Waits that nothing else ends share a context, which ends up to a 64th
// later: a timer for each costs as much as a small call.
func (e *Engine) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.o.waitLimit <= 0 {
		return ctx, func() {}
	}
	if end, has := ctx.Deadline(); has && time.Until(end) <= e.o.waitLimit {
		return ctx, func() {}
	}
	if ctx.Done() != nil {
		return context.WithTimeoutCause(ctx, e.o.waitLimit, ErrTimeout)
	}
	if shared := e.limit.Load(); shared != nil {
		if end, _ := (*shared).Deadline(); time.Until(end) >= e.o.waitLimit {
			return *shared, func() {}
		}
	}
	shared, cancel := context.WithTimeoutCause(ctx, e.o.waitLimit+e.o.waitLimit/64, ErrTimeout)
	context.AfterFunc(shared, cancel)
	e.limit.Store(&shared)
	return shared, func() {}
}

// orCause returns the cause of a context that has ended, err otherwise.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// failure is the error of a return code; own describes the call, nil for a config function.
func (e *Engine) failure(ctx context.Context, op string, c *Comm, code ReturnCode, own *OtherCall) *CallError {
	err := &CallError{Op: op, Comm: -1, Rank: -1, Code: code, Bits: e.p.Describe(code)}
	if c == nil {
		c = e.world.Load()
	}
	if c == nil {
		return err
	}
	err.Comm, err.Rank = c.number, c.local
	timeout, mismatch := err.Has(receiveTimeout), err.Has(collectiveMismatch)
	if timeout || mismatch {
		err.Fault = c.fault(ctx, code)
	}
	switch {
	case mismatch:
		err.Refused = err.Fault != nil && err.Fault.Collective == 0 || err.Fault == nil && c.broke.Load() != nil
		err.Hint = c.mismatch(err, own)
	case timeout:
		err.Hint = c.timeout(err.Fault)
	}
	if met := err.Fault; timeout ||
		mismatch && !(err.Refused && c.broke.Load() != nil) && (met == nil || met.Other != nil) ||
		slices.ContainsFunc(err.Bits, func(b Bit) bool { return stands[b.Name] }) {
		err.Causes = e.why(ctx, c.at, err, cmp.Or(own, &OtherCall{}))
	}
	if len(err.Causes) == 0 && (timeout && !mismatch || err.Has("DEQUEUE_BUFFER_TIMEOUT")) {
		err.Hint = strings.TrimPrefix(err.Hint+"; "+e.full(), "; ")
	}
	return err
}

// stands are bits of calls that something has held up.
var stands = map[string]bool{
	"DEQUEUE_BUFFER_TIMEOUT": true, packTimeout: true, kernelTimeout: true, dmaTimeout: true,
}

// full describes the consequence of full rx buffers, for Hint.
func (e *Engine) full() string {
	holds := fmt.Sprintf("the %d rx buffers of %d bytes hold all that was sent to this rank and not yet received",
		e.o.rx.Count, e.o.rx.Bytes)
	if e.o.protocol == "udp" {
		return holds + "; on UDP, what does not fit is lost"
	}
	return holds + "; senders are held back when they are full"
}

// resetTime is the limit of a reset, with time for the way to the device.
func (e *Engine) resetTime() time.Duration {
	return time.Duration(max(e.p.Limits.ResetMilliseconds, 1)) * 100 * time.Millisecond
}

// softReset has the engine answer all calls and forget its configuration.
func (e *Engine) softReset(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.resetTime(), ErrTimeout)
	defer cancel()
	return e.configure(ctx, resetPeriph, 0, nil)
}

// Reset resets the engine and configures it as before. Calls in flight end with an error.
// Messages on their way are lost, and sequence numbers restart: all ranks that communicate
// with this one must be reset before any of them communicates again.
//
// Reset ranks only while the network works and no message is on its way. TCP delivers what
// it held back during an interruption later: the engine recognizes old messages of
// collectives, but may take an old send for a new one with the same sequence number.
func (e *Engine) Reset(ctx context.Context) error {
	e.setup.Lock()
	defer e.setup.Unlock()
	if e.closed.Load() {
		return fmt.Errorf("reset: %w", ErrClosed)
	}
	if !e.enabled {
		return fmt.Errorf("reset: %w", ErrNotConfigured)
	}
	e.ready.Store(false)
	e.own.reset()
	// A call that cannot be placed holds the gate until the engine is reset.
	if err := e.softReset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	e.gate.Lock()
	defer e.gate.Unlock()
	if err := e.restore(ctx); err != nil {
		return fmt.Errorf("configure again after the reset: %w", err)
	}
	e.ready.Store(true)
	return nil
}

// Close resets the engine and frees its rx and scratch buffers. Calls in flight end with an
// error, further ones with ErrClosed. Buffers of the program remain until they are freed,
// and the device remains open.
func (e *Engine) Close(ctx context.Context) error {
	e.setup.Lock()
	defer e.setup.Unlock()
	if e.closed.Swap(true) {
		return nil
	}
	e.ready.Store(false)
	e.own.close() // after the reset it tells nothing
	var err error
	if len(e.rx) > 0 {
		if err = e.softReset(ctx); err != nil {
			err = fmt.Errorf("close: %w", err)
		}
	}
	e.gate.Lock() // a call that was being placed has been
	defer e.gate.Unlock()
	return errors.Join(err, e.freeInternal())
}

// freeInternal frees rx and scratch buffers.
func (e *Engine) freeInternal() error {
	var errs []error
	for _, m := range append(e.rx, e.scratch...) {
		if err := m.Free(); err != nil {
			errs = append(errs, fmt.Errorf("free a buffer of the engine: %w", err))
		}
	}
	e.rx, e.scratch = nil, nil
	return errors.Join(errs...)
}
