// Package sim runs ranks whose engines are the hardware's description itself,
// made into a library by Verilator. The same control firmware runs on the
// processor inside, and hosts reach an engine as they reach an emulated one.
//
// One goroutine per engine runs its cycles. It sleeps when nothing will happen
// before somebody does something.
package sim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/engine"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/memory"
	"github.com/cclforge/cclforge/verify/rv32"
)

// Options of an engine.
type Options struct {
	// Library is the path of the Verilated platform; empty for the one that
	// Library builds of the design with Build.
	Library string
	Build   Build
	Image   []byte        // the control firmware; nil for the prebuilt one
	Symbols *rv32.Symbols // of it, for errors; may be nil
	// Seed is that of everything random.
	Seed uint64
	// Clock keeps engines of a world together in time; nil for one that runs by
	// itself.
	Clock *Clock
	// Batch is how many cycles run at a time, at most; 0 for 256.
	Batch int
	// Latency, in cycles, of device memory.
	Latency uint32
	// MemoryBytes is the size of each address space; 0 for 1 TiB.
	MemoryBytes uint64
	// SharedHost says that clients choose addresses in host memory, too.
	SharedHost bool
	// Trace writes waveforms; nil for none.
	Trace *Trace
	// OnMove is called for every move that is issued, OnTrace for every word that
	// firmware traces; both may be nil. They must not call the engine.
	OnMove  func(Issue)
	OnTrace func(word uint32)
}

// Trace is a window of cycles that is written as a waveform.
type Trace struct {
	File     string // FST
	Scope    string // of the hierarchy, like "TOP.platform_top.ccl_offload_0"; empty for all
	Levels   int    // below it; 0 for all
	From, To uint64 // cycles; To 0 for no end
}

// Issue is a move as the hardware has issued it.
type Issue struct {
	Cycle  uint64
	Fields [issueWords]uint32
}

// ErrHardware says that the hardware's description has failed: an assertion, or
// what must not happen.
var ErrHardware = errors.New("the simulated hardware has failed")

const (
	defaultBatch       = 256
	defaultMemoryBytes = 1 << 40
	// cclo is the engine of the platform that a rank is.
	cclo = 0
)

// Spaces of memory, as the platform numbers them for an engine.
const (
	deviceSpace = 2*cclo + iota
	hostSpace
)

// Engine is a simulated engine.
type Engine struct {
	d        *design.Design
	o        Options
	f        *functions
	model    uintptr
	firmware string // file of the image
	control  int32  // port
	first    uint32 // word of the exchange memory, and the end
	end      uint32
	calls    *calls
	net      *network
	kernel   kernel
	beat     int
	spaces   [2]*space // the second may be nil
	wake     chan struct{}
	ready    chan struct{} // closed when the engine is idle for the first time
	done     chan struct{}
	life     context.Context
	cancel   context.CancelFunc

	mu       sync.Mutex
	commands []func()
	closing  bool
	ended    bool
	cycle    uint64
	stats    engine.Stats

	// the goroutine's alone
	accesses []*access
	last     uint64 // status
}

var _ engine.Engine = (*Engine)(nil)

