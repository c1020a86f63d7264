package ieee

import "math/bits"

// Halves is the number of bit patterns of float16.
const Halves = 1 << 16

const (
	halfSign     = 0x8000
	halfInfinity = 0x7C00
	halfNaN      = 0x7E00
)

// HalfRows is float16 arithmetic that is quick enough for every pair of
// operands: a row at a time, which is one operand with all numbers. Sums are
// whole numbers of the unit of subnormals, 2^-24, so that they are exact before
// they are rounded.
type HalfRows struct {
	units [Halves]int64 // of finite numbers
	order [Halves]int32 // larger for larger numbers, and for +0 than for -0
}

// NewHalfRows prepares the tables.
func NewHalfRows() *HalfRows {
	h := &HalfRows{}
	for i := range Halves {
		magnitude, negative := i&^halfSign, i&halfSign != 0
		units, order := int64(magnitude&0x3FF), int32(magnitude)
		if exponent := magnitude >> 10; exponent > 0 {
			units = (units | 0x400) << (exponent - 1)
		}
		if negative {
			units, order = -units, -1-order
		}
		h.units[i], h.order[i] = units, order
	}
	return h
}

// roundHalf rounds a number of units of subnormals of which so many bits are a fraction.
func roundHalf(magnitude uint64, fraction int) uint16 {
	// The leading bit of what is kept adds the 1 to the exponent that normal numbers have.
	shift := max(bits.Len64(magnitude)-11, fraction)
	kept, rest, half := magnitude>>shift, magnitude&(1<<shift-1), uint64(1)<<shift>>1
	if rest > half || rest == half && shift > 0 && kept&1 == 1 {
		kept++
	}
	return uint16(min(uint64(shift-fraction)<<10+kept, halfInfinity))
}
