package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

// Protocols of rows.
const (
	Eager      = "eager"
	Rendezvous = "rendezvous"
	Compressed = "compressed" // on the wire, which is eager
)

// wire is the type of compressed elements.
const wire = accl.TypeFloat16

// root is the root of operations that have one.
const root = 0

// operand is what a rank calls an operation with.
type operand struct {
	engine   *accl.Engine
	src, dst *accl.RawBuffer
	rank     int
	count    int // elements of src or of a block of it
	options  []accl.Option
}

// operation is a row of the table: something to measure, and what bounds it. What it does with its operands the
// platform says.
type operation struct {
	name      string
	types     bool     // each data type is of interest
	protocols []string // none for those without messages
	do        func(ctx context.Context, o *operand) error
	gives     result // what dst holds then; nil if there is none
	// bound is what it takes at least, and aim what it should take at most, in c, the
	// beats of the largest buffer.
	bound func(n float64, protocol string) float64
	aim   func(n float64, protocol string) float64
	// engine is what passes one port of an engine at least, in c; nil where that is no
	// more than the bound.
	engine func(n float64, protocol string) float64
	// latency is the aim for a beat or nothing, in cycles; 0 for none. instant is that
	// for memory without latency.
	latency, instant float64
}

// Data stay in device memory.
var (
	from = accl.FromFPGA()
	to   = accl.ToFPGA()
)

func failed(_ *accl.Request, err error) error { return err }

var messages = []string{Eager, Rendezvous, Compressed}

// share is what a rank has to send or to receive if each rank has a block.
func share(n float64, _ string) float64 { return (n - 1) / n }

func whole(float64, string) float64 { return 1 }

// stored is what passes the port of results where each rank's block is written out of an
// rx buffer, the own one out of the operand.
func stored(n float64, protocol string) float64 {
	if protocol == Rendezvous {
		return 0
	}
	return whole(n, protocol)
}

// channels is what bounds operations that store what they receive before they use
// it: memory rather than the wire.
func channels(n float64) float64 { return max((n-1)/n, (2*n-1)/(2*n)) }

func times(f float64, of func(float64, string) float64) func(float64, string) float64 {
	return func(n float64, protocol string) float64 { return f * of(n, protocol) }
}

// kept is what a port reads where received blocks are kept before they are reduced: what the rx buffers hold, then
// the result.
func kept(_ float64, protocol string) float64 {
	return map[string]float64{Eager: 2, Compressed: 1.5}[protocol]
}

func exscanAim(n float64, protocol string) float64 {
	if protocol == Rendezvous {
		return 1.3 * whole(n, protocol)
	}
	return 1.3 * kept(n, Eager)
}

func allreduceBound(n float64, _ string) float64     { return 2 * (n - 1) / n }
func reduceScatterBound(n float64, _ string) float64 { return channels(n) }

func allgatherBound(n float64, protocol string) float64 {
	if protocol == Rendezvous {
		return (n - 1) / n
	}
	return channels(n)
}

func allgatherAim(n float64, protocol string) float64 {
	if protocol == Rendezvous {
		return 1.15 * allgatherBound(n, protocol)
	}
	return 1.1 * allgatherBound(n, protocol)
}

var operations = []operation{
	{name: "nop", latency: 60,
		do: func(ctx context.Context, o *operand) error { return failed(o.engine.Nop(ctx)) }},
	{name: "copy", types: true, bound: whole, aim: times(1/0.98, whole), gives: copied,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Copy(ctx, o.src, o.dst, o.count, append(o.options, from, to)...))
		}},
	{name: "combine", types: true, bound: whole, aim: times(1/0.97, whole), gives: combined,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Combine(ctx, o.src, o.dst, o.dst, o.count, accl.Sum,
				append(o.options, from, accl.FromFPGA1(), to)...))
		}},
	{name: "send", types: true, protocols: messages, bound: whole, aim: times(1/0.95, whole), latency: 450, instant: 250,
		gives: received,
		do: func(ctx context.Context, o *operand) error {
			switch o.rank {
			case 0:
				return failed(o.engine.Send(ctx, o.src, o.count, 1, append(o.options, from)...))
			case 1:
				return failed(o.engine.Recv(ctx, o.dst, o.count, 0, append(o.options, to)...))
			}
			return nil
		}},
	{name: "allreduce", types: true, protocols: messages, bound: allreduceBound, aim: times(1.15, allreduceBound),
		gives: summedUp,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.AllReduce(ctx, o.src, o.dst, o.count, accl.Sum, append(o.options, from, to)...))
		}},
	{name: "reduce_scatter", protocols: messages, bound: reduceScatterBound, aim: times(1.1, reduceScatterBound),
		gives: summedBlock,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.ReduceScatter(ctx, o.src, o.dst, o.count, accl.Sum, append(o.options, from, to)...))
		}},
	{name: "allgather", protocols: messages, bound: allgatherBound, aim: allgatherAim, gives: gathered,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.AllGather(ctx, o.src, o.dst, o.count, append(o.options, from, to)...))
		}},
	{name: "bcast", protocols: messages, bound: whole, aim: times(1.3, whole), gives: spread,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Bcast(ctx, o.src, o.count, root, append(o.options, from, to)...))
		}},
	{name: "reduce", protocols: messages, bound: whole, aim: times(1.3, whole), gives: atRoot(summedUp),
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Reduce(ctx, o.src, o.dst, o.count, root, accl.Sum, append(o.options, from, to)...))
		}},
	{name: "scatter", protocols: messages, bound: share, aim: times(1.2, share), gives: scattered,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Scatter(ctx, o.src, o.dst, o.count, root, append(o.options, from, to)...))
		}},
	{name: "gather", protocols: messages, bound: share, aim: times(1.2, share), engine: stored, gives: atRoot(gathered),
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Gather(ctx, o.src, o.dst, o.count, root, append(o.options, from, to)...))
		}},
	{name: "alltoall", protocols: messages, bound: share, aim: times(1.2, share), engine: stored, gives: exchanged,
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.AllToAll(ctx, o.src, o.dst, o.count, append(o.options, from, to)...))
		}},
	{name: "scan", protocols: messages, bound: whole, aim: times(1.3, whole), gives: summedTo(0),
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.Scan(ctx, o.src, o.dst, o.count, accl.Sum, append(o.options, from, to)...))
		}},
	{name: "exscan", protocols: messages, bound: whole, aim: exscanAim, engine: kept, gives: summedTo(1),
		do: func(ctx context.Context, o *operand) error {
			return failed(o.engine.ExScan(ctx, o.src, o.dst, o.count, accl.Sum, append(o.options, from, to)...))
		}},
	{name: "barrier",
		do: func(ctx context.Context, o *operand) error { return failed(o.engine.Barrier(ctx)) }},
}

