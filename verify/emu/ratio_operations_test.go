package emu_test

import (
	"context"
	"errors"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance/model"
)

// ratioOperation is an operation: how many values its operands and results hold, with n
// in the call on some ranks, what is expected, and the call.
type ratioOperation struct {
	in, out func(n, ranks int) int
	second  bool // there are two operands
	want    func(in [][]float64, n int) [][]float64
	call    func(ctx context.Context, e *accl.Engine, a, b, to *operand, n int, o ...accl.Option) error
}

func one(n, _ int) int     { return n }
func all(n, ranks int) int { return n * ranks }

// ratioRoot is the root of operations that have one: the last rank.
func ratioRoot(e *accl.Engine) accl.Peer { return accl.Peer(e.World().Size() - 1) }

func done(_ *accl.Request, err error) error { return err }

// ratioOperations are all operations that move elements, by name.
var ratioOperations = map[string]ratioOperation{
	"copy": {one, one, false,
		func(in [][]float64, _ int) [][]float64 { return in },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.Copy(ctx, a, to, n))
		}},
	"combine": {one, one, true,
		func(in [][]float64, _ int) [][]float64 {
			out := make([][]float64, len(in)/2)
			for i := range out {
				out[i] = model.Combine(in[i], in[len(out)+i], model.Sum)
			}
			return out
		},
		func(ctx context.Context, e *accl.Engine, a, b, to *operand, n int, o ...accl.Option) error {
			return done(e.Combine(ctx, a, b, to, n, accl.Sum))
		}},
	"send": {one, one, false, // in a ring
		func(in [][]float64, _ int) [][]float64 {
			out := make([][]float64, len(in))
			for i := range in {
				out[(i+1)%len(in)] = in[i]
			}
			return out
		},
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			rank, ranks := e.World().Rank(), e.World().Size()
			sent, err := e.Send(ctx, a, n, accl.Peer((rank+1)%ranks), append(o, accl.Async())...)
			if err != nil {
				return err
			}
			return errors.Join(done(e.Recv(ctx, to, n, accl.Peer((rank+ranks-1)%ranks), o...)), sent.Wait(ctx))
		}},
	"bcast": {one, one, false, // of what is in the place of the result
		func(in [][]float64, _ int) [][]float64 { return model.Bcast(in, len(in)-1) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			if accl.Peer(e.World().Rank()) == ratioRoot(e) {
				copy(to.Host(), a.Host())
			}
			return done(e.Bcast(ctx, to, n, ratioRoot(e), o...))
		}},
	"scatter": {all, one, false,
		func(in [][]float64, n int) [][]float64 { return model.Scatter(in, len(in)-1, n) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.Scatter(ctx, a, to, n, ratioRoot(e), o...))
		}},
	"gather": {one, all, false,
		func(in [][]float64, _ int) [][]float64 { return model.Gather(in, len(in)-1) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.Gather(ctx, a, to, n, ratioRoot(e), o...))
		}},
	"allgather": {one, all, false,
		func(in [][]float64, _ int) [][]float64 { return model.AllGather(in) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.AllGather(ctx, a, to, n, o...))
		}},
	"alltoall": {all, all, false,
		model.AllToAll,
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.AllToAll(ctx, a, to, n, o...))
		}},
	"reduce": {one, one, false,
		func(in [][]float64, _ int) [][]float64 { return model.Reduce(in, len(in)-1, model.Sum) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.Reduce(ctx, a, to, n, ratioRoot(e), accl.Sum, o...))
		}},
	"allreduce": {one, one, false,
		func(in [][]float64, _ int) [][]float64 { return model.AllReduce(in, model.Sum) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.AllReduce(ctx, a, to, n, accl.Sum, o...))
		}},
	"scan": {one, one, false,
		func(in [][]float64, _ int) [][]float64 { return model.Scan(in, model.Sum) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.Scan(ctx, a, to, n, accl.Sum, o...))
		}},
	"exscan": {one, one, false,
		func(in [][]float64, _ int) [][]float64 { return model.ExScan(in, model.Sum) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.ExScan(ctx, a, to, n, accl.Sum, o...))
		}},
	"reduce_scatter": {all, one, false,
		func(in [][]float64, n int) [][]float64 { return model.ReduceScatter(in, n, model.Sum) },
		func(ctx context.Context, e *accl.Engine, a, _, to *operand, n int, o ...accl.Option) error {
			return done(e.ReduceScatter(ctx, a, to, n, accl.Sum, o...))
		}},
}
