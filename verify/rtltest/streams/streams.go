// Package streams drives Verilated kernels that make an AXI4-Stream of one or
// two others.
package streams

import (
	"context"
	_ "embed"
	"errors"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

//go:embed shell/streams.cpp
var shell []byte

// Rhythm is a header for shells: random pauses.
//
//go:embed shell/rhythm.h
var Rhythm []byte

// Beat is one of a stream.
type Beat struct { // as in the shell
	Data        [64]byte
	Keep        uint64
	Last, TDEST uint8
	_           [6]byte
}

// Full is the Keep of a beat that is kept whole.
const Full = ^uint64(0)

// Model says what to build.
type Model struct {
	Design        *design.Design // whose RTL it is
	Kernel        string
	Needs         []string // folders of RTL beside the kernel's own
	In0, In1, Out string   // ports; In1 is empty if there is one input
	Wide          bool     // both operands come side by side at In0
}

// Run is what a kernel is given after a reset.
type Run struct {
	Seed      uint64
	In0, In1  []Beat // as many of both
	Idle0     int    // gaps of the inputs, of 256 cycles
	Idle1     int
	Stall     int // waits at the output, of 256 cycles
	MaxOut    int // beats of the output that there can be
	MaxCycles int
}

// Times are cycles of a run.
type Times struct{ FirstIn, LastIn, FirstOut, LastOut uint64 }

// Why a run fails.
var (
	ErrChanged = errors.New("the output changed before it was taken")
	ErrTooMany = errors.New("more came out than there can be")
	ErrCycles  = errors.New("the cycles were used up")
)

// Kernel is a Verilated kernel.
type Kernel struct {
	handle uintptr
	run    func(kernel uintptr, o *options, in0, in1 *Beat, count uint64, out *Beat, room uint64, times *Times) int64
	free   func(kernel uintptr)

	restart func(kernel uintptr)
	bulk    func(kernel uintptr, tdest uint8, in0, in1 *byte, count uint64, out *byte, room uint64) uint64
}

type options struct{ seed, idle0, idle1, stall, maxCycles uint64 }

// New builds the kernel. Its registers begin with random values of the seed.
// Errors match verilate.ErrTools if a tool is missing.
func New(ctx context.Context, m Model, seed uint64) (*Kernel, error) {
	if err := verilate.Available(ctx); err != nil {
		return nil, err
	}
	sources, err := verilate.SourcesOf(ctx, m.Design, append(m.Needs, m.Kernel)...)
	if err != nil {
		return nil, err
	}
	if sources, err = block.Needed(sources, m.Kernel); err != nil {
		return nil, err
	}
	shells, err := verilate.Place(map[string][]byte{"streams/shell.cpp": shell, "streams/rhythm.h": Rhythm})
	if err != nil {
		return nil, err
	}
	defines := []string{"MODEL=V" + m.Kernel, "IN0=" + m.In0, "OUT=" + m.Out}
	switch {
	case m.Wide:
		defines = append(defines, "WIDE")
	case m.In1 != "":
		defines = append(defines, "IN1="+m.In1)
	}
	var create func(seed uint64) uintptr
	k := &Kernel{}
	if err := (verilate.Build{
		Top: m.Kernel, Sources: sources, Shell: shells[1:], // the header is the first
		Defines: defines, Careful: true,
	}).Bind(ctx, "bench_", map[string]any{"new": &create, "delete": &k.free, "run": &k.run, "restart": &k.restart,
		"bulk": &k.bulk}); err != nil {
		return nil, err
	}
	k.handle = create(seed)
	return k, nil
}

// Close frees the kernel.
func (k *Kernel) Close() { k.free(k.handle) }

// Run resets the kernel and returns what comes out of it.
func (k *Kernel) Run(r Run) ([]Beat, Times, error) {
	var times Times
	out, none := make([]Beat, r.MaxOut+1), Beat{}
	o := options{r.Seed, uint64(r.Idle0), uint64(r.Idle1), uint64(r.Stall), uint64(r.MaxCycles)}
	in0, in1 := &none, &none
	if len(r.In0) > 0 {
		in0 = &r.In0[0]
	}
	if len(r.In1) > 0 {
		in1 = &r.In1[0]
	}
	n := k.run(k.handle, &o, in0, in1, uint64(len(r.In0)), &out[0], uint64(r.MaxOut), &times)
	switch n {
	case -1:
		return nil, times, ErrChanged
	case -2:
		return nil, times, ErrTooMany
	case -3:
		return nil, times, ErrCycles
	}
	return out[:n], times, nil
}
