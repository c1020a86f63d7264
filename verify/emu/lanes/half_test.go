package lanes_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// format is a 16-bit format as an ordered list of all its magnitudes, made
// from its definition. The index of a magnitude is its encoding, and rounding
// is a search in the list.
type format struct {
	name       string
	mantissa   int
	nan        uint16
	magnitudes []float64 // finite ones, then the power of two that comes after them, where infinity begins
}

func newFormat(name string, exponentBits, mantissa int, nan uint16) *format {
	f := &format{name: name, mantissa: mantissa, nan: nan}
	bias := 1<<(exponentBits-1) - 1
	for i := 0; i <= (1<<exponentBits-1)<<mantissa; i++ {
		exponent, fraction := i>>mantissa, i&(1<<mantissa-1)
		if exponent == 0 {
			exponent = 1
		} else {
			fraction += 1 << mantissa
		}
		f.magnitudes = append(f.magnitudes, math.Ldexp(float64(fraction), exponent-bias-mantissa))
	}
	return f
}

var (
	binary16 = newFormat("float16", 5, 10, 0x7E00)
	brain16  = newFormat("bfloat16", 8, 7, 0x7FC0)
)

func (f *format) infinity() uint16 { return uint16(len(f.magnitudes) - 1) }

// value is that of an encoding; the second result is whether it is NaN.
func (f *format) value(h uint16) (float64, bool) {
	magnitude := h & 0x7FFF
	if magnitude > f.infinity() {
		return 0, true
	}
	v := math.Inf(1)
	if magnitude < f.infinity() {
		v = f.magnitudes[magnitude]
	}
	if h>>15 != 0 {
		v = -v
	}
	return v, false
}

// round is the encoding of a number that float64 holds.
func (f *format) round(v float64) uint16 {
	if v != v {
		return f.nan
	}
	var sign uint16
	if math.Signbit(v) {
		sign, v = 1<<15, -v
	}
	i := sort.SearchFloat64s(f.magnitudes, v) // the first that is at least v
	if i == len(f.magnitudes) {
		return sign | f.infinity()
	}
	if f.magnitudes[i] == v {
		return sign | uint16(i)
	}
	// Midpoints have one bit more than magnitudes, so float64 holds them.
	switch middle := (f.magnitudes[i-1] + f.magnitudes[i]) / 2; {
	case v < middle, v == middle && i&1 == 1:
		return sign | uint16(i-1)
	}
	return sign | uint16(i)
}

// special has every exponent with the mantissas around which rounding changes,
// of both signs, with infinities and NaNs.
func (f *format) special() (values []uint16) {
	for e := 0; e <= int(f.infinity()>>f.mantissa); e++ {
		for _, m := range []int{0, 1, 2, 3, 1<<(f.mantissa-1) - 1, 1 << (f.mantissa - 1), 1<<(f.mantissa-1) + 1,
			1<<f.mantissa - 2, 1<<f.mantissa - 1} {
			h := uint16(e<<f.mantissa | m)
			values = append(values, h, h|1<<15)
		}
	}
	return values
}

func testHalf(t *testing.T, f *format) {
	t.Helper()
	c := u16
	values := f.special()
	var a, b []uint16
	for _, x := range values {
		for _, y := range values {
			if f.mantissa == 10 || x%5 == y%7 { // all pairs of float16; bfloat16 has many more
				a, b = append(a, x), append(b, y)
			}
		}
	}
	r := rand.New(rand.NewPCG(6, uint64(f.mantissa)))
	for range 100_000 { // exact arithmetic takes its time

		h := r.Uint32()
		x, y := uint16(h), uint16(h>>16)
		if h%3 == 0 { // of close exponents
			y = x ^ y>>5
		}
		a, b = append(a, x), append(b, y)
	}
	for _, function := range functions {
		checkReduce(t, function, f.name, 2, c.bytes(a), c.bytes(b))
	}
}

func TestFloat16(t *testing.T)  { testHalf(t, binary16) }
func TestBFloat16(t *testing.T) { testHalf(t, brain16) }

// The reference itself, at values that the standard gives.
func TestReference(t *testing.T) {
	for h, want := range map[uint16]float64{0: 0, 1: 0x1p-24, 0x3FF: 1023 * 0x1p-24, 0x400: 0x1p-14, 0x3C00: 1, 0xC000: -2,
		0x7BFF: 65504, 0x3555: 0.333251953125} {
		if got, nan := binary16.value(h); got != want || nan {
			t.Errorf("float16 %04x is %v, want %v", h, got, want)
		}
		if got := binary16.round(want); got != h {
			t.Errorf("%v is float16 %04x, want %04x", want, got, h)
		}
	}
	for v, want := range map[float64]uint16{65519.99: 0x7BFF, 65520: 0x7C00, 0x1p-25: 0, 0x1.001p-25: 1, 0x3p-25: 2,
		2049: 0x6800, 2051: 0x6802} {
		if got := binary16.round(v); got != want {
			t.Errorf("%v is float16 %04x, want %04x", v, got, want)
		}
	}
	for h, want := range map[uint16]float64{1: 0x1p-133, 0x3F80: 1, 0x7F7F: 0x1.FEp127, 0x4049: 3.140625} {
		if got, nan := brain16.value(h); got != want || nan {
			t.Errorf("bfloat16 %04x is %v, want %v", h, got, want)
		}
	}
}

