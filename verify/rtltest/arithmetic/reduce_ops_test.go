// Package arithmetic checks the plugins of reductions and conversions against exact arithmetic; with
// -tb.exhaustive with all operands, on all processors and in parts that can be run one after the other.
package arithmetic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance/model"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// latency is the cycles from an operand to its result: two more where there are products.
func (b *bench) latency() uint64 {
	if slices.Contains(b.functions, "prod") {
		return 12
	}
	return 10
}

// operation is what a TDEST asks for.
type operation struct {
	function string
	element
}

// bench is a Verilated plugin and what its platform asks of it.
type bench struct {
	*streams.Kernel
	model      streams.Model
	tdests     []uint8
	operations map[uint8]operation
	functions  []string
}

// newBench builds a plugin. A platform without it names the other form.
func newBench(t *testing.T, d *design.Design, wide bool) *bench {
	t.Helper()
	m := streams.Model{Design: d, Kernel: "reduce_ops", In0: "in0", In1: "in1", Out: "out_r"}
	if wide {
		m = streams.Model{Design: d, Kernel: "reduce_ops_wide", Needs: []string{"reduce_ops"}, In0: "in_r",
			Out: "out_r", Wide: true}
	}
	k, err := streams.New(t.Context(), m, 0)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(k.Close)
	b := &bench{Kernel: k, model: m, operations: map[uint8]operation{}}
	for _, f := range d.Platform.Arithmetic.Functions {
		b.functions = append(b.functions, f.Name)
		for _, of := range f.TDEST {
			if e, known := elements[of.Type]; known {
				b.tdests = append(b.tdests, uint8(of.TDEST))
				b.operations[uint8(of.TDEST)] = operation{f.Name, e}
			}
		}
	}
	return b
}

// find is the TDEST of an operation.
func (b *bench) find(t *testing.T, function, element string) uint8 {
	t.Helper()
	for tdest, o := range b.operations {
		if o.function == function && o.name == element {
			return tdest
		}
	}
	t.Fatalf("there is no %s of %s", function, element)
	return 0
}

// operands are beats of pairs of elements for one TDEST; the last beat is
// filled up with zeros.
func operands(tdest uint8, e element, pairs int, pair func(i int) (a, b uint64)) (in0, in1 []streams.Beat) {
	per := 64 / e.Bytes()
	for i := range pairs {
		if i%per == 0 {
			in0 = append(in0, streams.Beat{Keep: streams.Full, TDEST: tdest})
			in1 = append(in1, streams.Beat{Keep: streams.Full})
		}
		x, y := pair(i)
		at := i % per * e.Bytes()
		e.Put(in0[len(in0)-1].Data[at:], x)
		e.Put(in1[len(in1)-1].Data[at:], y)
	}
	in0[len(in0)-1].Last = 1
	return in0, in1
}

// check compares the output with the operation of each beat.
func (b *bench) check(in0, in1, out []streams.Beat) error {
	if len(out) != len(in0) {
		return fmt.Errorf("%d beats came out, not %d", len(out), len(in0))
	}
	for i, got := range out {
		x, y := in0[i], in1[i]
		if got.Keep != x.Keep || got.Last != x.Last {
			return fmt.Errorf("beat %d: TKEEP %x and TLAST %d, not those of operand 0, %x and %d", i, got.Keep,
				got.Last, x.Keep, x.Last)
		}
		o, known := b.operations[x.TDEST]
		if !known {
			if got.Data != x.Data {
				return fmt.Errorf("beat %d of TDEST %d is %x, not operand 0, %x", i, x.TDEST, got.Data, x.Data)
			}
			continue
		}
		for at := 0; at < 64; at += o.Bytes() {
			u, v, result := o.Get(x.Data[at:]), o.Get(y.Data[at:]), o.Get(got.Data[at:])
			if want := o.quick(o.function, u, v); result != want {
				return fmt.Errorf("beat %d, byte %d: %s of %s %x and %x is %x, not %x", i, at, o.function,
					o.name, u, v, result, want)
			}
		}
	}
	return nil
}

// at full speed: a beat in every cycle.
func (b *bench) straight(in0, in1 []streams.Beat) error {
	out, times, err := b.Run(streams.Run{In0: in0, In1: in1, MaxOut: len(in0), MaxCycles: 2*len(in0) + 10_000})
	if err != nil {
		return err
	}
	if err := b.check(in0, in1, out); err != nil {
		return err
	}
	if n := uint64(len(in0)); times.LastOut-times.FirstOut != n-1 || times.LastIn-times.FirstIn != n-1 {
		return fmt.Errorf("%d beats took the cycles from %d to %d to come in and from %d to %d to come out", n, times.FirstIn,
			times.LastIn, times.FirstOut, times.LastOut)
	}
	if l := times.FirstOut - times.FirstIn; l != b.latency() {
		return fmt.Errorf("a result comes %d cycles after its operands, not %d", l, b.latency())
	}
	return nil
}

// shipped is a platform that has all functions.
func shipped(t *testing.T) *bench {
	return newBench(t, designtest.Load(t, "u50_udp", nil), false)
}

func TestEveryPairOfCornersIsReducedExactly(t *testing.T) {
	b := shipped(t)
	for _, tdest := range b.tdests {
		o := b.operations[tdest]
		c := o.corners
		in0, in1 := operands(tdest, o.element, len(c)*len(c),
			func(i int) (uint64, uint64) { return c[i/len(c)], c[i%len(c)] })
		assert.Check(t, b.straight(in0, in1))
	}
}

