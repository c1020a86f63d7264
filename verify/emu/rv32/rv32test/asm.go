// Package rv32test assembles RV32IM programs, chosen and random ones, for tests of
// processors. It shares nothing with the decoders under test.
package rv32test

import (
	"encoding/binary"
	"fmt"
)

// Encoding tells how an instruction is encoded.
type Encoding struct {
	Format byte   // R, I, H (shift), S, B, U, J, N (the whole word)
	Opcode uint32 // major opcode
	F3, F7 uint32 // funct3, funct7
}

// Encodings are all instructions by name, typed from the opcode listing of the
// RISC-V manual.
var Encodings = map[string]Encoding{
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

// Instruction is one instruction of a test program. The immediate is a byte offset for
// jumps and branches, and the whole upper value for lui and auipc.
type Instruction struct {
	Name         string
	Rd, Rs1, Rs2 int
	Imm          int32
}

// Word is the instruction as the processor reads it. It panics for what cannot
// be encoded: a mistake of the test.
func (i Instruction) Word() uint32 {
	e, ok := Encodings[i.Name]
	if !ok {
		panic("no instruction " + i.Name)
	}
	rd, rs1, rs2, imm := uint32(i.Rd), uint32(i.Rs1), uint32(i.Rs2), uint32(i.Imm)
	inRange := func(low, high int32) {
		if i.Imm < low || i.Imm > high {
			panic(fmt.Sprintf("immediate of %+v", i))
		}
	}
	regs := rd<<7 | e.F3<<12 | rs1<<15 | e.Opcode
	field := func(from, to, at int) uint32 { return imm >> to & (1<<(from-to+1) - 1) << at } // imm[from:to] to bit at
	switch e.Format {
	case 'R':
		return e.F7<<25 | rs2<<20 | regs
	case 'I':
		inRange(-2048, 4095) // above 2047 are CSR numbers
		return imm<<20 | regs
	case 'H':
		inRange(0, 31)
		return e.F7<<25 | imm<<20 | regs
	case 'S':
		inRange(-2048, 2047)
		return field(11, 5, 25) | rs2<<20 | rs1<<15 | e.F3<<12 | field(4, 0, 7) | e.Opcode
	case 'B':
		inRange(-4096, 4094)
		return field(12, 12, 31) | field(10, 5, 25) | rs2<<20 | rs1<<15 | e.F3<<12 | field(4, 1, 8) |
			field(11, 11, 7) | e.Opcode
	case 'U':
		return field(31, 12, 12) | rd<<7 | e.Opcode
	case 'J':
		inRange(-1<<20, 1<<20-2)
		return field(20, 20, 31) | field(10, 1, 21) | field(11, 11, 20) | field(19, 12, 12) | rd<<7 | e.Opcode
	}
	return e.Opcode
}

// Op3 is an instruction on two registers.
func Op3(name string, rd, rs1, rs2 int) Instruction { return Instruction{name, rd, rs1, rs2, 0} }

// OpI is an instruction on a register and an immediate.
func OpI(name string, rd, rs1 int, imm int32) Instruction { return Instruction{name, rd, rs1, 0, imm} }

// Load is a load from imm(rs1).
func Load(name string, rd int, imm int32, rs1 int) Instruction {
	return Instruction{name, rd, rs1, 0, imm}
}

// Store is a store to imm(rs1).
func Store(name string, rs2 int, imm int32, rs1 int) Instruction {
	return Instruction{name, 0, rs1, rs2, imm}
}

// Branch is a branch by offset bytes.
func Branch(name string, rs1, rs2 int, offset int32) Instruction {
	return Instruction{name, 0, rs1, rs2, offset}
}

// Upper is lui or auipc.
func Upper(name string, rd int, imm uint32) Instruction {
	return Instruction{name, rd, 0, 0, int32(imm)}
}

// JAL is a jump by offset bytes.
func JAL(rd int, offset int32) Instruction { return Instruction{"jal", rd, 0, 0, offset} }

// Bare is an instruction without operands.
func Bare(name string) Instruction { return Instruction{Name: name} }

// LI loads any constant with two instructions.
func LI(rd int, v uint32) []Instruction {
	high := (v + 0x800) &^ 0xfff
	return []Instruction{Upper("lui", rd, high), OpI("addi", rd, rd, int32(v-high))}
}

// Program assembles instructions, lists of them and words.
func Program(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case Instruction:
			b = binary.LittleEndian.AppendUint32(b, p.Word())
		case []Instruction:
			for _, i := range p {
				b = binary.LittleEndian.AppendUint32(b, i.Word())
			}
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, p)
		default:
			panic(fmt.Sprintf("%T in a program", p))
		}
	}
	return b
}
