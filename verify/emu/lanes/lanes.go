// Package lanes computes what the arithmetic and compression plugins of an
// engine compute, to the bit.
//
// Elements are little-endian. Floating point is IEEE 754: round to nearest,
// ties to even, with subnormals and infinities; every NaN result is the
// canonical quiet NaN. Maximum and minimum are those of IEEE 754-2019: NaN if an
// operand is NaN, and -0 below +0. Integers wrap around.
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

// elementBytes are the sizes of the element types.
var elementBytes = map[string]int{
	"int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
	"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
}

// ElementBytes returns the size of an element in bytes, and whether the type
// is known.
func ElementBytes(elementType string) (int, bool) {
	bytes, ok := elementBytes[elementType]
	return bytes, ok
}
