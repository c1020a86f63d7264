package world

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// Elements of declared types are moved by every operation, whatever they are.
func TestDeclaredTypesAreMoved(t *testing.T) {
	compiler(t)
	const ranks, n = 3, 700
	d := designtest.Made(t, "types", ownTypes)
	p := driverview.Of(d)
	w, err := New(t.Context(), d, ranks, Options{})
	assert.NilError(t, err)
	defer w.Close()
	engines := open(t, w, &p)
	for _, kind := range []struct {
		t    accl.DType
		size int
	}{{accl.TypeBFloat16, 2}, {packed, 8}, {sample, 16}} {
		own := func(rank, n int) []byte { return bytesOf(n, kind.size, uint64(rank)) }
		blocks := func(of func(rank int) []byte) []byte {
			return bytes.Join([][]byte{of(0), of(1), of(2)}, nil)
		}
		block := func(all []byte, i int) []byte { return all[i*n*kind.size : (i+1)*n*kind.size] }
		for name, op := range map[string]struct {
			elements [2]int // of operand and result, in n
			do       func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error
			want     func(rank int) []byte // nil: the result is not defined
		}{
			"copy": {[2]int{1, 1}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.Copy(ctx, src, dst, n)
				return err
			}, func(rank int) []byte { return own(rank, n) }},
			"send and recv": {[2]int{1, 1}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				sent, err := e.Send(ctx, src, n, accl.Peer((e.Rank()+1)%ranks), accl.Async())
				if err != nil {
					return err
				}
				if _, err := e.Recv(ctx, dst, n, accl.Peer((e.Rank()+2)%ranks)); err != nil {
					return err
				}
				return sent.Wait(ctx)
			}, func(rank int) []byte { return own((rank+2)%ranks, n) }},
			"bcast": {[2]int{1, 1}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				copy(dst.Host(), src.Host())
				_, err := e.Bcast(ctx, dst, n, 1)
				return err
			}, func(int) []byte { return own(1, n) }},
			"scatter": {[2]int{3, 1}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.Scatter(ctx, src, dst, n, 2)
				return err
			}, func(rank int) []byte { return block(own(2, 3*n), rank) }},
			"gather": {[2]int{1, 3}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.Gather(ctx, src, dst, n, 0)
				return err
			}, func(rank int) []byte {
				if rank != 0 {
					return nil
				}
				return blocks(func(rank int) []byte { return own(rank, n) })
			}},
			"allgather": {[2]int{1, 3}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.AllGather(ctx, src, dst, n)
				return err
			}, func(int) []byte { return blocks(func(rank int) []byte { return own(rank, n) }) }},
			"alltoall": {[2]int{3, 3}, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.AllToAll(ctx, src, dst, n)
				return err
			}, func(rank int) []byte { return blocks(func(from int) []byte { return block(own(from, 3*n), rank) }) }},
		} {
			each(t, ranks, func(ctx context.Context, rank int) error {
				e := engines[rank]
				src, err := raw(ctx, e, kind.t, op.elements[0]*n, uint64(rank))
				if err != nil {
					return err
				}
				dst, err := accl.AllocRaw(ctx, e, kind.t, op.elements[1]*n)
				if err != nil {
					return err
				}
				if err := op.do(ctx, e, src, dst); err != nil {
					return err
				}
				if want := op.want(rank); want != nil && !bytes.Equal(dst.Host(), want) {
					t.Errorf("%s of %s: rank %d has the wrong data", name, kind.t, rank)
				}
				return errors.Join(src.Free(), dst.Free())
			})
		}
	}
	b, err := accl.AllocRaw(t.Context(), engines[0], sample, n)
	assert.NilError(t, err)
	_, err = engines[0].Combine(t.Context(), b, b, b, n, accl.Sum)
	assert.Check(t, is.ErrorIs(err, accl.ErrFunc), "a type that nothing reduces")
	_, err = engines[0].Send(t.Context(), b, n, 1, accl.Compress(accl.TypeBFloat16))
	assert.Check(t, is.ErrorIs(err, accl.ErrType), "types that nothing converts")
}