// New makes an engine of the design on a network port and boots the firmware. It
// returns when firmware waits for calls for the first time. The engine owns the
// port from then on.
func New(ctx context.Context, d *design.Design, port fabric.Port, o Options) (*Engine, error) {
	e, err := assemble(ctx, d, port, o)
	if err != nil {
		return nil, fmt.Errorf("simulate %s: %w", d.Platform.Name, err)
	}
	port.Notify(e.stir)
	go e.run()
	select {
	case <-e.ready:
		return e, nil
	case <-e.done:
		err = e.calls.failure()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(fmt.Errorf("simulate %s: booting the control firmware: %w", d.Platform.Name, err), e.Close())
}

func assemble(ctx context.Context, d *design.Design, port fabric.Port, o Options) (e *Engine, err error) {
	o.defaults()
	e = &Engine{d: d, o: o, wake: make(chan struct{}, 1), ready: make(chan struct{}), done: make(chan struct{})}
	if e.control, err = controlPort(d, cclo); err != nil {
		return nil, err
	}
	if e.first, e.end, err = exchangeWords(d.ABI()); err != nil {
		return nil, err
	}
	if e.calls, err = newCalls(d.ABI(), e.stir); err != nil {
		return nil, err
	}
	if e.beat, err = beatBytes(d.ABI()); err != nil {
		return nil, err
	}
	e.kernel.changed = make(chan struct{})
	if e.net, err = newNetwork(e, port); err != nil {
		return nil, err
	}
	if o.Library == "" {
		if e.o.Library, err = Library(ctx, d, o.Build); err != nil {
			return nil, err
		}
	}
	if e.f, err = load(e.o.Library); err != nil {
		return nil, err
	}
	if e.o.Image == nil {
		if err := e.prebuilt(); err != nil {
			return nil, err
		}
	}
	if e.firmware, err = writeImage(e.o.Image); err != nil {
		return nil, err
	}
	e.life, e.cancel = context.WithCancel(context.Background())
	flags := uint32(0)
	if o.Build.Careful {
		flags = 1
	}
	e.model = e.f.Open("+firmware="+e.firmware, o.Seed, flags)
	e.f.MemoryLatency(e.model, deviceSpace, o.Latency, 0)
	e.f.MemoryLimit(e.model, deviceSpace, o.MemoryBytes)
	e.spaces[0] = &space{e: e, number: deviceSpace, allocator: memory.NewAllocator(o.MemoryBytes)}
	if d.Platform.HostMemory {
		e.spaces[1] = &space{e: e, number: hostSpace, allocator: memory.NewAllocator(o.MemoryBytes)}
		e.f.MemoryLimit(e.model, hostSpace, o.MemoryBytes)
	}
	if t := o.Trace; t != nil {
		to := t.To
		if to == 0 {
			to = ^uint64(0)
		}
		if e.f.Trace(e.model, t.File, t.Scope, int32(t.Levels), t.From, to) == 0 {
			e.f.Close(e.model)
			return nil, errors.Join(errors.New("the simulation was built without waveforms"), os.Remove(e.firmware))
		}
	}
	return e, nil
}

func (o *Options) defaults() {
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = defaultMemoryBytes
	}
	if o.Clock == nil {
		o.Clock = NewClock()
	}
}

// stir wakes the engine's goroutine. Anyone may call it.
func (e *Engine) stir() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// run is the engine's goroutine.
func (e *Engine) run() {
	err := e.batches()
	e.calls.stop(err)
	e.kernel.stop(err)
	e.mu.Lock()
	e.ended = true
	commands := e.commands
	e.commands = nil
	e.mu.Unlock()
	for _, f := range commands {
		f()
	}
	for _, a := range e.accesses {
		a.err = err
		close(a.done)
	}
	e.accesses = nil
	close(e.done)
}

// batches runs the engine until it is closed or fails.
func (e *Engine) batches() error {
	turn := e.o.Clock.join()
	defer turn.leave()
	booting := true
	for {
		e.mu.Lock()
		closing, commands := e.closing, e.commands
		e.commands = nil
		e.mu.Unlock()
		if closing {
			return engine.ErrClosed
		}
		for _, f := range commands {
			f()
		}
		e.calls.place(func(words []uint32) { e.f.Place(e.model, cclo, &words[0], uint64(len(words))) })
		e.net.deliver()
		e.kernelIn()
		var cycle uint64
		if e.last&statusIdle != 0 {
			e.last = e.f.Run(e.model, 0, &cycle) // it may have been given something to do
		}
		if e.last&statusIdle != 0 && !e.calls.pending() {
			if booting {
				booting = false
				close(e.ready)
			}
			turn.sleep()
			<-e.wake
			turn.awake()
			continue
		}
		turn.wait()
		e.last = e.f.Run(e.model, uint64(e.o.Batch), &cycle)
		turn.ran(cycle - e.cycle)
		e.mu.Lock()
		e.cycle = cycle
		e.mu.Unlock()
		if err := e.look(); err != nil {
			return err
		}
	}
}

