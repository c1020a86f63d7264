package plugins_test

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// operation is what a TDEST asks for.
type operation struct {
	function, name string
	ieee.Type
	corners []uint64
	reduce  lanes.Reducer
}

// operations are those of a platform, by TDEST.
func operations(t *testing.T, d *design.Design) (all map[uint32]operation, tdests []uint32) {
	t.Helper()
	all = map[uint32]operation{}
	for _, f := range d.Platform.Arithmetic.Functions {
		for _, of := range f.TDEST {
			e, known := ieee.Types[of.Type]
			reduce, ok := lanes.Reduce(f.Name, of.Type)
			assert.Assert(t, known && ok, "%s of %s is not known here", f.Name, of.Type)
			all[uint32(of.TDEST)] = operation{f.Name, of.Type, e, e.Corners(), reduce}
			tdests = append(tdests, uint32(of.TDEST))
		}
	}
	return all, tdests
}

// reduced is what the plugin makes of operands.
func reduced(all map[uint32]operation, in0, in1 []hls.Beat) []hls.Beat {
	out := make([]hls.Beat, len(in0))
	for i, x := range in0 {
		if o, known := all[x.Dest]; known {
			o.reduce(x.Data[:], x.Data[:], in1[i].Data[:])
		}
		x.Dest = 0 // the output has none
		out[i] = x
	}
	return out
}

// operands are full beats of pairs for one TDEST.
func operands(tdest uint32, o operation, pairs int, pair func(i int) (a, b uint64)) (in0, in1 []hls.Beat) {
	per := 64 / o.Bytes()
	for i := range pairs {
		if i%per == 0 {
			in0 = append(in0, hls.Beat{Keep: streams.Full, Dest: tdest})
			in1 = append(in1, hls.Beat{Keep: streams.Full})
		}
		a, b := pair(i)
		o.Put(in0[len(in0)-1].Data[i%per*o.Bytes():], a)
		o.Put(in1[len(in1)-1].Data[i%per*o.Bytes():], b)
	}
	in0[len(in0)-1].Last = 1
	return in0, in1
}

func TestEveryReductionGivesTheExactBits(t *testing.T) {
	d := load(t, "hls")
	all, tdests := operations(t, d)
	if declared := d.ABI().Enum(abi.ReduceFunctions).Values; len(all) != 5*len(declared) {
		t.Errorf("the platform has %d reductions, not %d of 5 types", len(all), len(declared))
	}
	exactReductions(t, open(t, library(t, "reduce_ops"), 64), all, tdests)
}

// exactReductions compares reductions of corners and random pairs with the emulator's.
func exactReductions(t *testing.T, c *hls.Component, all map[uint32]operation, tdests []uint32) {
	t.Helper()
	for _, tdest := range tdests {
		o := all[tdest]
		n, pairs := len(o.corners), 200_000
		if testing.Short() {
			pairs /= 10
		}
		r := rand.New(rand.NewPCG(block.ExtraSeed(), uint64(tdest)))
		in0, in1 := operands(tdest, o, n*n+pairs, func(i int) (uint64, uint64) {
			if i < n*n {
				return o.corners[i/n], o.corners[i%n]
			}
			return o.Pair(r, o.corners)
		})
		out, err := through(c, r, in0, in1)
		if err == nil {
			err = same(out, reduced(all, in0, in1), true)
		}
		assert.Check(t, err, "%s of %s", o.function, o.name)
	}
}

// packets are operands of any TDEST, packet by packet, some with a TKEEP that ends
// or has gaps.
func packets(r *rand.Rand, all map[uint32]operation, tdests []uint32, n int) (in0, in1 []hls.Beat) {
	for len(in0) < n {
		tdest := tdests[r.IntN(len(tdests))]
		if r.IntN(8) == 0 {
			tdest = uint32(r.IntN(256))
		}
		for left := r.IntN(20); left >= 0; left-- {
			x, y := hls.Beat{Keep: streams.Full, Dest: tdest}, hls.Beat{Keep: r.Uint64(), Last: r.Uint32N(2)}
			for at := 0; at < 64; at += 8 {
				le.PutUint64(x.Data[at:], r.Uint64())
				le.PutUint64(y.Data[at:], r.Uint64())
			}
			if o, known := all[tdest]; known {
				for at := 0; at < 64; at += o.Bytes() {
					a, b := o.Pair(r, o.corners)
					o.Put(x.Data[at:], a)
					o.Put(y.Data[at:], b)
				}
			}
			if left == 0 {
				x.Last = 1
				x.Keep >>= r.IntN(65)
			}
			if r.IntN(10) == 0 {
				x.Keep = r.Uint64()
			}
			in0, in1 = append(in0, x), append(in1, y)
		}
	}
	return in0, in1
}

func TestPacketsOfAllReductionsKeepTheirShape(t *testing.T) {
	path := library(t, "reduce_ops")
	all, tdests := operations(t, load(t, "hls"))
	for run := range uint64(30) {
		r := rand.New(rand.NewPCG(run, block.ExtraSeed()))
		c := open(t, path, 1+r.IntN(20))
		in0, in1 := packets(r, all, tdests, 1+r.IntN(2000))
		out, err := through(c, r, in0, in1)
		if err == nil {
			err = same(out, reduced(all, in0, in1), true)
		}
		assert.NilError(t, err, "run %d", run)
	}
}

func TestReductionsInCAndInHardwareAreTheSameBits(t *testing.T) {
	path := library(t, "reduce_ops")
	k := verilated(t, streams.Model{Kernel: "reduce_ops", In0: "in0", In1: "in1", Out: "out_r"})
	all, tdests := operations(t, load(t, "hls"))
	for run := range uint64(10) {
		r := rand.New(rand.NewPCG(run, block.ExtraSeed()))
		in0, in1 := packets(r, all, tdests, 1+r.IntN(4000))
		out, err := through(open(t, path, 16), r, in0, in1)
		assert.NilError(t, err, "run %d", run)
		want, _, err := k.Run(streams.Run{
			Seed: run, In0: wires(in0), In1: wires(in1), Idle0: r.IntN(100), Stall: r.IntN(100),
			MaxOut: len(in0), MaxCycles: 20*len(in0) + 10_000,
		})
		if err == nil {
			err = same(out, beats(want), true)
		}
		assert.NilError(t, err, "run %d", run)
	}
}
