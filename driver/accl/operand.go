package accl

// Operand is an operand or result of an operation: a *Buffer, a *RawBuffer, a Stream, the
// value of Absent, or nil for none.
type Operand interface{ operand() ref }

// ref is an operand of any type.
type ref struct {
	kind    refKind
	in, out bool // copied to the device before the call, to the host after it
	span    span // inMemory
	dtype   DType
	err     error
}

type refKind int

const (
	absent refKind = iota
	inMemory
	onStream
)

// Stream is the engine's kernel stream as an operand or result of Copy, Combine (operand 0
// and result), Send and StreamPut (operand), Recv (result), Reduce and AllReduce (both).
type Stream struct{ dtype DType }

// KernelStream returns the kernel stream as an operand with elements of a type.
func KernelStream(t DType) Stream { return Stream{t} }

// DType is the element type.
func (s Stream) DType() DType { return s.dtype }

func (s Stream) operand() ref { return ref{kind: onStream, dtype: s.dtype} }

// Absent stands for an operand that other ranks have but this one does not, and gives its
// element type. nil will do if all operands have the same type.
func Absent(t DType) Operand { return nothing{t} }

type nothing struct{ dtype DType }

func (n nothing) operand() ref { return ref{dtype: n.dtype} }

func refOf(o Operand) ref {
	if o == nil {
		return ref{}
	}
	return o.operand()
}
