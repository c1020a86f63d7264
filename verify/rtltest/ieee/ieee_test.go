package ieee_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// Numbers that the standard and textbooks give.
func TestWrittenOutExamplesHold(t *testing.T) {
	for _, c := range []struct {
		f            ieee.Format
		a, b, sum, m uint64
	}{
		{ieee.Float16, 0x3C00, 0x3C00, 0x4000, 0x3C00}, // 1 + 1
		{ieee.Float16, 0x7BFF, 0x4BFF, 0x7BFF, 0x7BFF}, // 65504 + 15.99 stays
		{ieee.Float16, 0x7BFF, 0x4C00, 0x7C00, 0x7BFF}, // 65504 + 16 is a tie, and overflows
		{ieee.Float16, 0x0001, 0x8001, 0x0000, 0x0001}, // x - x
		{ieee.Float16, 0x8000, 0x8000, 0x8000, 0x8000}, // -0 - 0
		{ieee.Float16, 0x8000, 0x0000, 0x0000, 0x0000},
		{ieee.Float16, 0x03FF, 0x0001, 0x0400, 0x03FF}, // the smallest normal number
		{ieee.Float16, 0x6800, 0x3C00, 0x6800, 0x6800}, // 2048 + 1: a tie, to even
		{ieee.Float16, 0x6801, 0x3C00, 0x6802, 0x6801}, // 2050 + 1: a tie, to even
		{ieee.Float16, 0x7C00, 0xFC00, 0x7E00, 0x7C00},
		{ieee.Float16, 0xFC00, 0x7BFF, 0xFC00, 0x7BFF},
		{ieee.Float16, 0xFC01, 0x0000, 0x7E00, 0x7E00},                 // NaN
		{ieee.Float32, 0x3F800000, 0x33800000, 0x3F800000, 0x3F800000}, // 1 + 2^-24: a tie
		{ieee.Float32, 0x3F800000, 0x33800001, 0x3F800001, 0x3F800000},
		{ieee.Float64, 0x3FF0000000000000, 0xBFF0000000000000, 0, 0x3FF0000000000000},
	} {
		assert.Check(t, is.Equal(c.f.Sum(c.a, c.b), c.sum), "%x + %x", c.a, c.b)
		assert.Check(t, is.Equal(c.f.Max(c.a, c.b), c.m), "the maximum of %x and %x", c.a, c.b)
	}
	for from, to := range map[uint64]uint64{
		0x477FE000: 0x7BFF, 0x477FEFFF: 0x7BFF, 0x477FF000: 0x7C00, 0x33000000: 0, 0x33000001: 1, 0xB3C00000: 0x8002,
		0x387FE000: 0x0400, 0x387FC000: 0x03FF, 0xFF800001: 0x7E00,
	} {
		assert.Check(t, is.Equal(ieee.Convert(ieee.Float32, ieee.Float16, from), to), "float32 %x is float16", from)
	}
}

// The processor adds by the same standard.
func TestSumsAreThoseOfTheProcessor(t *testing.T) {
	r := rand.New(rand.NewPCG(0, 0))
	for range 100_000 {
		a, b := r.Uint64(), r.Uint64()
		if r.IntN(2) == 0 { // of close exponents
			b = a ^ b>>(2+r.IntN(62))
		}
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		if want, got := x+y, ieee.Float64.Sum(a, b); math.Float64bits(want) != got && want == want || want != want &&
			got != ieee.Float64.NaN() {
			t.Fatalf("%x + %x is %x, not %x", a, b, got, math.Float64bits(want))
		}
		u, v := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		if want, got := u+v, ieee.Float32.Sum(a&0xFFFFFFFF, b&0xFFFFFFFF); uint64(math.Float32bits(want)) != got &&
			want == want {
			t.Fatalf("%x + %x is %x, not %x", uint32(a), uint32(b), got, math.Float32bits(want))
		}
		if want, got := float32(x), ieee.Convert(ieee.Float64, ieee.Float32, a); uint64(math.Float32bits(want)) != got &&
			want == want {
			t.Fatalf("float64 %x is float32 %x, not %x", a, got, math.Float32bits(want))
		}
	}
}

func BenchmarkSum(b *testing.B) {
	r := rand.New(rand.NewPCG(0, 0))
	for b.Loop() {
		ieee.Float64.Sum(r.Uint64(), r.Uint64())
	}
}
