package conform

import (
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

// Traits are what an operation is like.
type Traits struct {
	Data    bool // it has operands
	Reduces bool
	Rooted  bool // it has a root, or source and destination
	Blocks  bool // an operand or the result has a block for each rank
	Local   bool // nothing is sent
	InPlace bool // operand and result may share memory
}

// TraitsOf are those of one of the Operations.
func TraitsOf(name string) Traits {
	op := operations[name]
	if op == nil {
		return Traits{}
	}
	return Traits{
		Data: op.op0 != none, Reduces: op.reduces, Rooted: op.rooted, Local: op.local,
		Blocks: op.op0 == all || op.res == all, InPlace: op.inPlace,
	}
}

// Plain is one of the Operations on all ranks with nothing unusual: operands of a type,
// on the host. Reductions are sums, send and stream_put go from rank 0 to rank 1.
func Plain(name string, t accl.DType, count int) Case {
	op := operations[name]
	c := Case{Op: name, Count: count}
	for _, use := range []struct {
		share share
		to    *accl.DType
	}{{op.op0, &c.Op0}, {op.op1, &c.Op1}, {op.res, &c.Res}} {
		if use.share != none {
			*use.to = t
		}
	}
	if op.reduces {
		c.Func = accl.Sum
	}
	if name == "send" || name == "stream_put" {
		c.Peer = 1
	}
	return c
}

// Pair is what operands and what travels are of, one type or two.
type Pair struct {
	Type, Wire accl.DType  // Wire is empty if data travels as it is
	Functions  []accl.Func // that reduce it
	Multiple   int         // counts are multiples of it
}

// Pairs are those of a platform that the package knows, those of one type first.
func Pairs(p *accl.Platform) []Pair {
	var plain, mixed []Pair
	for _, c := range p.Configs {
		pair := Pair{Type: c.Uncompressed, Wire: c.Compressed, Functions: functionsOf(p, c), Multiple: 1 << c.RatioLog}
		switch {
		case !known(c.Uncompressed) || !known(c.Compressed):
		case c.Uncompressed == c.Compressed:
			pair.Wire = ""
			plain = append(plain, pair)
		default:
			mixed = append(mixed, pair)
		}
	}
	return slices.Concat(plain, mixed)
}

// Borders are numbers of elements at which engines change what they do.
type Borders struct {
	Segment int // the most in a message's segment
	Pool    int // the most in all rx buffers
	Eager   int // the most that goes into rx buffers before it is asked for; 0 if all does
}

// BordersOf are those of elements of so many bytes.
func BordersOf(p *accl.Platform, bytes int) Borders {
	segment := max(p.RxBuffers.Bytes/bytes, 1)
	b := Borders{Segment: segment, Pool: segment * p.RxBuffers.Count}
	if p.Features.Rendezvous {
		eager, _ := thresholds(p)
		b.Eager = eager / bytes
	}
	return b
}
