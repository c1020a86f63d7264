package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/model"
)

// way is how an operation is called.
type way struct {
	resident bool // operands and results stay in device memory
	async    bool
}

// try runs an operation from host to host memory, synchronously and
// asynchronously, then several times in device memory to measure it. Each of
// the three has other operands, and its result is checked.
func (g *group) try(ctx context.Context, c *instance) (r result, err error) {
	n := len(g.engines)
	held := make([]buffers, n)
	defer func() {
		for i := range held {
			err = errors.Join(err, held[i].free())
		}
	}()
	if err := g.each(func(i int) error { return held[i].alloc(ctx, g.engines[i], c, n) }); err != nil {
		return r, err
	}
	r.bytes = max(c.a.of(c.count, n), c.operation.result.of(c.count, n)) * c.kind.bytes
	for turn, how := range []way{{}, {async: true}, {resident: true}} {
		in := c.inputs(n, turn)
		want := c.want(in)
		if err := g.each(func(i int) error { return held[i].prepare(ctx, in, i) }); err != nil {
			return r, err
		}
		run := func(i int) error { return c.do(ctx, g.engines[i], &held[i], how, in.root) }
		if how.resident {
			r.took, err = g.measure(run)
		} else {
			err = g.each(run)
		}
		if err == nil && how.resident {
			err = g.each(func(i int) error { return held[i].out().SyncFromDevice(ctx) })
		}
		if err != nil {
			return r, err
		}
		for i := range held {
			if wrong := held[i].out().differs(want[i]); wrong != "" {
				r.wrong = fmt.Sprintf("rank %d: %s", i, wrong)
				return r, nil
			}
		}
	}
	return r, nil
}

// inputs are numbers of its own for each turn. The root moves with it.
func (c *instance) inputs(ranks, turn int) inputs {
	in := inputs{count: c.count, root: (turn + 1) % ranks, f: model.Reductions[string(c.function)].Of}
	for i := range ranks {
		in.a = append(in.a, c.kind.operand(c.a.of(c.count, ranks), i, 2*turn))
		in.b = append(in.b, c.kind.operand(c.b.of(c.count, ranks), i, 2*turn+1))
	}
	return in
}

// do is the part of one rank in an operation.
func (c *instance) do(ctx context.Context, e *accl.Engine, b *buffers, how way, root int) error {
	requests, err := c.start(&call{
		ctx: ctx, comm: e.World(), a: operand(b.a), b: operand(b.b), result: operand(b.result),
		count: c.count, root: root, dtype: c.kind.dtype, f: c.function,
		wire: c.wire, way: how,
	})
	if err != nil {
		return err
	}
	return accl.WaitAll(ctx, requests...)
}

// operand makes a missing buffer a missing operand.
func operand(b buffer) accl.Operand {
	if b == nil {
		return nil
	}
	return b
}

// buffers are those of one rank.
type buffers struct{ a, b, result buffer }

func (b *buffers) alloc(ctx context.Context, e *accl.Engine, c *instance, ranks int) error {
	for _, use := range []struct {
		to    *buffer
		share share
	}{{&b.a, c.a}, {&b.b, c.operation.b}, {&b.result, c.operation.result}} {
		if use.share == none {
			continue
		}
		var err error
		if *use.to, err = c.kind.alloc(ctx, e, use.share.of(c.count, ranks)); err != nil {
			return err
		}
	}
	return nil
}

// prepare fills the operands of a rank, here and on the device, and makes the
// result untouched.
func (b *buffers) prepare(ctx context.Context, in inputs, rank int) error {
	for _, use := range []struct {
		buffer buffer
		values []float64
	}{{b.a, in.a[rank]}, {b.b, in.b[rank]}, {b.result, nil}} {
		if use.buffer == nil {
			continue
		}
		use.buffer.fill(use.values)
		if err := use.buffer.SyncToDevice(ctx); err != nil {
			return err
		}
	}
	return nil
}

// out is the buffer with the result.
func (b *buffers) out() buffer {
	if b.result != nil {
		return b.result
	}
	return b.a
}

func (b *buffers) free() error {
	var errs []error
	for _, held := range []buffer{b.a, b.b, b.result} {
		if held != nil {
			errs = append(errs, held.Free())
		}
	}
	return errors.Join(errs...)
}
