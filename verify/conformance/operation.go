package conformance

import (
	"context"
	"errors"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance/model"
)

// inputs are the operands of all ranks, in the order of the communicator; nil for ranks without one.
type inputs struct {
	c        *Case
	op0, op1 [][]float64
	f        model.Function
}

// reference is what should come of an operation, and how it is called.
type reference struct {
	want func(in *inputs) [][]float64 // results by rank; nil for ranks without one
	call func(ctx context.Context, m *member) (*accl.Request, error)
	// partOf is the operation whose cases run this one.
	partOf string
}

// ErrReference says that there is no reference result of an operation.
var ErrReference = errors.New("no reference for the operation")

// operation is an operation as all ranks of a case see it: a send is one with its receive, from the
// root of the case to its peer.
type operation struct {
	accl.Operation
	*reference // nil if there is none
}

// operationOf is an operation of a platform, nil if it has none of the name.
func operationOf(p *accl.Platform, name string) *operation {
	if name == Chain {
		return chainOf(p)
	}
	shape := p.Operation(name)
	if shape == nil {
		return nil
	}
	o := &operation{*shape, references[name]}
	if o.Peer != accl.PeerDestination {
		return o
	}
	o.Op0.At = accl.AtRoot
	if receive := p.Operation("recv"); !o.Result.Any() && receive != nil {
		o.Result = receive.Result
		o.Result.At = accl.AtPeer
	}
	return o
}

func (c *Case) has(u accl.OperandUse, rank int) bool {
	switch u.At {
	case accl.AtRoot:
		return u.Any() && rank == c.Root
	case accl.AtNotRoot:
		return u.Any() && rank != c.Root
	case accl.AtNotFirst:
		return u.Any() && rank != 0
	case accl.AtPeer:
		return u.Any() && rank == c.Peer
	}
	return u.Any()
}

