package accl

// Operation is what a call does with its operands. Platform.Operations has those of a
// generation; everything that depends on what an operation is like derives from it.
type Operation struct {
	Name  string
	Value uint32 // the call's word scenario

	Op0, Op1, Result OperandUse

	Peer    Peer // the rank that calls name, if they name one
	Reduces bool
	// Collective: all ranks of the communicator take part.
	Collective bool
	Local      bool // no other rank is involved: calls have no communicator
	Tagged     bool // the program may choose the tag
	InPlace    InPlace
	// RepeatsResult: hosts that name operands in host memory pass the result as operand 1, too.
	RepeatsResult bool
	// Method: programs call it by a method of Comm.
	Method bool
}

// OperandUse is how an operation uses an operand, or its result.
type OperandUse struct {
	Share  Share
	At     Place
	Stream bool // it may be the kernel stream
}

// Share is how much of an operand an operation uses.
type Share string

// Shares of operands.
const (
	ShareNone  Share = ""      // there is no such operand
	ShareBlock Share = "block" // n elements
	ShareAll   Share = "all"   // n elements for each rank of the communicator
)

// Place is which ranks have an operand.
type Place string

// Places of operands.
const (
	AtEverywhere Place = "everywhere"
	AtRoot       Place = "root"
	AtNotRoot    Place = "not_root"
	AtNotFirst   Place = "not_first" // all but rank 0
	AtPeer       Place = "peer"      // the kernel stream of the destination
)

// Peer is the part of the rank that calls name.
type Peer string

// Peers of calls.
const (
	PeerRoot        Peer = "root"
	PeerSource      Peer = "source"
	PeerDestination Peer = "destination"
)

// InPlace is whether operand 0 and the result may share memory.
type InPlace string

// Operations in place.
const (
	InPlaceAllowed  InPlace = "allowed"
	InPlaceRequired InPlace = "required" // one buffer, read at the root and written elsewhere
)

// Any reports whether there is such an operand.
func (u OperandUse) Any() bool { return u.Share != ShareNone }

// Elements is how many elements of an operand a call of n elements uses.
func (s Share) Elements(n, ranks int) int {
	switch s {
	case ShareBlock:
		return n
	case ShareAll:
		return n * ranks
	}
	return 0
}

// Operands reports whether the operation has any.
func (o *Operation) Operands() bool { return o.Op0.Any() || o.Result.Any() }

// Blocks reports whether an operand or the result has a block for each rank.
func (o *Operation) Blocks() bool { return o.Op0.Share == ShareAll || o.Result.Share == ShareAll }

// passed are the operands that a rank passes. A buffer that is read at the root and written
// elsewhere is operand 0 of all ranks; the kernel stream of the peer is no operand.
func (o *Operation) passed() (op0, op1, result OperandUse) {
	op0, op1, result = o.Op0, o.Op1, o.Result
	if o.InPlace == InPlaceRequired {
		op0.At, result = AtEverywhere, OperandUse{}
	}
	if result.At == AtPeer {
		result = OperandUse{}
	}
	return op0, op1, result
}

// Operation is the operation of a name, nil if the generation has none.
func (p *Platform) Operation(name string) *Operation {
	for i := range p.Operations {
		if p.Operations[i].Name == name {
			return &p.Operations[i]
		}
	}
	return nil
}

// operationOf is the operation of a code, nil if the generation has none. Of several
// forms of a call it is the first.
func (p *Platform) operationOf(value uint32) *Operation {
	for i := range p.Operations {
		if p.Operations[i].Value == value {
			return &p.Operations[i]
		}
	}
	return nil
}
