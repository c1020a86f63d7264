package conform

import (
	"context"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/model"
)

// share is how much of an operand or result an operation uses.
type share int

const (
	none  share = iota
	block       // count elements
	all         // count elements for each rank
)

func (s share) elements(count, ranks int) int {
	switch s {
	case block:
		return count
	case all:
		return count * ranks
	}
	return 0
}

// place is which ranks have an operand or result.
type place int

const (
	everywhere place = iota
	atRoot
	notAtRoot
	atPeer
)

func (p place) at(c *Case, rank int) bool {
	switch p {
	case atRoot:
		return rank == c.Root
	case notAtRoot:
		return rank != c.Root
	case atPeer:
		return rank == c.Peer
	}
	return true
}

// inputs are the operands of all ranks, in the order of the communicator.
type inputs struct {
	c        *Case
	op0, op1 [][]float64
	f        model.Function
}

// operation is what the package knows of one.
type operation struct {
	op0, op1, res share
	at0, atRes    place
	reduces       bool
	rooted        bool // it has a root, or source and destination
	local         bool // nothing is sent
	inPlace       bool // operand 0 and the result may share memory
	stream0       bool // operand 0 may be a kernel stream
	streamRes     bool
	want          func(in *inputs) [][]float64 // results by rank; nil for ranks without one
	call          func(ctx context.Context, m *member) (*accl.Request, error)
}

// Operations are the names of those that the package knows.
var operations = map[string]*operation{
	"nop": {local: true, call: func(ctx context.Context, m *member) (*accl.Request, error) {
		return m.comm.Nop(ctx, m.options...)
	}},
	"barrier": {call: func(ctx context.Context, m *member) (*accl.Request, error) {
		return m.comm.Barrier(ctx, m.options...)
	}},
	"copy": {op0: block, res: block, local: true, stream0: true, streamRes: true,
		want: func(in *inputs) [][]float64 { return in.op0 },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Copy(ctx, m.op0, m.res, m.c.Count, m.options...)
		}},
	"combine": {op0: block, op1: block, res: block, local: true, reduces: true, stream0: true, streamRes: true,
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
	"send": {op0: block, res: block, at0: atRoot, atRes: atPeer, rooted: true, stream0: true, streamRes: true,
		want: toPeer, call: sendAndReceive},
	"stream_put": {op0: block, res: block, at0: atRoot, atRes: atPeer, rooted: true, stream0: true, streamRes: true,
		want: toPeer, call: put},
	"bcast": {op0: block, res: block, at0: atRoot, atRes: notAtRoot, rooted: true,
		want: func(in *inputs) [][]float64 { return model.Bcast(in.op0, in.c.Root) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			buffer := m.op0
			if m.rank != m.c.Root {
				buffer = m.res
			}
			return m.comm.Bcast(ctx, buffer, m.c.Count, m.c.Root, m.options...)
		}},
	"scatter": {op0: all, res: block, at0: atRoot, rooted: true, inPlace: true,
		want: func(in *inputs) [][]float64 { return model.Scatter(in.op0, in.c.Root, in.c.Count) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Scatter(ctx, m.op0, m.res, m.c.Count, m.c.Root, m.options...)
		}},
	"gather": {op0: block, res: all, atRes: atRoot, rooted: true, inPlace: true,
		want: func(in *inputs) [][]float64 { return model.Gather(in.op0, in.c.Root) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Gather(ctx, m.op0, m.res, m.c.Count, m.c.Root, m.options...)
		}},
	"reduce": {op0: block, res: block, atRes: atRoot, rooted: true, reduces: true, inPlace: true,
		stream0: true, streamRes: true,
		want: func(in *inputs) [][]float64 { return model.Reduce(in.op0, in.c.Root, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.Reduce(ctx, m.op0, m.res, m.c.Count, m.c.Root, m.c.Func, m.options...)
		}},
	"allgather": {op0: block, res: all, inPlace: true,
		want: func(in *inputs) [][]float64 { return model.AllGather(in.op0) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.AllGather(ctx, m.op0, m.res, m.c.Count, m.options...)
		}},
	"allreduce": {op0: block, res: block, reduces: true, inPlace: true, stream0: true, streamRes: true,
		want: func(in *inputs) [][]float64 { return model.AllReduce(in.op0, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.AllReduce(ctx, m.op0, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"reduce_scatter": {op0: all, res: block, reduces: true, inPlace: true,
		want: func(in *inputs) [][]float64 { return model.ReduceScatter(in.op0, in.c.Count, in.f) },
		call: func(ctx context.Context, m *member) (*accl.Request, error) {
			return m.comm.ReduceScatter(ctx, m.op0, m.res, m.c.Count, m.c.Func, m.options...)
		}},
	"alltoall": {op0: all, res: all,
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
	sendOptions, recvOptions := m.options[:len(m.options):len(m.options)], m.options[:len(m.options):len(m.options)]
	if m.c.FromFPGA {
		sendOptions = append(sendOptions, accl.FromFPGA())
	}
	if m.c.ToFPGA {
		recvOptions = append(recvOptions, accl.ToFPGA())
	}
	if m.c.Tag != nil {
		sendOptions = append(sendOptions, accl.WithTag(*m.c.Tag))
	}
	if m.c.RecvTag != nil {
		recvOptions = append(recvOptions, accl.WithTag(*m.c.RecvTag))
	}
	var sent *accl.Request
	if m.rank == m.c.Root {
		if m.rank == m.c.Peer {
			sendOptions = append(sendOptions, accl.Async())
		}
		r, err := m.comm.Send(ctx, m.op0, m.c.Count, m.c.Peer, sendOptions...)
		if err != nil || m.rank != m.c.Peer {
			return r, err
		}
		sent = r
	}
	if m.rank != m.c.Peer {
		return nil, nil
	}
	received, err := m.comm.Recv(ctx, m.res, m.c.Count, m.c.Root, recvOptions...)
	if sent != nil {
		if failed := sent.Wait(ctx); err == nil {
			err = failed
		}
	}
	return received, err
}

// put puts at the source; the destination takes what arrives afterwards.
func put(ctx context.Context, m *member) (*accl.Request, error) {
	if m.rank != m.c.Root {
		return nil, nil
	}
	options := m.options
	if m.c.FromFPGA {
		options = append(options[:len(options):len(options)], accl.FromFPGA())
	}
	return m.comm.StreamPut(ctx, m.op0, m.c.Count, m.c.Peer, m.c.Stream, options...)
}
