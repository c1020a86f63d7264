package rv32

import (
	"fmt"
	"strings"
)

var mnemonics = [opCount]string{
	opLUI: "lui", opAUIPC: "auipc", opJAL: "jal", opJALR: "jalr",
	opBEQ: "beq", opBNE: "bne", opBLT: "blt", opBGE: "bge", opBLTU: "bltu", opBGEU: "bgeu",
	opLB: "lb", opLH: "lh", opLW: "lw", opLBU: "lbu", opLHU: "lhu",
	opSB: "sb", opSH: "sh", opSW: "sw",
	opADDI: "addi", opSLTI: "slti", opSLTIU: "sltiu", opXORI: "xori", opORI: "ori", opANDI: "andi",
	opSLLI: "slli", opSRLI: "srli", opSRAI: "srai",
	opADD: "add", opSUB: "sub", opSLL: "sll", opSLT: "slt", opSLTU: "sltu",
	opXOR: "xor", opSRL: "srl", opSRA: "sra", opOR: "or", opAND: "and",
	opMUL: "mul", opMULH: "mulh", opMULHSU: "mulhsu", opMULHU: "mulhu",
	opDIV: "div", opDIVU: "divu", opREM: "rem", opREMU: "remu",
	opFENCE: "fence", opFENCEI: "fence.i", opWFI: "wfi", opECALL: "ecall", opEBREAK: "ebreak",
	opCSRRW: "csrrw", opCSRRS: "csrrs", opCSRRC: "csrrc",
	opCSRRWI: "csrrwi", opCSRRSI: "csrrsi", opCSRRCI: "csrrci",
}

// registerNames are those of the calling convention.
var registerNames = [32]string{
	"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
	"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
	"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
	"t3", "t4", "t5", "t6",
}

var csrNames = map[uint32]string{
	0xc00: "cycle", 0xc01: "time", 0xc02: "instret",
	0xc80: "cycleh", 0xc81: "timeh", 0xc82: "instreth",
}

// Disassemble writes an instruction at a byte address as assemblers do, without
// pseudo-instructions and with absolute targets; what is none becomes a .word.
func Disassemble(instr, pc uint32) string {
	in := decode(instr)
	name := mnemonics[in.op]
	rd, rs1, rs2 := registerNames[in.rd], registerNames[in.rs1], registerNames[in.rs2]
	imm := int32(in.imm)
	switch o := in.op; {
	case o == opIllegal:
		return fmt.Sprintf(".word 0x%08x", instr)
	case o == opLUI, o == opAUIPC:
		return fmt.Sprintf("%s %s,0x%x", name, rd, in.imm>>12)
	case o == opJAL:
		return fmt.Sprintf("%s %s,0x%x", name, rd, pc+in.imm)
	case o == opJALR, o.isLoad():
		return fmt.Sprintf("%s %s,%d(%s)", name, rd, imm, rs1)
	case o >= opBEQ && o <= opBGEU:
		return fmt.Sprintf("%s %s,%s,0x%x", name, rs1, rs2, pc+in.imm)
	case o.isStore():
		return fmt.Sprintf("%s %s,%d(%s)", name, rs2, imm, rs1)
	case o >= opADDI && o <= opANDI:
		return fmt.Sprintf("%s %s,%s,%d", name, rd, rs1, imm)
	case o >= opSLLI && o <= opSRAI:
		return fmt.Sprintf("%s %s,%s,0x%x", name, rd, rs1, imm)
	case o >= opADD && o <= opREMU:
		return fmt.Sprintf("%s %s,%s,%s", name, rd, rs1, rs2)
	case o == opFENCE:
		return fmt.Sprintf("%s %s,%s", name, ordered(instr>>24), ordered(instr>>20))
	case o >= opCSRRW && o <= opCSRRC:
		return fmt.Sprintf("%s %s,%s,%s", name, rd, csrName(in.imm), rs1)
	case o >= opCSRRWI && o <= opCSRRCI:
		return fmt.Sprintf("%s %s,%s,%d", name, rd, csrName(in.imm), in.rs1)
	}
	return name
}

// ordered names the accesses of a fence.
func ordered(set uint32) string {
	var b strings.Builder
	for i, access := range "iorw" {
		if set>>(3-i)&1 != 0 {
			b.WriteRune(access)
		}
	}
	if b.Len() == 0 {
		return "unknown"
	}
	return b.String()
}

func csrName(csr uint32) string {
	if name, ok := csrNames[csr]; ok {
		return name
	}
	return fmt.Sprintf("0x%x", csr)
}
