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

// inChunks runs a kernel that reports whether results may be NaN.
func inChunks[F float](kernel func(dst, a, b []F) bool) func(dst, a, b []F) {
	return func(dst, a, b []F) {
		for len(dst) > 0 {
			m := min(chunk, len(dst))
			if kernel(dst[:m], a[:m], b[:m]) {
				canonicalise(dst[:m])
			}
			dst, a, b = dst[m:], a[m:], b[m:]
		}
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
