package accl

import (
	"math"
	"strconv"
)

// Float16 is an IEEE 754 binary16 number, as its bits.
type Float16 uint16

const (
	float16Infinity = 0x7C00
	float16NaN      = 0x7E00 // the canonical quiet NaN
	float32NaN      = 0x7FC00000
)

// ToFloat16 rounds to the nearest number, ties to even. A NaN becomes the canonical quiet
// NaN.
func ToFloat16(f float32) Float16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	exponent, mantissa := int(b>>23&0xFF)-127, b&0x7FFFFF
	switch {
	case exponent == 128 && mantissa != 0:
		return float16NaN
	case exponent >= 16:
		return Float16(sign | float16Infinity)
	case exponent >= -14: // normal; a carry out of the mantissa steps the exponent, up to infinity
		return Float16(sign + uint16(roundToEven(uint32(exponent+15)<<23|mantissa, 13)))
	case exponent >= -25: // subnormal
		return Float16(sign + uint16(roundToEven(mantissa|1<<23, uint(-exponent-1))))
	default:
		return Float16(sign)
	}
}

// roundToEven drops the low bits of a number.
func roundToEven(v uint32, drop uint) uint32 {
	half, odd := uint32(1)<<(drop-1), v>>drop&1
	return (v + half - 1 + odd) >> drop
}

// Float32 converts exactly. A NaN becomes the canonical quiet NaN.
func (h Float16) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exponent, mantissa := uint32(h>>10&0x1F), uint32(h&0x3FF)
	switch {
	case exponent == 0x1F && mantissa != 0:
		return math.Float32frombits(float32NaN)
	case exponent == 0x1F:
		return math.Float32frombits(sign | 0xFF<<23)
	case exponent == 0:
		v := float32(mantissa) * (1.0 / (1 << 24)) // exact
		return math.Float32frombits(sign | math.Float32bits(v))
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | mantissa<<13)
	}
}

// String returns the number in decimal.
func (h Float16) String() string { return shortest(h.Float32()) }

// BFloat16 is the upper half of an IEEE 754 binary32 number.
type BFloat16 uint16

// ToBFloat16 rounds to the nearest number, ties to even. A NaN becomes the
// canonical quiet NaN.
func ToBFloat16(f float32) BFloat16 {
	if f != f {
		return float32NaN >> 16
	}
	b := math.Float32bits(f)
	return BFloat16((uint64(b) + 0x7FFF + uint64(b>>16&1)) >> 16)
}

// Float32 converts exactly. A NaN becomes the canonical quiet NaN.
func (h BFloat16) Float32() float32 {
	if f := math.Float32frombits(uint32(h) << 16); f == f {
		return f
	}
	return math.Float32frombits(float32NaN)
}

// String returns the number in decimal.
func (h BFloat16) String() string { return shortest(h.Float32()) }

func shortest(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
