package conformance

import (
	"fmt"
	"math"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance/model"
)

// codec is how an element type stands in memory.
type codec struct {
	bytes   int
	integer float64 // up to here all integers are held exactly
	epsilon float64 // largest relative error of rounding; 0 for integer types
	encode  func(float64) uint64
	decode  func(uint64) float64
}

var codecs = map[accl.DType]codec{
	accl.TypeFloat16: {2, 1 << 11, 0x1p-11,
		func(v float64) uint64 { return uint64(accl.ToFloat16(float32(v))) },
		func(b uint64) float64 { return float64(accl.Float16(b).Float32()) }},
	accl.TypeBFloat16: {2, 1 << 8, 0x1p-8,
		func(v float64) uint64 { return uint64(accl.ToBFloat16(float32(v))) },
		func(b uint64) float64 { return float64(accl.BFloat16(b).Float32()) }},
	accl.TypeFloat32: {4, 1 << 24, 0x1p-24,
		func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) },
		func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }},
	accl.TypeFloat64: {8, 1 << 53, 0x1p-53, math.Float64bits, math.Float64frombits},
	accl.TypeInt32: {4, 1<<31 - 1, 0,
		func(v float64) uint64 { return uint64(uint32(int32(v))) },
		func(b uint64) float64 { return float64(int32(b)) }},
	accl.TypeInt64: {8, 1 << 53, 0,
		func(v float64) uint64 { return uint64(int64(v)) },
		func(b uint64) float64 { return float64(int64(b)) }},
}

func (k *codec) mask() uint64 { return 1<<(8*k.bytes-1)<<1 - 1 }

// show writes an element as its value and its bits.
func (k *codec) show(bits uint64) string {
	return fmt.Sprintf("%v (0x%0*x)", k.decode(bits), 2*k.bytes, bits)
}

// mix is a hash of numbers (SplitMix64).
func mix(numbers ...int64) uint64 {
	z := uint64(0)
	for _, n := range numbers {
		z = mixIn(z, n)
	}
	return z
}

// mixIn is the hash of one number more.
func mixIn(z uint64, n int64) uint64 {
	z += uint64(n) + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// What data is for, in hashes.
const (
	forOperand0 = iota
	forOperand1
	forGuards
	forOtherCopy
	forSkew
	forBits
)

// source makes the data of a case.
type source struct {
	seed  int64
	data  Data
	limit float64 // of integers
}

func newSource(c *Case, n int, reduces bool) source {
	s := source{seed: c.Seed, data: c.Data, limit: math.Inf(1)}
	for _, t := range c.types() {
		s.limit = min(s.limit, codecs[t].integer)
	}
	if reduces {
		// The result of all ranks, or of two operands, stays within the limit.
		s.limit = model.Reductions[string(c.Func)].Most(s.limit, max(n, 2))
	}
	s.limit = min(max(s.limit, 1), 1<<20)
	return s
}

// values are elements of an operand of a rank, as the model computes with them.
// Bits are numbered: a value stands for a pattern.
func (s *source) values(k codec, operand, rank, n int) []float64 {
	out := make([]float64, n)
	base := mix(s.seed, int64(operand), int64(rank))
	for i := range out {
		h := mixIn(base, int64(i))
		switch s.data {
		case Reals:
			v := float64(int64(h)>>11) / (1 << 52)
			out[i] = k.decode(k.encode(v))
		case Bits:
			out[i] = float64(h >> 12)
		default:
			out[i] = float64(int64(h%uint64(2*s.limit+1)) - int64(s.limit))
		}
	}
	return out
}

// bits are how a value stands in memory.
func (s *source) bits(k codec, v float64) uint64 {
	if s.data == Bits {
		return mix(s.seed, forBits, int64(v)) & k.mask()
	}
	return k.encode(v)
}

// noise is what stands where no data does, or data that must not be used.
func (s *source) noise(k codec, purpose, rank, operand int) func(i int) uint64 {
	base, mask := mix(s.seed, int64(purpose), int64(rank), int64(operand)), k.mask()
	return func(i int) uint64 { return mixIn(base, int64(i)) & mask }
}
