// Package ieee is exact arithmetic on the bits of IEEE 754 binary formats, by
// definition and with large integers: what hardware is checked against.
package ieee

import "math/big"

// Format is a binary interchange format by its bits of exponent and fraction.
type Format struct{ Exponent, Fraction int }

// The formats of the standard, and bfloat16.
var (
	Float16  = Format{5, 10}
	BFloat16 = Format{8, 7}
	Float32  = Format{8, 23}
	Float64  = Format{11, 52}
)

// Width is the number of bits.
func (f Format) Width() int { return 1 + f.Exponent + f.Fraction }

// Sign is the mask of the sign.
func (f Format) Sign() uint64 { return 1 << (f.Width() - 1) }

// Infinity is the positive one.
func (f Format) Infinity() uint64 { return (1<<f.Exponent - 1) << f.Fraction }

// NaN is the canonical quiet one.
func (f Format) NaN() uint64 { return f.Infinity() | 1<<(f.Fraction-1) }

// IsNaN tells whether the bits are those of a NaN.
func (f Format) IsNaN(bits uint64) bool { return bits&^f.Sign() > f.Infinity() }

func (f Format) isInfinite(bits uint64) bool { return bits&^f.Sign() == f.Infinity() }

func (f Format) bias() int { return 1<<(f.Exponent-1) - 1 }

// smallest is the exponent of the unit of subnormals.
func (f Format) smallest() int { return 1 - f.bias() - f.Fraction }

// number is significand times 2 to the exponent; the significand has the sign.
type number struct {
	significand *big.Int
	exponent    int
}

// number decodes finite bits.
func (f Format) number(bits uint64) number {
	significand, exponent := bits&(1<<f.Fraction-1), int(bits>>f.Fraction&(1<<f.Exponent-1))
	if exponent > 0 {
		significand |= 1 << f.Fraction
		exponent--
	}
	n := number{new(big.Int).SetUint64(significand), exponent + f.smallest()}
	if bits&f.Sign() != 0 {
		n.significand.Neg(n.significand)
	}
	return n
}

// round encodes an exact number other than zero: to the nearest, ties to even.
func (f Format) round(n number) uint64 {
	magnitude := new(big.Int).Abs(n.significand)
	unit := max(magnitude.BitLen()+n.exponent-1-f.Fraction, f.smallest())
	var units uint64
	if shift := unit - n.exponent; shift <= 0 {
		units = magnitude.Lsh(magnitude, uint(-shift)).Uint64()
	} else {
		one := new(big.Int).Lsh(big.NewInt(1), uint(shift))
		quotient, rest := new(big.Int).QuoRem(magnitude, one, new(big.Int))
		units = quotient.Uint64()
		if c := rest.Lsh(rest, 1).Cmp(one); c > 0 || c == 0 && units&1 == 1 {
			units++
		}
	}
	// The leading bit of the units adds the 1 to the exponent that normal numbers have.
	bits := min(uint64(unit-f.smallest())<<f.Fraction+units, f.Infinity())
	if n.significand.Sign() < 0 {
		bits |= f.Sign()
	}
	return bits
}

// above compares numbers, -0 being below +0.
func (f Format) above(a, b uint64) bool {
	signA, signB := a&f.Sign(), b&f.Sign()
	switch {
	case signA != signB:
		return signA == 0
	case signA == 0:
		return a > b
	}
	return a < b
}

// Convert is the number of a format in another one, rounded once.
func Convert(from, to Format, bits uint64) uint64 {
	sign := bits >> (from.Width() - 1) << (to.Width() - 1)
	switch {
	case from.IsNaN(bits):
		return to.NaN()
	case from.isInfinite(bits):
		return sign | to.Infinity()
	case bits&^from.Sign() == 0:
		return sign
	}
	return to.round(from.number(bits))
}
