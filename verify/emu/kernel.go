package emu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// What a kernel reaches the engine by.
const (
	engineOut    = "m_axis_krnl" // the engine's kernel streams, as all engines call them
	engineIn     = "s_axis_krnl"
	controlGroup = "control" // the group of calls and answers
)

const (
	// kernelDepth is how many beats each stream of a kernel holds.
	kernelDepth = 64
	// kernelStreamBytes is what the engine's streams hold when a kernel is there.
	kernelStreamBytes = 64 << 10
)

// component is a compiled kernel. One goroutine at a time uses it.
type component interface {
	Put(port int, beats []hls.Beat) int
	Get(port int, beats []hls.Beat) int
	Count(port int) int
	Moved(port int) uint64
	Start(arguments []uint64) error
	Run() hls.State
	Close() error
}

// kernel is a compiled kernel beside the engine. A goroutine of its own runs it.
type kernel struct {
	e        *Engine
	instance string
	name     string
	kernel   *design.Kernel
	c        component
	ports    []kernelPort
	client   int
	wake     chan struct{} // of capacity 1
	runs     bool          // the goroutine was started
	done     chan struct{} // closed when it has ended

	// the goroutine's alone
	beats  []hls.Beat
	calls  kernelCalls
	mirror *memory.Mirror // of the call of the host that runs

	mu    sync.Mutex
	call  *hostCall // that runs, or is to
	state kernelState
	dead  error // why it will not run again
}

// kernelPort is a stream of a kernel, and what it leads to.
type kernelPort struct {
	name   string
	output bool
	seat   seat
	stream *engine.Stream // of the engine, at seatStream
}

// seat is what a stream of a kernel leads to.
type seat uint8

const (
	seatNothing seat = iota
	seatStream       // a kernel stream of the engine
	seatCalls        // calls that the kernel places
	seatAnswers
)

// openKernels starts compiled kernels of the platform beside the engine, which
// does not run yet.
func (e *Engine) openKernels(ctx context.Context) error {
	if e.o.Kernel != AsPlatform {
		return nil
	}
	for _, in := range e.d.Instances {
		if in.Kernel.Source != platform.SourceHLS || in.Scope > 0 || !e.reaches(in) {
			continue
		}
		c, err := e.o.open(ctx, e.d, in)
		if err != nil {
			return fmt.Errorf("emu: %s: %w", in.Name, err)
		}
		if err := e.seat(in, c); err != nil {
			return errors.Join(fmt.Errorf("emu: %s: %w", in.Name, err), c.Close())
		}
	}
	return nil
}

// openCompiled makes a component of a kernel's library, which is built if need be.
func openCompiled(ctx context.Context, d *design.Design, in *design.Instance) (component, error) {
	library, err := hls.Library(ctx, d, in.Kernel.ID)
	if err != nil {
		return nil, err
	}
	c, err := hls.Open(library, kernelDepth)
	if err != nil {
		return nil, err // not a component that is a nil pointer
	}
	var want, has []string
	for _, p := range in.Ports {
		if p.Protocol == design.AXIS {
			want = append(want, p.Name)
		}
	}
	for _, p := range c.Ports() {
		has = append(has, p.Name)
	}
	if !slices.Equal(want, has) {
		return nil, errors.Join(fmt.Errorf("its library has the streams %s, and the platform %s", orNone(has), orNone(want)),
			c.Close())
	}
	return c, nil
}

// reaches tells whether an instance is at the kernel streams, or places calls.
func (e *Engine) reaches(in *design.Instance) bool {
	return slices.ContainsFunc(e.d.Streams, func(s *design.Stream) bool {
		return s.From.Instance == in && (s.Group == controlGroup || kernelStream(s.To)) || s.To.Instance == in &&
			(s.Group == controlGroup || kernelStream(s.From))
	})
}

// kernelStream tells whether a port is a kernel stream of the engine.
func kernelStream(p *design.Port) bool {
	return p.Instance.Role == "engine" && (p.Name == engineIn || p.Name == engineOut)
}

