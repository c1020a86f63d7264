package hls

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Errors of components.
var (
	ErrVersion   = errors.New("the library of a kernel has another version")
	ErrBusy      = errors.New("a call of the kernel is under way")
	ErrArguments = errors.New("a kernel takes an argument for each register")
	ErrClosed    = errors.New("the component is closed")
	ErrDepth     = errors.New("a stream holds at least 1 beat")
)

// Beat is a beat of a stream as the widest one has it. Narrow streams use the low
// bytes. In memory it is as libraries have it.
type Beat struct {
	Data [64]byte
	Keep uint64 // TKEEP, a bit a byte
	Dest uint32 // TDEST, 0 where the port has none
	Last uint32 // TLAST, 0 or 1
}

// Port is a stream of a kernel.
type Port struct {
	Name   string
	Output bool // the kernel writes it
	Width  int  // bits of data
	Dest   int  // bits of TDEST
}

// Argument is a control register of a kernel that the host calls.
type Argument struct {
	Name    string
	Offset  uint32 // bytes, in the register space
	Bits    int    // 32 or 64
	Pointer bool   // an address in the memory of the engine
}

// Component is an instance of a kernel, independent of all others: its static
// variables are its own. It may be used by one goroutine at a time. Ports are told
// by their place among all.
type Component struct {
	kernel    string
	free      bool
	ports     []Port
	arguments []Argument

	f       functions
	handle  uintptr // of the library
	self    uintptr // the component; 0 if it is closed
	state   nativeState
	removed string // the library's file, if it must be removed at the end
}

// instances counts what was opened, so that no file has the name of another.
var instances atomic.Uint64

// Open makes a component of a library, whose ports hold up to depth beats each. The
// error matches ErrVersion if the library was built for another version of this
// package.
func Open(path string, depth int) (c *Component, err error) {
	if depth < 1 || depth > 1<<24 {
		return nil, fmt.Errorf("open the kernel in %s with streams of %d beats: %w", path, depth, ErrDepth)
	}
	c = &Component{}
	if err := c.load(path); err != nil {
		return nil, fmt.Errorf("open the kernel in %s: %w", path, errors.Join(err, c.Close()))
	}
	c.kernel = text(c.f.call(c.f.kernel))
	c.free = c.f.call(c.f.freeRunning) != 0
	c.describe()
	if c.self = c.f.call(c.f.open, uintptr(depth)); c.self == 0 {
		return nil, errors.Join(fmt.Errorf("open the kernel %s: there is no memory for it", c.kernel), c.Close())
	}
	return c, nil
}

// load loads a copy of the library: the system takes one file for one library,
// which has its variables once. The copy is removed as soon as it is loaded.
func (c *Component) load(path string) error {
	name, err := copied(path)
	if err != nil {
		return err
	}
	c.removed = name
	c.handle, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if os.Remove(name) == nil {
		c.removed = ""
	}
	if err != nil {
		return err
	}
	return c.f.find(c.handle)
}

// copied copies a library to a file beside it.
func copied(path string) (name string, err error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := os.CreateTemp(filepath.Dir(path), fmt.Sprintf("instance-%d-%d-", os.Getpid(), instances.Add(1)))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		os.Remove(to.Name())
		return "", err
	}
	return to.Name(), nil
}

// describe takes over what the library says of its kernel.
func (c *Component) describe() {
	var ports *nativePort
	n := c.f.call(c.f.ports, uintptr(unsafe.Pointer(&ports)))
	for _, p := range unsafe.Slice(ports, n) {
		c.ports = append(c.ports, Port{cString(p.name), p.output != 0, int(p.width), int(p.destBits)})
	}
	var arguments *nativeArgument
	n = c.f.call(c.f.arguments, uintptr(unsafe.Pointer(&arguments)))
	for _, a := range unsafe.Slice(arguments, n) {
		c.arguments = append(c.arguments, Argument{cString(a.name), a.offset, int(a.bits), a.pointer != 0})
	}
}

// Kernel is the name of the kernel.
func (c *Component) Kernel() string { return c.kernel }

