package accl

import "context"

// Copy copies n elements of src to dst. Either may be a kernel stream.
func (c *Comm) Copy(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return c.Do(ctx, "copy", Arguments{Op0: src, Result: dst, N: n}, o...)
}

// Combine reduces n elements of a and b, pair by pair, to dst. FromFPGA applies to a,
// FromFPGA1 to b. Operand a and the result may be kernel streams.
func (c *Comm) Combine(ctx context.Context, a, b, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.Do(ctx, "combine", Arguments{Op0: a, Op1: b, Result: dst, N: n, Func: f}, o...)
}

// Send sends n elements of src to a rank, which receives them with Recv. The operand may
// be a kernel stream.
func (c *Comm) Send(ctx context.Context, src Operand, n int, to Peer, o ...Option) (*Request, error) {
	return c.Do(ctx, "send", Arguments{Op0: src, N: n, Peer: to}, o...)
}

// Recv receives into dst n elements that a rank sends with Send. The result may be a
// kernel stream.
func (c *Comm) Recv(ctx context.Context, dst Operand, n int, from Peer, o ...Option) (*Request, error) {
	return c.Do(ctx, "recv", Arguments{Result: dst, N: n, Peer: from}, o...)
}

// StreamPut sends n elements of src to a kernel stream of a rank, whose host makes no
// call. They arrive with a TDEST that follows from the number of the stream, 0 to
// Platform.MaxPutTag. The operand may be a kernel stream.
func (c *Comm) StreamPut(ctx context.Context, src Operand, n int, to Peer, stream Tag, o ...Option) (*Request, error) {
	return c.Do(ctx, "stream_put", Arguments{Op0: src, N: n, Peer: to, Stream: stream}, o...)
}

// Bcast sends n elements of the root's buffer to the buffers of all other ranks.
func (c *Comm) Bcast(ctx context.Context, buf Operand, n int, root Peer, o ...Option) (*Request, error) {
	return c.Do(ctx, "bcast", Arguments{Op0: buf, N: n, Peer: root}, o...)
}

// Scatter sends block i of n elements of the root's src to dst of rank i. Only the
// root needs src.
func (c *Comm) Scatter(ctx context.Context, src, dst Operand, n int, root Peer, o ...Option) (*Request, error) {
	return c.Do(ctx, "scatter", Arguments{Op0: src, Result: dst, N: n, Peer: root}, o...)
}

// Gather collects n elements of src of rank i as block i of the root's dst. Only
// the root needs dst.
func (c *Comm) Gather(ctx context.Context, src, dst Operand, n int, root Peer, o ...Option) (*Request, error) {
	return c.Do(ctx, "gather", Arguments{Op0: src, Result: dst, N: n, Peer: root}, o...)
}

// Reduce reduces n elements of src of all ranks to the root's dst. Only the root
// needs dst. Operand and result may be kernel streams.
func (c *Comm) Reduce(ctx context.Context, src, dst Operand, n int, root Peer, f Func, o ...Option) (*Request, error) {
	return c.Do(ctx, "reduce", Arguments{Op0: src, Result: dst, N: n, Peer: root, Func: f}, o...)
}

// AllGather collects n elements of src of rank i as block i of dst of all ranks.
func (c *Comm) AllGather(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return c.Do(ctx, "allgather", Arguments{Op0: src, Result: dst, N: n}, o...)
}

// AllReduce reduces n elements of src of all ranks to dst of all ranks. Operand and
// result may be kernel streams. If one rank uses a stream, every rank must use one, for
// the operand, the result or both.
func (c *Comm) AllReduce(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.Do(ctx, "allreduce", Arguments{Op0: src, Result: dst, N: n, Func: f}, o...)
}

// ReduceScatter reduces block i of n elements of src of all ranks to dst of rank i.
func (c *Comm) ReduceScatter(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.Do(ctx, "reduce_scatter", Arguments{Op0: src, Result: dst, N: n, Func: f}, o...)
}

// Scan reduces n elements of src of ranks 0 to i to dst of rank i. Operand and result may be kernel streams.
func (c *Comm) Scan(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.Do(ctx, "scan", Arguments{Op0: src, Result: dst, N: n, Func: f}, o...)
}

// ExScan reduces n elements of src of ranks 0 to i-1 to dst of rank i. Rank 0 needs no dst, and one that it passes
// stays as it is. Src and dst must not overlap.
func (c *Comm) ExScan(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return c.Do(ctx, "exscan", Arguments{Op0: src, Result: dst, N: n, Func: f}, o...)
}

// AllToAll sends block j of n elements of src of rank i to block i of dst of rank j.
func (c *Comm) AllToAll(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return c.Do(ctx, "alltoall", Arguments{Op0: src, Result: dst, N: n}, o...)
}

// Barrier ends when all ranks have called it.
func (c *Comm) Barrier(ctx context.Context, o ...Option) (*Request, error) {
	return c.Do(ctx, "barrier", Arguments{}, o...)
}

// Nop does nothing. The time that it takes is the overhead of a call.
func (c *Comm) Nop(ctx context.Context, o ...Option) (*Request, error) {
	return c.Do(ctx, "nop", Arguments{}, o...)
}
