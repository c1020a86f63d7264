package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// opened are ranks that are emulated.
func opened(t *testing.T, ranks int, through func(i int, d engine.Device) accl.Device) []*accl.Engine {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	p := driverview.Of(d)
	w, err := world.New(t.Context(), d, ranks, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	engines := make([]*accl.Engine, ranks)
	ranktest.All(t, ranks, func(i int) (err error) {
		engines[i], err = accl.Open(t.Context(), through(i, w.Device(i)), &p, w.Ranks(), i)
		return err
	})
	return engines
}

// operands are those of a row on all ranks, filled.
func operands(t *testing.T, engines []*accl.Engine, r *row) (*inputs, []*operand) {
	t.Helper()
	element, _ := engines[0].Platform().TypeBytes(r.dtype)
	count, bytes := r.fits(len(engines), element)
	x, err := newInputs(len(engines), count, r.uses()...)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]*operand, len(engines))
	ranktest.All(t, len(engines), func(i int) (err error) {
		o := &operand{engine: engines[i], rank: i, count: count}
		if r.protocol == Compressed {
			o.options = append(o.options, accl.Compress(wire))
		}
		if o.src, err = accl.AllocRaw(t.Context(), o.engine, r.dtype, bytes/element); err != nil {
			return err
		}
		if o.dst, err = accl.AllocRaw(t.Context(), o.engine, r.dtype, bytes/element); err != nil {
			return err
		}
		list[i] = o
		return x.fill(t.Context(), o)
	})
	return x, list
}

// TestWrongResultsAreFound runs all operations, whose results are right, and then spoils
// each element of each buffer that a rank has, one by one.
func TestWrongResultsAreFound(t *testing.T) {
	engines := opened(t, 4, func(_ int, d engine.Device) accl.Device { return d })
	ctx := t.Context()
	for i := range operations {
		p := &operations[i]
		rows := []row{{operation: p, shape: shipped(t).Operation(p.name), dtype: accl.TypeFloat32, bytes: 256}}
		if len(p.protocols) > 0 {
			rows = append(rows, row{operation: p, shape: shipped(t).Operation(p.name), protocol: Compressed,
				dtype: accl.TypeFloat32, bytes: 256})
		}
		if p.types {
			for _, dtype := range []accl.DType{accl.TypeFloat16, accl.TypeFloat64, accl.TypeInt32, accl.TypeInt64} {
				rows = append(rows, row{operation: p, shape: shipped(t).Operation(p.name), dtype: dtype, bytes: 256})
			}
		}
		for i := range rows {
			r := &rows[i]
			if !r.shape.Operands() {
				continue
			}
			t.Run(fmt.Sprint(r.name, "/", r.protocol, r.dtype), func(t *testing.T) {
				x, list := operands(t, engines, r)
				ranktest.All(t, len(list), func(i int) error { return r.do(ctx, list[i]) })
				for rank, o := range list {
					if err := x.check(ctx, r, o); err != nil {
						t.Fatal(err)
					}
					for name, b := range map[string]*accl.RawBuffer{"src": o.src, "dst": o.dst} {
						for k := range b.Len() {
							b.At(k)[0] ^= 1
							if err := b.SyncToDevice(ctx); err != nil {
								t.Fatal(err)
							}
							err := x.check(ctx, r, o)
							if where := fmt.Sprintf("element %d of %s of rank %d ", k, name, rank); !errors.Is(err, ErrResult) ||
								!strings.Contains(err.Error(), where) {
								t.Fatalf("%v although %sis wrong", err, where)
							}
							b.At(k)[0] ^= 1
						}
						if err := b.SyncToDevice(ctx); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// TestWrongResultsFailTheBench has rows do something else than they should.
func TestWrongResultsFailTheBench(t *testing.T) {
	const ranks = 4
	b := &bench{ctx: t.Context(), ranks: ranks, gate: newGate(rtlsim.NewLockstep(1)),
		accounts: make([][]rtlsim.Account, ranks)}
	b.engines = opened(t, ranks, func(i int, d engine.Device) accl.Device { return &gated{d, b.gate, i} })
	for name, do := range map[string]func(ctx context.Context, o *operand) error{
		"copy": func(ctx context.Context, o *operand) error { return failed(o.engine.Nop(ctx)) },
		"combine": func(ctx context.Context, o *operand) error {
			return failed(o.engine.Copy(ctx, o.src, o.dst, o.count, from, to))
		},
		"bcast": func(ctx context.Context, o *operand) error {
			return failed(o.engine.Bcast(ctx, o.src, o.count, 1, from, to))
		},
		"reduce": func(ctx context.Context, o *operand) error {
			return failed(o.engine.Reduce(ctx, o.src, o.dst, o.count, 1, accl.Sum, from, to))
		},
		"allreduce": func(ctx context.Context, o *operand) error {
			return failed(o.engine.AllReduce(ctx, o.src, o.dst, o.count, accl.Max, from, to))
		},
		"gather": func(ctx context.Context, o *operand) error { // others get blocks as well
			return failed(o.engine.AllGather(ctx, o.src, o.dst, o.count, from, to))
		},
		"alltoall": func(ctx context.Context, o *operand) error { // of others
			return failed(o.engine.AllGather(ctx, o.src, o.dst, o.count, from, to))
		},
	} {
		i := slices.IndexFunc(operations, func(p operation) bool { return p.name == name })
		p := operations[i]
		p.do = do
		_, err := b.point(&row{operation: &p, shape: shipped(t).Operation(name), dtype: accl.TypeFloat32, bytes: 4096})
		if !errors.Is(err, ErrResult) || !strings.Contains(err.Error(), name+" of 4096 bytes") {
			t.Errorf("%s does something else: %v", name, err)
		}
	}
}