// look does what the hardware asks for.
func (e *Engine) look() error {
	s := e.last
	if s&statusFailed != 0 {
		return e.failure()
	}
	for word := uint32(0); s&statusAnswered != 0 && e.f.Take(e.model, cclo, &word) != 0; {
		if err := e.calls.answer(word); err != nil {
			return fmt.Errorf("%w in cycle %d: %w", ErrHardware, e.cycle, err)
		}
	}
	if s&statusAccessed != 0 {
		e.accessed()
	}
	if s&statusTraced != 0 {
		e.traced()
	}
	if s&statusIssued != 0 {
		e.issued()
	}
	if s&statusSent != 0 {
		e.kernelOut()
	}
	if err := e.net.collect(); err != nil {
		return fmt.Errorf("%w in cycle %d: %w", ErrHardware, e.cycle, err)
	}
	if s&statusHalted != 0 {
		return e.halted()
	}
	return nil
}

func (e *Engine) failure() error {
	text := make([]byte, 1<<16)
	n := e.f.Error(e.model, &text[0], uint64(len(text)))
	return fmt.Errorf("%w in cycle %d: %s", ErrHardware, e.cycle, text[:n])
}

// halted says why the processor has stopped.
func (e *Engine) halted() error {
	var cause, pc uint32
	e.f.Halt(e.model, cclo, &cause, &pc)
	trap := &rv32.Trap{Cause: rv32.Cause(cause), PC: pc}
	if image := e.o.Image; int64(pc)+4 <= int64(len(image)) && pc%4 == 0 {
		for i := range uint32(4) {
			trap.Instr |= uint32(image[pc+i]) << (8 * i)
		}
	}
	if e.o.Symbols != nil {
		trap.Func = e.o.Symbols.Func(pc)
	}
	return fmt.Errorf("the control firmware has failed in cycle %d: %w", e.cycle, trap)
}

func (e *Engine) traced() {
	var words [256]uint32
	for {
		n := e.f.Words(e.model, cclo, &words[0], uint64(len(words)))
		for _, w := range words[:n] {
			if e.o.OnTrace != nil {
				e.o.OnTrace(w)
			}
		}
		if n < uint64(len(words)) {
			return
		}
	}
}

func (e *Engine) issued() {
	var i Issue
	for e.f.Move(e.model, cclo, &i.Cycle, &i.Fields) != 0 {
		e.mu.Lock()
		e.stats.Moves++
		e.mu.Unlock()
		if e.o.OnMove != nil {
			e.o.OnMove(i)
		}
	}
}

// do runs f in the engine's goroutine. The error is why the engine has ended, if
// it has.
func (e *Engine) do(f func()) error {
	ran := make(chan struct{})
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return e.calls.failure()
	}
	e.commands = append(e.commands, func() { f(); close(ran) })
	e.mu.Unlock()
	e.stir()
	<-ran
	return nil
}

// post runs f in the engine's goroutine some time later, unless that has ended.
func (e *Engine) post(f func()) {
	e.mu.Lock()
	if !e.ended {
		e.commands = append(e.commands, f)
	}
	e.mu.Unlock()
	e.stir()
}

// Looped reports whether the kernel stream comes back to the engine.
func (e *Engine) Looped() bool { return !e.o.Build.KernelPort }

// Cycle is how many cycles there have been since power-up.
func (e *Engine) Cycle() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cycle
}

// Stats implements engine.Engine. What only the hardware knows is left out.
func (e *Engine) Stats() engine.Stats {
	e.mu.Lock()
	s := e.stats
	e.mu.Unlock()
	e.calls.mu.Lock()
	s.Calls = e.calls.count
	e.calls.mu.Unlock()
	return s
}

// Done implements engine.Engine.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err implements engine.Engine: it wraps ErrHardware, or a *rv32.Trap if the
// firmware has failed.
func (e *Engine) Err() error {
	select {
	case <-e.done:
		return e.calls.failure()
	default:
		return nil
	}
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	first := !e.closing
	e.closing = true
	e.mu.Unlock()
	e.cancel()
	e.stir()
	<-e.done
	if !first {
		return nil
	}
	e.net.port.Notify(nil)
	e.net.release()
	e.f.Close(e.model)
	return errors.Join(e.net.port.Close(), os.Remove(e.firmware))
}

// Make is New for those who start engines of any kind.
func (o Options) Make(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
	e, err := New(ctx, d, port, o)
	if err != nil {
		return nil, err // not an engine that is a nil pointer
	}
	return e, nil
}
