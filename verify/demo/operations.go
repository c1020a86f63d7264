package demo

import (
	"context"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/model"
)

// share is how much of a rank's data an operand holds.
type share int

const (
	none  share = iota
	block       // the elements of one rank
	each        // those of every rank
)

func (s share) of(count, ranks int) int { return [...]int{0, count, count * ranks}[s] }

// operation is something to run on all ranks, and what comes out of it.
type operation struct {
	name  string
	needs []string // operations of the interface generation
	// a and b are operands. An operation without a result overwrites a.
	a, b, result share
	reduces      bool
	chained      bool // it is several
	streams      bool // it needs kernel streams
	wire         bool // data travels, and can be compressed for that
	start        func(c *call) ([]*accl.Request, error)
	want         func(in inputs) [][]float64
}

// call is the part of one rank.
type call struct {
	ctx          context.Context
	comm         *accl.Comm
	a, b, result accl.Operand
	count, root  int
	dtype        accl.DType
	f            accl.Func
	wire         accl.DType // compressed to, or empty
	way
}

// options are those of a call with an operand and a result.
func (c *call) options() []accl.Option { return slices.Concat(c.from(), c.to()) }

func (c *call) from() []accl.Option {
	o := c.common()
	if c.resident {
		o = append(o, accl.FromFPGA())
	}
	return o
}

func (c *call) to() []accl.Option {
	o := c.common()
	if c.resident {
		o = append(o, accl.ToFPGA())
	}
	return o
}

func (c *call) common() []accl.Option {
	var o []accl.Option
	if c.wire != "" {
		o = append(o, accl.Compress(c.wire))
	}
	if c.async {
		o = append(o, accl.Async())
	}
	return o
}

func (c *call) next() int     { return (c.comm.Rank() + 1) % c.comm.Size() }
func (c *call) previous() int { return (c.comm.Rank() + c.comm.Size() - 1) % c.comm.Size() }

// inputs are the operands of all ranks.
type inputs struct {
	a, b        [][]float64
	count, root int
	f           model.Function
}

// one lists a single request.
func one(r *accl.Request, err error) ([]*accl.Request, error) { return []*accl.Request{r}, err }

var operations = []operation{
	{name: "copy", needs: []string{"copy"}, a: block, result: block,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.Copy(c.ctx, c.a, c.result, c.count, c.options()...))
		},
		want: func(in inputs) [][]float64 { return in.a }},
	{name: "combine", needs: []string{"combine"}, a: block, b: block, result: block, reduces: true,
		start: func(c *call) ([]*accl.Request, error) {
			o := c.options()
			if c.resident {
				o = append(o, accl.FromFPGA1())
			}
			return one(c.comm.Combine(c.ctx, c.a, c.b, c.result, c.count, c.f, o...))
		},
		want: func(in inputs) [][]float64 {
			out := make([][]float64, len(in.a))
			for i := range out {
				out[i] = model.Combine(in.a[i], in.b[i], in.f)
			}
			return out
		}},
	{name: "send, recv", needs: []string{"send", "recv"}, a: block, result: block, wire: true,
		start: startSendRecv, want: fromPrevious},
	{name: "stream put", needs: []string{"send", "copy"}, a: block, result: block, streams: true,
		start: startStreamPut, want: fromPrevious},
	{name: "bcast", needs: []string{"bcast"}, a: block, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.Bcast(c.ctx, c.a, c.count, c.root, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.Bcast(in.a, in.root) }},
	{name: "scatter", needs: []string{"scatter"}, a: each, result: block, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.Scatter(c.ctx, c.a, c.result, c.count, c.root, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.Scatter(in.a, in.root, in.count) }},
	{name: "gather", needs: []string{"gather"}, a: block, result: each, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.Gather(c.ctx, c.a, c.result, c.count, c.root, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.Gather(in.a, in.root) }},
	{name: "reduce", needs: []string{"reduce"}, a: block, result: block, reduces: true, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.Reduce(c.ctx, c.a, c.result, c.count, c.root, c.f, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.Reduce(in.a, in.root, in.f) }},
	{name: "allgather", needs: []string{"allgather"}, a: block, result: each, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.AllGather(c.ctx, c.a, c.result, c.count, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.AllGather(in.a) }},
	{name: "allreduce", needs: []string{"allreduce"}, a: block, result: block, reduces: true, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.AllReduce(c.ctx, c.a, c.result, c.count, c.f, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.AllReduce(in.a, in.f) }},
	{name: "reduce_scatter", needs: []string{"reduce_scatter"}, a: each, result: block, reduces: true, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.ReduceScatter(c.ctx, c.a, c.result, c.count, c.f, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.ReduceScatter(in.a, in.count, in.f) }},
	{name: "alltoall", needs: []string{"alltoall"}, a: each, result: each, wire: true,
		start: func(c *call) ([]*accl.Request, error) {
			return one(c.comm.AllToAll(c.ctx, c.a, c.result, c.count, c.options()...))
		},
		want: func(in inputs) [][]float64 { return model.AllToAll(in.a, in.count) }},
	{name: "allreduce, allgather", needs: []string{"allreduce", "allgather"}, a: block, b: block, result: each, reduces: true, chained: true, wire: true,
		start: startChain,
		want:  func(in inputs) [][]float64 { return model.AllGather(model.AllReduce(in.a, in.f)) }},
}

// startSendRecv sends to the next rank and receives from the previous one.
func startSendRecv(c *call) ([]*accl.Request, error) {
	sent, err := c.comm.Send(c.ctx, c.a, c.count, c.next(), append(c.from(), accl.Async(), accl.WithTag(tag))...)
	if err != nil {
		return nil, err
	}
	received, err := c.comm.Recv(c.ctx, c.result, c.count, c.previous(), append(c.to(), accl.WithTag(tag))...)
	return []*accl.Request{sent, received}, err
}

// tag is what messages of the demo carry.
const tag = 5

// startStreamPut puts to the kernel stream of the next rank, and copies what
// comes out of its own.
func startStreamPut(c *call) ([]*accl.Request, error) {
	put, err := c.comm.StreamPut(c.ctx, c.a, c.count, c.next(), tag, append(c.from(), accl.Async())...)
	if err != nil {
		return nil, err
	}
	copied, err := c.comm.Copy(c.ctx, accl.KernelStream(c.dtype), c.result, c.count, c.to()...)
	return []*accl.Request{put, copied}, err
}

func fromPrevious(in inputs) [][]float64 {
	return append(in.a[len(in.a)-1:len(in.a):len(in.a)], in.a[:len(in.a)-1]...)
}

// startChain has an allgather wait in the driver for the allreduce before it.
func startChain(c *call) ([]*accl.Request, error) {
	reduced, err := c.comm.AllReduce(c.ctx, c.a, c.b, c.count, c.f, append(c.from(), accl.ToFPGA(), accl.Async())...)
	if err != nil {
		return nil, err
	}
	gathered, err := c.comm.AllGather(c.ctx, c.b, c.result, c.count, append(c.to(), accl.FromFPGA(), accl.After(reduced))...)
	return []*accl.Request{reduced, gathered}, err
}
