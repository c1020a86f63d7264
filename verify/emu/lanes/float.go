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

// inChunks makes NaNs in the results of a kernel canonical. Four is the kernel for multiples
// of four elements, and returns the total of the results.
func inChunks[F float](kernel func(dst, a, b []F), four func(dst, a, b []F) F) func(dst, a, b []F) {
	return func(dst, a, b []F) {
		for len(dst) >= 4 {
			m := min(chunk, len(dst)&^3)
			if t := four(dst[:m], a[:m], b[:m]); t != t {
				canonicalise(dst[:m])
			}
			dst, a, b = dst[m:], a[m:], b[m:]
		}
		kernel(dst, a, b)
		canonicalise(dst)
	}
}

// sum4 adds four elements at a time, and returns the total of the results, as the others do.
// There are four totals because each is a chain of additions that wait for each other.
func sum4[F float](dst, a, b []F) F {
	var t0, t1, t2, t3 F
	for i := 0; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	return (t0 + t1) + (t2 + t3)
}

func product4[F float](dst, a, b []F) F {
	var t0, t1, t2, t3 F
	for i := 0; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := x[0]*y[0], x[1]*y[1], x[2]*y[2], x[3]*y[3]
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	return (t0 + t1) + (t2 + t3)
}

func maximum4[F float](dst, a, b []F) F {
	var t0, t1, t2, t3 F
	for i := 0; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2]), max(x[3], y[3])
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	return (t0 + t1) + (t2 + t3)
}

func minimum4[F float](dst, a, b []F) F {
	var t0, t1, t2, t3 F
	for i := 0; i+4 <= len(dst); i += 4 {
		d, x, y := dst[i:i+4:i+4], a[i:i+4:i+4], b[i:i+4:i+4]
		r0, r1, r2, r3 := min(x[0], y[0]), min(x[1], y[1]), min(x[2], y[2]), min(x[3], y[3])
		d[0], d[1], d[2], d[3] = r0, r1, r2, r3
		t0, t1, t2, t3 = t0+r0, t1+r1, t2+r2, t3+r3
	}
	return (t0 + t1) + (t2 + t3)
}

func canonicalise[F float](s []F) {
	nan := F(math.Float64frombits(nan64)) // quiet, so that it stays canonical when narrowed
	for i, v := range s {
		if v != v {
			s[i] = nan
		}
	}
}
