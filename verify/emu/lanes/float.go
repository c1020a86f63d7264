package lanes

import "math"

// The canonical quiet NaNs. math.NaN has another payload.
const (
	nan64 = 0x7FF8000000000000
	nan32 = 0x7FC00000
)

// chunk is how many elements are computed before NaNs are looked for. Looking
// at each result costs half of the speed. Instead the results are added up:
// that is NaN if one of them is, and hardly ever otherwise (when there are
// infinities of both signs), and then looking does no harm.
const chunk = 1024

type float interface{ float32 | float64 }

func sumFloat[F float](dst, a, b []F) {
	for len(dst) > 0 {
		m := min(chunk, len(dst))
		if sumChunk(dst[:m], a[:m], b[:m]) {
			canonicalise(dst[:m])
		}
		dst, a, b = dst[m:], a[m:], b[m:]
	}
}

func maxFloat[F float](dst, a, b []F) {
	for len(dst) > 0 {
		m := min(chunk, len(dst))
		if maxChunk(dst[:m], a[:m], b[:m]) {
			canonicalise(dst[:m])
		}
		dst, a, b = dst[m:], a[m:], b[m:]
	}
}

func canonicalise[F float](s []F) {
	nan := F(math.Float64frombits(nan64)) // quiet, so that it stays canonical when narrowed
	for i, v := range s {
		if v != v {
			s[i] = nan
		}
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
