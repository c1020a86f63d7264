package block

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Bench is a module under test. An input keeps its value until it is set again; Get
// and the like return values sampled just before the clock edge of the last cycle.
type Bench struct {
	Cycle   uint64
	InReset bool // hold the module in reset while it steps

	handle  uintptr
	step    func(handle uintptr, in, out *uint32, reset, edge uint32)
	free    func(handle uintptr)
	failed  func(forget int32) string
	in, out []uint32
	at      map[string]place
	consts  map[string]uint64
}

// place is the position of a field in the words of all ports.
type place struct {
	words      []uint32
	low, width int
	input      bool
}

// ErrAssertion matches errors of a violated assertion of the module.
var ErrAssertion = errors.New("an assertion does not hold")

// Close frees the module and forgets which assertions were violated.
func (b *Bench) Close() {
	if b.handle != 0 {
		b.free(b.handle)
		b.failed(1)
		b.handle = 0
	}
}

// Step runs a cycle.
func (b *Bench) Step() { b.run(1) }

// Settle evaluates the module without a clock edge: outputs follow inputs.
func (b *Bench) Settle() { b.run(0) }

func (b *Bench) run(edge uint32) {
	reset := uint32(0)
	if b.InReset {
		reset = 1
	}
	b.step(b.handle, &b.in[0], &b.out[0], reset, edge)
	b.Cycle += uint64(edge)
}

// Reset runs a few cycles of reset with all inputs 0.
func (b *Bench) Reset() {
	clear(b.in)
	b.InReset = true
	for range 4 {
		b.Step()
	}
	b.InReset = false
}

// Err is not nil if an assertion of a module was violated.
func (b *Bench) Err() error {
	if text := b.failed(0); text != "" {
		return fmt.Errorf("%w: %s", ErrAssertion, text)
	}
	return nil
}

func (b *Bench) place(name string) place {
	p, ok := b.at[name]
	if !ok {
		panic("block: there is no port or field " + name)
	}
	return p
}

// Has tells whether there is a port or field.
func (b *Bench) Has(name string) bool {
	_, ok := b.at[name]
	return ok
}

// Width is how many bits a port or field has.
func (b *Bench) Width(name string) int { return b.place(name).width }

// Const is a constant of the module, or of a package that it uses, as
// "package::NAME".
func (b *Bench) Const(name string) uint64 {
	v, ok := b.consts[name]
	if !ok {
		panic("block: there is no constant " + name)
	}
	return v
}

func (p place) get(from, width int) (v uint64) {
	for at := 0; at < width; {
		bit := p.low + from + at
		n := min(32-bit%32, width-at)
		part := uint64(p.words[bit/32]>>(bit%32)) & (1<<n - 1)
		v |= part << at
		at += n
	}
	return v
}

func (p place) set(from, width int, v uint64) {
	for at := 0; at < width; {
		bit := p.low + from + at
		n := min(32-bit%32, width-at)
		mask := uint32((uint64(1)<<n - 1) << (bit % 32))
		w := &p.words[bit/32]
		*w = *w&^mask | uint32(v>>at)<<(bit%32)&mask
		at += n
	}
}

// Get is the value of a port or field of at most 64 bits.
func (b *Bench) Get(name string) uint64 {
	p := b.place(name)
	if p.width > 64 {
		panic("block: " + name + " is wider than 64 bits")
	}
	return p.get(0, p.width)
}

// Is tells whether an output was not 0.
func (b *Bench) Is(name string) bool {
	p := b.place(name)
	for at := 0; at < p.width; at += 32 {
		if p.get(at, min(32, p.width-at)) != 0 {
			return true
		}
	}
	return false
}

// Bytes is the value of a port or field, its lowest byte first.
func (b *Bench) Bytes(name string) []byte {
	p := b.place(name)
	v := make([]byte, 0, (p.width+7)/8)
	for at := 0; at < p.width; at += 8 {
		v = append(v, byte(p.get(at, min(8, p.width-at))))
	}
	return v
}

func (b *Bench) input(name string) place {
	p := b.place(name)
	if !p.input {
		panic("block: " + name + " is an output")
	}
	return p
}

// Set sets an input, or a field of one, to a value of at most 64 bits. Higher bits
// become 0.
func (b *Bench) Set(name string, v uint64) {
	p := b.input(name)
	p.set(0, min(64, p.width), v)
	for at := 64; at < p.width; at += 32 {
		p.set(at, min(32, p.width-at), 0)
	}
}

// Put sets an input to 1 or 0.
func (b *Bench) Put(name string, v bool) {
	if v {
		b.Set(name, 1)
	} else {
		b.Set(name, 0)
	}
}

// SetBytes sets an input, or a field of one, its lowest byte first.
func (b *Bench) SetBytes(name string, v []byte) {
	p := b.input(name)
	if len(v) != (p.width+7)/8 {
		panic(fmt.Sprintf("block: %s has %d bits, not %d bytes", name, p.width, len(v)))
	}
	for i, x := range v {
		p.set(8*i, min(8, p.width-8*i), uint64(x))
	}
}

// Field is a part of a vector.
type Field struct {
	Width int
	Value uint64
}

// Pack sets an input to fields side by side, the first in the highest bits.
func (b *Bench) Pack(name string, fields ...Field) {
	p := b.input(name)
	at := 0
	for _, f := range slices.Backward(fields) {
		p.set(at, f.Width, f.Value)
		at += f.Width
	}
	if at != p.width {
		panic(fmt.Sprintf("block: the fields of %s are %d bits wide, it has %d", name, at, p.width))
	}
}

// Unpack is the fields that stand side by side in a port, the first in the highest bits.
func (b *Bench) Unpack(name string, widths ...int) []uint64 {
	p := b.place(name)
	values := make([]uint64, len(widths))
	at := 0
	for i, width := range slices.Backward(widths) {
		values[i] = p.get(at, width)
		at += width
	}
	if at != p.width {
		panic(fmt.Sprintf("block: the fields of %s are %d bits wide, it has %d", name, at, p.width))
	}
	return values
}

// Words is where a port's value stands: what goes in before a Step, what came out after it. The lowest word comes
// first.
func (b *Bench) Words(name string) []uint32 {
	p := b.place(name)
	if p.low != 0 {
		panic("block: " + name + " is no port")
	}
	return p.words[:(p.width+31)/32]
}

// Scramble sets inputs to random values: nothing may depend on fields that are not
// valid.
func (b *Bench) Scramble(r *rand.Rand, names ...string) {
	for _, name := range names {
		p := b.input(name)
		for at := 0; at < p.width; at += 32 {
			p.set(at, min(32, p.width-at), uint64(r.Uint32()))
		}
	}
}
