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
