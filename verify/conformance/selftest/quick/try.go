package quick

import (
	"context"
	"errors"

	"github.com/cclforge/cclforge/verify/conformance"
)

// try runs a row from host to host memory, synchronously and asynchronously, then
// several times in device memory to measure it. Each of the three has other operands and
// another root, and its result is checked.
func (g *group) try(ctx context.Context, r *row) (out result, err error) {
	n := len(g.engines)
	out.bytes = r.Count * r.ElementBytes(g.platform)
	if r.blocks {
		out.bytes *= n
	}
	o := g.platform.Operation(r.Op)
	for turn, form := range []func(c *conformance.Case){
		func(*conformance.Case) {},
		func(c *conformance.Case) { c.Async = true },
		func(c *conformance.Case) { c.FromFPGA, c.FromFPGA1, c.ToFPGA = true, c.Op1 != "", true },
	} {
		c := r.Case
		form(&c)
		c.Seed, c.Taken = int64(turn), c.Op == "stream_put"
		if o != nil && o.Peer != "" {
			c.Root, c.Peer = (turn+1)%n, (turn+2)%n
		}
		prepared, err := c.Prepare(ctx, g.engines)
		if err != nil {
			return out, err
		}
		call := func(rank int) error { return prepared.Call(ctx, rank) }
		if c.FromFPGA {
			out.took, err = g.measure(call)
		} else {
			err = g.each(call)
		}
		if err != nil {
			for rank := range n {
				prepared.Failed(rank, err)
			}
			return out, errors.Join(err, prepared.Finish(ctx))
		}
		if err := prepared.Finish(ctx); err != nil {
			out.wrong = wrong(err)
			return out, nil
		}
	}
	return out, nil
}

// wrong says in a line what the first rank that has an error has seen.
func wrong(err error) string {
	if failure, is := errors.AsType[*conformance.Failure](err); is {
		err = failure.Unwrap()[0]
	}
	if data, is := errors.AsType[*conformance.DataError](err); is {
		return data.Error()
	}
	return err.Error()
}
