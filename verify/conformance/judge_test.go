package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/world"
)

// flipper is a device that damages one byte of a memory whenever the host reads
// it back.
type flipper struct {
	accl.Device
	armed  bool
	memory int // counted from when it was armed
	offset int // from the start, or from the end if it is negative
	seen   int
}

func (f *flipper) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	m, err := f.Device.Alloc(ctx, spec)
	if err != nil || !f.armed {
		return m, err
	}
	f.seen++
	if f.seen-1 != f.memory {
		return m, nil
	}
	return &flipped{m, f.offset}, nil
}

type flipped struct {
	accl.Memory
	offset int
}

func (m *flipped) SyncFrom(ctx context.Context, offset, bytes int) error {
	err := m.Memory.SyncFrom(ctx, offset, bytes)
	at := m.offset
	if at < 0 {
		at += len(m.Bytes())
	}
	if at >= offset && at < offset+bytes {
		m.Bytes()[at] ^= 0x10
	}
	return err
}

// TestDetects damages what cases look at: they must tell.
func TestDetects(t *testing.T) {
	ctx := limited(t, time.Minute)
	d := designtest.Load(t, "u55c_tcp", nil)
	p := driverview.Of(d)
	w, err := world.New(ctx, d, 1, world.Options{})
	assert.NilError(t, err)
	defer w.Close()
	f := &flipper{Device: w.Device(0)}
	e, err := accl.Open(ctx, f, &p, w.Ranks(), 0)
	assert.NilError(t, err)
	const n, pad = 10, 4
	for _, test := range []struct {
		name            string
		c               conformance.Case
		memory, element int
		want            int // index of the element that is told; none if it is far
	}{
		{"result", conformance.Case{Op: "copy"}, 1, 1 + pad + 3, 3},
		{"result that stays on the device", conformance.Case{Op: "copy", ToFPGA: true}, 1, 1 + pad, 0},
		{"bits", conformance.Case{Op: "copy", Data: conformance.Bits}, 1, 1 + pad + n - 1, n - 1},
		{"reals", conformance.Case{Op: "combine", Func: accl.Max, Op1: accl.TypeFloat32, Data: conformance.Reals},
			2, 1 + pad + 2, 2},
		{"before the result", conformance.Case{Op: "copy"}, 1, pad, -1},
		{"long before the result", conformance.Case{Op: "copy"}, 1, 0, -1 - pad},
		{"behind the result", conformance.Case{Op: "copy"}, 1, 1 + pad + n, n},
		{"operand 0", conformance.Case{Op: "copy"}, 0, 1 + pad + 5, 5},
		{"behind operand 0", conformance.Case{Op: "copy", FromFPGA: true}, 0, 1 + pad + n + 1, n + 1},
		{"operand 1", conformance.Case{Op: "combine", Func: accl.Sum, Op1: accl.TypeFloat32}, 1, 1 + pad + 9, 9},
	} {
		c := test.c
		c.Op0, c.Res, c.Count, c.Pad, c.Seed = accl.TypeFloat32, accl.TypeFloat32, n, pad, 7
		f.armed = false
		assert.Check(t, c.Run(ctx, []*accl.Engine{e}), "%s", test.name)
		*f = flipper{Device: f.Device, armed: true, memory: test.memory, offset: 4*test.element + 2}
		err := c.Run(ctx, []*accl.Engine{e})
		var wrong *conformance.DataError
		assert.Check(t, errors.As(err, &wrong) && errors.Is(err, conformance.ErrData) && wrong.Index == test.want,
			"%s: %v, not element %d", test.name, err, test.want)
		var failed *conformance.Failure
		assert.Check(t, errors.As(err, &failed) && !failed.Tolerates(0xFFFFFFFF), "%s is tolerated", test.name)
	}
}

// TestTolerates checks what is taken for an honest failure.
func TestTolerates(t *testing.T) {
	timeout, other := &accl.CallError{Code: 1 << 11}, &accl.CallError{Code: 1<<11 | 1}
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, true},
		{timeout, true},
		{fmt.Errorf("wait: %w", timeout), true},
		{errors.Join(timeout, nil), true},
		{other, false},
		{errors.Join(timeout, other), false},
		{errors.Join(timeout, &conformance.DataError{}), false},
		{errors.New("something else"), false},
		{context.DeadlineExceeded, false},
	} {
		f := conformance.Failure{Errs: []error{nil, test.err}}
		assert.Check(t, is.Equal(f.Tolerates(1<<11), test.want), "%v", test.err)
	}
}

// TestNoSuchCase checks that cases which make no sense are refused.
func TestNoSuchCase(t *testing.T) {
	ctx := limited(t, time.Minute)
	b := all.bench(ctx, t, setup{platform: "u55c_tcp", ranks: 2})
	f32 := accl.TypeFloat32
	for _, c := range []conformance.Case{
		{Op: "fly"},
		{Op: "copy"},
		{Op: "copy", Op0: f32, Res: f32, Count: -1},
		{Op: "copy", Op0: "float8", Res: f32},
		{Op: "copy", Op0: accl.TypeBFloat16, Res: accl.TypeBFloat16},
		{Op: "bcast", Op0: f32, Res: f32, Root: 2},
		{Op: "bcast", Op0: f32, Res: accl.TypeFloat16},
		{Op: "bcast", Op0: f32, Res: f32, Members: []int{0, 0}},
		{Op: "bcast", Op0: f32, Res: f32, Members: []int{0, 2}},
		{Op: "reduce", Op0: f32, Res: f32, Func: "mean"},
		{Op: "reduce", Op0: f32, Res: f32, Func: accl.Sum, Data: conformance.Bits},
		{Op: "copy", Op0: accl.TypeInt32, Res: accl.TypeInt32, Data: conformance.Reals},
	} {
		assert.Check(t, is.ErrorIs(c.Run(ctx, b.engines), conformance.ErrCase), "%v", c)
	}
	_, err := conformance.Parse(`{"Op":"copy","Colour":1}`)
	assert.Check(t, errors.Is(err, conformance.ErrCase), "%v", err)
	assert.Check(t, is.ErrorIs((conformance.Case{Op: "nop"}).Run(ctx, nil), conformance.ErrCase))
}
