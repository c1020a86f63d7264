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

// Sum is the sum of two numbers.
func (h *HalfRows) Sum(a, b uint16) uint16 {
	switch x, y := a&^halfSign, b&^halfSign; {
	case x > halfInfinity || y > halfInfinity:
		return halfNaN
	case x == halfInfinity && y == halfInfinity && a != b:
		return halfNaN
	case x == halfInfinity:
		return a
	case y == halfInfinity:
		return b
	}
	sum := h.units[a] + h.units[b]
	sign, magnitude := uint16(0), uint64(sum)
	switch {
	case sum == 0:
		return a & b & halfSign // -0 only from two of them
	case sum < 0:
		sign, magnitude = halfSign, uint64(-sum)
	}
	return sign | roundHalf(magnitude, 0)
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

// Prod is the product of two numbers.
func (h *HalfRows) Prod(a, b uint16) uint16 {
	sign := (a ^ b) & halfSign
	x, y := a&^halfSign, b&^halfSign
	switch infinite := x == halfInfinity || y == halfInfinity; {
	case x > halfInfinity || y > halfInfinity || infinite && (x == 0 || y == 0):
		return halfNaN
	case infinite:
		return sign | halfInfinity
	}
	// Units are significands of 11 bits, shifted; their product counts squares of the unit, 2^-48.
	shiftX, shiftY := max(int(x>>10)-1, 0), max(int(y>>10)-1, 0)
	magnitude := uint64(h.units[x]>>shiftX) * uint64(h.units[y]>>shiftY)
	if shift := shiftX + shiftY - 24; shift >= 0 {
		return sign | roundHalf(magnitude<<shift, 0)
	}
	return sign | roundHalf(magnitude, 24-shiftX-shiftY)
}

// Max is the maximum of two numbers.
func (h *HalfRows) Max(a, b uint16) uint16 {
	switch {
	case a&^halfSign > halfInfinity || b&^halfSign > halfInfinity:
		return halfNaN
	case h.order[a] > h.order[b]:
		return a
	}
	return b
}

// Min is the minimum of two numbers.
func (h *HalfRows) Min(a, b uint16) uint16 {
	switch {
	case a&^halfSign > halfInfinity || b&^halfSign > halfInfinity:
		return halfNaN
	case h.order[a] < h.order[b]:
		return a
	}
	return b
}
