package rv32

import (
	"encoding/binary"
	"fmt"
)

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

// enc tells how an instruction is encoded: format, major opcode, funct3, funct7.
// The table is typed from the opcode listing of the RISC-V manual and shares
// nothing with the decoder.
type enc struct {
	format byte // R, I, H (shift), S, B, U, J, N (the whole word)
	opcode uint32
	f3, f7 uint32
}

var encodings = map[string]enc{
	"lui": {'U', 0b0110111, 0, 0}, "auipc": {'U', 0b0010111, 0, 0},
	"jal": {'J', 0b1101111, 0, 0}, "jalr": {'I', 0b1100111, 0, 0},
	"beq": {'B', 0b1100011, 0, 0}, "bne": {'B', 0b1100011, 1, 0}, "blt": {'B', 0b1100011, 4, 0},
	"bge": {'B', 0b1100011, 5, 0}, "bltu": {'B', 0b1100011, 6, 0}, "bgeu": {'B', 0b1100011, 7, 0},
	"lb": {'I', 0b0000011, 0, 0}, "lh": {'I', 0b0000011, 1, 0}, "lw": {'I', 0b0000011, 2, 0},
	"lbu": {'I', 0b0000011, 4, 0}, "lhu": {'I', 0b0000011, 5, 0},
	"sb": {'S', 0b0100011, 0, 0}, "sh": {'S', 0b0100011, 1, 0}, "sw": {'S', 0b0100011, 2, 0},
	"addi": {'I', 0b0010011, 0, 0}, "slti": {'I', 0b0010011, 2, 0}, "sltiu": {'I', 0b0010011, 3, 0},
	"xori": {'I', 0b0010011, 4, 0}, "ori": {'I', 0b0010011, 6, 0}, "andi": {'I', 0b0010011, 7, 0},
	"slli": {'H', 0b0010011, 1, 0}, "srli": {'H', 0b0010011, 5, 0}, "srai": {'H', 0b0010011, 5, 0b0100000},
	"add": {'R', 0b0110011, 0, 0}, "sub": {'R', 0b0110011, 0, 0b0100000}, "sll": {'R', 0b0110011, 1, 0},
	"slt": {'R', 0b0110011, 2, 0}, "sltu": {'R', 0b0110011, 3, 0}, "xor": {'R', 0b0110011, 4, 0},
	"srl": {'R', 0b0110011, 5, 0}, "sra": {'R', 0b0110011, 5, 0b0100000}, "or": {'R', 0b0110011, 6, 0},
	"and": {'R', 0b0110011, 7, 0},
	"mul": {'R', 0b0110011, 0, 1}, "mulh": {'R', 0b0110011, 1, 1}, "mulhsu": {'R', 0b0110011, 2, 1},
	"mulhu": {'R', 0b0110011, 3, 1}, "div": {'R', 0b0110011, 4, 1}, "divu": {'R', 0b0110011, 5, 1},
	"rem": {'R', 0b0110011, 6, 1}, "remu": {'R', 0b0110011, 7, 1},
	"fence": {'I', 0b0001111, 0, 0}, "fence.i": {'I', 0b0001111, 1, 0},
	"csrrw": {'I', 0b1110011, 1, 0}, "csrrs": {'I', 0b1110011, 2, 0}, "csrrc": {'I', 0b1110011, 3, 0},
	"csrrwi": {'I', 0b1110011, 5, 0}, "csrrsi": {'I', 0b1110011, 6, 0}, "csrrci": {'I', 0b1110011, 7, 0},
	"ecall": {'N', 0x00000073, 0, 0}, "ebreak": {'N', 0x00100073, 0, 0}, "wfi": {'N', 0x10500073, 0, 0},
}

// ins is one instruction of a test program. The immediate is a byte offset for
// jumps and branches, and the whole upper value for lui and auipc.
type ins struct {
	name         string
	rd, rs1, rs2 int
	imm          int32
}

func (i ins) word() uint32 {
	e, ok := encodings[i.name]
	if !ok {
		panic("no instruction " + i.name)
	}
	rd, rs1, rs2, imm := uint32(i.rd), uint32(i.rs1), uint32(i.rs2), uint32(i.imm)
	inRange := func(low, high int32) {
		if i.imm < low || i.imm > high {
			panic(fmt.Sprintf("immediate of %+v", i))
		}
	}
	regs := rd<<7 | e.f3<<12 | rs1<<15 | e.opcode
	field := func(from, to, at int) uint32 { return imm >> to & (1<<(from-to+1) - 1) << at } // imm[from:to] to bit at
	switch e.format {
	case 'R':
		return e.f7<<25 | rs2<<20 | regs
	case 'I':
		inRange(-2048, 4095) // above 2047 are CSR numbers
		return imm<<20 | regs
	case 'H':
		inRange(0, 31)
		return e.f7<<25 | imm<<20 | regs
	case 'S':
		inRange(-2048, 2047)
		return field(11, 5, 25) | rs2<<20 | rs1<<15 | e.f3<<12 | field(4, 0, 7) | e.opcode
	case 'B':
		inRange(-4096, 4094)
		return field(12, 12, 31) | field(10, 5, 25) | rs2<<20 | rs1<<15 | e.f3<<12 | field(4, 1, 8) | field(11, 11, 7) | e.opcode
	case 'U':
		return field(31, 12, 12) | rd<<7 | e.opcode
	case 'J':
		inRange(-1<<20, 1<<20-2)
		return field(20, 20, 31) | field(10, 1, 21) | field(11, 11, 20) | field(19, 12, 12) | rd<<7 | e.opcode
	}
	return e.opcode
}

func op3(name string, rd, rs1, rs2 int) ins              { return ins{name, rd, rs1, rs2, 0} }
func opi(name string, rd, rs1 int, imm int32) ins        { return ins{name, rd, rs1, 0, imm} }
func load(name string, rd int, imm int32, rs1 int) ins   { return ins{name, rd, rs1, 0, imm} }
func store(name string, rs2 int, imm int32, rs1 int) ins { return ins{name, 0, rs1, rs2, imm} }
func branch(name string, rs1, rs2 int, offset int32) ins { return ins{name, 0, rs1, rs2, offset} }
func upper(name string, rd int, imm uint32) ins          { return ins{name, rd, 0, 0, int32(imm)} }
func jal(rd int, offset int32) ins                       { return ins{"jal", rd, 0, 0, offset} }
func bare(name string) ins                               { return ins{name: name} }

// li loads any constant with two instructions.
func li(rd int, v uint32) []ins {
	high := (v + 0x800) &^ 0xfff
	return []ins{upper("lui", rd, high), opi("addi", rd, rd, int32(v-high))}
}

// program assembles instructions and lists of them.
func program(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case ins:
			b = binary.LittleEndian.AppendUint32(b, p.word())
		case []ins:
			for _, i := range p {
				b = binary.LittleEndian.AppendUint32(b, i.word())
			}
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, p)
		default:
			panic(fmt.Sprintf("%T in a program", p))
		}
	}
	return b
}
