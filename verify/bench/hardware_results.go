package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cclforge/cclforge/driver/accl"
)

// ErrResult says that a call that was measured has given a wrong result.
var ErrResult = errors.New("wrong result")

// result is what element k of a rank's dst holds after a call.
type result func(x *inputs, rank, k int) int64

// inputs are the elements that ranks call an operation with: integers that are so
// small that sums over all ranks, in whatever order, are exact in each type that is
// used. They look like chance, so that neighbours and ranks differ: a wrong order and
// a wrong block show.
type inputs struct {
	ranks int
	count int   // elements of src or of a block of it
	most  int64 // none is further from 0
}

// newInputs are those of elements of some types.
func newInputs(ranks, count int, types ...accl.DType) (*inputs, error) {
	most := int64(math.MaxInt64)
	for _, t := range types {
		f, ok := forms[t]
		if !ok {
			return nil, fmt.Errorf("results of type %s cannot be checked", t)
		}
		most = min(most, f.exact)
	}
	return &inputs{ranks, count, most / int64(max(ranks, 2))}, nil
}

// at is element k of a rank's src.
func (x *inputs) at(rank, k int) int64 {
	h := uint64(rank+1)<<40 + uint64(k)
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return int64((h^h>>31)%uint64(2*x.most+1)) - x.most
}

// before is what element k of a rank's dst holds before the call.
func (x *inputs) before(rank, k int) int64 { return x.at(x.ranks+rank, k) }

func copied(x *inputs, rank, k int) int64   { return x.at(rank, k) }
func combined(x *inputs, rank, k int) int64 { return x.at(rank, k) + x.before(rank, k) }
func spread(x *inputs, _, k int) int64      { return x.at(root, k) }
func gathered(x *inputs, _, k int) int64    { return x.at(k/x.count, k%x.count) }
func exchanged(x *inputs, rank, k int) int64 {
	return x.at(k/x.count, rank*x.count+k%x.count)
}

func received(x *inputs, rank, k int) int64 {
	if rank != 1 {
		return x.before(rank, k)
	}
	return x.at(0, k)
}

func scattered(x *inputs, rank, k int) int64 {
	if k >= x.count {
		return x.before(rank, k)
	}
	return x.at(root, rank*x.count+k)
}

func summedUp(x *inputs, _, k int) (sum int64) {
	for rank := range x.ranks {
		sum += x.at(rank, k)
	}
	return sum
}

// summedTo is the sum of the ranks up to a rank, without so many of the last; nothing is no result.
func summedTo(without int) result {
	return func(x *inputs, rank, k int) (sum int64) {
		if rank < without {
			return x.before(rank, k)
		}
		for r := range rank + 1 - without {
			sum += x.at(r, k)
		}
		return sum
	}
}

func summedBlock(x *inputs, rank, k int) int64 {
	if k >= x.count {
		return x.before(rank, k)
	}
	return summedUp(x, rank, rank*x.count+k)
}

// atRoot is what only the root gets.
func atRoot(of result) result {
	return func(x *inputs, rank, k int) int64 {
		if rank != root {
			return x.before(rank, k)
		}
		return of(x, rank, k)
	}
}

// fill gives a rank's operands their elements, on the device.
func (x *inputs) fill(ctx context.Context, o *operand) error {
	return errors.Join(fill(ctx, o.src, o.rank, x.at), fill(ctx, o.dst, o.rank, x.before))
}

// check holds all that a rank's operands are on the device against what they should be.
func (x *inputs) check(ctx context.Context, r *row, o *operand) error {
	src, dst := x.at, x.before
	give := func(rank, k int) int64 { return r.gives(x, rank, k) }
	if r.shape.InPlace == accl.InPlaceRequired { // src holds the result
		src = give
	} else {
		dst = give
	}
	return errors.Join(check(ctx, "src", o.src, o.rank, src), check(ctx, "dst", o.dst, o.rank, dst))
}

func fill(ctx context.Context, b *accl.RawBuffer, rank int, value func(rank, k int) int64) error {
	put := forms[b.DType()].put
	for k := range b.Len() {
		put(b.At(k), value(rank, k))
	}
	return b.SyncToDevice(ctx)
}

func check(ctx context.Context, name string, b *accl.RawBuffer, rank int, want func(rank, k int) int64) error {
	if err := b.SyncFromDevice(ctx); err != nil {
		return err
	}
	f := forms[b.DType()]
	right := make([]byte, b.ElementBytes())
	first, wrong := 0, 0
	for k := range b.Len() {
		f.put(right, want(rank, k))
		if bytes.Equal(b.At(k), right) {
			continue
		}
		if wrong == 0 {
			first = k
		}
		wrong++
	}
	if wrong == 0 {
		return nil
	}
	f.put(right, want(rank, first))
	return fmt.Errorf("%w: element %d of %s of rank %d is %v, not %v; %d of %d elements are wrong",
		ErrResult, first, name, rank,
		f.get(b.At(first)), f.get(right), wrong, b.Len())
}

// form is how integers stand in memory as elements of a type.
type form struct {
	exact int64 // up to here all of them do
	put   func(b []byte, v int64)
	get   func(b []byte) any
}

var little = binary.LittleEndian

var forms = map[accl.DType]form{
	accl.TypeFloat16: {1 << 11,
		func(b []byte, v int64) { little.PutUint16(b, uint16(accl.ToFloat16(float32(v)))) },
		func(b []byte) any { return accl.Float16(little.Uint16(b)) }},
	accl.TypeBFloat16: {1 << 8,
		func(b []byte, v int64) { little.PutUint16(b, uint16(accl.ToBFloat16(float32(v)))) },
		func(b []byte) any { return accl.BFloat16(little.Uint16(b)) }},
	accl.TypeFloat32: {1 << 24,
		func(b []byte, v int64) { little.PutUint32(b, math.Float32bits(float32(v))) },
		func(b []byte) any { return math.Float32frombits(little.Uint32(b)) }},
	accl.TypeFloat64: {1 << 53,
		func(b []byte, v int64) { little.PutUint64(b, math.Float64bits(float64(v))) },
		func(b []byte) any { return math.Float64frombits(little.Uint64(b)) }},
	accl.TypeInt32: {math.MaxInt32,
		func(b []byte, v int64) { little.PutUint32(b, uint32(v)) },
		func(b []byte) any { return int32(little.Uint32(b)) }},
	accl.TypeInt64: {1 << 53,
		func(b []byte, v int64) { little.PutUint64(b, uint64(v)) },
		func(b []byte) any { return int64(little.Uint64(b)) }},
}
