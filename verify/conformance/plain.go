package conformance

import (
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

// Plain is one of the Operations on all ranks with nothing unusual: operands of a type,
// on the host. Reductions are sums; what has a source and a destination goes from rank 0 to rank 1.
func Plain(p *accl.Platform, name string, t accl.DType, count int) Case {
	op := operationOf(p, name)
	c := Case{Op: name, Count: count}
	for _, use := range []struct {
		accl.OperandUse
		to *accl.DType
	}{{op.Op0, &c.Op0}, {op.Op1, &c.Op1}, {op.Result, &c.Res}} {
		if use.Any() {
			*use.to = t
		}
	}
	if op.Reduces {
		c.Func = accl.Sum
	}
	if op.Peer == accl.PeerDestination {
		c.Peer = 1
	}
	return c
}

// Pair is a type of operands and a type on the wire.
type Pair struct {
	Type, Wire accl.DType  // Wire is empty if data travels as it is
	Functions  []accl.Func // that reduce it
	Multiple   int         // counts are multiples of it
}

// Pairs are the pairs of a platform whose types the package knows, uncompressed ones first.
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
	Eager   int // the largest eager message; 0 if all messages are eager
}

// BordersOf are the borders for elements of so many bytes.
func BordersOf(p *accl.Platform, bytes int) Borders {
	segment := max(p.RxBuffers.Bytes/bytes, 1)
	b := Borders{Segment: segment, Pool: segment * p.RxBuffers.Count}
	if p.Features.Rendezvous {
		eager, _ := thresholds(p)
		b.Eager = eager / bytes
	}
	return b
}
