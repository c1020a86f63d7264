// Package pins drives a Verilated module pin by pin, a cycle a call: for
// modules whose words are few and whose model is best written in Go.
package pins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// Module says what to build.
type Module struct {
	Platform string
	Folder   string   // of the module's RTL
	Top      string   // module
	Files    []string // of the folder, without .sv; packages and common blocks are there anyway
	Params   map[string]string
	Clock    string         // "" for clk
	Reset    string         // "" for rst; low if its name ends in _n
	In, Out  map[string]int // pins but for clock and reset, with their widths
	Parts    map[string]Part
	// Sources, if there are any, are all that is compiled, packages first: paths.
	Sources []string
}

// Part is a field of a packed struct that a test has as a pin of its own.
type Part struct {
	Pin        string
	Low, Width int
}

// Bench is a module under test. What is set stays until it is set again; what
// it gets is what stood there in the last cycle, before its end.
type Bench struct {
	Cycle   uint64
	handle  uintptr
	step    func(handle uintptr, in, out *uint32, reset uint32)
	release func(handle uintptr)
	in, out []uint32
	at      map[string]pin
}

type pin struct {
	words      []uint32
	low, width int
}

// New builds the module. Its registers begin with random values of the seed.
// Errors match verilate.ErrTools if a tool is missing.
func New(ctx context.Context, m Module, seed uint64) (*Bench, error) {
	if err := verilate.Available(ctx); err != nil {
		return nil, err
	}
	sources := slices.Clone(m.Sources)
	var all []string
	if len(sources) == 0 {
		var err error
		if all, err = verilate.Sources(ctx, m.Platform, m.Folder); err != nil {
			return nil, err
		}
	}
	for _, s := range all {
		name := strings.TrimSuffix(filepath.Base(s), ".sv")
		if filepath.Base(filepath.Dir(s)) == "common" || strings.HasSuffix(name, "_pkg") || slices.Contains(m.Files, name) {
			sources = append(sources, s)
		}
	}
	b := &Bench{at: map[string]pin{}}
	text := m.shell(b)
	shells, err := verilate.Place(map[string][]byte{"pins/" + m.Top + ".cpp": []byte(text)})
	if err != nil {
		return nil, err
	}
	var create func(seed uint64) uintptr
	if err := (verilate.Build{
		Top: m.Top, Sources: sources, Shell: shells, Params: m.Params, Careful: true,
	}).Bind(ctx, "pins_", map[string]any{"new": &create, "delete": &b.release, "step": &b.step}); err != nil {
		return nil, err
	}
	b.handle = create(seed)
	b.Reset()
	return b, nil
}

// shell is the C++ around the module, and where its pins are in a call.
func (m Module) shell(b *Bench) string {
	clock, reset := m.Clock, m.Reset
	if clock == "" {
		clock = "clk"
	}
	if reset == "" {
		reset = "rst"
	}
	active := "reset"
	if strings.HasSuffix(reset, "_n") {
		active = "!reset"
	}
	copies := func(pins map[string]int, format string, words *[]uint32) string {
		var text strings.Builder
		names := make([]string, 0, len(pins))
		total := 0
		for name, width := range pins {
			names = append(names, name)
			total += wordsOf(width)
		}
		slices.Sort(names)
		*words = make([]uint32, max(total, 1))
		at := 0
		for _, name := range names {
			n := wordsOf(pins[name])
			b.at[name] = pin{words: (*words)[at : at+n], width: pins[name]}
			fmt.Fprintf(&text, format, name, at)
			at += n
		}
		return text.String()
	}
	in := copies(m.In, "    std::memcpy(&b->model.%[1]s, in + %[2]d, sizeof b->model.%[1]s);\n", &b.in)
	out := copies(m.Out, "    std::memcpy(out + %[2]d, &b->model.%[1]s, sizeof b->model.%[1]s);\n", &b.out)
	for name, p := range m.Parts {
		b.at[name] = pin{b.at[p.Pin].words, p.Low, p.Width}
	}
	return strings.NewReplacer("TOP", m.Top, "CLOCK", clock, "RESET_PIN", reset, "ACTIVE", active, "COPY_IN", in,
		"COPY_OUT", out).Replace(shell)
}

