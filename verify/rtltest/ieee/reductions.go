package ieee

import "math/big"

// Types are the element types that are known by name.
var Types = map[string]Type{
	"float16": {Format: Float16}, "bfloat16": {Format: BFloat16},
	"float32": {Format: Float32}, "float64": {Format: Float64},
	"int8": {Bits: 8, Signed: true}, "int16": {Bits: 16, Signed: true},
	"int32": {Bits: 32, Signed: true}, "int64": {Bits: 64, Signed: true},
	"uint8": {Bits: 8}, "uint16": {Bits: 16}, "uint32": {Bits: 32}, "uint64": {Bits: 64},
}

// Type is an element type: a floating-point format, or an integer of some bits.
type Type struct {
	Format Format
	Bits   int
	Signed bool // two's complement
}

// Width is the number of bits.
func (t Type) Width() int {
	if t.Bits > 0 {
		return t.Bits
	}
	return t.Format.Width()
}

// Reduction is a function of two elements by definition.
type Reduction struct {
	float   func(f Format, a, b uint64) uint64
	integer func(z, x, y *big.Int) *big.Int // the result may not fit, and wraps around
	half    func(h *HalfRows, a, b uint16) uint16
}

var reductions = map[string]Reduction{
	"sum":  {Format.Sum, (*big.Int).Add, (*HalfRows).Sum},
	"max":  {Format.Max, func(z, x, y *big.Int) *big.Int { return z.Set(ordered(x, y, 1)) }, (*HalfRows).Max},
	"min":  {Format.Min, func(z, x, y *big.Int) *big.Int { return z.Set(ordered(x, y, -1)) }, (*HalfRows).Min},
	"prod": {Format.Prod, (*big.Int).Mul, (*HalfRows).Prod},
}

// ordered is the number that compares to the other as wanted, or either if they are equal.
func ordered(x, y *big.Int, wanted int) *big.Int {
	if x.Cmp(y) == wanted {
		return x
	}
	return y
}

// ReductionOf finds a reduction by name.
func ReductionOf(function string) (Reduction, bool) {
	r, ok := reductions[function]
	return r, ok
}

// Of is the result for two elements of a type, as bits in the low end of a word.
func (r Reduction) Of(t Type, a, b uint64) uint64 {
	if t.Bits == 0 {
		return r.float(t.Format, a, b)
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	integer := func(bits uint64) *big.Int {
		v := new(big.Int).SetUint64(bits)
		if t.Signed && bits>>(t.Bits-1)&1 == 1 {
			v.Sub(v, modulus)
		}
		return v
	}
	result := r.integer(new(big.Int), integer(a), integer(b))
	return result.Mod(result, modulus).Uint64()
}

// Half is the result for two float16, by quick tables.
func (r Reduction) Half(h *HalfRows, a, b uint16) uint16 { return r.half(h, a, b) }

// HalfRow fills a row of results: of a with the numbers from first on.
func (r Reduction) HalfRow(h *HalfRows, row []uint16, a, first uint16) {
	for i := range row {
		row[i] = r.half(h, a, first+uint16(i))
	}
}

// Sum is the exact sum, rounded once.
func (f Format) Sum(a, b uint64) uint64 {
	switch {
	case f.IsNaN(a), f.IsNaN(b):
		return f.NaN()
	case f.isInfinite(a) && f.isInfinite(b) && a != b:
		return f.NaN()
	case f.isInfinite(a):
		return a
	case f.isInfinite(b):
		return b
	}
	x, y := f.number(a), f.number(b)
	if x.exponent < y.exponent {
		x, y = y, x
	}
	x.significand.Lsh(x.significand, uint(x.exponent-y.exponent)).Add(x.significand, y.significand)
	if x.significand.Sign() == 0 {
		return a & b & f.Sign() // -0 only from two of them
	}
	return f.round(number{x.significand, y.exponent})
}

// Prod is the exact product, rounded once.
func (f Format) Prod(a, b uint64) uint64 {
	sign := (a ^ b) & f.Sign()
	zero := a&^f.Sign() == 0 || b&^f.Sign() == 0
	switch infinite := f.isInfinite(a) || f.isInfinite(b); {
	case f.IsNaN(a), f.IsNaN(b), infinite && zero:
		return f.NaN()
	case infinite:
		return sign | f.Infinity()
	case zero:
		return sign
	}
	x, y := f.number(a), f.number(b)
	return f.round(number{x.significand.Mul(x.significand, y.significand), x.exponent + y.exponent})
}

// Max is the maximum of IEEE 754-2019.
func (f Format) Max(a, b uint64) uint64 {
	if f.IsNaN(a) || f.IsNaN(b) {
		return f.NaN()
	}
	if f.above(a, b) {
		return a
	}
	return b
}

// Min is the minimum of IEEE 754-2019.
func (f Format) Min(a, b uint64) uint64 {
	if f.IsNaN(a) || f.IsNaN(b) {
		return f.NaN()
	}
	if f.above(a, b) {
		return b
	}
	return a
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
