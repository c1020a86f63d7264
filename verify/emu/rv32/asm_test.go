package rv32

import "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"

// reg names registers of the calling convention that tests use; others are numbers.
const (
	zero = 0
	ra   = 1
	sp   = 2
	t0   = 5
	t1   = 6
	t2   = 7
	a0   = 10
	a1   = 11
	a2   = 12
	a3   = 13
	a4   = 14
	a5   = 15
)

type ins = rv32test.Instruction

// The assembler in the short form in which the tests are written.
var (
	encodings = rv32test.Encodings
	op3       = rv32test.Op3
	opi       = rv32test.OpI
	load      = rv32test.Load
	store     = rv32test.Store
	branch    = rv32test.Branch
	upper     = rv32test.Upper
	jal       = rv32test.JAL
	bare      = rv32test.Bare
	li        = rv32test.LI
	program   = rv32test.Program
)
