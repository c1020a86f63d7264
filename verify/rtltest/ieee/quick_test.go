package ieee_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

// halves are float16 at which something changes: all signs and exponents with the
// ends of the fractions.
func halves() (list []uint16) {
	for high := range uint16(64) {
		for _, fraction := range []uint16{0, 1, 2, 0x1FF, 0x200, 0x201, 0x3FE, 0x3FF} {
			list = append(list, high<<10|fraction)
		}
	}
	return list
}

// The processor's float64 holds every sum and product of two float16 exactly.
var inFloat64 = map[string]func(x, y float64) float64{
	"sum":  func(x, y float64) float64 { return x + y },
	"prod": func(x, y float64) float64 { return x * y },
	"max":  func(x, y float64) float64 { return max(x, y) },
	"min":  func(x, y float64) float64 { return min(x, y) },
}

// The quick results of float16 are those of the definition, and of float64.
func TestQuickFloat16IsExact(t *testing.T) {
	for function, processor := range inFloat64 {
		t.Run(function, func(t *testing.T) { checkQuick(t, function, processor) })
	}
}

func checkQuick(t *testing.T, function string, processor func(x, y float64) float64) {
	rows := ieee.NewHalfRows()
	r, ok := ieee.ReductionOf(function)
	assert.Assert(t, ok, "there is no such reduction")
	check := func(a, b uint16) {
		got := uint64(r.Half(rows, a, b))
		assert.Equal(t, got, r.Of(ieee.Types["float16"], uint64(a), uint64(b)), "%04x and %04x", a, b)
		x := math.Float64frombits(ieee.Convert(ieee.Float16, ieee.Float64, uint64(a)))
		y := math.Float64frombits(ieee.Convert(ieee.Float16, ieee.Float64, uint64(b)))
		if want := ieee.Convert(ieee.Float64, ieee.Float16, math.Float64bits(processor(x, y))); got != want {
			t.Fatalf("%04x and %04x give %04x, and %04x in float64", a, b, got, want)
		}
	}
	for _, a := range halves() {
		for _, b := range halves() {
			check(a, b)
		}
	}
	for _, seed := range []uint64{0, block.ExtraSeed()} {
		random := rand.New(rand.NewPCG(seed, 16))
		for range 200_000 {
			a, b := uint16(random.Uint32()), uint16(random.Uint32())
			if random.IntN(2) == 0 { // of close exponents
				b = a ^ b>>(1+random.IntN(15))
			}
			check(a, b)
		}
	}
	row := make([]uint16, 3)
	r.HalfRow(rows, row, 0x3C01, 0xFFFE)
	for i, got := range row {
		if want := r.Half(rows, 0x3C01, 0xFFFE+uint16(i)); got != want {
			t.Errorf("%d of a row is %04x, not %04x", i, got, want)
		}
	}
}

// Where each float16 begins is where the definition changes: at every one of
// them, beside them, and at random.
func TestQuickNarrowingIsExact(t *testing.T) {
	n := ieee.NewNarrowing()
	convert := func(single uint32) uint16 { return uint16(ieee.Convert(ieee.Float32, ieee.Float16, uint64(single))) }
	check := func(first uint32, count int) {
		out := make([]uint16, count)
		n.Fill(out, first)
		for i, got := range out {
			if want := convert(first + uint32(i)); got != want {
				t.Fatalf("float32 %08x is float16 %04x, not %04x", first+uint32(i), got, want)
			}
		}
	}
	for _, sign := range []uint32{0, 1 << 31} {
		for h := range uint64(0x7C01) { // the middle between h and the number above, by the definition of float64
			low := math.Float64frombits(ieee.Convert(ieee.Float16, ieee.Float64, h))
			high := 65536.0
			if h < 0x7BFF {
				high = math.Float64frombits(ieee.Convert(ieee.Float16, ieee.Float64, h+1))
			}
			check(sign|math.Float32bits(float32((low+high)/2))-2, 5)
			check(sign|math.Float32bits(float32(low)), 2)
		}
		for _, first := range []uint32{0, 0xFF<<23 - 4, 0xFF<<23 + 1, 1<<31 - 8} {
			check(sign|first, 8)
		}
	}
	for _, seed := range []uint64{0, block.ExtraSeed()} {
		r := rand.New(rand.NewPCG(seed, 32))
		for range 100_000 {
			check(r.Uint32(), 1)
		}
	}
}

func BenchmarkSumRow(b *testing.B) {
	rows, row := ieee.NewHalfRows(), make([]uint16, ieee.Halves)
	b.SetBytes(2 * ieee.Halves)
	sum, _ := ieee.ReductionOf("sum")
	for a := uint16(0); b.Loop(); a += 257 {
		sum.HalfRow(rows, row, a, 0)
	}
}

func BenchmarkNarrowing(b *testing.B) {
	n, out := ieee.NewNarrowing(), make([]uint16, 1<<16)
	b.SetBytes(2 << 16)
	for a := uint32(0); b.Loop(); a += 1 << 16 {
		n.Fill(out, a)
	}
}
