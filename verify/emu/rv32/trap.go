package rv32

import "fmt"

// Cause is why an instruction could not be executed. It is an error itself, so
// that errors.Is(err, rv32.IllegalInstruction) finds it in a *Trap. The values
// are those of the RISC-V register mcause.
type Cause uint8

const (
	// MisalignedFetch is a jump or taken branch to an address that is no multiple of 4.
	MisalignedFetch Cause = 0
	// UnmappedFetch is execution outside the local RAM.
	UnmappedFetch Cause = 1
	// IllegalInstruction is a word that is no instruction of the processor.
	IllegalInstruction Cause = 2
	// Breakpoint is ebreak.
	Breakpoint Cause = 3
	// MisalignedLoad is a load from an address that is no multiple of its size.
	MisalignedLoad Cause = 4
	// UnmappedLoad is a load from where neither RAM nor Bus has anything.
	UnmappedLoad Cause = 5
	// MisalignedStore is a store to an address that is no multiple of its size.
	MisalignedStore Cause = 6
	// UnmappedStore is a store to where neither RAM nor Bus has anything.
	UnmappedStore Cause = 7
	// EnvironmentCall is ecall.
	EnvironmentCall Cause = 11
)

// String describes the cause.
func (c Cause) String() string {
	switch c {
	case MisalignedFetch:
		return "misaligned fetch"
	case UnmappedFetch:
		return "unmapped fetch"
	case IllegalInstruction:
		return "illegal instruction"
	case Breakpoint:
		return "breakpoint"
	case MisalignedLoad:
		return "misaligned load"
	case UnmappedLoad:
		return "unmapped load"
	case MisalignedStore:
		return "misaligned store"
	case UnmappedStore:
		return "unmapped store"
	case EnvironmentCall:
		return "environment call"
	}
	return fmt.Sprintf("cause %d", uint8(c))
}

// Error describes the cause.
func (c Cause) Error() string { return "rv32: " + c.String() }

// Trap is an instruction that could not be executed. The processor has not
// changed and its pc is still at the instruction.
type Trap struct {
	Cause Cause
	PC    uint32 // byte address of the instruction
	Instr uint32 // the instruction, 0 if it could not be fetched
	Addr  uint32 // byte address of the load or store, or target of the jump; 0 for other causes
	Func  string // function and offset of the instruction, "" if unknown
	Err   error  // what the Bus said, if it was asked
}

// Error describes the trap in one line.
func (t *Trap) Error() string {
	where := place(t.PC, t.Func)
	address := ""
	switch t.Cause {
	case UnmappedFetch, MisalignedFetch:
		if t.Addr == t.PC { // there is no instruction to show
			return t.Cause.Error() + ", " + where
		}
		fallthrough
	case MisalignedLoad, UnmappedLoad, MisalignedStore, UnmappedStore:
		address = fmt.Sprintf(", address 0x%08x", t.Addr)
	}
	return fmt.Sprintf("%s%s, %s: %s (0x%08x)", t.Cause.Error(), address, where, Disassemble(t.Instr, t.PC), t.Instr)
}

// Is tells whether target is the cause of the trap.
func (t *Trap) Is(target error) bool {
	c, ok := target.(Cause)
	return ok && c == t.Cause
}

// Unwrap returns the error of the Bus.
func (t *Trap) Unwrap() error { return t.Err }

// place names a pc for messages.
func place(pc uint32, function string) string {
	if function == "" {
		return fmt.Sprintf("pc 0x%08x", pc)
	}
	return fmt.Sprintf("pc 0x%08x (%s)", pc, function)
}