// mixed are beats of any TDEST in any order, with any TKEEP and TLAST.
func (b *bench) mixed(r *rand.Rand, n int) (in0, in1 []streams.Beat) {
	for range n {
		x, y := streams.Beat{TDEST: uint8(r.IntN(256))}, streams.Beat{Keep: r.Uint64(), Last: uint8(r.IntN(2))}
		if r.IntN(8) != 0 {
			x.TDEST = b.tdests[r.IntN(len(b.tdests))]
		}
		if o, known := b.operations[x.TDEST]; known {
			for at := 0; at < 64; at += o.Bytes() {
				u, v := o.pair(r)
				o.Put(x.Data[at:], u)
				o.Put(y.Data[at:], v)
			}
		} else {
			for at := 0; at < 64; at += 8 {
				binary.LittleEndian.PutUint64(x.Data[at:], r.Uint64())
				binary.LittleEndian.PutUint64(y.Data[at:], r.Uint64())
			}
		}
		switch r.IntN(4) {
		case 0:
			x.Keep = r.Uint64()
		case 1:
			x.Keep = streams.Full >> r.IntN(65)
		default:
			x.Keep = streams.Full
		}
		x.Last = uint8(r.IntN(4) / 3)
		in0, in1 = append(in0, x), append(in1, y)
	}
	return in0, in1
}

// Streams begin, pause and wait at random.
func (b *bench) streams(t *testing.T, runs int) {
	t.Helper()
	first := block.ExtraSeed()
	for run := range uint64(runs) {
		seed := run // 0 among them
		if run >= uint64(runs)/2 {
			seed += first
		}
		r := rand.New(rand.NewPCG(seed, 2))
		n := 1 + r.IntN(2000)
		in0, in1 := b.mixed(r, n)
		pauses := func() int { return []int{0, 0, 30, 128, 220}[r.IntN(5)] }
		o := streams.Run{Seed: seed, In0: in0, In1: in1, Idle0: pauses(), Idle1: pauses(), Stall: pauses(), MaxOut: n,
			MaxCycles: 200*n + 20_000}
		out, _, err := b.Run(o)
		if err == nil {
			err = b.check(in0, in1, out)
		}
		assert.NilError(t, err, "seed %d, pauses %d, %d and %d", seed, o.Idle0, o.Idle1, o.Stall)
	}
}

func TestStreamsOfAllFunctionsWithPausesLoseNothing(t *testing.T) { shipped(t).streams(t, 60) }

func TestTheWideFormReducesLikeTheOther(t *testing.T) {
	b := newBench(t, designtest.Load(t, "u280_manual", nil), true)
	b.streams(t, 40)
	in0, in1 := b.mixed(rand.New(rand.NewPCG(0, 3)), 1000)
	assert.Check(t, b.straight(in0, in1))
}

func TestFunctionsOneAfterTheOtherCostNoCycles(t *testing.T) {
	b := shipped(t)
	in0, in1 := b.mixed(rand.New(rand.NewPCG(0, 4)), 10_000)
	assert.Check(t, b.straight(in0, in1))
}

func TestAResetForgetsWhatWasUnderWay(t *testing.T) {
	b := shipped(t)
	r := rand.New(rand.NewPCG(0, 5))
	for cut := range 24 {
		in0, in1 := b.mixed(r, 100)
		if _, _, err := b.Run(streams.Run{In0: in0, In1: in1, Stall: 128, MaxOut: 100, MaxCycles: 1 + cut}); !errors.Is(err,
			streams.ErrCycles) {
			t.Fatalf("the run that is cut off ends with %v", err)
		}
		in0, in1 = b.mixed(r, 20)
		assert.NilError(t, b.straight(in0, in1), "after a reset at cycle %d", cut)
	}
}

// Functions are where the platform has them, and what the plugin cannot do passes.
func TestAPlatformsOwnFunctionsAreSelected(t *testing.T) {
	nightly.Only(t) // one more build; TestSelections has the functions of a shipped platform
	lib := designtest.Library(t).With("own", []byte(`
platform "own" {
  board = "u55c"
  type "bfloat16" { bytes = 2 }
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "sum" { tdest = { bfloat16 = 0, float32 = 255, int64 = 1, float16 = 77, float64 = 3 } }
    function "max" { tdest = { float16 = 4, float64 = 128 } }
  }
}
`))
	d, diags := design.Load(lib, "own", lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	b := newBench(t, d, false)
	assert.Assert(t, len(b.operations) == 6, "there are %d functions, not 6", len(b.operations))
	b.streams(t, 20)
}

// declared are the reductions of the interface generations.
func declared(t *testing.T) []string {
	return designtest.Load(t, "u50_udp", nil).ABI().Enum(abi.ReduceFunctions).Names()
}

// Whatever is declared can be computed by everyone who is due to: the shipped plugin has it, and with it
// its RTL and C++, for each of its types; so have the emulator, the model and the reference of tests.
func TestEveryDeclaredReductionIsImplemented(t *testing.T) {
	own := designtest.Load(t, "u50_udp", nil).Platform.Arithmetic
	for _, function := range declared(t) {
		if _, ok := ieee.ReductionOf(function); !ok {
			t.Errorf("verify/rtltest/ieee has no %s", function)
		}
		assert.Check(t, model.Reductions[function].Of != nil, "verify/conformance/model has no %s", function)
		for name := range ieee.Types {
			if _, ok := lanes.Reduce(function, name); !ok {
				t.Errorf("verify/emu/lanes has no %s of %s", function, name)
			}
		}
		for name := range elements {
			assert.Check(t, own.Has(function, name), "%s has no %s of %s", own.Kernel, function, name)
		}
	}
}
