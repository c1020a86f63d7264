// Package rtlsim runs ranks whose engines are the hardware's description itself,
// made into a library by Verilator. The same control firmware runs on the
// processor inside, and hosts reach an engine as they reach an emulated one.
//
// One goroutine per card runs its cycles. It sleeps when nothing will happen
// before somebody does something.
package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Options of a card and its engines.
type Options struct {
	// Library is the path of the Verilated platform; empty for the one that
	// Library builds of the design with Build.
	Library string
	Build   Build
	// Loop has the host at the kernel streams (Build.KernelPort) send back what comes, as a loop-back does.
	Loop    bool
	Image   []byte        // the control firmware; nil for the prebuilt one
	Symbols *rv32.Symbols // of it, for errors; may be nil
	// Seed is that of everything random.
	Seed uint64
	// Clock keeps cards of a world together in time; nil for one that runs by
	// itself.
	Clock *Clock
	// Batch is how many cycles run at a time, at most; 0 for 256.
	Batch int
	// Latency, in cycles, of device memory.
	Latency uint32
	// RemoteMilliseconds bounds waits for a remote rank, in milliseconds of the
	// simulation (Build.Millisecond), until firmware sets another limit; 0 for that
	// of the platform.
	RemoteMilliseconds uint32
	// CutSeed has what TCP brings cut and joined anywhere, by random numbers; 0 for as
	// it was sent.
	CutSeed uint64
	// MemoryBytes is the size of each address space; 0 for 1 TiB.
	MemoryBytes uint64
	// SharedHost says that clients choose addresses in host memory, too.
	SharedHost bool
	// Halts keeps a card when the processor of an engine halts, as hardware does: calls wait
	// until the host restarts the processor. Otherwise the card ends with the trap.
	Halts bool
	// Trace writes waveforms; nil for none.
	Trace *Trace
	// Record records what is done to the card, which ReadRecording and its Replay do
	// again; nil for nothing. Each card has its own.
	Record *Recorder
	// OnMove is called for every move that is issued, OnTrace for every word that
	// firmware traces; both may be nil. They must not call the engine.
	OnMove func(Issue)
	// OnCall is called for every call that has been answered, before the host has its
	// answer; may be nil. It must not call the engine. With calls that overlap in an
	// engine it says little.
	OnCall  func(Account)
	OnTrace func(engine int, word uint32)
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
	Engine int // on the card
	Cycle  uint64
	Fields [issueWords]uint32
}

// ErrHardware says that the hardware's description has failed: an assertion, or
// what must not happen.
var ErrHardware = errors.New("the simulated hardware has failed")

const (
	defaultBatch       = 256
	defaultMemoryBytes = 1 << 40
)

// deviceSpace and hostSpace are the spaces of memory of an engine, as the platform
// numbers them.
func (e *Engine) deviceSpace() int32 { return 2 * e.number }
func (e *Engine) hostSpace() int32   { return 2*e.number + 1 }

// Engine is a simulated engine.
type Engine struct {
	card    *Card
	d       *design.Design
	o       *Options
	f       *functions
	model   uintptr
	number  int32  // on the card
	control int32  // port
	first   uint32 // word of the exchange memory, and the end
	end     uint32
	calls   *calls
	kernel  kernel
	beat    int
	spaces  [2]*space // the second may be nil
	done    chan struct{}
	life    context.Context
	cancel  context.CancelFunc
	closed  atomic.Bool

	taken bool // the card's lock

	mu    sync.Mutex
	stats engine.Stats

	// the card's goroutine's alone
	net   *network // nil until the engine is in use
	ended bool
}

var _ engine.Engine = (*Engine)(nil)

// New makes a card of the design and gives its first engine, which is on a network
// port and owns it from then on. The card ends with it.
func New(ctx context.Context, d *design.Design, port fabric.Port, o Options) (*Engine, error) {
	c, err := OpenCard(ctx, d, o)
	if err != nil {
		return nil, err
	}
	e, err := c.Engine(0, port)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return e, nil
}

// newEngine makes an engine of a card that has no model yet.
func newEngine(c *Card, number int) (*Engine, error) {
	e := &Engine{card: c, d: c.d, o: &c.o, number: int32(number), done: make(chan struct{})}
	var err error
	if e.control, err = controlPort(c.d, number); err != nil {
		return nil, err
	}
	if e.first, e.end, err = exchangeWords(c.d.ABI()); err != nil {
		return nil, err
	}
	if e.calls, err = newCalls(c.d.ABI(), c.stir); err != nil {
		return nil, err
	}
	if e.beat, err = beatBytes(c.d.ABI()); err != nil {
		return nil, err
	}
	e.kernel = newKernel(e)
	e.life, e.cancel = context.WithCancel(context.Background())
	return e, nil
}

