package lanes

import "math"

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// byType are reducers of a function, made on demand, by element type.
type byType map[string]func() Reducer

// reductions are all functions.
var reductions = map[string]byType{"sum": sums, "max": maxima, "min": minima, "prod": products}

func of[T element](kernel func(dst, a, b []T)) func() Reducer {
	return func() Reducer { return reducer(kernel) }
}

var sums = byType{
	"int8":     of(sumInteger[int8]),
	"int16":    of(sumInteger[int16]),
	"int32":    of(sumInteger[int32]),
	"int64":    of(sumInteger[int64]),
	"uint8":    of(sumInteger[uint8]),
	"uint16":   of(sumInteger[uint16]),
	"uint32":   of(sumInteger[uint32]),
	"uint64":   of(sumInteger[uint64]),
	"float16":  func() Reducer { return reducer(sumFloat16(float16Values())) },
	"bfloat16": of(sumBFloat16),
	"float32":  of(inChunks(sumChunk[float32])),
	"float64":  of(inChunks(sumChunk[float64])),
}

func sumInteger[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// sumChunk adds, and reports whether results may be NaN. There are four
// totals because each is a chain of additions that wait for each other.
func sumChunk[F float](dst, a, b []F) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	var t0, t1, t2, t3 F
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	for ; i < len(dst); i++ {
		r := a[i] + b[i]
		dst[i] = r
		t0 += r
	}
	total := (t0 + t1) + (t2 + t3)
	return total != total
}

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
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = toBFloat16(bfloat16Value(a[i]) + bfloat16Value(b[i]))
	}
}

var maxima = byType{
	"int8":     of(maxInteger[int8]),
	"int16":    of(maxInteger[int16]),
	"int32":    of(maxInteger[int32]),
	"int64":    of(maxInteger[int64]),
	"uint8":    of(maxInteger[uint8]),
	"uint16":   of(maxInteger[uint16]),
	"uint32":   of(maxInteger[uint32]),
	"uint64":   of(maxInteger[uint64]),
	"float16":  of(maxFloat16),
	"bfloat16": of(maxBFloat16),
	"float32":  of(inChunks(maxChunk[float32])),
	"float64":  of(inChunks(maxChunk[float64])),
}

func maxInteger[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

// maxChunk is sumChunk for the maximum: Go's max is that of IEEE 754-2019.
func maxChunk[F float](dst, a, b []F) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	var t0, t1, t2, t3 F
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2]), max(x[3], y[3])
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	for ; i < len(dst); i++ {
		r := max(a[i], b[i])
		dst[i] = r
		t0 += r
	}
	total := (t0 + t1) + (t2 + t3)
	return total != total
}

func maxFloat16(dst, a, b []int16)  { maxHalf(dst, a, b, float16Inf, float16NaN) }
func maxBFloat16(dst, a, b []int16) { maxHalf(dst, a, b, bfloat16Inf, bfloat16NaN) }

// maxHalf compares floating-point numbers by their bits: they order as
// integers do, but the other way round if both are negative.
func maxHalf(dst, a, b []int16, inf, nan int16) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		most, least := max(x, y), min(x, y)
		if most < 0 {
			most = least
		}
		if x&0x7FFF > inf || y&0x7FFF > inf {
			most = nan
		}
		dst[i] = most
	}
}

var minima = byType{
	"int8":     of(minInteger[int8]),
	"int16":    of(minInteger[int16]),
	"int32":    of(minInteger[int32]),
	"int64":    of(minInteger[int64]),
	"uint8":    of(minInteger[uint8]),
	"uint16":   of(minInteger[uint16]),
	"uint32":   of(minInteger[uint32]),
	"uint64":   of(minInteger[uint64]),
	"float16":  of(minFloat16),
	"bfloat16": of(minBFloat16),
	"float32":  of(inChunks(minChunk[float32])),
	"float64":  of(inChunks(minChunk[float64])),
}

func minInteger[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
}

// minChunk is sumChunk for the minimum: Go's min is that of IEEE 754-2019.
func minChunk[F float](dst, a, b []F) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	var t0, t1, t2, t3 F
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := min(x[0], y[0]), min(x[1], y[1]), min(x[2], y[2]), min(x[3], y[3])
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	for ; i < len(dst); i++ {
		r := min(a[i], b[i])
		dst[i] = r
		t0 += r
	}
	total := (t0 + t1) + (t2 + t3)
	return total != total
}

func minFloat16(dst, a, b []int16)  { minHalf(dst, a, b, float16Inf, float16NaN) }
func minBFloat16(dst, a, b []int16) { minHalf(dst, a, b, bfloat16Inf, bfloat16NaN) }

// minHalf is maxHalf for the minimum.
func minHalf(dst, a, b []int16, inf, nan int16) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		least, most := min(x, y), max(x, y)
		if most < 0 {
			least = most
		}
		if x&0x7FFF > inf || y&0x7FFF > inf {
			least = nan
		}
		dst[i] = least
	}
}

var products = byType{
	"int8":     of(prodInteger[int8]),
	"int16":    of(prodInteger[int16]),
	"int32":    of(prodInteger[int32]),
	"int64":    of(prodInteger[int64]),
	"uint8":    of(prodInteger[uint8]),
	"uint16":   of(prodInteger[uint16]),
	"uint32":   of(prodInteger[uint32]),
	"uint64":   of(prodInteger[uint64]),
	"float16":  func() Reducer { return reducer(prodFloat16(float16Values())) },
	"bfloat16": of(prodBFloat16),
	"float32":  of(inChunks(prodChunk[float32])),
	"float64":  of(inChunks(prodChunk[float64])),
}

func prodInteger[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// prodChunk is sumChunk for products.
func prodChunk[F float](dst, a, b []F) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	var t0, t1, t2, t3 F
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := x[0]*y[0], x[1]*y[1], x[2]*y[2], x[3]*y[3]
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	for ; i < len(dst); i++ {
		r := a[i] * b[i]
		dst[i] = r
		t0 += r
	}
	total := (t0 + t1) + (t2 + t3)
	return total != total
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
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		exact := float64(bfloat16Value(a[i])) * float64(bfloat16Value(b[i]))
		dst[i] = narrow(math.Float64bits(exact), 7, 127, bfloat16Inf, bfloat16NaN)
	}
}