// HardwareRows are the names of all rows.
func HardwareRows() []string {
	var names []string
	for _, o := range operations {
		names = append(names, o.name)
	}
	return names
}

// row is an operation under certain conditions.
type row struct {
	*operation
	shape    *accl.Operation
	protocol string // empty for none
	dtype    accl.DType
	bytes    int // of the largest buffer
	latency  uint32
}

// alone reports whether an operation needs one rank only.
func alone(o *accl.Operation) bool { return !o.Collective && o.Peer == "" }

// fits is how many elements each block has, and how large that makes the largest
// buffer.
func (r *row) fits(ranks, element int) (count, bytes int) {
	if !r.shape.Operands() {
		return 0, 0
	}
	count = r.bytes / element
	if !r.shape.Blocks() {
		return max(count, 1), max(count, 1) * element
	}
	count = max(count/ranks, 1)
	return count, count * element * ranks
}

// uses are the types of a row's elements, in memory and on their way.
func (r *row) uses() []accl.DType {
	if r.protocol == Compressed {
		return []accl.DType{r.dtype, wire}
	}
	return []accl.DType{r.dtype}
}

// eagerly reports whether messages of a row are too small for its protocol.
func (r *row) eagerly(ranks, element int, maxEager uint32) bool {
	count, _ := r.fits(ranks, element)
	return r.protocol == Rendezvous && count*element <= int(maxEager)
}

// ErrRow says that there is no such row.
var ErrRow = fmt.Errorf("no such row; there are %v", HardwareRows())

// rows are those of a world.
func (o *Hardware) rows(platform *accl.Platform, ranks int, types []accl.DType) ([]row, error) {
	var list []row
	for _, name := range o.Rows {
		if !slices.Contains(HardwareRows(), name) {
			return nil, fmt.Errorf("%q: %w", name, ErrRow)
		}
	}
	for i := range operations {
		p := &operations[i]
		shape := platform.Operation(p.name)
		if len(o.Rows) > 0 && !slices.Contains(o.Rows, p.name) || shape == nil {
			continue
		}
		if one := alone(shape); one && ranks != slices.Min(o.Ranks) || !one && ranks < 2 {
			continue
		}
		if !shape.Operands() {
			list = append(list, row{operation: p, shape: shape, latency: o.Latency})
			continue
		}
		protocols := slices.DeleteFunc(slices.Clone(p.protocols), func(s string) bool {
			return len(o.Protocols) > 0 &&
				!slices.Contains(o.Protocols, s)
		})
		if len(p.protocols) == 0 {
			protocols = []string{""}
		}
		for _, size := range o.Sizes {
			for _, protocol := range protocols {
				list = append(list, row{p, shape, protocol, accl.TypeFloat32, size, o.Latency})
				if p.instant > 0 && size <= beatBytes && protocol == Eager {
					list = append(list, row{p, shape, protocol, accl.TypeFloat32, size, 0})
				}
				if !p.types || protocol == Compressed || size != slices.Max(o.Sizes) {
					continue
				}
				for _, t := range types {
					if t != accl.TypeFloat32 {
						list = append(list, row{p, shape, protocol, t, size, o.Latency})
					}
				}
			}
		}
	}
	return list, nil
}
