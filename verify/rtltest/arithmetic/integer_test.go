package arithmetic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// integers is what reduce_integer is asked for.
type integers struct {
	function string // empty: operand a passes
	bits     int
	a, b     uint64
}

// result is computed element by element.
func (s integers) result() (word uint64) {
	function, ok := ieee.ReductionOf(s.function)
	if !ok {
		return s.a
	}
	for at := 0; at < 64; at += s.bits {
		mask := ^uint64(0) >> (64 - s.bits)
		word |= function.Of(ieee.Type{Bits: s.bits, Signed: true}, s.a>>at&mask, s.b>>at&mask) << at
	}
	return word
}

// below compares operands without their signs, of 32 bits the lower ones and all: of the upper element it does not
// matter what is below it.
func (s integers) below() uint64 {
	const low, all = 1<<31 - 1, 1<<63 - 1
	var below uint64
	if s.a&low < s.b&low {
		below |= 1
	}
	if s.a&all < s.b&all {
		below |= 2
	}
	return below
}

func ask(r *rand.Rand) integers {
	s := integers{[]string{"", "sum", "max", "min"}[r.IntN(4)], 32 << r.IntN(2), r.Uint64(), r.Uint64()}
	switch r.IntN(4) {
	case 0: // close to each other
		s.b = s.a ^ 1<<r.IntN(64)
	case 1:
		s.b = s.a
		if r.IntN(2) == 0 {
			s.b = -s.a
		}
	}
	return s
}

func TestIntegersAlone(t *testing.T) {
	set.Check(t, "reduce_integer", func(b *block.Bench, r *rand.Rand) error {
		var asked []integers
		return stages(b, r, 2, 60_000, func(p pipeline) int {
			s := ask(r)
			b.Put("sum", s.function == "sum")
			b.Put("maximum", s.function == "max")
			b.Put("minimum", s.function == "min")
			b.Put("wide", s.bits == 64)
			b.Set("a", s.a)
			b.Set("b", s.b)
			b.Set("below", 0)
			if at := p[0]; at >= 0 {
				b.Set("below", asked[at].below())
			}
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
