package demo

import (
	"context"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/model"
)

// kind is an element type: how to hold it, and what numbers to put into it.
type kind struct {
	dtype accl.DType
	bytes int
	// step is the distance of the numbers that operands hold, and span how many
	// steps they reach above and below zero. They and their sums over 64 ranks are
	// exact in every type.
	step  float64
	span  uint
	alloc func(ctx context.Context, e *accl.Engine, n int) (buffer, error)
}

// kinds are the element types that the demo knows.
var kinds = []kind{
	newKind(4, 0.25, func(v float64) float32 { return float32(v) }, func(v float32) float64 { return float64(v) }),
	newKind(8, 0.25, func(v float64) float64 { return v }, func(v float64) float64 { return v }),
	newKind(4, 1, func(v float64) int32 { return int32(v) }, func(v int32) float64 { return float64(v) }),
	newKind(8, 1, func(v float64) int64 { return int64(v) }, func(v int64) float64 { return float64(v) }),
	newKind(2, 0.25, func(v float64) accl.Float16 { return accl.ToFloat16(float32(v)) }, func(v accl.Float16) float64 { return float64(v.Float32()) }),
	newKind(2, 0.25, func(v float64) accl.BFloat16 { return accl.ToBFloat16(float32(v)) }, func(v accl.BFloat16) float64 { return float64(v.Float32()) }).within(4),
}

// On the wire there can be narrow types for the wide one.
var (
	wide   = kinds[0]
	narrow = []accl.DType{accl.TypeFloat16, accl.TypeBFloat16}
)

func newKind[T accl.Element](bytes int, step float64, from func(float64) T, to func(T) float64) kind {
	return kind{accl.TypeOf[T](), bytes, step, usualSpan, func(ctx context.Context, e *accl.Engine, n int) (buffer, error) {
		b, err := accl.Alloc[T](ctx, e, n+guard)
		if err != nil {
			return nil, err
		}
		return &typed[T]{b, from, to}, nil
	}}
}

// reduced is the kind with operands whose reduction over 64 ranks stays as small as their sums do.
func (k kind) reduced(by accl.Func) kind {
	largest := k.step * float64(k.span)
	if most := model.Reductions[string(by)].Most(64*largest, 64); most < largest {
		k.step, k.span = 1, uint(most)
	}
	return k
}

// within is the kind with operands of fewer steps, a power of two.
func (k kind) within(span uint) kind {
	k.span = span
	return k
}

// kindOf is the kind of a type.
func kindOf(t accl.DType) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.dtype == t })]
}

const usualSpan = 32

// operand makes n numbers for a rank that look random, always the same.
func (k *kind) operand(n, rank, salt int) []float64 {
	out := make([]float64, n)
	seed := uint64(rank)<<40 ^ uint64(salt)<<56
	for i := range out {
		h := (seed ^ uint64(i)) * 0x9E3779B97F4A7C15
		out[i] = k.step * (float64(h>>32%uint64(2*k.span)) - float64(k.span))
	}
	return out
}

// Beyond their end buffers have some elements that nobody may write to; these,
// and results before the operation, hold a number that no operation makes.
const (
	guard     = 8
	untouched = 30000
)

// buffer is a buffer of any type.
type buffer interface {
	accl.Operand
	fill(values []float64) // the rest is untouched
	differs(want []float64) string
	SyncToDevice(ctx context.Context) error
	SyncFromDevice(ctx context.Context) error
	Free() error
}

type typed[T accl.Element] struct {
	*accl.Buffer[T]
	from func(float64) T
	to   func(T) float64
}

func (b *typed[T]) fill(values []float64) {
	host := b.Host()
	for i, v := range values {
		host[i] = b.from(v)
	}
	rest := b.from(untouched)
	for i := range host[len(values):] {
		host[len(values)+i] = rest
	}
}

// differs says which element is the first that is not as it should be.
func (b *typed[T]) differs(want []float64) string {
	for i, v := range b.Host() {
		expected := b.to(b.from(untouched))
		if i < len(want) {
			expected = want[i]
		}
		if got := b.to(v); got != expected {
			return fmt.Sprintf("element %d is %v, not %v", i, got, expected)
		}
	}
	return ""
}
