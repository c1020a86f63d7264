package accl

// Operand is what operations work on: a Buffer, a Stream, or nil for none.
type Operand interface{ operand() ref }

// ref is an operand of any type.
type ref struct {
	kind  refKind
	span  span // inMemory
	dtype DType
	err   error
}

type refKind int

const (
	absent refKind = iota
	inMemory
	onStream
)

// Stream is the engine's kernel stream as an operand or result, where an
// operation allows it: Copy, Combine (operand 0 and result), Send (operand), Recv
// (result), Reduce and AllReduce (both).
type Stream struct{ dtype DType }

// KernelStream is the kernel stream, carrying elements of a type.
func KernelStream(t DType) Stream { return Stream{t} }

// DType is the element type.
func (s Stream) DType() DType { return s.dtype }

func (s Stream) operand() ref { return ref{kind: onStream, dtype: s.dtype} }

// Absent stands for an operand that this rank does not have, but others do, and
// says its type. It is only needed in place of nil where operands have different
// types.
func Absent(t DType) Operand { return nothing{t} }

type nothing struct{ dtype DType }

func (n nothing) operand() ref { return ref{dtype: n.dtype} }

func refOf(o Operand) ref {
	if o == nil {
		return ref{}
	}
	return o.operand()
}
