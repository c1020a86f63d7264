package capi

import (
	"errors"

	"github.com/cclforge/cclforge/driver/accl"
)

// Errors of this package, for errors.Is. Others are those of accl.
var (
	ErrHandle = errors.New("no such handle")
	ErrBuild  = errors.New("mismatched builds")
	ErrWorld  = errors.New("no such world") // for openers
	ErrOpen   = errors.New("the world does not open")
	errPanic  = errors.New("a defect of the library")
)

// code is an error of C, whose number is its place in the table, from 1.
type code struct {
	name, doc string
	err       error // nil for those that C alone has
}

// codes has special errors before those that they match, too.
var codes = []code{
	{"HANDLE", "a handle of nothing, or of something else", ErrHandle},
	{"BUILD", "program, library and engines are of different builds", ErrBuild},
	{"LOAD", "libcclforge-engines.so cannot be loaded", nil},
	{"FORKED", "a parent of this process has opened a world: only a process of exec can", nil},
	{"DEFECT", "a defect of the library; the text says where", errPanic},
	{"WORLD", "a text that names no world", ErrWorld},
	{"COUNT", "negative, beyond 32 bits, or beyond the buffer", accl.ErrCount},
	{"RANK", "a rank that the communicator does not have", accl.ErrRank},
	{"OPERAND", "an operand is missing, or a stream where there is none", accl.ErrOperand},
	{"TYPE", "a type that the platform lacks or does not combine", accl.ErrType},
	{"REDUCTION", "a reduction that the platform lacks", accl.ErrFunc},
	{"TAG", "a tag that is too large", accl.ErrTag},
	{"OPTION", "a flag that the operation does not have", accl.ErrOption},
	{"ALIGNMENT", "an address at which no element of the type can be", accl.ErrAlignment},
	{"ARGUMENT", "another wrong argument", accl.ErrArgument},
	{"CLOSED", "the world is closed", accl.ErrClosed},
	{"FREED", "the memory was freed", accl.ErrFreed},
	{"BUSY", "a call in flight uses it", accl.ErrBusy},
	{"UNSUPPORTED", "the platform does not have it", accl.ErrUnsupported},
	{"EXCHANGE_FULL", "no room for another communicator", accl.ErrExchangeFull},
	{"NOT_MEMBER", "this rank is not a member of the communicator", accl.ErrNotMember},
	{"BROKEN", "an earlier collective failed: all ranks call cclf_recover", accl.ErrBroken},
	{"TIMEOUT", "no answer of the engine within the limit", accl.ErrTimeout},
	{"CALL", "the engine answers with a return code: cclf_error_bits", nil},
	{"OPEN", "the world does not open", ErrOpen},
	{"OTHER", "anything else; the text says it", nil},
}

// codeOf is the number and the return code of an error.
func codeOf(err error) (number int32, bits uint32) {
	other := "OTHER"
	var call *accl.CallError
	if errors.As(err, &call) {
		other, bits = "CALL", uint32(call.Code)
	}
	for i, c := range codes {
		if c.err != nil && errors.Is(err, c.err) || c.name == other {
			return int32(i + 1), bits
		}
	}
	return int32(len(codes)), bits
}
