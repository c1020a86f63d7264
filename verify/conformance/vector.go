package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
)

// vector is memory of an engine as the bits of its elements.
type vector interface {
	Len() int
	SyncToDevice(ctx context.Context) error
	SyncFromDevice(ctx context.Context) error
	Free() error
	get(i int) uint64
	set(i int, bits uint64)
	operand(from, to int) accl.Operand
}

type word interface {
	uint8 | uint16 | uint32 | uint64
}

type vectorOf[T word] struct{ *accl.Buffer[T] }

func (v vectorOf[T]) get(i int) uint64                  { return uint64(v.Host()[i]) }
func (v vectorOf[T]) set(i int, bits uint64)            { v.Host()[i] = T(bits) }
func (v vectorOf[T]) operand(from, to int) accl.Operand { return v.Slice(from, to) }

func newVector(ctx context.Context, e *accl.Engine, t accl.DType, n int, host bool) (vector, error) {
	var options []accl.AllocOption
	if host {
		options = append(options, accl.HostOnly())
	}
	switch size, _ := e.Platform().TypeBytes(t); size {
	case 1:
		return vectorAs[uint8](ctx, e, t, n, options)
	case 2:
		return vectorAs[uint16](ctx, e, t, n, options)
	case 4:
		return vectorAs[uint32](ctx, e, t, n, options)
	case 8:
		return vectorAs[uint64](ctx, e, t, n, options)
	default:
		return nil, fmt.Errorf("%w: elements of %d bytes", ErrCase, size)
	}
}

func vectorAs[T word](ctx context.Context, e *accl.Engine, t accl.DType, n int, o []accl.AllocOption) (vector, error) {
	b, err := accl.AllocAs[T](ctx, e, t, n, o...)
	if err != nil {
		return nil, err
	}
	return vectorOf[T]{b}, nil
}

// guardAfter are elements behind an operand that nothing may touch: more than
// a beat of the smallest type.
const guardAfter = 72

// field is an operand or a result between guards.
type field struct {
	vector
	name    string
	k       codec
	s       *source
	rank    int
	operand int  // number, for noise
	host    bool // in host memory, whose bytes are also the engine's
	from    int  // where it begins
	n       int
}

func newField(ctx context.Context, e *accl.Engine, name string, t accl.DType, n, pad int, host bool) (*field, error) {
	v, err := newVector(ctx, e, t, 1+pad+n+guardAfter, host)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if host {
		if host, err = shared(ctx, v); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), v.Free())
		}
	}
	return &field{vector: v, name: name, k: codecs[t], host: host, from: 1 + pad, n: n}, nil
}

// shared finds out whether host and engine see the same bytes of host memory. If
// the engine is reached over a socket there are two copies, as of device memory.
func shared(ctx context.Context, v vector) (bool, error) {
	v.set(0, 1)
	if err := v.SyncToDevice(ctx); err != nil {
		return false, err
	}
	v.set(0, 2)
	if err := v.SyncFromDevice(ctx); err != nil {
		return false, err
	}
	return v.get(0) == 2, nil
}

// part is the field without its guards.
func (f *field) part() accl.Operand { return f.vector.operand(f.from, f.from+f.n) }

// noise fills everything.
func (f *field) noise(purpose int) {
	noise := f.s.noise(f.k, purpose, f.rank, f.operand)
	for i := range f.Len() {
		f.set(i, noise(i))
	}
}

func (f *field) fill(values []float64) {
	for i, v := range values {
		f.set(f.from+i, f.s.bits(f.k, v))
	}
}

// scramble changes the host's copy between the guards.
func (f *field) scramble() {
	noise := f.s.noise(f.k, forOtherCopy, f.rank, f.operand)
	for i := f.from; i < f.from+f.n; i++ {
		f.set(i, noise(i))
	}
}

// asOperand fills the field with data. In device memory the data is at one
// place only: in the host's copy or, if it is said to be there, on the device.
func (f *field) asOperand(ctx context.Context, values []float64, onDevice bool) error {
	f.noise(forGuards)
	if f.host {
		f.fill(values)
		return nil
	}
	if !onDevice {
		if err := f.SyncToDevice(ctx); err != nil {
			return err
		}
		f.fill(values)
		return nil
	}
	f.fill(values)
	if err := f.SyncToDevice(ctx); err != nil {
		return err
	}
	f.scramble()
	return nil
}

// asResult fills the field with what an operation should overwrite.
func (f *field) asResult(ctx context.Context) error {
	f.noise(forGuards)
	if f.host {
		return nil
	}
	if err := f.SyncToDevice(ctx); err != nil {
		return err
	}
	f.scramble()
	return nil
}
