// Package emu emulates a collective engine: all hardware around its control
// processor, without the clock. The control firmware runs on an instruction-set
// simulator and sees the registers and memories that the interface version
// describes. Moves are exact to the bit; their duration means nothing.
//
// One goroutine per engine runs processor, moves and network, and sleeps when there is nothing to do. Who waits for an
// answer does so in its place.
package emu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Options of an engine.
type Options struct {
	Image   []byte        // the control firmware
	Symbols *rv32.Symbols // of it, for errors; may be nil
	// RemoteTimeout bounds waits for a remote rank until firmware sets another
	// limit; 0 for the platform's.
	RemoteTimeout time.Duration
	// Patience is the least time by the wall that a wait inside the engine
	// lasts before it fails; 0 for 1 s.
	Patience time.Duration
	// StreamBytes is what a kernel stream holds in each direction; 0 for 64 MiB.
	StreamBytes int
	// MemoryBytes is the size of each address space; 0 for 1 TiB.
	MemoryBytes uint64
	// ResidentBytes is the room that each memory may take: what is written
	// beyond it fails as if there were no memory. 0 for no limit.
	ResidentBytes uint64
	// SharedHost lets clients choose addresses in host memory, too. Host memory is sparse
	// then, like device memory, and its copy on the host has to be synced.
	SharedHost bool
	// Kernel is what the kernel streams connect to.
	Kernel KernelAt
	// Foreign are sessions to engines of another make, which have no rendezvous on UDP and
	// TCP. Other sessions are classified by their first message.
	Foreign []uint32
	// Halts keeps the engine when its processor halts, as hardware does: calls wait until the
	// host restarts the processor. Otherwise they fail with the trap, and the engine ends.
	Halts bool
	// OnMove is called for every move as it is issued; may be nil. It must not call the
	// engine.
	OnMove func(Move)
	// OnEvent is called for every event of the trace, also for those that its ring does not
	// keep; may be nil. It must not call the engine.
	OnEvent func(Event)
	// OnFault is called with each fault of a kernel in C++; may be nil. It must not call
	// the engine.
	OnFault func(error)

	// open makes the component of a kernel; nil for that of the kernel's library.
	open func(ctx context.Context, d *design.Design, in *design.Instance) (component, error)
}

// KernelAt is what the kernel streams of an engine connect to.
type KernelAt int

// What can be at the kernel streams: what the platform says, the engine itself
// again, or whoever uses the device's KernelPort.
const (
	AsPlatform KernelAt = iota
	Loopback
	Client
)

const (
	defaultPatience    = time.Second
	defaultStreamBytes = 64 << 20
	defaultMemoryBytes = 1 << 40
	// instructionsPerTurn run before network and moves get their turn.
	instructionsPerTurn = 1 << 12
)

// Engine is an emulated collective engine.
type Engine struct {
	d         *design.Design
	n         *numbers
	o         Options
	port      fabric.Port
	clock     clock
	callWords []func(*accl.Call) uint32

	// shared with the host
	waker      *waker
	exchange   *exchange
	device     *pagedMemory
	host       space
	allocators [2]*memory.Allocator // device, host
	clients    [2]*Memory           // the same for clients that choose addresses; may be nil
	life       context.Context
	end        context.CancelFunc
	calls      *arbiter
	fromKernel *engine.Stream // into the engine
	toKernel   *engine.Stream // out of it; the same if the stream is looped back
	kernels    []*kernel
	seated     struct{ in, out bool } // a kernel is at the stream
	shut       func() error           // ends the kernels
	ready      chan struct{}          // closed when firmware sleeps for the first time
	done       chan struct{}          // closed when the engine has ended

	// of who takes a turn, or does something between two
	mu         sync.Mutex
	cpu        *rv32.CPU
	bus        *bus
	mover      *mover
	rx         *receiver
	inbound    *inbound
	rendezvous *rendezvous
	notices    *notices
	sessions   sessions
	routes     *routes
	timers     timers
	functions  *functions
	scratches  [3][]byte
	stats      Stats
	now        int64 // nanoseconds since power-up
	events     uint32
	alarm      uint32
	ticket     uint32
	held       []heldAnswer
	asleep     bool  // the processor waits
	over       error // why there are no more turns
	processor  processor
	trace      trace
	answers    uint64
	own        struct{ packets, bytes uint64 } // of stats, sent to the engine itself
	booted     bool
	written    atomic.Bool     // the host has written to the exchange memory
	show       func(*openCall) // in the call window
	hasStreams bool
	lossy      bool
	rdma       bool
	maxPayload uint64
}

