// Package rv32 simulates the control processor of an engine: RV32IM, machine
// mode without interrupts, a local RAM for program and data, and a bus for
// everything else.
//
// Words of the RAM are decoded once and executed from there. What the loop
// over decoded instructions cannot finish (bus accesses, counters, traps) it
// leaves to a slower path, so that the loop itself calls nothing.
package rv32

import (
	"errors"
	"fmt"
)

// Bus is what lies outside the local RAM.
//
// An error that wraps ErrUnmapped becomes a Trap. ErrWait stops Run before the
// instruction, ErrYield after it. Any other error stops Run before the
// instruction and is returned wrapped. A Bus must not run, load or reset the
// CPU that calls it.
type Bus interface {
	// Load reads size (1, 2 or 4) bytes at addr, a multiple of size. The value is zero-extended.
	Load(addr uint32, size int) (uint32, error)
	// Store writes the low size (1, 2 or 4) bytes of v, whose other bytes are zero, at addr, a multiple of size.
	Store(addr uint32, size int, v uint32) error
}

var (
	// ErrWait from a Bus puts the processor to sleep: Run stops with the pc at
	// the instruction, which the next Run executes again.
	ErrWait = errors.New("rv32: the processor waits")
	// ErrYield from a Bus completes the instruction, with the value returned beside it, and stops Run after it.
	ErrYield = errors.New("rv32: the processor yields")
	// ErrUnmapped from a Bus says that there is nothing at the address.
	ErrUnmapped = errors.New("rv32: nothing at this address")
)

const (
	wordBytes = 4
	// discard is the register that decoded instructions write instead of x0.
	discard = 32
	// fileSize lets any byte index the registers without a bounds check.
	fileSize = 256
)

// CPU is one processor. It is not safe for concurrent use.
type CPU struct {
	x       [fileSize]uint32
	pc      uint32
	retired uint64
	ram     []byte
	code    []inst // one for each word of ram
	bus     Bus
	sym     *Symbols

	wordsFrom uint32
	words     []Word // from this address on
}

// Word is a word outside the local RAM that only holds a value: loads and stores of a whole word need no Bus. What is
// nil is left to the Bus.
type Word struct{ Read, Write *uint32 }

// New returns a processor with ramBytes bytes of local RAM from address 0,
// rounded up to whole words. Without a bus (nil) all else is unmapped.
func New(ramBytes uint32, bus Bus) *CPU {
	words := (uint64(ramBytes) + wordBytes - 1) / wordBytes
	return &CPU{ram: make([]byte, words*wordBytes), code: make([]inst, words), bus: bus}
}

// Load puts a program at address 0, clears the RAM behind it and resets the
// processor. The symbols, which may be nil, name functions in traps.
func (c *CPU) Load(image []byte, sym *Symbols) error {
	if len(image) > len(c.ram) {
		return fmt.Errorf("rv32: loading a program: %d bytes do not fit into %d bytes of RAM", len(image), len(c.ram))
	}
	clear(c.ram[copy(c.ram, image):])
	c.sym = sym
	c.Reset()
	return nil
}

// Reset sets the pc, all registers and the instruction count to 0. The RAM
// stays as it is, also where the program has changed its own data.
func (c *CPU) Reset() {
	c.pc, c.retired, c.x = 0, 0, [fileSize]uint32{}
	c.Invalidate()
}

// Invalidate forgets decoded instructions. It is needed after instructions
// were changed through RAM; the program's own stores need nothing.
func (c *CPU) Invalidate() { clear(c.code) }

// Words has the processor access words from an address on, a multiple of 4 behind the RAM, without its Bus.
func (c *CPU) Words(from uint32, words []Word) { c.wordsFrom, c.words = from, words }

// RAM returns the local RAM itself, not a copy.
func (c *CPU) RAM() []byte { return c.ram }

// PC returns the address of the instruction that is executed next.
func (c *CPU) PC() uint32 { return c.pc }

// SetPC continues at another address; whether it can be fetched shows in the next Run.
func (c *CPU) SetPC(pc uint32) { c.pc = pc }

// X returns register x0 to x31; only the low five bits of i count.
func (c *CPU) X(i int) uint32 { return c.x[i&31] }

// SetX sets register x1 to x31; x0 stays 0.
func (c *CPU) SetX(i int, v uint32) {
	if i&31 != 0 {
		c.x[i&31] = v
	}
}

// Retired returns the number of instructions executed since the last reset.
func (c *CPU) Retired() uint64 { return c.retired }
