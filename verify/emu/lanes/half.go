package lanes

import (
	"math"
	"sync"
)

// Bits of the 16-bit formats.
const (
	sign16      = 0x8000
	float16Inf  = 0x7C00
	float16NaN  = 0x7E00
	bfloat16Inf = 0x7F80
	bfloat16NaN = 0x7FC0
)

// float16Values holds the value of every float16: looking it up is faster than
// working it out, above all among subnormals.
var float16Values = sync.OnceValue(func() *[1 << 16]float32 {
	values := new([1 << 16]float32)
	for i := range values {
		values[i] = math.Float32frombits(float16Bits(uint16(i)))
	}
	return values
})

// float16Bits is the float32 of the same value as a float16.
func float16Bits(h uint16) uint32 {
	sign, magnitude := uint32(h&sign16)<<16, uint32(h&^sign16)
	switch {
	case magnitude > float16Inf:
		return nan32
	case magnitude == float16Inf:
		return sign | 0xFF<<23
	case magnitude < 1<<10: // subnormal, in units of 2^-24
		return sign | math.Float32bits(float32(magnitude)*0x1p-24)
	default:
		return sign | (magnitude<<13 + (127-15)<<23)
	}
}

func bfloat16Value(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// toFloat16 rounds a float32 to float16.
func toFloat16(f float32) uint16 {
	signed := math.Float32bits(f)
	bits := signed &^ (1 << 31)
	switch {
	case bits-(127-14)<<23 < 30<<23: // 2^-14 up to 2^16; rounding may carry into the exponent, up to infinity
		bits = (bits - (127-15)<<23 + 0xFFF + bits>>13&1) >> 13
	case bits < (127-14)<<23: // subnormal: adding 0.5, which is followed by units of 2^-24, rounds to them
		bits = math.Float32bits(math.Float32frombits(bits)+0.5) - 126<<23
	case bits > 0xFF<<23:
		return float16NaN
	default:
		bits = float16Inf
	}
	return uint16(signed>>16&sign16 | bits)
}

// toBFloat16 rounds a float32 to bfloat16.
func toBFloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	if bits&^(1<<31) > 0xFF<<23 {
		return bfloat16NaN
	}
	return uint16((bits + 0x7FFF + bits>>16&1) >> 16)
}

// narrow rounds the bits of a float64 to a 16-bit format in one step; by way
// of float32 it would round twice.
func narrow(bits uint64, mantissa, bias uint, inf, nan uint16) uint16 {
	sign, bits := uint16(bits>>48)&sign16, bits&^(1<<63)
	drop := 52 - mantissa
	smallest := uint64(1023-bias+1) << 52 // the smallest normal number
	switch {
	case bits > 0x7FF<<52:
		return nan
	case bits >= smallest+uint64(2*bias)<<52: // 2^(bias+1) and above
		return sign | inf
	case bits >= smallest:
		bits -= uint64(1023-bias) << 52
		return sign | uint16((bits+1<<(drop-1)-1+bits>>drop&1)>>drop)
	default: // as in toFloat16: the number that is followed by units of the smallest subnormal
		units := uint64(1023-bias+1-mantissa+52) << 52
		return sign | uint16(math.Float64bits(math.Float64frombits(bits)+math.Float64frombits(units))-units)
	}
}
