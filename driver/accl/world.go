package accl

import "context"

// Operations on the world, the communicator of all ranks.

// Copy is Comm.Copy on the world.
func (e *Engine) Copy(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return e.calls().Copy(ctx, src, dst, n, o...)
}

// Combine is Comm.Combine on the world.
func (e *Engine) Combine(ctx context.Context, a, b, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return e.calls().Combine(ctx, a, b, dst, n, f, o...)
}

// Send is Comm.Send on the world.
func (e *Engine) Send(ctx context.Context, src Operand, n int, to Peer, o ...Option) (*Request, error) {
	return e.calls().Send(ctx, src, n, to, o...)
}

// Recv is Comm.Recv on the world.
func (e *Engine) Recv(ctx context.Context, dst Operand, n int, from Peer, o ...Option) (*Request, error) {
	return e.calls().Recv(ctx, dst, n, from, o...)
}

// StreamPut is Comm.StreamPut on the world.
func (e *Engine) StreamPut(ctx context.Context, src Operand, n int, to Peer, stream Tag,
	o ...Option) (*Request, error) {
	return e.calls().StreamPut(ctx, src, n, to, stream, o...)
}

// Bcast is Comm.Bcast on the world.
func (e *Engine) Bcast(ctx context.Context, buf Operand, n int, root Peer, o ...Option) (*Request, error) {
	return e.calls().Bcast(ctx, buf, n, root, o...)
}

// Scatter is Comm.Scatter on the world.
func (e *Engine) Scatter(ctx context.Context, src, dst Operand, n int, root Peer, o ...Option) (*Request, error) {
	return e.calls().Scatter(ctx, src, dst, n, root, o...)
}

// Gather is Comm.Gather on the world.
func (e *Engine) Gather(ctx context.Context, src, dst Operand, n int, root Peer, o ...Option) (*Request, error) {
	return e.calls().Gather(ctx, src, dst, n, root, o...)
}

// Reduce is Comm.Reduce on the world.
func (e *Engine) Reduce(ctx context.Context, src, dst Operand, n int, root Peer, f Func,
	o ...Option) (*Request, error) {
	return e.calls().Reduce(ctx, src, dst, n, root, f, o...)
}

// AllGather is Comm.AllGather on the world.
func (e *Engine) AllGather(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return e.calls().AllGather(ctx, src, dst, n, o...)
}

// AllReduce is Comm.AllReduce on the world.
func (e *Engine) AllReduce(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return e.calls().AllReduce(ctx, src, dst, n, f, o...)
}

// ReduceScatter is Comm.ReduceScatter on the world.
func (e *Engine) ReduceScatter(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return e.calls().ReduceScatter(ctx, src, dst, n, f, o...)
}

// Scan is Comm.Scan on the world.
func (e *Engine) Scan(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return e.calls().Scan(ctx, src, dst, n, f, o...)
}

// ExScan is Comm.ExScan on the world.
func (e *Engine) ExScan(ctx context.Context, src, dst Operand, n int, f Func, o ...Option) (*Request, error) {
	return e.calls().ExScan(ctx, src, dst, n, f, o...)
}

// AllToAll is Comm.AllToAll on the world.
func (e *Engine) AllToAll(ctx context.Context, src, dst Operand, n int, o ...Option) (*Request, error) {
	return e.calls().AllToAll(ctx, src, dst, n, o...)
}

// Barrier is Comm.Barrier on the world.
func (e *Engine) Barrier(ctx context.Context, o ...Option) (*Request, error) {
	return e.calls().Barrier(ctx, o...)
}

// Nop is Comm.Nop on the world.
func (e *Engine) Nop(ctx context.Context, o ...Option) (*Request, error) {
	return e.calls().Nop(ctx, o...)
}

// Split is Comm.Split on the world.
func (e *Engine) Split(ctx context.Context, indices []int) (*Comm, error) {
	return e.calls().Split(ctx, indices)
}