const shell = `#include "VTOP.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>

namespace {
// A model takes its first values from the context when it is made.
struct Context : VerilatedContext {
    explicit Context(uint64_t seed) {
        randReset(2);
        randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    }
};

struct Bench {
    Context context;
    VTOP model{&context};

    explicit Bench(uint64_t seed) : context{seed} {}
};
} // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench* pins_new(uint64_t seed) { return new Bench(seed); }
API void pins_delete(Bench* b) {
    Verilated::threadContextp(&b->context);
    delete b;
    Verilated::threadContextp(Verilated::defaultContextp());
}
API void pins_step(Bench* b, const uint32_t* in, uint32_t* out, uint32_t reset) {
    Verilated::threadContextp(&b->context); // calls go from thread to thread
COPY_IN    b->model.RESET_PIN = ACTIVE;
    b->model.CLOCK = 0;
    b->model.eval();
COPY_OUT    b->model.CLOCK = 1;
    b->model.eval();
}
`

// wordsOf is how many words the storage of a pin takes.
func wordsOf(width int) int { return (width + 31) / 32 }

// Close frees the module.
func (b *Bench) Close() { b.release(b.handle) }

// Step runs a cycle.
func (b *Bench) Step() {
	b.step(b.handle, &b.in[0], &b.out[0], 0)
	b.Cycle++
}

// Reset runs a few cycles of reset with all inputs 0.
func (b *Bench) Reset() {
	clear(b.in)
	for range 4 {
		b.step(b.handle, &b.in[0], &b.out[0], 1)
	}
	for range 2 {
		b.Step()
	}
}

func (b *Bench) pin(name string) pin {
	p, ok := b.at[name]
	if !ok {
		panic("pins: there is no pin " + name)
	}
	return p
}

// Set sets an input of at most 64 bits.
func (b *Bench) Set(name string, v uint64) {
	p := b.pin(name)
	for i := range p.width {
		at := p.low + i
		w := &p.words[at/32]
		*w = *w&^(1<<(at%32)) | uint32(v>>i&1)<<(at%32)
	}
}

// Get is what an output of at most 64 bits was.
func (b *Bench) Get(name string) uint64 {
	p := b.pin(name)
	v := uint64(0)
	for i := range min(p.width, 64) {
		at := p.low + i
		v |= uint64(p.words[at/32]>>(at%32)&1) << i
	}
	return v
}

// Is tells whether an output of one bit was 1.
func (b *Bench) Is(name string) bool { return b.Get(name)&1 != 0 }

// Field is a part of a packed struct.
type Field struct {
	Width int
	Value uint64
}

// Pack sets a packed struct, its first field in the highest bits.
func (b *Bench) Pack(name string, fields ...Field) {
	p := b.pin(name)
	clear(p.words)
	at := 0
	for _, f := range slices.Backward(fields) {
		for i := range f.Width {
			p.words[(at+i)/32] |= uint32(f.Value>>i&1) << ((at + i) % 32)
		}
		at += f.Width
	}
	if at != p.width {
		panic(fmt.Sprintf("pins: the fields of %s are %d bits wide, it has %d", name, at, p.width))
	}
}

// Unpack is a packed struct, its first field in the highest bits.
func (b *Bench) Unpack(name string, widths ...int) []uint64 {
	p := b.pin(name)
	values := make([]uint64, len(widths))
	at := 0
	for i, width := range slices.Backward(widths) {
		for j := range width {
			values[i] |= uint64(p.words[(at+j)/32]>>((at+j)%32)&1) << j
		}
		at += width
	}
	if at != p.width {
		panic(fmt.Sprintf("pins: the fields of %s are %d bits wide, it has %d", name, at, p.width))
	}
	return values
}

// Design is a shipped platform.
func Design(name string) (*design.Design, error) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return nil, diags
	}
	d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	if diags.HasErrors() {
		return nil, fmt.Errorf("load the platform %s: %w", name, diags)
	}
	return d, nil
}

// Codes are the bits of return codes of a shipped platform, by name.
func Codes(name string) (map[string]uint64, error) {
	d, err := Design(name)
	if err != nil {
		return nil, err
	}
	bits := map[string]uint64{}
	for _, b := range d.ABI().BitSet(abi.ReturnCode).Bits {
		bits[b.Name] = 1 << b.At
	}
	return bits, nil
}