// FreeRunning reports whether the kernel runs without being started.
func (c *Component) FreeRunning() bool { return c.free }

// Ports are the streams, in the order of the kernel's description.
func (c *Component) Ports() []Port { return c.ports }

// Port finds a stream by its name, -1 if there is none.
func (c *Component) Port(name string) int {
	return slices.IndexFunc(c.ports, func(p Port) bool { return p.Name == name })
}

// Arguments are the control registers, by offset.
func (c *Component) Arguments() []Argument { return c.arguments }

// Put gives a stream of the kernel beats, and returns how many there was room for.
func (c *Component) Put(port int, beats []Beat) int { return c.pass(c.f.put, port, beats) }

// Get takes beats from a stream of the kernel, and returns how many there were.
func (c *Component) Get(port int, beats []Beat) int { return c.pass(c.f.get, port, beats) }

func (c *Component) pass(f uintptr, port int, beats []Beat) int {
	if len(beats) == 0 || c.self == 0 {
		return 0
	}
	return int(uint32(c.f.call(f, c.self, uintptr(port), uintptr(unsafe.Pointer(&beats[0])), uintptr(len(beats)))))
}

// Count is how many beats can be put to, or taken from, a stream now.
func (c *Component) Count(port int) int {
	if c.self == 0 {
		return 0
	}
	return int(uint32(c.f.call(c.f.count, c.self, uintptr(port))))
}

// Moved is how many beats the kernel has read from, or written to, a stream so far.
func (c *Component) Moved(port int) uint64 {
	if c.self == 0 {
		return 0
	}
	return uint64(c.f.call(c.f.moved, c.self, uintptr(port)))
}

// Start starts a call of a kernel that the host calls, with an argument for each
// register. Pointers are addresses in this process, and what they point to has to
// stay there until the call has ended. The error matches ErrBusy if a call is under
// way, ErrArguments if there are more or fewer arguments than registers, and
// ErrClosed after Close.
func (c *Component) Start(arguments []uint64) error {
	if len(arguments) != len(c.arguments) {
		return fmt.Errorf("start the kernel %s with %d arguments: %w, which are %d", c.kernel, len(arguments), ErrArguments,
			len(c.arguments))
	}
	given := append(arguments[:len(arguments):len(arguments)], 0) // there is an address, also of none
	if c.self == 0 {
		return fmt.Errorf("start the kernel %s: %w", c.kernel, ErrClosed)
	}
	if c.f.call(c.f.start, c.self, uintptr(unsafe.Pointer(&given[0]))) == 0 {
		return fmt.Errorf("start the kernel %s: %w", c.kernel, ErrBusy)
	}
	return nil
}

// Run runs the kernel until it can do no more.
func (c *Component) Run() State {
	if c.self == 0 {
		return State{Doing: Idle, Port: -1}
	}
	c.f.call(c.f.run, c.self, uintptr(unsafe.Pointer(&c.state)))
	s := State{Doing: Doing(c.state.doing), Port: int(c.state.port), Calls: c.state.calls}
	if s.Port >= 0 && s.Port < len(c.ports) {
		s.Stream, s.Moved = c.ports[s.Port].Name, c.Moved(s.Port)
	}
	if s.Doing == Failed {
		s.Text = cString(c.state.text)
	}
	return s
}

// Progress says how far each stream is.
func (c *Component) Progress() string {
	var words []string
	for i, p := range c.ports {
		verb := "read"
		if p.Output {
			verb = "written"
		}
		words = append(words, fmt.Sprintf("%s %d %s", p.Name, c.Moved(i), verb))
	}
	return strings.Join(words, ", ")
}

// Close ends the instance. Closing again does nothing.
func (c *Component) Close() error {
	if c.self != 0 {
		c.f.call(c.f.close, c.self)
		c.self = 0
	}
	var errs []error
	if c.handle != 0 {
		errs = append(errs, purego.Dlclose(c.handle))
		c.handle = 0
	}
	if c.removed != "" {
		errs = append(errs, os.Remove(c.removed))
		c.removed = ""
	}
	return errors.Join(errs...)
}
