package lanes

import "math"

// Convert returns the conversion from one floating-point type to another,
// which rounds once, and whether there is one. There is none from a type to
// itself.
func Convert(from, to string) (Converter, bool) {
	find, ok := conversions[[2]string{from, to}]
	if !ok {
		return nil, false
	}
	return find(), true
}

var conversions = map[[2]string]func() Converter{
	{"float16", "bfloat16"}: func() Converter { return converter(float16ToBFloat16(float16Values())) },
	{"float16", "float32"}:  func() Converter { return converter(float16To[float32](float16Values())) },
	{"float16", "float64"}:  func() Converter { return converter(float16To[float64](float16Values())) },
	{"bfloat16", "float16"}: func() Converter { return converter(bfloat16ToFloat16) },
	{"bfloat16", "float32"}: func() Converter { return converter(bfloat16To[float32]) },
	{"bfloat16", "float64"}: func() Converter { return converter(bfloat16To[float64]) },
	{"float32", "float16"}:  func() Converter { return converter(float32ToFloat16) },
	{"float32", "bfloat16"}: func() Converter { return converter(float32ToBFloat16) },
	{"float32", "float64"}:  func() Converter { return converter(floatTo[float64, float32]) },
	{"float64", "float16"}:  func() Converter { return converter(float64ToFloat16) },
	{"float64", "bfloat16"}: func() Converter { return converter(float64ToBFloat16) },
	{"float64", "float32"}:  func() Converter { return converter(floatTo[float32, float64]) },
}

// each is small enough for the compiler to inline it together with f. Loops over a variable
// of an outer function are written out: here the variable would be read each time.
func each[D, S number](dst []D, src []S, f func(S) D) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = f(src[i])
	}
}

func floatTo[D, S float](dst []D, src []S) {
	nan := D(math.Float64frombits(nan64))
	each(dst, src, func(s S) D {
		if v := D(s); v == v {
			return v
		}
		return nan
	})
}

func float16To[D float](values *[1 << 16]float32) func(dst []D, src []uint16) {
	return func(dst []D, src []uint16) {
		src = src[:len(dst)]
		for i := range dst {
			dst[i] = D(values[src[i]]) // its NaN is canonical, and widening keeps it
		}
	}
}

// bfloat16To widens by way of float32, without rounding.
func bfloat16To[D float](dst []D, src []uint16) {
	nan := D(math.Float64frombits(nan64))
	each(dst, src, func(h uint16) D {
		if v := D(bfloat16Value(h)); v == v {
			return v
		}
		return nan
	})
}

func float16ToBFloat16(values *[1 << 16]float32) func(dst, src []uint16) {
	return func(dst, src []uint16) {
		src = src[:len(dst)]
		for i := range dst {
			dst[i] = toBFloat16(values[src[i]])
		}
	}
}

func bfloat16ToFloat16(dst, src []uint16) {
	each(dst, src, func(h uint16) uint16 { return toFloat16(bfloat16Value(h)) })
}

func float32ToFloat16(dst []uint16, src []float32)  { each(dst, src, toFloat16) }
func float32ToBFloat16(dst []uint16, src []float32) { each(dst, src, toBFloat16) }

func float64ToFloat16(dst []uint16, src []float64) {
	each(dst, src, func(v float64) uint16 { return narrow(math.Float64bits(v), 10, 15, float16Inf, float16NaN) })
}

func float64ToBFloat16(dst []uint16, src []float64) {
	each(dst, src, func(v float64) uint16 { return narrow(math.Float64bits(v), 7, 127, bfloat16Inf, bfloat16NaN) })
}