// furnish sets the engine's memory up.
func (e *Engine) furnish() {
	e.f.MemoryLatency(e.model, e.deviceSpace(), e.o.Latency, 0)
	e.f.MemoryLimit(e.model, e.deviceSpace(), e.o.MemoryBytes)
	e.spaces[0] = &space{e: e, number: e.deviceSpace(), allocator: memory.NewAllocator(e.o.MemoryBytes),
		known: memory.NewKnown(e.o.MemoryBytes)}
	if e.d.Platform.HostMemory {
		e.spaces[1] = &space{e: e, number: e.hostSpace(), allocator: memory.NewAllocator(e.o.MemoryBytes),
			known: memory.NewKnown(e.o.MemoryBytes)}
		e.f.MemoryLimit(e.model, e.hostSpace(), e.o.MemoryBytes)
	}
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

// stop ends the engine: whatever is asked of it from now on is answered with an
// error. The card's goroutine calls it.
func (e *Engine) stop(err error) {
	if e.ended {
		return
	}
	e.ended = true
	e.calls.stop(err)
	e.kernel.in.Stop(err)
	e.kernel.out.Stop(err)
	close(e.done)
}

// give gives the hardware what there is for it; true if it could take a call.
func (e *Engine) give() bool {
	if e.net == nil || e.ended {
		return false
	}
	e.calls.place(func(words []uint32) { e.f.Place(e.model, e.number, &words[0], uint64(len(words))) })
	e.net.deliver()
	e.kernelIn()
	return e.calls.pending()
}

// look does what the hardware asks for.
func (e *Engine) look(status uint64) error {
	if status&statusAnswered != 0 {
		e.accounted()
	}
	for word := uint32(0); status&statusAnswered != 0 && e.f.Take(e.model, e.number, &word) != 0; {
		if e.ended {
			continue
		}
		if err := e.calls.answer(word); err != nil {
			return e.failed(err)
		}
	}
	if status&statusTraced != 0 {
		e.traced()
	}
	if status&statusIssued != 0 {
		e.issued()
	}
	if status&statusHalted != 0 && !e.o.Halts {
		var cause, pc uint32
		if e.f.Halt(e.model, e.number, &cause, &pc) != 0 {
			return e.card.trap(cause, pc)
		}
	}
	if e.net == nil || e.ended {
		return nil
	}
	if status&statusSent != 0 {
		e.kernelOut()
	}
	if err := e.net.collect(); err != nil {
		return e.failed(err)
	}
	return nil
}

func (e *Engine) failed(err error) error {
	return fmt.Errorf("%w in cycle %d: engine %d: %w", ErrHardware, e.card.cycle, e.number, err)
}

func (e *Engine) traced() {
	var words [256]uint32
	for {
		n := e.f.Words(e.model, e.number, &words[0], uint64(len(words)))
		for _, w := range words[:n] {
			if e.o.OnTrace != nil {
				e.o.OnTrace(int(e.number), w)
			}
		}
		if n < uint64(len(words)) {
			return
		}
	}
}

func (e *Engine) issued() {
	i := Issue{Engine: int(e.number)}
	for e.f.Move(e.model, e.number, &i.Cycle, &i.Fields) != 0 {
		e.mu.Lock()
		e.stats.Moves++
		e.mu.Unlock()
		if e.o.OnMove != nil {
			e.o.OnMove(i)
		}
	}
}

// do runs f in the card's goroutine. The error is why the engine has ended, if it
// has.
func (e *Engine) do(f func()) error {
	if err := e.calls.failure(); err != nil {
		return err
	}
	return e.card.do(f)
}

// post runs f in the card's goroutine some time later, unless the engine has ended.
func (e *Engine) post(f func()) {
	_ = e.card.post(func() {
		if !e.ended {
			f()
		}
	})
}

// Looped reports whether the kernel stream comes back to the engine.
func (e *Engine) Looped() bool {
	return e.o.Loop || !e.o.Build.KernelPort && e.d.Platform.CCLO.KernelStream == loopback
}

// Occupied implements engine.Occupied.
func (e *Engine) Occupied() bool { return !e.o.Build.KernelPort && !e.Looped() }

// Cycle is how many cycles there have been since power-up.
func (e *Engine) Cycle() uint64 { return e.card.Cycle() }

// Stats implements engine.Engine. What only the hardware knows is left out.
func (e *Engine) Stats() engine.Stats {
	if len(e.card.components) > 0 {
		_ = e.do(e.noteKernels) // of an engine that has ended they are known
	}
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
	if e.closed.Swap(true) {
		<-e.done
		return nil
	}
	e.cancel()
	err := e.card.release(e)
	e.net.port.Notify(nil)
	e.net.release()
	return errors.Join(err, e.net.port.Close())
}

// Make is New for those who start engines of any kind.
func (o Options) Make(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
	e, err := New(ctx, d, port, o)
	if err != nil {
		return nil, err // not an engine that is a nil pointer
	}
	return e, nil
}
