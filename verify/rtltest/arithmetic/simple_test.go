package arithmetic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// simple is what reduce_simple is asked for.
type simple struct {
	function string // empty: operand a passes
	floating bool
	log2     int
	a, b     uint64
}

// result is computed element by element.
func (s simple) result() (word uint64) {
	function, ok := ieee.ReductionOf(s.function)
	if !ok {
		return s.a
	}
	bits := 8 << s.log2
	of := ieee.Type{Bits: bits, Signed: true}
	if s.floating {
		of = ieee.Type{Format: map[int]ieee.Format{16: ieee.Float16, 32: ieee.Float32, 64: ieee.Float64}[bits]}
	}
	for at := 0; at < 64; at += bits {
		mask := ^uint64(0) >> (64 - bits)
		word |= function.Of(of, s.a>>at&mask, s.b>>at&mask) << at
	}
	return word
}

// ask makes a question: of float16 only order, of the others everything.
func ask(r *rand.Rand) simple {
	s := simple{log2: 1 + r.IntN(3), a: r.Uint64(), b: r.Uint64()}
	switch r.IntN(5) {
	case 0:
		s.function = "sum"
		s.log2 = 2 + r.IntN(2)
	case 1: // passes
		s.log2, s.floating = r.IntN(4), r.IntN(2) == 0
	default:
		s.function, s.floating = []string{"max", "min"}[r.IntN(2)], r.IntN(3) != 0
	}
	switch r.IntN(4) {
	case 0:
		f := []ieee.Format{ieee.Float16, ieee.Float16, ieee.Float32, ieee.Float64}[s.log2]
		s.a, s.b = 0, 0
		for at := 0; at < 64; at += f.Width() {
			x, y := numbers(r, f)
			s.a |= x << at
			s.b |= y << at
		}
	case 1: // close to each other
		s.b = s.a ^ 1<<r.IntN(64)
	case 2:
		s.b = s.a
		if r.IntN(2) == 0 {
			s.b = -s.a
		}
	}
	return s
}

func TestOrderAndIntegersAlone(t *testing.T) {
	oneHot := map[string]uint64{"": 0}
	for _, f := range designtest.Load(t, "u50_udp", nil).ABI().Enum(abi.ReduceFunctions).Values {
		oneHot[f.Name] = 1 << f.Value
	}
	set.Check(t, "reduce_simple", func(b *block.Bench, r *rand.Rand) error {
		var asked []simple
		return stages(b, r, 2, 60_000, func() int {
			s := ask(r)
			b.Set("operation", oneHot[s.function])
			b.Put("floating", s.floating)
			b.Set("size", uint64(s.log2))
			b.Set("a", s.a)
			b.Set("b", s.b)
			asked = append(asked, s)
			return len(asked) - 1
		}, func(n int) error {
			if got, want := b.Get("result"), asked[n].result(); got != want {
				return fmt.Errorf("%+v (%x, %x) is %x, not %x", asked[n], asked[n].a, asked[n].b, got, want)
			}
			return nil
		})
	})
}
