package collectives

import (
	"context"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

// root is the root of operations that have one.
const root = 0

// call is what a rank runs an operation on.
type call struct {
	engine   *accl.Engine
	src, dst *accl.Buffer[float32]
	n        int // elements of a block
}

func (c *call) rank() int  { return c.engine.Rank() }
func (c *call) ranks() int { return c.engine.Size() }

// result is what dst holds in the end: its first n elements.
type result struct {
	n  int
	at func(k int) float32
}

// value is element k of src of a rank. Sums over ranks are exact, and elements
// that lie near each other differ.
func value(rank, k int) float32 { return float32(k%251 + 7*(rank+1)) }

// total is the sum of element k over so many ranks.
func total(ranks, k int) float32 {
	return float32(ranks*(k%251) + 7*ranks*(ranks+1)/2)
}

// operation is something to measure.
type operation struct {
	name    string
	sized   bool // it has operands
	blocks  bool // its largest buffer has a block for each rank
	alone   bool // it does not communicate, so that there is nothing to compare it with
	perform func(ctx context.Context, c *call) error
	want    func(rank, ranks, n int) result
}

// from and to leave data in device memory: copies to and from the host do not
// count.
var (
	from = accl.FromFPGA()
	to   = accl.ToFPGA()
)

func failed(_ *accl.Request, err error) error { return err }

func nothing(int, int, int) result { return result{} }

var operations = []operation{
	{name: "nop", alone: true, want: nothing,
		perform: func(ctx context.Context, c *call) error { return failed(c.engine.Nop(ctx)) }},
	{name: "copy", sized: true, alone: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.Copy(ctx, c.src, c.dst, c.n, from, to))
		},
		want: func(rank, _, n int) result { return result{n, func(k int) float32 { return value(rank, k) }} }},
	{name: "send/recv", sized: true, perform: sendRecv,
		want: func(rank, ranks, n int) result {
			return result{n, func(k int) float32 { return value((rank+ranks-1)%ranks, k) }}
		}},
	{name: "bcast", sized: true,
		perform: func(ctx context.Context, c *call) error {
			if c.rank() == root {
				return failed(c.engine.Bcast(ctx, c.src, c.n, root, from, to))
			}
			return failed(c.engine.Bcast(ctx, c.dst, c.n, root, from, to))
		},
		want: func(rank, _, n int) result {
			if rank == root {
				n = 0
			}
			return result{n, func(k int) float32 { return value(root, k) }}
		}},
	{name: "scatter", sized: true, blocks: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.Scatter(ctx, c.src, c.dst, c.n, root, from, to))
		},
		want: func(rank, _, n int) result {
			return result{n, func(k int) float32 { return value(root, rank*n+k) }}
		}},
	{name: "gather", sized: true, blocks: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.Gather(ctx, c.src, c.dst, c.n, root, from, to))
		},
		want: func(rank, ranks, n int) result { return atRoot(rank, gathered(ranks, n)) }},
	{name: "reduce", sized: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.Reduce(ctx, c.src, c.dst, c.n, root, accl.Sum, from, to))
		},
		want: func(rank, ranks, n int) result { return atRoot(rank, reduced(ranks, n, 0)) }},
	{name: "allgather", sized: true, blocks: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.AllGather(ctx, c.src, c.dst, c.n, from, to))
		},
		want: func(_, ranks, n int) result { return gathered(ranks, n) }},
	{name: "allreduce", sized: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.AllReduce(ctx, c.src, c.dst, c.n, accl.Sum, from, to))
		},
		want: func(_, ranks, n int) result { return reduced(ranks, n, 0) }},
	{name: "reduce_scatter", sized: true, blocks: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.ReduceScatter(ctx, c.src, c.dst, c.n, accl.Sum, from, to))
		},
		want: func(rank, ranks, n int) result { return reduced(ranks, n, rank*n) }},
	{name: "alltoall", sized: true, blocks: true,
		perform: func(ctx context.Context, c *call) error {
			return failed(c.engine.AllToAll(ctx, c.src, c.dst, c.n, from, to))
		},
		want: func(rank, ranks, n int) result {
			return result{ranks * n, func(k int) float32 { return value(k/n, rank*n+k%n) }}
		}},
	{name: "barrier", want: nothing,
		perform: func(ctx context.Context, c *call) error { return failed(c.engine.Barrier(ctx)) }},
}

// sendRecv sends to the next rank while it receives from the previous one.
func sendRecv(ctx context.Context, c *call) error {
	next, previous := (c.rank()+1)%c.ranks(), (c.rank()+c.ranks()-1)%c.ranks()
	sent, err := c.engine.Send(ctx, c.src, c.n, accl.Peer(next), from, accl.Async())
	if err != nil {
		return err
	}
	if err := failed(c.engine.Recv(ctx, c.dst, c.n, accl.Peer(previous), to)); err != nil {
		return err
	}
	return sent.Wait(ctx)
}

// gathered is block i of n elements from each rank i.
func gathered(ranks, n int) result {
	return result{ranks * n, func(k int) float32 { return value(k/n, k%n) }}
}

// reduced is n elements of the sum, from one on.
func reduced(ranks, n, first int) result {
	return result{n, func(k int) float32 { return total(ranks, first+k) }}
}

func atRoot(rank int, r result) result {
	if rank != root {
		r.n = 0
	}
	return r
}

// elementBytes is the size of what is measured: float32.
const elementBytes = 4

// block is how many elements a block has if the largest buffer of a rank is to
// have so many bytes: at least one, so that small buffers may become larger.
func (o *operation) block(bytes, ranks int) int {
	if !o.sized {
		return 0
	}
	n := bytes / elementBytes
	if o.blocks {
		n /= ranks
	}
	return max(n, 1)
}

// bytes is the size of a rank's largest buffer.
func (o *operation) bytes(n, ranks int) int {
	if o.blocks {
		n *= ranks
	}
	return n * elementBytes
}

// sizes are those of some sizes that make a difference: small blocks all become
// an element.
func (o *operation) sizes(wanted []int, ranks int) []int {
	if !o.sized {
		return []int{0}
	}
	var sizes []int
	for _, size := range wanted {
		same := func(s int) bool { return o.block(s, ranks) == o.block(size, ranks) }
		if !slices.ContainsFunc(sizes, same) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}
