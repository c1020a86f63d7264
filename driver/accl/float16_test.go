package accl

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// half describes a type of 16 bits by the definition of its format.
type half struct {
	name         string
	mantissa     int // bits
	bias         int
	to           func(float32) uint16
	from         func(uint16) float32
	infinity     uint16
	canonicalNaN uint16
}

var halves = []half{
	{"float16", 10, 15, func(f float32) uint16 { return uint16(ToFloat16(f)) },
		func(h uint16) float32 { return Float16(h).Float32() }, 0x7C00, 0x7E00},
	{"bfloat16", 7, 127, func(f float32) uint16 { return uint16(ToBFloat16(f)) },
		func(h uint16) float32 { return BFloat16(h).Float32() }, 0x7F80, 0x7FC0},
}

// value is what the bits mean.
func (h half) value(bits uint16) float64 {
	exponent := int(bits&0x7FFF) >> h.mantissa
	fraction := int(bits) & (1<<h.mantissa - 1)
	v := math.Ldexp(float64(fraction), 1-h.bias-h.mantissa)
	if exponent > 0 {
		v = math.Ldexp(float64(fraction+1<<h.mantissa), exponent-h.bias-h.mantissa)
	}
	if bits&0x8000 != 0 {
		return -v
	}
	return v
}

// TestHalfValues compares all 65536 numbers with what their bits mean, and
// converts them back.
func TestHalfValues(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			for i := range 1 << 16 {
				bits := uint16(i)
				f := h.from(bits)
				magnitude := bits & 0x7FFF
				switch {
				case magnitude > h.infinity:
					if math.Float32bits(f) != 0x7FC00000 || h.to(f) != h.canonicalNaN {
						t.Fatalf("0x%04X: 0x%08X and back 0x%04X", bits, math.Float32bits(f), h.to(f))
					}
					continue
				case magnitude == h.infinity:
					if !math.IsInf(float64(f), 1-2*int(bits>>15)) {
						t.Fatalf("0x%04X: %g", bits, f)
					}
				case float64(f) != h.value(bits) || math.Signbit(float64(f)) != (bits>>15 == 1):
					t.Fatalf("0x%04X: %g, want %g", bits, f, h.value(bits))
				}
				if back := h.to(f); back != bits {
					t.Fatalf("0x%04X: %g and back 0x%04X", bits, f, back)
				}
			}
		})
	}
}

// TestHalfRounding looks between all neighbours: the middle goes to the even one,
// and what is beside it to the nearer one.
func TestHalfRounding(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			for low := uint16(0); low < h.infinity; low++ {
				high := low + 1
				even := low + low&1
				middle := float32((h.value(low) + h.value(high)) / 2)
				if high == h.infinity {
					middle = float32(h.value(low) + (h.value(low)-h.value(low-1))/2)
				}
				for _, c := range []struct {
					f    float32
					want uint16
				}{
					{math.Nextafter32(middle, 0), low}, {middle, even}, {math.Nextafter32(middle, float32(math.Inf(1))), high},
				} {
					if got := h.to(c.f); got != c.want {
						t.Fatalf("%g between 0x%04X and 0x%04X: 0x%04X", c.f, low, high, got)
					}
					if got := h.to(-c.f); got != c.want|0x8000 {
						t.Fatalf("%g between 0x%04X and 0x%04X: 0x%04X", -c.f, low, high, got)
					}
				}
			}
			for _, f := range []float32{math.MaxFloat32, float32(math.Inf(1))} {
				if got := h.to(f); got != h.infinity {
					t.Errorf("%g: 0x%04X", f, got)
				}
			}
			assert.Check(t, is.Equal(h.to(float32(math.Copysign(0, -1))), uint16(0x8000)), "-0: 0x")
		})
	}
}

func TestHalfText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{ToFloat16(1.5).String(), "1.5"}, {ToFloat16(65504).String(), "65504"},
		{ToFloat16(float32(math.Inf(-1))).String(), "-Inf"},
		{ToBFloat16(-0.25).String(), "-0.25"}, {Float16(0x7E00).String(), "NaN"},
	} {
		assert.Check(t, is.Equal(c.got, c.want))
	}
}
