package adders_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/tb/block"
	"github.com/cclforge/cclforge/verify/tb/ieee"
)

// simple is what reduce_simple is asked for.
type simple struct {
	sum, maximum, floating bool
	log2                   int
	a, b                   uint64
}

// result is computed element by element.
func (s simple) result() (word uint64) {
	if !s.sum && !s.maximum {
		return s.a
	}
	bits := 8 << s.log2
	for at := 0; at < 64; at += bits {
		mask := ^uint64(0) >> (64 - bits)
		a, b := s.a>>at&mask, s.b>>at&mask
		signed := func(v uint64) int64 { return int64(v<<(64-bits)) >> (64 - bits) }
		var v uint64
		switch {
		case s.sum:
			v = (a + b) & mask
		case s.floating:
			v = map[int]ieee.Format{16: ieee.Float16, 32: ieee.Float32, 64: ieee.Float64}[bits].Max(a, b)
		default:
			v = uint64(max(signed(a), signed(b))) & mask
		}
		word |= v << at
	}
	return word
}

// ask makes a question: of float16 only the maximum, of the others everything.
func ask(r *rand.Rand) simple {
	s := simple{log2: 1 + r.IntN(3), a: r.Uint64(), b: r.Uint64()}
	switch r.IntN(4) {
	case 0:
		s.sum = true
		s.log2 = 2 + r.IntN(2)
	case 1: // passes
		s.log2, s.floating = r.IntN(4), r.IntN(2) == 0
	default:
		s.maximum, s.floating = true, r.IntN(3) != 0
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

func TestMaximaAndIntegersAlone(t *testing.T) {
	set.Check(t, "reduce_simple", func(b *block.Bench, r *rand.Rand) error {
		var asked []simple
		return stages(b, r, 2, 60_000, func() int {
			s := ask(r)
			b.Put("sum", s.sum)
			b.Put("maximum", s.maximum)
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