var references = map[string]*reference{
	"nop": {call: func(ctx context.Context, m *member) (*accl.Request, error) {
		return m.comm.Nop(ctx, m.options...)
	}},
	"barrier": {call: func(ctx context.Context, m *member) (*accl.Request, error) {
		return m.comm.Barrier(ctx, m.options...)
	}},
	"copy": {
		want: func(in *inputs) [][]float64 { return in.op0 },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Copy(ctx, m.op0, m.res, m.c.Count, m.options...)
		}},
	"combine": {
		want: func(in *inputs) [][]float64 {
			out := make([][]float64, len(in.op0))
			for r := range out {
				out[r] = model.Combine(in.op0[r], in.op1[r], in.f)
			}
			return out
		},
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Combine(ctx, m.op0, m.op1, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"send": {
		want: toPeer, call: sendAndReceive,
	},
	"stream_put": {
		want: toPeer, call: put,
	},
	"recv": {partOf: "send"},
	Chain: {
		want: func(in *inputs) [][]float64 { return model.AllGather(model.AllReduce(in.op0, in.f)) },
		call: chain,
	},
	"bcast": {
		want: func(in *inputs) [][]float64 { return model.Bcast(in.op0, in.c.Root) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			buffer := m.op0
			if m.rank != m.c.Root {
				buffer = m.res
			}
			return m.comm.Bcast(ctx, buffer, m.c.Count, accl.Peer(m.c.Root), m.options...)
		}},
	"scatter": {
		want: func(in *inputs) [][]float64 { return model.Scatter(in.op0, in.c.Root, in.c.Count) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Scatter(ctx, m.op0, m.res, m.c.Count, accl.Peer(m.c.Root), m.options...)
		}},
	"gather": {
		want: func(in *inputs) [][]float64 { return model.Gather(in.op0, in.c.Root) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Gather(ctx, m.op0, m.res, m.c.Count, accl.Peer(m.c.Root), m.options...)
		}},
	"reduce": {
		want: func(in *inputs) [][]float64 { return model.Reduce(in.op0, in.c.Root, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Reduce(ctx, m.op0, m.res, m.c.Count, accl.Peer(m.c.Root), m.c.Func, m.options...)
		}},
	"allgather": {
		want: func(in *inputs) [][]float64 { return model.AllGather(in.op0) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.AllGather(ctx, m.op0, m.res, m.c.Count, m.options...)
		}},
	"allreduce": {
		want: func(in *inputs) [][]float64 { return model.AllReduce(in.op0, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.AllReduce(ctx, m.op0, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"reduce_scatter": {
		want: func(in *inputs) [][]float64 { return model.ReduceScatter(in.op0, in.c.Count, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.ReduceScatter(ctx, m.op0, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"scan": {
		want: func(in *inputs) [][]float64 { return model.Scan(in.op0, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Scan(ctx, m.op0, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"exscan": {
		want: func(in *inputs) [][]float64 { return model.ExScan(in.op0, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.ExScan(ctx, m.op0, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"alltoall": {
		want: func(in *inputs) [][]float64 { return model.AllToAll(in.op0, in.c.Count) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.AllToAll(ctx, m.op0, m.res, m.c.Count, m.options...)
		}},
}

func toPeer(in *inputs) [][]float64 {
	out := make([][]float64, len(in.op0))
	out[in.c.Peer] = in.op0[in.c.Root]
	return out
}

// sendAndReceive sends at the source and receives at the destination, which may
// be the same rank.
func sendAndReceive(ctx context.Context, m *member) (*accl.Request, error) {
	var sent *accl.Request
	if m.rank == m.c.Root {
		r, err := m.comm.Send(ctx, m.op0, m.c.Count, accl.Peer(m.c.Peer), m.options...)
		if err != nil || m.rank != m.c.Peer {
			return r, err
		}
		sent = r
	}
	if m.rank != m.c.Peer {
		return nil, nil
	}
	received, err := m.comm.Recv(ctx, m.res, m.c.Count, accl.Peer(m.c.Root), m.receive...)
	if sent != nil {
		if failed := sent.Wait(ctx); err == nil {
			err = failed
		}
	}
	return received, err
}

// put puts at the source. The destination takes what arrives afterwards, or while it comes.
func put(ctx context.Context, m *member) (*accl.Request, error) {
	var taken *accl.Request
	var err error
	if m.c.Taken && m.rank == m.c.Peer {
		taken, err = m.comm.Copy(ctx, accl.KernelStream(m.c.Res), m.out.part(), m.out.n, accl.Async())
	}
	if err != nil || m.rank != m.c.Root {
		return taken, err
	}
	sent, err := m.comm.StreamPut(ctx, m.op0, m.c.Count, accl.Peer(m.c.Peer), m.c.Stream, m.options...)
	if err != nil || taken == nil {
		return sent, err
	}
	return taken, sent.Wait(ctx)
}

// Chain is an allreduce followed by an allgather of its result, ordered by the driver. It is not one of the
// Operations.
const Chain = "allreduce, allgather"

func chainOf(p *accl.Platform) *operation {
	first, second := p.Operation("allreduce"), p.Operation("allgather")
	if first == nil || second == nil {
		return nil
	}
	o := &operation{*first, references[Chain]}
	o.Name, o.Op0.Stream, o.Result, o.InPlace = Chain, false, second.Result, ""
	return o
}

// chain has the sum stand where the rank's own block of the result does.
func chain(ctx context.Context, m *member) (*accl.Request, error) {
	at := m.out.from + m.rank*m.c.Count
	sum := m.out.vector.operand(at, at+m.c.Count)
	var common []accl.Option
	if m.c.Wire != "" {
		common = append(common, accl.Compress(m.c.Wire))
	}
	options := append(slices.Clone(common), accl.ToFPGA(), accl.Async())
	if m.c.FromFPGA {
		options = append(options, accl.FromFPGA())
	}
	reduced, err := m.comm.AllReduce(ctx, m.op0, sum, m.c.Count, m.c.Func, options...)
	if err != nil {
		return nil, err
	}
	options = append(common, accl.FromFPGA(), accl.After(reduced), accl.Async())
	if m.c.ToFPGA {
		options = append(options, accl.ToFPGA())
	}
	gathered, err := m.comm.AllGather(ctx, sum, m.res, m.c.Count, options...)
	if failed := reduced.Wait(ctx); err == nil {
		err = failed
	}
	return gathered, err
}
