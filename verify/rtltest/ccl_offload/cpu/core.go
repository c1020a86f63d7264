// Package cpu runs the control processor of the RTL, Verilated, beside the
// simulator of verify/emu/rv32, instruction by instruction.
package cpu

import (
	"context"
	_ "embed"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

//go:embed shell/core.cpp
var shell []byte

// Stop is why a run ended.
type Stop int64

const (
	Cycles Stop = iota // as many as asked for
	Accessing
	Halted
	Full // the buffer of executed instructions
	Broken
)

// Executed is an instruction that the processor has retired.
type Executed struct {
	PC, Rd, Value uint32
	Cycle         uint32 // since the reset
}

// Access is what the processor wants of the bus.
type Access struct {
	Address, Write, Data, Strobe uint32
}

// Halt is why the processor stands.
type Halt struct {
	Cause, PC, Address, Instruction uint32
}

// library is the processor's functions.
type library struct {
	open      func(seed uint64, firmware, argument string) uintptr
	close     func(uintptr)
	reset     func(uintptr)
	run       func(h uintptr, cycles uint64) int64
	cycle     func(uintptr) uint64
	answer    func(h uintptr, delay, data, fault uint32)
	retired   func(uintptr) unsafe.Pointer
	take      func(uintptr) uint32
	access    func(uintptr) unsafe.Pointer
	halt      func(uintptr) unsafe.Pointer
	broken    func(uintptr) string
	ram       func(uintptr) unsafe.Pointer
	registers func(uintptr) unsafe.Pointer
}

// Kind is a control processor.
type Kind string

const (
	Own Kind = "own"
	// MicroBlazeV is the logic around the vendor's core, with what stands in for that.
	MicroBlazeV Kind = "microblaze_v"
)

var (
	loadLock sync.Mutex
	loaded   = map[Kind]*library{}
)

// load builds the library, once.
func load(ctx context.Context, kind Kind) (*library, error) {
	loadLock.Lock()
	defer loadLock.Unlock()
	if l := loaded[kind]; l != nil {
		return l, nil
	}
	sources, err := Sources(ctx, kind)
	if err != nil {
		return nil, err
	}
	var defines []string
	if kind == MicroBlazeV {
		defines = []string{"MICROBLAZE_V"}
	}
	around, err := verilate.Place(map[string][]byte{"core/core.cpp": shell})
	if err != nil {
		return nil, err
	}
	l := &library{}
	if err := (verilate.Build{
		Top: "control_processor", Sources: sources, Shell: around, Careful: true, Defines: defines,
		Params: map[string]string{"FIRMWARE": `""`},
	}).Bind(ctx, "core_", map[string]any{
		"open": &l.open, "close": &l.close, "reset": &l.reset, "run": &l.run, "cycle": &l.cycle, "answer": &l.answer,
		"retired": &l.retired, "take": &l.take, "access": &l.access, "halt": &l.halt, "broken": &l.broken,
		"ram": &l.ram, "registers": &l.registers,
	}); err != nil {
		return nil, err
	}
	loaded[kind] = l
	return l, nil
}

// platformText is a platform with the vendor's core.
const platformText = `platform "p" {
  board = "u55c"
  cclo {
    processor = "microblaze_v"
  }
  poe "tcp" {}
}
`

// Sources are the files of a control processor in compile order.
func Sources(ctx context.Context, kind Kind) ([]string, error) {
	if kind == Own {
		all, err := verilate.Sources(ctx, "u55c_tcp", "ccl_offload")
		return slices.DeleteFunc(all, func(name string) bool {
			return !matches(name, "cclo_pkg.sv", "ccl_offload/cpu/rv32_*.sv", "ccl_offload/cpu/control_processor.sv")
		}), err
	}
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return nil, diags
	}
	d, diags := design.Load(lib.With("p", []byte(platformText)), "p",
		lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	if diags.HasErrors() {
		return nil, diags
	}
	all, err := verilate.SourcesOf(ctx, d, "ccl_offload", "microblaze_v", "sim")
	return slices.DeleteFunc(all, func(name string) bool {
		return !matches(name, "cclo_pkg.sv", "microblaze_v/*.sv", "sim/cclo_microblaze_v.sv", "sim/rv32_*.sv",
			"ccl_offload/cpu/rv32_ram.sv")
	}), err
}

// matches tells whether the end of a path has one of the patterns.
func matches(name string, patterns ...string) bool {
	name = filepath.ToSlash(name)
	return slices.ContainsFunc(patterns, func(p string) bool {
		parts := strings.Split(name, "/")
		ok, _ := path.Match(p, strings.Join(parts[len(parts)-strings.Count(p, "/")-1:], "/"))
		return ok
	})
}

// Core is one control processor.
type Core struct {
	lib    *library
	handle uintptr
	// RAM and Registers are those of the model itself.
	RAM, Registers []uint32
}

// New returns a processor with ramBytes bytes of local RAM after its reset. The
// firmware is a file for $readmemh; an argument beside it may be empty.
func New(ctx context.Context, kind Kind, seed uint64, ramBytes uint32, firmware, argument string) (*Core, error) {
	lib, err := load(ctx, kind)
	if err != nil {
		return nil, err
	}
	h := lib.open(seed, firmware, argument)
	return &Core{
		lib: lib, handle: h,
		RAM:       unsafe.Slice((*uint32)(lib.ram(h)), ramBytes/4),
		Registers: unsafe.Slice((*uint32)(lib.registers(h)), 32),
	}, nil
}

// Close releases the processor.
func (c *Core) Close() { c.lib.close(c.handle) }

// Reset resets the processor: not RAM and registers.
func (c *Core) Reset() { c.lib.reset(c.handle) }

// Run lets the processor go on for some cycles at most. What it has executed
// stays valid until the next Run.
func (c *Core) Run(cycles uint64) (Stop, []Executed) {
	stop := Stop(c.lib.run(c.handle, cycles))
	n := c.lib.take(c.handle)
	return stop, unsafe.Slice((*Executed)(c.lib.retired(c.handle)), n)
}

// Cycle counts the cycles since the reset.
func (c *Core) Cycle() uint64 { return c.lib.cycle(c.handle) }

// Access is what the processor waits for after Accessing.
func (c *Core) Access() Access { return *(*Access)(c.lib.access(c.handle)) }

// Answer answers the access after delay cycles.
func (c *Core) Answer(delay, data uint32, fault bool) {
	f := uint32(0)
	if fault {
		f = 1
	}
	c.lib.answer(c.handle, delay, data, f)
}

// Halt tells why the processor stands after Halted.
func (c *Core) Halt() Halt { return *(*Halt)(c.lib.halt(c.handle)) }

// Fault describes what was wrong after Broken.
func (c *Core) Fault() string { return c.lib.broken(c.handle) }