// Every value of the 16-bit formats, to all others.
func TestWidenAll(t *testing.T) {
	for _, f := range []*format{binary16, brain16} {
		var all []uint16
		for h := range 1 << 16 {
			all = append(all, uint16(h))
		}
		src := u16.bytes(all)
		to32, to64, other := make([]byte, 4<<16), make([]byte, 8<<16), make([]byte, 2<<16)
		convert(t, f.name, "float32")(to32, src)
		convert(t, f.name, "float64")(to64, src)
		g := brain16
		if f == brain16 {
			g = binary16
		}
		convert(t, f.name, g.name)(other, src)
		for h := range 1 << 16 {
			v, nan := f.value(uint16(h))
			want32, want64, want16 := math.Float32bits(float32(v)), math.Float64bits(v), g.round(v)
			if nan {
				want32, want64, want16 = 0x7FC00000, 0x7FF8000000000000, g.nan
			}
			if got := le.Uint32(to32[4*h:]); got != want32 {
				t.Fatalf("%s %04x is float32 %08x, want %08x", f.name, h, got, want32)
			}
			if got := le.Uint64(to64[8*h:]); got != want64 {
				t.Fatalf("%s %04x is float64 %016x, want %016x", f.name, h, got, want64)
			}
			if got := le.Uint16(other[2*h:]); got != want16 {
				t.Fatalf("%s %04x is %s %04x, want %04x", f.name, h, g.name, got, want16)
			}
		}
	}
}

// TestNarrow rounds all exponents with the mantissas at and beside every tie,
// and random numbers.
func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	n := 1_000_000
	if testing.Short() {
		n /= 10
	}
	var singles []float32
	for e := range uint32(256) {
		for _, high := range []uint32{0, 1, 2, 0x155, 0x200, 0x3FE, 0x3FF} { // the mantissa that float16 keeps
			for _, low := range []uint32{0, 1, 0xFFE, 0xFFF, 0x1000, 0x1001, 0x1FFF} {
				bits := e<<23 | high<<13 | low
				singles = append(singles, math.Float32frombits(bits), math.Float32frombits(bits|1<<31))
			}
		}
		for range 50 { // ties of subnormals and of bfloat16
			bits := e<<23 | r.Uint32()>>9
			bits &= ^uint32(0) << (8 + r.IntN(16))
			for _, b := range []uint32{bits, bits + 1, bits - 1} {
				singles = append(singles, math.Float32frombits(b), math.Float32frombits(b^1<<31))
			}
		}
	}
	for range n {
		singles = append(singles, math.Float32frombits(r.Uint32()), float32(r.NormFloat64()*0x1p-13))
	}
	doubles := make([]float64, 0, 2*len(singles))
	for _, s := range singles {
		d := math.Float64bits(float64(s))
		// Just beside what float32 holds: rounding twice would go wrong.
		doubles = append(doubles, float64(s), math.Float64frombits(d+1), math.Float64frombits(d-1))
	}
	for range n {
		doubles = append(doubles, math.Float64frombits(r.Uint64()))
	}
	fromSingle, fromDouble := f32.bytes(singles), f64.bytes(doubles)
	for _, f := range []*format{binary16, brain16} {
		got := make([]byte, 2*len(singles))
		convert(t, "float32", f.name)(got, fromSingle)
		for i, s := range singles {
			if g, w := le.Uint16(got[2*i:]), f.round(float64(s)); g != w {
				t.Fatalf("float32 %08x is %s %04x, want %04x", math.Float32bits(s), f.name, g, w)
			}
		}
		got = make([]byte, 2*len(doubles))
		convert(t, "float64", f.name)(got, fromDouble)
		for i, d := range doubles {
			if g, w := le.Uint16(got[2*i:]), f.round(d); g != w {
				t.Fatalf("float64 %016x is %s %04x, want %04x", math.Float64bits(d), f.name, g, w)
			}
		}
	}
	wide, narrow := make([]byte, 8*len(singles)), make([]byte, 4*len(doubles))
	convert(t, "float32", "float64")(wide, fromSingle)
	convert(t, "float64", "float32")(narrow, fromDouble)
	for i, s := range singles {
		want := math.Float64bits(float64(s))
		if s != s {
			want = 0x7FF8000000000000
		}
		if got := le.Uint64(wide[8*i:]); got != want {
			t.Fatalf("float32 %08x is float64 %016x, want %016x", math.Float32bits(s), got, want)
		}
	}
	for i, d := range doubles {
		want := math.Float32bits(float32(d))
		if d != d {
			want = 0x7FC00000
		}
		if got := le.Uint32(narrow[4*i:]); got != want {
			t.Fatalf("float64 %016x is float32 %08x, want %08x", math.Float64bits(d), got, want)
		}
	}
}

func TestConvertAlignment(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	floats := []string{"float16", "bfloat16", "float32", "float64"}
	sizes := map[string]int{"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
	for _, from := range floats {
		for _, to := range floats {
			if from == to {
				continue
			}
			f, s, d := convert(t, from, to), sizes[from], sizes[to]
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
