// Package lanes computes what the arithmetic and compression plugins of an
// engine compute, to the bit.
//
// Elements are little-endian. Floating point is IEEE 754: round to nearest,
// ties to even, with subnormals and infinities; every NaN result is the
// canonical quiet NaN. The maximum is that of IEEE 754-2019: NaN if an operand
// is NaN, and -0 below +0. Integers wrap around.
package lanes

// Reducer combines the elements of a and b into dst. All three have the same
// length in bytes, a multiple of the element; of other lengths it takes the
// whole elements of the shortest. dst may be a or b, or both, but must not
// overlap them otherwise. A Reducer may be used concurrently.
type Reducer func(dst, a, b []byte)

// Converter turns the elements of src into those of another type in dst, as
// many as both hold whole. dst must not overlap src, except that it may be src
// where both types have the same size. A Converter may be used concurrently.
type Converter func(dst, src []byte)

// lane is what is known of an element type.
type lane struct {
	bytes int
	sum   func() Reducer
	max   func() Reducer
}

var lanes = map[string]lane{
	"int8":     integerLane[int8](),
	"int16":    integerLane[int16](),
	"int32":    integerLane[int32](),
	"int64":    integerLane[int64](),
	"uint8":    integerLane[uint8](),
	"uint16":   integerLane[uint16](),
	"uint32":   integerLane[uint32](),
	"uint64":   integerLane[uint64](),
	"float16":  {2, func() Reducer { return reducer(sumFloat16(float16Values())) }, func() Reducer { return reducer(maxFloat16) }},
	"bfloat16": {2, func() Reducer { return reducer(sumBFloat16) }, func() Reducer { return reducer(maxBFloat16) }},
	"float32":  {4, func() Reducer { return reducer(sumFloat[float32]) }, func() Reducer { return reducer(maxFloat[float32]) }},
	"float64":  {8, func() Reducer { return reducer(sumFloat[float64]) }, func() Reducer { return reducer(maxFloat[float64]) }},
}

func integerLane[T integer]() lane {
	return lane{
		bytes: width[T](),
		sum:   func() Reducer { return reducer(sumInteger[T]) },
		max:   func() Reducer { return reducer(maxInteger[T]) },
	}
}

// Reduce returns the reduction of a function of the platform ("sum", "max")
// for an element type, and whether there is one.
func Reduce(function, elementType string) (Reducer, bool) {
	l, ok := lanes[elementType]
	if !ok {
		return nil, false
	}
	switch function {
	case "sum":
		return l.sum(), true
	case "max":
		return l.max(), true
	}
	return nil, false
}

// ElementBytes returns the size of an element in bytes, and whether the type
// is known.
func ElementBytes(elementType string) (int, bool) {
	l, ok := lanes[elementType]
	return l.bytes, ok
}
