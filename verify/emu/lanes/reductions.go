package lanes

import (
	"maps"
	"math"
	"slices"
)

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// byFunction are reducers of an element type by the name of the reduction, made on demand.
type byFunction map[string]func() Reducer

var reductions = map[string]byFunction{
	"int8":  integers[int8](),
	"int16": integers[int16](),
	"int32": integers[int32](),
	"int64": integers[int64](),

	"uint8":  integers[uint8](),
	"uint16": integers[uint16](),
	"uint32": integers[uint32](),
	"uint64": integers[uint64](),

	"float32": floats[float32](),
	"float64": floats[float64](),
	"float16": {
		"sum":  func() Reducer { return reducer(sumFloat16(float16Values())) },
		"max":  of(func(dst, a, b []int16) { halves(dst, a, b, float16Inf, float16NaN, greater) }),
		"min":  of(func(dst, a, b []int16) { halves(dst, a, b, float16Inf, float16NaN, lesser) }),
		"prod": func() Reducer { return reducer(prodFloat16(float16Values())) },
	},
	"bfloat16": {
		"sum":  of(sumBFloat16),
		"max":  of(func(dst, a, b []int16) { halves(dst, a, b, bfloat16Inf, bfloat16NaN, greater) }),
		"min":  of(func(dst, a, b []int16) { halves(dst, a, b, bfloat16Inf, bfloat16NaN, lesser) }),
		"prod": of(prodBFloat16),
	},
}

func of[T number](kernel func(dst, a, b []T)) func() Reducer {
	return func() Reducer { return reducer(kernel) }
}

func integers[T number]() byFunction {
	return byFunction{"sum": of(sum[T]), "max": of(maximum[T]), "min": of(minimum[T]), "prod": of(product[T])}
}

func floats[F float]() byFunction {
	return byFunction{"sum": of(inChunks(sum[F], sum4[F])), "max": of(inChunks(maximum[F], maximum4[F])),
		"min": of(inChunks(minimum[F], minimum4[F])), "prod": of(inChunks(product[F], product4[F]))}
}

// Reduce returns a reduction of the interface generations for an element type,
// and whether there is one.
func Reduce(function, elementType string) (Reducer, bool) {
	make, ok := reductions[elementType][function]
	if !ok {
		return nil, false
	}
	return make(), true
}

// Functions are the names of all reductions, in order.
func Functions() []string { return slices.Sorted(maps.Keys(integers[int8]())) }

// combine is small enough for the compiler to inline it together with f, so that the loop
// calls nothing.
func combine[T number](dst, a, b []T, f func(x, y T) T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = f(a[i], b[i])
	}
}

func sum[T number](dst, a, b []T)     { combine(dst, a, b, func(x, y T) T { return x + y }) }
func product[T number](dst, a, b []T) { combine(dst, a, b, func(x, y T) T { return x * y }) }

// Go's max and min of floating-point numbers are those of IEEE 754-2019.
func maximum[T number](dst, a, b []T) { combine(dst, a, b, func(x, y T) T { return max(x, y) }) }
func minimum[T number](dst, a, b []T) { combine(dst, a, b, func(x, y T) T { return min(x, y) }) }

// Sums of the 16-bit formats are taken in float32 and rounded again. This is
// the exact sum rounded once. Let the larger operand a be below 2^(e+p) in
// units of 2^e, p being the bits of its significand, and the smaller one b a
// multiple of 2^f. The sum is a multiple of 2^f below 2^(e+p+1), so that
// float32 holds it exactly if e-f <= 23-p. Otherwise |b| < 2^(f+p) <=
// 2^(e+2p-24), at most a quarter of a's unit (p is 11 or 8): the exact sum
// rounds to a, even where a is a power of two and the unit below it is half as
// large. float32 holds a and a plus or minus that quarter, so the sum rounded
// to float32 stays between them, and rounds to a as well: if it falls on the
// tie below a power of two, that is the even one.

func sumFloat16(values *[1 << 16]float32) func(dst, a, b []uint16) {
	return func(dst, a, b []uint16) {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = toFloat16(values[a[i]] + values[b[i]])
		}
	}
}

func sumBFloat16(dst, a, b []uint16) {
	combine(dst, a, b, func(x, y uint16) uint16 { return toBFloat16(bfloat16Value(x) + bfloat16Value(y)) })
}

// Products of two float16 have at most 22 bits and float32's range, which holds them.
func prodFloat16(values *[1 << 16]float32) func(dst, a, b []uint16) {
	return func(dst, a, b []uint16) {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = toFloat16(values[a[i]] * values[b[i]])
		}
	}
}

// Products of two bfloat16 can be below float32's range, but not below float64's.
func prodBFloat16(dst, a, b []uint16) {
	combine(dst, a, b, func(x, y uint16) uint16 {
		exact := float64(bfloat16Value(x)) * float64(bfloat16Value(y))
		return narrow(math.Float64bits(exact), 7, 127, bfloat16Inf, bfloat16NaN)
	})
}

// halves compares numbers of a 16-bit format by their bits: they order as integers do, but the
// other way round if both are negative. It is inlined together with f.
func halves(dst, a, b []int16, inf, nan int16, f func(most, least int16) int16) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		y := b[i]
		r := f(max(x, y), min(x, y))
		if x&0x7FFF > inf || y&0x7FFF > inf {
			r = nan
		}
		dst[i] = r
	}
}

func greater(most, least int16) int16 {
	if most < 0 {
		return least
	}
	return most
}

func lesser(most, least int16) int16 {
	if most < 0 {
		return most
	}
	return least
}
