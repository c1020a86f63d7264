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

func floatTo[D, S float](dst []D, src []S) {
	src = src[:len(dst)]
	nan := D(math.Float64frombits(nan64))
	for i := range dst {
		v := D(src[i])
		if v != v {
			v = nan
		}
		dst[i] = v
	}
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
	src = src[:len(dst)]
	nan := D(math.Float64frombits(nan64))
	for i := range dst {
		v := D(bfloat16Value(src[i]))
		if v != v {
			v = nan
		}
		dst[i] = v
	}
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
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = toFloat16(bfloat16Value(src[i]))
	}
}

func float32ToFloat16(dst []uint16, src []float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = toFloat16(src[i])
	}
}

func float32ToBFloat16(dst []uint16, src []float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = toBFloat16(src[i])
	}
}

func float64ToFloat16(dst []uint16, src []float64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = narrow(math.Float64bits(src[i]), 10, 15, float16Inf, float16NaN)
	}
}

func float64ToBFloat16(dst []uint16, src []float64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = narrow(math.Float64bits(src[i]), 7, 127, bfloat16Inf, bfloat16NaN)
	}
}