// heldAnswer is an answer that waits until lent memory has come back.
type heldAnswer struct{ ticket, code uint32 }

// New makes an engine of the design on a network port and boots the firmware.
// It returns when firmware waits for calls for the first time. The engine owns
// the port from then on.
func New(ctx context.Context, d *design.Design, port fabric.Port, o Options) (*Engine, error) {
	e, err := assemble(d, port, o)
	if err != nil {
		return nil, err
	}
	if err := e.cpu.Load(o.Image, o.Symbols); err != nil {
		return nil, fmt.Errorf("emu: loading the control firmware: %w", err)
	}
	if err := e.openPlugins(ctx); err != nil {
		return nil, errors.Join(err, e.closePlugins())
	}
	if err := e.openKernels(ctx); err != nil {
		err = errors.Join(err, e.closePlugins())
		for _, k := range e.kernels {
			err = errors.Join(err, k.c.Close())
		}
		return nil, err
	}
	e.waker.polled, _ = port.(fabric.Polled)
	port.Notify(func() { e.waker.tell(signalNetwork) })
	go e.run()
	select {
	case <-e.ready:
		e.startKernels()
		return e, nil
	case <-e.done:
		err = e.calls.failure()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(fmt.Errorf("emu: booting the control firmware: %w", err), e.Close())
}

// assemble puts an engine together without running it.
func assemble(d *design.Design, port fabric.Port, o Options) (*Engine, error) {
	n, err := resolve(d)
	if err != nil {
		return nil, err
	}
	o.defaults(d)
	e := &Engine{
		d: d, n: n, o: o, port: port, waker: newWaker(),
		clock:     clock{start: time.Now(), mhz: int64(d.Platform.Clock)},
		exchange:  newExchange(n.exchange),
		functions: newFunctions(d),
		ready:     make(chan struct{}), done: make(chan struct{}),
		trace: trace{ring: make([]traceEntry, d.Platform.CCLO.Trace)},
		lossy: port.Lossy(), maxPayload: uint64(max(port.MaxPayload(), 1)),
		rdma:       n.stackField.get(d.HardwareID) == n.stacks["rdma"],
		hasStreams: n.streamsField.flag(d.HardwareID),
	}
	if err := e.remember(); err != nil {
		return nil, err
	}
	e.life, e.end = context.WithCancel(context.Background())
	for i := range e.allocators {
		e.allocators[i] = memory.NewAllocator(o.MemoryBytes)
	}
	e.shut = sync.OnceValue(e.closeKernels)
	e.calls = newArbiter(n, func() { e.waker.tell(signalCall) }, e.serve)
	room := func() { e.waker.tell(signalRoom) }
	e.fromKernel = engine.NewStream(n.beatBytes, o.StreamBytes, room)
	e.toKernel = e.fromKernel
	if !e.Looped() {
		e.toKernel = engine.NewStream(n.beatBytes, o.StreamBytes, room)
	}
	return e, e.attach()
}

// attach connects the parts to the processor's bus.
func (e *Engine) attach() (err error) {
	if e.callWords, err = callWords(e.d.ABI(), int(e.n.callWindow.Size/wordBytes)); err != nil {
		return err
	}
	e.bus = newBus(e.d.ABI(), e.n, e.exchange)
	e.cpu = rv32.New(e.n.ramBytes, e.bus)
	e.cpu.Words(e.bus.first, e.bus.words)
	e.mover, e.rx, e.inbound, e.rendezvous = newMover(e), newReceiver(e), newInbound(e), newRendezvous(e)
	e.notices = newNotices(e)
	e.attachCalls()
	e.attachSystem()
	e.attachTimers()
	e.attachSessions()
	e.routes = newRoutes(e.exchange, &e.n.comm.routeWords, e.port)
	return e.bus.check()
}

func (o *Options) defaults(d *design.Design) {
	if o.RemoteTimeout <= 0 {
		o.RemoteTimeout = time.Duration(d.Platform.Limits.RemoteTimeoutMillis) * time.Millisecond
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.StreamBytes <= 0 {
		o.StreamBytes = defaultStreamBytes
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = defaultMemoryBytes
	}
	if o.open == nil {
		o.open = openCompiled
	}
}

// remember gives the engine its memories.
func (e *Engine) remember() (err error) {
	if e.device, err = newPagedMemory(e.o.MemoryBytes, e.o.ResidentBytes); err != nil {
		return err
	}
	e.clients[0] = newMemory(e.device)
	e.host = noMemory{}
	switch {
	case !e.d.Platform.HostMemory:
	case e.o.SharedHost:
		shared, err := newPagedMemory(e.o.MemoryBytes, e.o.ResidentBytes)
		if err != nil {
			return err
		}
		e.host, e.clients[1] = shared, newMemory(shared)
	default:
		e.host = newHostMemory()
	}
	return nil
}

// Looped reports whether the kernel stream comes back to the engine.
func (e *Engine) Looped() bool {
	if e.o.Kernel == AsPlatform {
		return e.d.Platform.CCLO.KernelStream == "loopback"
	}
	return e.o.Kernel == Loopback
}

// space is device or host memory.
func (e *Engine) space(host bool) space {
	if host {
		return e.host
	}
	return e.device
}

// run is the engine's goroutine.
func (e *Engine) run() {
	engines.Add(1)
	defer engines.Add(-1)
	err := e.turns()
	e.calls.stop(err)
	e.fromKernel.Stop(err)
	e.toKernel.Stop(err)
	close(e.done)
}

// turns runs the engine until it is closed or its processor fails.
func (e *Engine) turns() error {
	for active := time.Now(); ; {
		busy, err := e.turn()
		switch {
		case err != nil:
			return err
		case busy:
			active = time.Now()
		default:
			e.waker.sleep(e.idle(), active)
		}
	}
}

// serve takes turns for somebody who waits for an answer, until that is there or nothing has happened for a while; or
// who has placed a call, without an answer, until nothing happens. Where several wait the goroutine takes them: each
// would have to wake the next.
func (e *Engine) serve(ctx context.Context, c *openCall) {
	waits := flag(c != nil)
	if e.calls.waiters.Load() > int32(waits) || !e.waker.enter() {
		e.waker.wake()
		return
	}
	// Somebody will wait for the call that was just placed; others are the goroutine's.
	defer func() { e.waker.leave(e.calls.open() > 1-waits) }()
	for idle, most := (time.Time{}), e.waker.linger(); ctx.Err() == nil; {
		busy, err := e.turn()
		switch {
		case err != nil || e.calls.waiters.Load() > int32(waits):
			return
		case busy:
			idle = time.Time{}
		case c != nil && c.given.Load(), c == nil && !e.waker.told():
			return
		case idle.IsZero():
			idle = time.Now()
		default:
			past := time.Since(idle)
			if past >= most {
				return
			}
			e.waker.pause(past)
		}
	}
}

// errPanic is of an engine whose turn has panicked: who has taken it may go on.
var errPanic = errors.New("emu: a defect of the emulator")

// turn lets all parts go on once, and tells whether any did. Its error is that of all turns to come.
func (e *Engine) turn() (busy bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over == nil {
		e.over = errPanic
		busy, e.over = e.advance()
	}
	return busy, e.over
}

func (e *Engine) advance() (bool, error) {
	e.now = e.clock.now()
	if err := e.heed(e.waker.take()); err != nil {
		return false, err
	}
	ran, err := e.process()
	if err != nil {
		return false, err
	}
	moved, err := e.progress()
	if err == nil && e.asleep && e.events != 0 { // moves that have ended are what most answers wait for
		_, err = e.process()
	}
	return ran && !e.asleep || moved, err
}

// heed does what others have signalled.
func (e *Engine) heed(signals uint32) error {
	if signals == 0 {
		return nil
	}
	if signals&signalClose != 0 {
		return ErrClosed
	}
	if signals&signalCall != 0 {
		e.raise(e.n.wake.call)
	}
	if signals&signalNetwork != 0 {
		e.inbound.there = true
	}
	if signals&signalRoom != 0 {
		e.inbound.retry = true
	}
	return nil
}

// process lets the processor run, and tells whether it has.
func (e *Engine) process() (bool, error) {
	if e.processor.trap != nil || e.asleep && e.events == 0 && !e.alarmed() {
		return false, nil
	}
	n, err := e.cpu.Run(instructionsPerTurn)
	e.stats.Instructions += uint64(n)
	e.asleep = err == rv32.ErrWait
	if err != nil && !e.asleep {
		if errors.As(err, &e.processor.trap) && e.o.Halts {
			e.traces(&e.n.trace.processorHalted, uint32(e.processor.trap.Cause), e.cpu.PC())
			return true, nil
		}
		return false, fmt.Errorf("emu: the control firmware has failed: %w", err)
	}
	return n > 0, nil
}

// progress lets network, moves and answers go on, and tells whether network or moves did.
func (e *Engine) progress() (bool, error) {
	busy := e.inbound.progress()
	busy = e.mover.progress() || busy
	return busy, e.answerHeld()
}

// answer answers a call; later, while receivers may still read memory that the caller would take back.
func (e *Engine) answer(ticket, code uint32) error {
	if e.mover.lending() {
		e.held = append(e.held, heldAnswer{ticket, code})
		return nil
	}
	return e.answered(ticket, code)
}

func (e *Engine) answered(ticket, code uint32) error {
	e.traces(&e.n.trace.callAnswered, code, code>>31)
	e.answers++
	return e.calls.answer(ticket, code)
}

// answerHeld gives the answers that were held up.
func (e *Engine) answerHeld() error {
	if len(e.held) == 0 || e.mover.lending() {
		return nil
	}
	for _, a := range e.held {
		if err := e.answered(a.ticket, a.code); err != nil {
			return err
		}
	}
	e.held = e.held[:0]
	return nil
}

// idle is how long there is nothing to do.
func (e *Engine) idle() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	until := e.mover.deadline()
	if len(e.held) > 0 {
		for _, l := range e.mover.lent {
			until = min(until, l.until)
		}
	}
	if e.asleep {
		if e.events != 0 {
			return 0
		}
		until = min(until, e.alarmTime())
	}
	if until == math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(max(until-e.now, 0))
}

// do runs f between two turns.
func (e *Engine) do(f func()) {
	e.mu.Lock()
	e.now = e.clock.now()
	f()
	e.mu.Unlock()
	e.waker.tell(signalCommand)
}

// Done is closed when the engine has ended, for whatever reason.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err returns why the engine has ended: ErrClosed, or the failure of its firmware. It is
// nil before.
func (e *Engine) Err() error {
	if shm.IsClosed(e.done) {
		return e.calls.failure()
	}
	return nil
}

// Close ends the engine: every call is answered with ErrClosed, and the port is
// closed. Closing again does nothing.
func (e *Engine) Close() error {
	e.end()
	e.waker.tell(signalClose)
	<-e.done
	err := e.shut()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls.close()
	e.port.Notify(nil)
	e.inbound.release()
	e.mover.reset()
	return errors.Join(err, e.closePlugins(), e.port.Close())
}
