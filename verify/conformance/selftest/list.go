package selftest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// Numbers of elements.
const (
	one     = 1
	odd     = 37
	some    = 1003 // divides nothing
	large   = 1<<16 + 3
	largest = 1<<20 + 7 // of a thorough run

	randomCases = 40 // for an operation, of a thorough run

	// kernelBytes is what the kernel streams of all engines hold for sure.
	kernelBytes = 4096
)

// List is what a run does on a world of some ranks: the cases of an operation and a type
// follow each other.
func List(p *accl.Platform, ranks int, o Options) []conformance.Case {
	pairs := conformance.Pairs(p)
	var list []conformance.Case
	for _, op := range conformance.Operations(p) {
		if o.Only != nil && !slices.Contains(o.Only, op) {
			continue
		}
		l := lister{p: p, ranks: ranks, o: o, op: op, shape: p.Operation(op)}
		if !l.shape.Operands() {
			l.add(conformance.Plain(p, op, "", 0))
			list = append(list, l.list...)
			continue
		}
		base := 0
		if i := slices.IndexFunc(pairs, func(q conformance.Pair) bool {
			return q.Type == accl.TypeFloat32 &&
				q.Wire == ""
		}); i >= 0 {
			base = i
		}
		for i, q := range pairs {
			l.pair(q, i == base)
		}
		if o.Thorough {
			l.random()
		}
		order := namesOf(pairs)
		slices.SortStableFunc(l.list, func(a, b conformance.Case) int {
			return cmp.Compare(slices.Index(order, rowOf(p, a).dtype), slices.Index(order, rowOf(p, b).dtype))
		})
		list = append(list, l.list...)
	}
	return list
}

// lister lists the cases of an operation.
type lister struct {
	p     *accl.Platform
	ranks int
	o     Options
	op    string
	shape *accl.Operation
	list  []conformance.Case
}

// pair lists the cases of types: of the base one all sizes and roots.
func (l *lister) pair(q conformance.Pair, base bool) {
	if l.shape.Reduces && len(q.Functions) == 0 || q.Wire != "" && l.shape.Result.At == accl.AtPeer {
		return
	}
	c := conformance.Plain(l.p, l.op, q.Type, 0)
	if l.shape.Local && q.Wire != "" {
		c.Res = q.Wire // what is not sent is converted
	} else {
		c.Wire = q.Wire
	}
	functions := q.Functions
	if !l.shape.Reduces {
		functions = []accl.Func{c.Func}
	}
	for i, f := range functions {
		c.Func = f
		counts := []int{some}
		if i == 0 {
			counts = l.counts(&c, base)
		}
		for _, n := range counts {
			c.Count = max(n/q.Multiple, 1) * q.Multiple
			l.add(l.rooted(c, 0))
		}
	}
	if l.shape.Peer == "" || !base && !l.o.Thorough {
		return
	}
	c.Count, c.Func = odd*q.Multiple, functions[0]
	for root := 1; root < l.ranks; root++ {
		l.add(l.rooted(c, root))
	}
}

// rooted is a case with a root, or of a send from there to the next rank.
func (l *lister) rooted(c conformance.Case, root int) conformance.Case {
	if l.shape.Peer != "" {
		c.Root = root
		if l.shape.Peer == accl.PeerDestination {
			c.Peer = (root + 1) % l.ranks
		}
	}
	return c
}

// counts are numbers of elements at which engines change what they do.
func (l *lister) counts(c *conformance.Case, base bool) []int {
	b := conformance.BordersOf(l.p, c.ElementBytes(l.p))
	if !base && !l.o.Thorough {
		return []int{some, b.Segment + 1}
	}
	counts := []int{one, odd, some, b.Segment - 1, b.Segment, b.Segment + 1, 2*b.Segment + 1}
	if b.Eager > 0 {
		counts = append(counts, b.Eager, b.Eager+1)
	}
	if base {
		counts = append(counts, l.share(large))
	}
	if l.o.Thorough {
		counts = append(counts, 0, 16, 17, b.Pool, b.Pool+1)
		if base {
			counts = append(counts, l.share(largest))
		}
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// share is a number of elements of a buffer, or of a rank's block in it: of large ones
// that is what takes time.
func (l *lister) share(elements int) int {
	if l.shape.Blocks() {
		return max(elements/l.ranks, 1)
	}
	return elements
}

// random adds cases with everything else that can vary: places of operands, tags,
// communicators of some ranks, clients, late ranks, any bits.
func (l *lister) random() {
	rng := rand.New(rand.NewPCG(uint64(l.o.Seed), 0x5e1f7e57))
	for added := 0; added < randomCases; {
		c := conformance.RandomOp(rng, l.p, l.ranks, l.op)
		if c.Count > l.share(largest) {
			continue // engines do nothing else there
		}
		l.add(c)
		added++
	}
}

// add adds a case, unless the network may lose it, or it is there. Of what goes over
// kernel streams it takes no more than these hold.
func (l *lister) add(c conformance.Case) {
	if c.Streams() {
		c.Count = min(c.Count, kernelBytes/max(c.ElementBytes(l.p), 1))
		there := func(other conformance.Case) bool { other.Seed = c.Seed; return reflect.DeepEqual(other, c) }
		if slices.ContainsFunc(l.list, there) {
			return
		}
	}
	c.Seed += l.o.Seed + int64(len(l.list))
	if !c.MayLose(l.p) {
		l.list = append(l.list, c)
	}
}

// key is what the cases of a row have in common.
type key struct{ operation, dtype string }

func rowOf(p *accl.Platform, c conformance.Case) key {
	k := key{operation: c.Op}
	switch {
	case c.Op0 == "":
	case c.Op0 == c.Res && (c.Op1 == "" || c.Op1 == c.Op0):
		k.dtype = dtype(c.Op0, c.Wire)
	case c.Wire == "" && (c.Op1 == "" || c.Op1 == c.Op0) && p.Operation(c.Op).Local:
		k.dtype = converted(c.Op0, c.Res)
	default:
		k.dtype = mixed
	}
	return k
}

// mixed are random cases whose operands are of different types.
const mixed = "mixed"

func dtype(t, wire accl.DType) string {
	if wire == "" {
		return string(t)
	}
	return string(t) + "/" + string(wire)
}

func converted(from, to accl.DType) string { return string(from) + "→" + string(to) }

// namesOf are the types of rows in their order.
func namesOf(pairs []conformance.Pair) []string {
	var out []string
	for _, q := range pairs {
		out = append(out, dtype(q.Type, q.Wire))
		if q.Wire != "" {
			out = append(out, converted(q.Type, q.Wire), converted(q.Wire, q.Type))
		}
	}
	return append(out, mixed)
}

// Check reports operations that a platform does not have.
func (o *Options) Check(p *accl.Platform) error {
	have := conformance.Operations(p)
	for _, op := range o.Only {
		if !slices.Contains(have, op) {
			return fmt.Errorf("%w: %s has no operation %q; it has %s", conformance.ErrCase, p.Name, op, strings.Join(have, ", "))
		}
	}
	return nil
}
