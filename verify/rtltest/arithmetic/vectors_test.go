package arithmetic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

// vectorsOfUnit is the pairs of a unit, all of one seed.
const vectorsOfUnit = 1 << 16

// TestRandomPairsAreReducedExactly checks every function and type that the
// platform has with random pairs, most of which are near what decides.
func TestRandomPairsAreReducedExactly(t *testing.T) {
	b := shipped(t)
	units := 4
	if *exhaustive { // ten million pairs
		units = 10_000_000/vectorsOfUnit + 1
	}
	for _, tdest := range b.tdests {
		o := b.operations[tdest]
		t.Run(o.function+" of "+o.name, func(t *testing.T) {
			checkUnits(t, units, 0, []int{0, 1, 2, 3}, func() (func(int) error, func(), error) {
				k, err := streams.New(t.Context(), b.model, block.ExtraSeed())
				if err != nil {
					return nil, nil, err
				}
				k.Restart()
				return o.vectors(k, tdest), k.Close, nil
			})
		})
	}
}

// vectors checks units of random pairs: unit 0 has the seed 0, and the others
// follow the seed that is asked for.
func (o operation) vectors(k *streams.Kernel, tdest uint8) func(unit int) error {
	size := vectorsOfUnit * o.Bytes()
	in0, in1, out := make([]byte, size), make([]byte, size), make([]byte, size)
	return func(unit int) error {
		seed := uint64(0)
		if unit > 0 {
			seed = block.ExtraSeed() + uint64(unit)
		}
		r := rand.New(rand.NewPCG(seed, uint64(tdest)))
		for at := 0; at < size; at += o.Bytes() {
			a, b := o.pair(r)
			o.Put(in0[at:], a)
			o.Put(in1[at:], b)
		}
		if err := k.Bulk(tdest, in0, in1, out); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		for at := 0; at < size; at += o.Bytes() {
			a, b, got := o.Get(in0[at:]), o.Get(in1[at:]), o.Get(out[at:])
			if want := o.quick(o.function, a, b); got != want {
				return fmt.Errorf("seed %d: %s of %s %0*x and %0*x is %x, not %x", seed, o.function, o.name, 2*o.Bytes(), a,
					2*o.Bytes(), b, got, want)
			}
		}
		return nil
	}
}
