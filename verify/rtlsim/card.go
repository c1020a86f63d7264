package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// ErrEngine says that a card has no such engine, or that it has been taken.
var ErrEngine = errors.New("no such engine on the card")

// Card is a simulated card with all engines of a platform. They share a clock,
// and one goroutine runs its cycles.
type Card struct {
	d        *design.Design
	o        Options
	control  controlBits
	called   map[int][]*called // kernels that the host calls, by engine
	f        *functions
	model    uintptr
	firmware string // file of the image
	wake     chan struct{}
	ready    chan struct{} // closed when all engines are idle for the first time
	done     chan struct{}
	engines  []*Engine
	places   *places // where engines say they are, if they talk to each other on the card

	mu       sync.Mutex
	commands []func()
	closing  bool
	ended    bool
	err      error // why it has ended
	cycle    uint64
	taken    int // engines that are in use
	calling  map[*called]bool

	components []component

	turn *turn // on the clock of all cards

	// the goroutine's alone
	accesses []*access
	last     uint64 // status
}

// OpenCard makes a card of the design and boots the firmware of all engines. It
// returns when they wait for calls for the first time.
func OpenCard(ctx context.Context, d *design.Design, o Options) (*Card, error) {
	c, err := assemble(ctx, d, o)
	if err != nil {
		return nil, fmt.Errorf("simulate %s: %w", d.Platform.Name, err)
	}
	c.turn = c.o.Clock.join()
	go c.run()
	select {
	case <-c.ready:
		return c, nil
	case <-c.done:
		err = c.Err()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(fmt.Errorf("simulate %s: booting the control firmware: %w", d.Platform.Name, err), c.Close())
}

func assemble(ctx context.Context, d *design.Design, o Options) (c *Card, err error) {
	o.defaults()
	c = &Card{
		d: d, o: o, wake: make(chan struct{}, 1), ready: make(chan struct{}), done: make(chan struct{}),
		calling: map[*called]bool{},
	}
	if c.control, err = newControlBits(d.ABI()); err != nil {
		return nil, err
	}
	if c.called, err = calledKernels(d); err != nil {
		return nil, err
	}
	if c.components, err = components(ctx, d); err != nil {
		return nil, err
	}
	if joined(d) {
		c.places = newPlaces()
	}
	for i := range d.Platform.CCLO.Count {
		e, err := newEngine(c, i)
		if err != nil {
			return nil, err
		}
		c.engines = append(c.engines, e)
	}
	if o.Library == "" {
		if c.o.Library, err = Library(ctx, d, o.Build); err != nil {
			return nil, err
		}
	}
	if c.f, err = load(c.o.Library); err != nil {
		return nil, err
	}
	if c.o.Image == nil {
		if c.o.Image, c.o.Symbols, err = world.Prebuilt(d.ABI()); err != nil {
			return nil, err
		}
	}
	if c.firmware, err = writeImage(c.o.Image); err != nil {
		return nil, err
	}
	flags := uint32(0)
	if o.Build.Careful {
		flags = 1
	}
	if r := o.Record; r != nil {
		if c.f, err = r.begin(c, flags); err != nil {
			return nil, errors.Join(err, os.Remove(c.firmware))
		}
	}
	c.model = c.f.Open(c.arguments(), o.Seed, flags)
	for _, e := range c.engines {
		e.f, e.model = c.f, c.model
		e.furnish()
	}
	if t := o.Trace; t != nil {
		to := t.To
		if to == 0 {
			to = ^uint64(0)
		}
		if c.f.Trace(c.model, t.File, t.Scope, int32(t.Levels), t.From, to) == 0 {
			c.f.Close(c.model)
			return nil, errors.Join(errors.New("the simulation was built without waveforms"), os.Remove(c.firmware))
		}
	}
	return c, nil
}

// arguments are the plusargs of the model, one a line.
func (c *Card) arguments() string {
	arguments := "+firmware=" + c.firmware
	if n := c.o.RemoteMilliseconds; n > 0 {
		arguments += fmt.Sprintf("\n+remote_milliseconds=%d", n)
	}
	for _, k := range c.components {
		arguments += "\n" + k.argument()
	}
	return arguments
}

// Engine takes an engine of the card into use on a network port, which it owns
// from then on. The card is closed with the last of them. Where engines talk to
// each other on the card, nothing goes over the port.
func (c *Card) Engine(index int, port fabric.Port) (*Engine, error) {
	if index < 0 || index >= len(c.engines) {
		return nil, fmt.Errorf("%w: %d, %s has %d", ErrEngine, index, c.d.Platform.Name, len(c.engines))
	}
	e := c.engines[index]
	own := port
	if c.places != nil {
		own = &place{Port: port, places: c.places, engine: uint32(index)}
	}
	net, err := newNetwork(e, own)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if e.taken {
		c.mu.Unlock()
		return nil, fmt.Errorf("%w: %d is in use", ErrEngine, index)
	}
	e.taken = true
	c.taken++
	c.mu.Unlock()
	if err := c.do(func() { e.net = net }); err != nil {
		return nil, err
	}
	port.Notify(c.stir)
	return e, nil
}

// stir wakes the card's goroutine. Anyone may call it.
func (c *Card) stir() {
	if c.turn.lockstep() { // before whoever stirs goes on
		c.turn.awake()
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run is the card's goroutine.
func (c *Card) run() {
	err := c.batches()
	c.mu.Lock()
	c.ended, c.err = true, err
	commands := c.commands
	c.commands = nil
	c.mu.Unlock()
	for _, e := range c.engines {
		e.noteKernels()
		e.stop(err)
	}
	for _, f := range commands {
		f()
	}
	for _, a := range c.accesses {
		a.err = err
		close(a.done)
	}
	c.accesses = nil
	close(c.done)
}

// batches runs the card until it is closed or fails.
func (c *Card) batches() error {
	turn := c.turn
	defer turn.leave()
	booting := true
	for {
		c.mu.Lock()
		closing, commands := c.closing, c.commands
		c.commands = nil
		c.mu.Unlock()
		if closing {
			return engine.ErrClosed
		}
		for _, f := range commands {
			f()
		}
		pending := false
		for _, e := range c.engines {
			pending = e.give() || pending
		}
		var cycle uint64
		if c.last&statusIdle != 0 {
			c.last = c.f.Run(c.model, 0, &cycle) // it may have been given something to do
		}
		if c.last&statusIdle != 0 && !pending && !(turn.lockstep() && c.inCalls()) {
			if booting {
				booting = false
				close(c.ready)
			}
			turn.sleep()
			<-c.wake
			turn.awake()
			continue
		}
		turn.wait()
		c.last = c.f.Run(c.model, uint64(turn.most(c.o.Batch)), &cycle)
		turn.ran(cycle - c.cycle)
		c.mu.Lock()
		c.cycle = cycle
		c.mu.Unlock()
		if err := c.look(); err != nil {
			return err
		}
		if c.last&statusAccessed != 0 && !turn.lockstep() {
			select { // who has read a word often wants another, long before a batch ends
			case <-c.wake:
			case <-time.After(linger):
			}
		}
	}
}

// linger is how long a card waits for the next access after one has ended.
const linger = 200 * time.Microsecond

// inCalls reports whether an engine has calls.
func (c *Card) inCalls() bool {
	for _, e := range c.engines {
		if e.net != nil && e.calls.open() {
			return true
		}
	}
	return false
}

// look does what the hardware asks for.
func (c *Card) look() error {
	if c.last&statusFailed != 0 {
		return c.failure()
	}
	if c.last&statusAccessed != 0 {
		c.accessed()
	}
	for _, e := range c.engines {
		if err := e.look(c.last); err != nil {
			return err
		}
	}
	return nil
}

func (c *Card) failure() error {
	text := make([]byte, 1<<16)
	n := c.f.Error(c.model, &text[0], uint64(len(text)))
	return fmt.Errorf("%w in cycle %d: %s", ErrHardware, c.cycle, text[:n])
}

// trap says why a processor has stopped.
func (c *Card) trap(cause, pc uint32) error {
	trap := &rv32.Trap{Cause: rv32.Cause(cause), PC: pc}
	if image := c.o.Image; int64(pc)+4 <= int64(len(image)) && pc%4 == 0 {
		for i := range uint32(4) {
			trap.Instr |= uint32(image[pc+i]) << (8 * i)
		}
	}
	if c.o.Symbols != nil {
		trap.Func = c.o.Symbols.Func(pc)
	}
	return fmt.Errorf("the control firmware has failed in cycle %d: %w", c.cycle, trap)
}

// do runs f in the card's goroutine. The error is why the card has ended, if it
// has.
func (c *Card) do(f func()) error {
	ran := make(chan struct{})
	if err := c.post(func() { f(); close(ran) }); err != nil {
		return err
	}
	<-ran
	return nil
}

// post runs f in the card's goroutine some time later. The error is why the card
// has ended, if it has.
func (c *Card) post(f func()) error {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return c.err
	}
	c.commands = append(c.commands, f)
	c.mu.Unlock()
	c.stir()
	return nil
}

// release ends the use of an engine, and the card with the last one.
func (c *Card) release(e *Engine) error {
	c.mu.Lock()
	c.taken--
	last := c.taken == 0
	c.mu.Unlock()
	if last {
		return c.Close()
	}
	_ = c.do(func() { e.stop(engine.ErrClosed) }) // a card that has ended has no engines
	<-e.done
	return nil
}

// abandon closes a card that has no engine in use.
func (c *Card) abandon() error {
	c.mu.Lock()
	taken := c.taken
	c.mu.Unlock()
	if taken > 0 {
		return nil
	}
	return c.Close()
}

// Cycle is how many cycles there have been since power-up.
func (c *Card) Cycle() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cycle
}

// Err is why the card has ended, nil before.
func (c *Card) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the card with all its engines.
func (c *Card) Close() error {
	c.mu.Lock()
	first := !c.closing
	c.closing = true
	c.mu.Unlock()
	c.stir()
	<-c.done
	if !first {
		return nil
	}
	c.f.Close(c.model)
	return os.Remove(c.firmware)
}
