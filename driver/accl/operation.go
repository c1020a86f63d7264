package accl

// Operation describes an operation: its operands, and which ranks take part. All code that
// depends on properties of operations derives from Platform.Operations.
type Operation struct {
	Name  string
	Value uint32 // the call's word scenario

	Op0, Op1, Result OperandUse

	Peer    PeerRole // of the rank that calls name; "" if they name none
	Reduces bool
	// Collective operations are called by all ranks of the communicator.
	Collective bool
	Local      bool // no other rank is involved: calls have no communicator
	Tagged     bool // the program may choose the tag
	InPlace    InPlace
	// RepeatsResult is set if calls pass the result as operand 1, too, on interfaces with
	// operands in host memory.
	RepeatsResult bool
	// Method is set if programs call the operation by a method of Comm.
	Method bool
}

// OperandUse describes how an operation uses an operand or its result.
type OperandUse struct {
	Share  Share
	At     Place
	Stream bool // it may be the kernel stream
}

// Share is the amount of an operand that an operation uses.
type Share string

// Shares of operands.
const (
	ShareNone  Share = ""      // there is no such operand
	ShareBlock Share = "block" // n elements
	ShareAll   Share = "all"   // n elements for each rank of the communicator
)

// Place is the set of ranks that have an operand.
type Place string

// Places of operands.
const (
	AtEverywhere Place = "everywhere"
	AtRoot       Place = "root"
	AtNotRoot    Place = "not_root"
	AtNotFirst   Place = "not_first" // all but rank 0
	AtPeer       Place = "peer"      // the kernel stream of the destination
)

// PeerRole is the role of the rank that a call names.
type PeerRole string

// Roles of the ranks that calls name.
const (
	PeerRoot        PeerRole = "root"
	PeerSource      PeerRole = "source"
	PeerDestination PeerRole = "destination"
)

// InPlace tells whether operand 0 and the result may share memory; "" if not.
type InPlace string

// Operations in place.
const (
	InPlaceAllowed  InPlace = "allowed"
	InPlaceRequired InPlace = "required" // one buffer, read at the root and written elsewhere
)

// Any reports whether the operation has the operand.
func (u OperandUse) Any() bool { return u.Share != ShareNone }

// Elements is the number of elements of an operand that a call of n elements uses.
func (s Share) Elements(n, ranks int) int {
	switch s {
	case ShareBlock:
		return n
	case ShareAll:
		return n * ranks
	}
	return 0
}

// Operands reports whether the operation has any operand.
func (o *Operation) Operands() bool { return o.Op0.Any() || o.Result.Any() }

// Blocks reports whether an operand or the result has a block for each rank.
func (o *Operation) Blocks() bool { return o.Op0.Share == ShareAll || o.Result.Share == ShareAll }

// needed reports whether a rank that may be the root, or the first one, has the operand. A buffer that is read
// at the root and written elsewhere is everywhere.
func (u OperandUse) needed(root, first bool) bool {
	return (u.At != AtRoot || root) && (u.At != AtNotFirst || !first)
}

// Passes returns which bytes of its operands 0 and 1 and of its result a rank passes, in elements of a call of
// n elements: 0 for an operand that it does not need.
func (c *Comm) Passes(o *Operation, n int, root Peer) [3]int {
	var elements [3]int
	for i, u := range o.passed() {
		if u.needed(int(root) == c.local, c.local == 0) {
			elements[i] = u.Share.Elements(n, len(c.ranks))
		}
	}
	return elements
}

// passed returns the operands that a rank passes. A buffer that is read at the root and
// written elsewhere is operand 0 of all ranks. The kernel stream of the peer is no operand.
func (o *Operation) passed() [3]OperandUse {
	uses := [...]OperandUse{o.Op0, o.Op1, o.Result}
	if o.InPlace == InPlaceRequired {
		uses[0].At, uses[2] = AtEverywhere, OperandUse{}
	}
	if uses[2].At == AtPeer {
		uses[2] = OperandUse{}
	}
	return uses
}

// Operation returns the operation with a name, nil if the interface has none.
func (p *Platform) Operation(name string) *Operation {
	for i := range p.Operations {
		if p.Operations[i].Name == name {
			return &p.Operations[i]
		}
	}
	return nil
}

// OperationOf returns the operation with a code, nil if the interface has none; the first
// one if several share the code.
func (p *Platform) OperationOf(value uint32) *Operation {
	for i := range p.Operations {
		if p.Operations[i].Value == value {
			return &p.Operations[i]
		}
	}
	return nil
}
