package bench

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// Protocols of rows.
const (
	Eager      = "eager"
	Rendezvous = "rendezvous"
	Compressed = "compressed" // on the wire, which is eager
)

// wire is the type of compressed elements.
const wire = accl.TypeFloat16

// operation is a row of the table: something to measure, and what bounds it. How it is called and what comes of it
// package conformance says.
type operation struct {
	name      string
	types     bool     // each data type is of interest
	protocols []string // none for those without messages
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
	// first is the aim for the first call of a beat, in cycles, by ranks.
	first map[int]float64
}

var (
	firstOfFew = map[int]float64{2: 700, 4: 1000, 8: 1300}
	firstOfAll = map[int]float64{8: 2000}
)

var messages = []string{Eager, Rendezvous, Compressed}

// share is what a rank has to send or to receive if each rank has a block.
func share(n float64, _ string) float64 { return (n - 1) / n }

func whole(float64, string) float64 { return 1 }

// stored is what passes the port of results where each rank's block is written out of an
// rx buffer, the own one out of the operand. Of two ranks what is received goes to its place.
func stored(n float64, protocol string) float64 {
	if protocol == Rendezvous || protocol == Eager && n == 2 {
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
	if protocol == Rendezvous || protocol == Eager && n == 2 {
		return (n - 1) / n
	}
	return channels(n)
}

// gathered is what passes that port where only compressed blocks come out of rx buffers.
func gathered(n float64, protocol string) float64 {
	if protocol != Compressed {
		return 0
	}
	return whole(n, protocol)
}

func allgatherAim(n float64, protocol string) float64 {
	if protocol == Rendezvous {
		return 1.15 * allgatherBound(n, protocol)
	}
	return 1.1 * allgatherBound(n, protocol)
}

var operations = []operation{
	{name: "nop", latency: 60},
	{name: "copy", types: true, bound: whole, aim: times(1/0.98, whole)},
	{name: "combine", types: true, bound: whole, aim: times(1/0.97, whole)},
	{name: "send", types: true, protocols: messages, bound: whole, aim: times(1/0.95, whole), latency: 330, instant: 220},
	{name: "allreduce", types: true, protocols: messages, bound: allreduceBound, aim: times(1.15, allreduceBound),
		first: firstOfFew},
	{name: "reduce_scatter", protocols: messages, bound: reduceScatterBound, aim: times(1.1, reduceScatterBound),
		first: firstOfAll},
	{name: "allgather", protocols: messages, bound: allgatherBound, aim: allgatherAim, first: firstOfAll},
	{name: "bcast", protocols: messages, bound: whole, aim: times(1.3, whole), first: firstOfFew},
	{name: "reduce", protocols: messages, bound: whole, aim: times(1.3, whole), first: firstOfFew},
	{name: "scatter", protocols: messages, bound: share, aim: times(1.2, share), first: firstOfFew},
	{name: "gather", protocols: messages, bound: share, aim: times(1.2, share), engine: gathered, first: firstOfFew},
	{name: "alltoall", protocols: messages, bound: share, aim: times(1.2, share), engine: stored, first: firstOfAll},
	{name: "scan", protocols: messages, bound: whole, aim: times(1.3, whole)},
	{name: "exscan", protocols: messages, bound: whole, aim: exscanAim, engine: kept},
	{name: "barrier"},
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

// of is the case of a row for a number of elements, in device memory.
func (r *row) of(p *accl.Platform, count int) conformance.Case {
	c := conformance.Plain(p, r.name, r.dtype, count)
	c.FromFPGA, c.FromFPGA1, c.ToFPGA = true, true, true
	if r.protocol == Compressed {
		c.Wire = wire
	}
	if size, ok := p.TypeBytes(r.dtype); ok {
		c.Pad = pageBytes/size - 1 // operands begin with a page
	}
	return c
}

// pageBytes is what memory is allocated in.
const pageBytes = 4096

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
