package accl

import "context"

// Copy copies n elements of src to dst. Either may be a kernel stream.
func (c *Comm) Copy(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return c.do(ctx, "copy", arguments{op0: src, res: dst, n: n}, o)
}

// Combine reduces n elements of a and b, pair by pair, to dst. FromFPGA applies to a,
// FromFPGA1 to b. Operand a and the result may be kernel streams.
func (c *Comm) Combine(ctx context.Context, a, b, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.do(ctx, "combine", arguments{op0: a, op1: b, res: dst, n: n, fn: f}, o)
}

// Send sends n elements of src to a rank, which receives them with Recv. The operand may
// be a kernel stream.
func (c *Comm) Send(ctx context.Context, src Operand, n int, to Peer, o ...Option) (*Request, error) {
	return c.do(ctx, "send", arguments{op0: src, n: n, peer: to}, o)
}

// Recv receives into dst n elements that a rank sends with Send. The result may be a
// kernel stream.
func (c *Comm) Recv(ctx context.Context, dst Operand, n int, from Peer, o ...Option) (*Request, error) {
	return c.do(ctx, "recv", arguments{res: dst, n: n, peer: from}, o)
}

// StreamPut sends n elements of src to a kernel stream of a rank, whose host makes no
// call. They arrive with a TDEST that follows from the number of the stream, 0 to
// Platform.MaxPutTag. The operand may be a kernel stream.
func (c *Comm) StreamPut(ctx context.Context, src Operand, n int, to Peer, stream Tag, o ...Option) (*Request, error) {
	return c.do(ctx, "stream_put", arguments{op0: src, n: n, peer: to, stream: stream}, o)
}

// Bcast sends n elements of the root's buffer to the buffers of all other ranks.
func (c *Comm) Bcast(ctx context.Context, buf Operand, n int, root Peer, o ...Option) (*Request, error) {
	return c.do(ctx, "bcast", arguments{op0: buf, n: n, peer: root}, o)
}

// Scatter sends block i of n elements of the root's src to dst of rank i. Only the
// root needs src.
func (c *Comm) Scatter(ctx context.Context, src, dst Operand, n int, root Peer, o ...Option) (*Request, error) {
	return c.do(ctx, "scatter", arguments{op0: src, res: dst, n: n, peer: root}, o)
}

// Gather collects n elements of src of rank i as block i of the root's dst. Only
// the root needs dst.
func (c *Comm) Gather(ctx context.Context, src, dst Operand, n int, root Peer, o ...Option) (*Request, error) {
	return c.do(ctx, "gather", arguments{op0: src, res: dst, n: n, peer: root}, o)
}

// Reduce reduces n elements of src of all ranks to the root's dst. Only the root
// needs dst. Operand and result may be kernel streams.
func (c *Comm) Reduce(ctx context.Context, src, dst Operand, n int, root Peer, f Func, o ...Option) (*Request, error) {
	return c.do(ctx, "reduce", arguments{op0: src, res: dst, n: n, peer: root, fn: f}, o)
}

// AllGather collects n elements of src of rank i as block i of dst of all ranks.
func (c *Comm) AllGather(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return c.do(ctx, "allgather", arguments{op0: src, res: dst, n: n}, o)
}

// AllReduce reduces n elements of src of all ranks to dst of all ranks. Operand and
// result may be kernel streams. If one rank uses a stream, every rank must use one, for
// the operand, the result or both.
func (c *Comm) AllReduce(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.do(ctx, "allreduce", arguments{op0: src, res: dst, n: n, fn: f}, o)
}

// ReduceScatter reduces block i of n elements of src of all ranks to dst of rank i.
func (c *Comm) ReduceScatter(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.do(ctx, "reduce_scatter", arguments{op0: src, res: dst, n: n, fn: f}, o)
}

// Scan reduces n elements of src of ranks 0 to i to dst of rank i. Operand and result may be kernel streams.
func (c *Comm) Scan(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.do(ctx, "scan", arguments{op0: src, res: dst, n: n, fn: f}, o)
}

// ExScan reduces n elements of src of ranks 0 to i-1 to dst of rank i. Rank 0 needs no dst, and one that it passes
// stays as it is. Src and dst must not overlap.
func (c *Comm) ExScan(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.do(ctx, "exscan", arguments{op0: src, res: dst, n: n, fn: f}, o)
}

// AllToAll sends block j of n elements of src of rank i to block i of dst of rank j.
func (c *Comm) AllToAll(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return c.do(ctx, "alltoall", arguments{op0: src, res: dst, n: n}, o)
}

// Barrier ends when all ranks have called it.
func (c *Comm) Barrier(ctx context.Context, o ...Option) (*Request, error) {
	return c.do(ctx, "barrier", arguments{}, o)
}

// Nop does nothing. The time that it takes is the overhead of a call.
func (c *Comm) Nop(ctx context.Context, o ...Option) (*Request, error) {
	return c.do(ctx, "nop", arguments{}, o)
}