// Declared types are reduced, and are what others are compressed to, by plugins in
// C++.
func TestDeclaredTypesAreReducedAndCompressed(t *testing.T) {
	compiler(t)
	const ranks = 3
	d := designtest.Made(t, "types", ownTypes)
	p := driverview.Of(d)
	w, err := New(t.Context(), d, ranks, Options{})
	assert.NilError(t, err)
	defer w.Close()
	engines := open(t, w, &p)
	for _, n := range []int{1, 5, 700, 9001} {
		sum := bytesOf(n, 8, 0)
		packedSum := firstHalves(bytesOf(n, 16, 0))
		for rank := uint64(1); rank < ranks; rank++ {
			sum = addPacked(sum, bytesOf(n, 8, rank))
			packedSum = addPacked(packedSum, firstHalves(bytesOf(n, 16, rank)))
		}
		for name, op := range map[string]struct {
			from, to accl.DType
			do       func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error
			want     func(rank int) []byte
		}{
			"allreduce of packed": {packed, packed, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.AllReduce(ctx, src, dst, n, accl.Sum)
				return err
			}, func(int) []byte { return sum }},
			"allreduce of samples, compressed": {sample, sample, func(ctx context.Context, e *accl.Engine, src,
				dst *accl.RawBuffer) error {
				_, err := e.AllReduce(ctx, src, dst, n, accl.Sum, accl.Compress(packed))
				return err
			}, func(int) []byte { return widened(packedSum) }},
			"reduce of samples to packed": {sample, packed, func(ctx context.Context, e *accl.Engine, src,
				dst *accl.RawBuffer) error {
				_, err := e.Reduce(ctx, src, dst, n, 1, accl.Sum)
				return err
			}, func(rank int) []byte {
				if rank != 1 {
					return make([]byte, 8*n)
				}
				return packedSum
			}},
			"copy that packs": {sample, packed, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.Copy(ctx, src, dst, n)
				return err
			}, func(rank int) []byte { return firstHalves(bytesOf(n, 16, uint64(rank))) }},
			"copy that widens": {packed, sample, func(ctx context.Context, e *accl.Engine, src, dst *accl.RawBuffer) error {
				_, err := e.Copy(ctx, src, dst, n)
				return err
			}, func(rank int) []byte { return widened(bytesOf(n, 8, uint64(rank))) }},
		} {
			each(t, ranks, func(ctx context.Context, rank int) error {
				e := engines[rank]
				src, err := raw(ctx, e, op.from, n, uint64(rank))
				if err != nil {
					return err
				}
				dst, err := accl.AllocRaw(ctx, e, op.to, n)
				if err != nil {
					return err
				}
				if err := op.do(ctx, e, src, dst); err != nil {
					t.Errorf("%s of %d: %v", name, n, err)
					return err
				}
				assert.Check(t, bytes.Equal(dst.Host(), op.want(rank)), "%s of %d: rank %d has the wrong data", name, n, rank)
				return nil
			})
		}
	}
}

// Types of Go and declared ones go together.
func TestFloatsAreSentAsBFloat16(t *testing.T) {
	compiler(t)
	const n = 500
	d := designtest.Made(t, "types", ownTypes)
	p := driverview.Of(d)
	w, err := New(t.Context(), d, 2, Options{})
	assert.NilError(t, err)
	defer w.Close()
	engines := open(t, w, &p)
	each(t, 2, func(ctx context.Context, rank int) error {
		e := engines[rank]
		b, err := accl.Alloc[float32](ctx, e, n)
		if err != nil {
			return err
		}
		half, err := accl.Alloc[accl.BFloat16](ctx, e, n)
		if err != nil {
			return err
		}
		for i := range b.Host() {
			b.Host()[i] = float32(i) + 0.001 // of which 8 bits remain
		}
		if _, err := e.Bcast(ctx, b, n, 0, accl.Compress(accl.TypeBFloat16)); err != nil {
			return err
		}
		if _, err := e.Copy(ctx, b, half, n); err != nil {
			return err
		}
		for i, v := range b.Host() {
			want := math.Float32bits(float32(i)+0.001) &^ 0xFFFF
			if rank == 0 {
				want = math.Float32bits(float32(i) + 0.001)
			}
			if math.Float32bits(v) != want || uint16(half.Host()[i]) != uint16(want>>16) {
				t.Errorf("rank %d, element %d: 0x%X and 0x%X, not 0x%X", rank, i, math.Float32bits(v), half.Host()[i], want)
				break
			}
		}
		return nil
	})
}