// seat connects a kernel with the engine.
func (e *Engine) seat(in *design.Instance, c component) error {
	k := &kernel{
		e: e, instance: in.Name, name: in.Kernel.Name, c: c, client: Clients - 1 - len(e.kernels),
		kernel: in.Kernel, wake: make(chan struct{}, 1), done: make(chan struct{}),
		beats: make([]hls.Beat, kernelDepth),
	}
	if e.toKernel == e.fromKernel { // the kernel is what loops back
		e.toKernel = engine.NewStream(e.fromKernel.Beat, e.fromKernel.Limit, e.fromKernel.Wake)
	}
	for _, p := range in.Ports {
		if p.Protocol != design.AXIS {
			continue
		}
		port, err := e.place(p)
		if err != nil {
			return fmt.Errorf("the stream %s: %w", p.Name, err)
		}
		k.ports = append(k.ports, port)
	}
	fields, err := callSetters(e.d.ABI())
	if err != nil {
		return err
	}
	k.calls = newKernelCalls(k, fields)
	k.note(hls.State{Port: -1})
	for _, p := range k.ports {
		k.attach(p)
	}
	e.kernels = append(e.kernels, k)
	return nil
}

// place finds out what a stream of a kernel leads to.
func (e *Engine) place(p *design.Port) (kernelPort, error) {
	out := kernelPort{name: p.Name, output: p.Output}
	i := slices.IndexFunc(e.d.Streams, func(s *design.Stream) bool { return s.From == p || s.To == p })
	if i < 0 {
		return out, nil
	}
	s := e.d.Streams[i]
	peer := s.To
	if peer == p {
		peer = s.From
	}
	width, ok := 8*wordBytes, true
	switch {
	case s.Group == controlGroup && p.Output:
		out.seat = seatCalls
	case s.Group == controlGroup:
		out.seat = seatAnswers
	case kernelStream(peer):
		out.seat, out.stream, width = seatStream, e.toKernel, 8*e.n.beatBytes
		if p.Output {
			out.stream = e.fromKernel
		}
	default:
		ok = false
	}
	if !ok {
		return out, fmt.Errorf("it leads to %s of %s; kernels are emulated at the streams and calls of the engine", peer.Name,
			peer.Instance.Name)
	}
	if p.Width != width {
		return out, fmt.Errorf("it is %d bits wide, and %s of %s %d", p.Width, peer.Name, peer.Instance.Name, width)
	}
	return out, nil
}

// attach has the engine's streams tell the kernel. They are short now: their other
// end is slow or fast as the kernel is.
func (k *kernel) attach(p kernelPort) {
	s, e := p.stream, k.e
	switch {
	case s == nil:
		return
	case p.output:
		s.Freed = k.tell
		e.seated.in = true
	default:
		s.Arrived = k.tell
		e.seated.out = true
	}
	if e.o.StreamBytes == defaultStreamBytes {
		s.Limit = kernelStreamBytes
	}
}

// Occupied reports whether the kernel streams connect to a kernel of the platform.
func (e *Engine) Occupied() bool { return e.seated.in || e.seated.out }

// tell has the kernel look at everything again. Anyone may call it.
func (k *kernel) tell() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// startKernels lets the kernels run.
func (e *Engine) startKernels() {
	for _, k := range e.kernels {
		k.runs = true
		go k.run()
	}
}

// kernelNamed finds the kernel of a call by its name or that of its instance.
func (e *Engine) kernelNamed(name string) (*kernel, error) {
	var found []*kernel
	var known, callable []string
	for _, k := range e.kernels {
		known = append(known, k.instance)
		if k.kernel.Called() {
			callable = append(callable, k.instance)
		}
		if k.instance == name || k.name == name {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 0 && len(known) == 0:
		return nil, fmt.Errorf("%w: %s; %s has no kernels that are compiled", accl.ErrNoKernel, name, e.d.Platform.Name)
	case len(found) == 0:
		return nil, fmt.Errorf("%w: %s; there are %s", accl.ErrNoKernel, name, strings.Join(known, ", "))
	case len(found) > 1:
		return nil, fmt.Errorf("%w: %s has several instances: %s", accl.ErrNoKernel, name, strings.Join(known, ", "))
	case !found[0].kernel.Called():
		return nil, fmt.Errorf("%w: %s runs by itself and cannot be called; those that can: %s", accl.ErrNoKernel,
			name, orNone(callable))
	}
	return found[0], nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
