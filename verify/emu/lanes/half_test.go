package lanes_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/rtltest/ieee"
)

var floats = types[:4]

func formatOf(name string) ieee.Format { return ieee.Types[name].Format }

// special has every exponent with the mantissas around which rounding changes,
// of both signs, with infinities and NaNs.
func special(f ieee.Format) (values []uint16) {
	for e := range 1 << f.Exponent {
		for _, m := range []int{0, 1, 2, 3, 1<<(f.Fraction-1) - 1, 1 << (f.Fraction - 1), 1<<(f.Fraction-1) + 1,
			1<<f.Fraction - 2, 1<<f.Fraction - 1} {
			h := uint16(e<<f.Fraction | m)
			values = append(values, h, h|1<<15)
		}
	}
	return values
}

func testHalf(t *testing.T, name string) {
	t.Helper()
	values := special(formatOf(name))
	var a, b []uint16
	for _, x := range values {
		for _, y := range values {
			if name == "float16" || x%5 == y%7 { // all pairs of float16; bfloat16 has many more
				a, b = append(a, x), append(b, y)
			}
		}
	}
	r := rand.New(rand.NewPCG(6, uint64(formatOf(name).Fraction)))
	for range 100_000 { // exact arithmetic takes its time
		h := r.Uint32()
		x, y := uint16(h), uint16(h>>16)
		if h%3 == 0 { // of close exponents
			y = x ^ y>>5
		}
		a, b = append(a, x), append(b, y)
	}
	for _, function := range functions {
		checkReduce(t, function, name, 2, u16.bytes(a), u16.bytes(b))
	}
}

func TestFloat16(t *testing.T)  { testHalf(t, "float16") }
func TestBFloat16(t *testing.T) { testHalf(t, "bfloat16") }

// checkConvert holds the conversions of values to all other formats against their definition.
func checkConvert[T uint16 | uint32 | uint64](t *testing.T, from string, values []T) {
	t.Helper()
	size := formatOf(from).Width() / 8
	var src []byte
	for _, v := range values {
		src = append(src, le.AppendUint64(nil, uint64(v))[:size]...)
	}
	for _, to := range floats {
		if to == from {
			continue
		}
		width := formatOf(to).Width() / 8
		got := make([]byte, width*len(values))
		convert(t, from, to)(got, src)
		for i, v := range values {
			want := ieee.Convert(formatOf(from), formatOf(to), uint64(v))
			assert.Equal(t, le.Uint64(append(slices.Clone(got[i*width:(i+1)*width]), make([]byte, 8)...)), want,
				"%s %x is %s", from, v, to)
		}
	}
}

// TestConversions has all values of the 16-bit formats; of the others all exponents
// with the mantissas at and beside every tie, and random numbers.
func TestConversions(t *testing.T) {
	var halves []uint16
	for h := range 1 << 16 {
		halves = append(halves, uint16(h))
	}
	checkConvert(t, "float16", halves)
	checkConvert(t, "bfloat16", halves)
	r := rand.New(rand.NewPCG(7, 7))
	var singles []uint32
	for e := range uint32(256) {
		for _, high := range []uint32{0, 1, 0x155, 0x3FE, 0x3FF} { // the mantissa that float16 keeps
			for _, low := range []uint32{0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF} {
				bits := e<<23 | high<<13 | low
				singles = append(singles, bits, bits|1<<31)
			}
		}
		for range 10 { // ties of subnormals and of bfloat16
			bits := e<<23 | r.Uint32()>>9
			bits &= ^uint32(0) << (8 + r.IntN(16))
			singles = append(singles, bits, bits+1, bits-1, bits^1<<31)
		}
	}
	for range 10_000 {
		singles = append(singles, r.Uint32(), math.Float32bits(float32(r.NormFloat64()*0x1p-13)))
	}
	checkConvert(t, "float32", singles)
	var doubles []uint64
	for _, s := range singles {
		d := math.Float64bits(float64(math.Float32frombits(s)))
		// Just beside what float32 holds: rounding twice would go wrong.
		doubles = append(doubles, d, d+1, d-1)
	}
	for range 10_000 {
		doubles = append(doubles, r.Uint64())
	}
	checkConvert(t, "float64", doubles)
}

func TestConvertAlignment(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, from := range floats {
		for _, to := range floats {
			if from == to {
				continue
			}
			f, s, d := convert(t, from, to), formatOf(from).Width()/8, formatOf(to).Width()/8
			for _, n := range []int{1, 5, 511, 512, 513, 3000} {
				src, want := random(r, n*s), make([]byte, n*d)
				for i := range n {
					f(want[i*d:(i+1)*d], src[i*s:(i+1)*s])
				}
				for offset := range 8 {
					in := append(make([]byte, 8-offset, 8+n*s), src...)[8-offset:]
					out := make([]byte, n*d+16)
					f(out[offset:offset+n*d], in)
					if string(out[offset:offset+n*d]) != string(want) {
						t.Fatalf("%d from %s to %s at offset %d differ", n, from, to, offset)
					}
					for i, b := range out {
						if (i < offset || i >= offset+n*d) && b != 0 {
							t.Fatalf("%d from %s to %s at offset %d write beside the result", n, from, to, offset)
						}
					}
				}
			}
		}
	}
}
