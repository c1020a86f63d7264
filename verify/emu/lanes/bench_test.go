package lanes_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/emu/lanes"
)

// operand is random, without NaNs, which are rare in life.
func operand(b *testing.B, r *rand.Rand, element string, n int) []byte {
	values := make([]float64, n)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	size, _ := lanes.ElementBytes(element)
	switch element {
	case "float64":
		return f64.bytes(values)
	case "float16", "bfloat16", "float32":
		out := make([]byte, n*size)
		convert(b, "float64", element)(out, f64.bytes(values))
		return out
	}
	return random(r, n*size)
}

func BenchmarkReduce(b *testing.B) {
	const bytes = 1 << 16
	r := rand.New(rand.NewPCG(5, 5))
	for _, function := range functions {
		for _, element := range types {
			f := reduce(b, function, element)
			size, _ := lanes.ElementBytes(element)
			x, y, d := operand(b, r, element, bytes/size), operand(b, r, element, bytes/size), make([]byte, bytes)
			b.Run(function+"/"+element, func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					f(d, x, y)
				}
			})
		}
	}
	f := reduce(b, "sum", "float32")
	b.Run("sum/float32/unaligned", func(b *testing.B) {
		x, y, d := make([]byte, bytes+1), make([]byte, bytes), make([]byte, bytes)
		b.SetBytes(bytes)
		for b.Loop() {
			f(d, x[1:], y)
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	const n = 1 << 13
	normal := make([]float64, n)
	for i := range normal {
		normal[i] = r.NormFloat64()
	}
	sizes := map[string]int{"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
	for _, from := range []string{"float16", "bfloat16", "float32", "float64"} {
		src := f64.bytes(normal)
		if from != "float64" {
			d := make([]byte, n*sizes[from])
			convert(b, "float64", from)(d, src)
			src = d
		}
		for _, to := range []string{"float16", "bfloat16", "float32", "float64"} {
			if from == to {
				continue
			}
			f, dst := convert(b, from, to), make([]byte, n*sizes[to])
			b.Run(from+"/"+to, func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					f(dst, src)
				}
			})
		}
	}
}
