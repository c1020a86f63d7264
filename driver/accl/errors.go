package accl

import (
	"errors"
	"fmt"
	"strings"
)

// Errors, for errors.Is. Those that wrap ErrArgument are mistakes of the caller; the engine
// was not called.
var (
	ErrArgument = errors.New("wrong argument")
	ErrCount    = fmt.Errorf("%w: count", ErrArgument) // negative, beyond 32 bits, or beyond an operand
	// a root, source or destination that the communicator does not have
	ErrRank    = fmt.Errorf("%w: rank", ErrArgument)
	ErrOperand = fmt.Errorf("%w: operand", ErrArgument) // missing, of another engine, or a stream where there is none
	ErrType    = fmt.Errorf("%w: type", ErrArgument)    // element types that no arithmetic configuration combines
	ErrFunc    = fmt.Errorf("%w: function", ErrArgument)
	ErrTag     = fmt.Errorf("%w: tag", ErrArgument)
	ErrOption  = fmt.Errorf("%w: option", ErrArgument) // that the operation does not have
	// ErrAlignment is an address at which no element of the type can be.
	ErrAlignment = fmt.Errorf("%w: alignment", ErrArgument)

	ErrClosed        = errors.New("engine is closed")
	ErrFreed         = errors.New("buffer was freed")
	ErrBusy          = errors.New("buffer is in use by a call")
	ErrUnsupported   = errors.New("not supported by the platform")
	ErrNotConfigured = errors.New("engine is not configured")
	ErrConfigured    = errors.New("engine is already configured")
	ErrHardware      = errors.New("engine is not the platform's")
	ErrExchangeFull  = errors.New("exchange memory is full")
	ErrNotMember     = errors.New("this rank is not a member of the communicator")
	ErrTimeout       = errors.New("no answer within the limit")
	// ErrBroken is the error of a collective that was refused because an earlier one failed.
	// All ranks of the communicator must call Recover, or Reset.
	ErrBroken = errors.New("communicator is broken")
)

// Has reports whether all the given bits are set.
func (c ReturnCode) Has(bits ReturnCode) bool { return c&bits == bits }

// Error makes return codes targets of errors.Is. Platform.Describe gives the meaning of
// their bits.
func (c ReturnCode) Error() string { return fmt.Sprintf("return code 0x%08X", uint32(c)) }

// CallError is a call that the engine answered with a return code other than 0.
type CallError struct {
	Op   string // operation, or config function
	Comm int    // number of the communicator, from 0 in the order of creation
	Rank int    // of this engine in the communicator
	Code ReturnCode
	Bits []Bit // that are set in Code, with their meaning
	// Fault is the message that the call waited for, or the other call that it met; nil if the engine does
	// not report it.
	Fault *Fault
	// Refused is set if the call did not begin because the communicator is broken. The error matches
	// ErrBroken then.
	Refused bool
	// Hint is a probable cause or a remedy, or "".
	Hint string
	// Causes are what has held the call up, as the engines of this and other ranks tell. It is empty if that is not
	// known.
	Causes []Cause
}

func (e *CallError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s on rank %d of communicator %d: ", e.Op, e.Rank, e.Comm)
	for i, b := range e.Bits {
		if i > 0 {
			text.WriteString("; ")
		}
		fmt.Fprintf(&text, "%s: %s", b.Name, strings.TrimSuffix(b.Meaning, "."))
	}
	if e.Hint != "" {
		text.WriteString(" (" + e.Hint + ")")
	}
	for _, c := range e.Causes {
		text.WriteString("\n  cause: " + c.Text)
	}
	return text.String()
}

// Is reports whether the target is a ReturnCode whose bits are all set, or ErrBroken if the call was
// refused.
func (e *CallError) Is(target error) bool {
	if target == ErrBroken {
		return e.Refused
	}
	code, ok := target.(ReturnCode)
	return ok && code != 0 && e.Code.Has(code)
}

// Has reports whether the named bit is set.
func (e *CallError) Has(name string) bool {
	for _, b := range e.Bits {
		if b.Name == name {
			return true
		}
	}
	return false
}
