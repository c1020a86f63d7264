package rv32

// op is one operation of RV32IM with the counters of Zicsr and Zicntr. The
// zero value marks words that are not decoded yet.
type op uint8

const (
	opUndecoded op = iota
	opIllegal
	opLUI
	opAUIPC
	opJAL
	opJALR
	opBEQ
	opBNE
	opBLT
	opBGE
	opBLTU
	opBGEU
	opLB
	opLH
	opLW
	opLBU
	opLHU
	opSB
	opSH
	opSW
	opADDI
	opSLTI
	opSLTIU
	opXORI
	opORI
	opANDI
	opSLLI
	opSRLI
	opSRAI
	opADD
	opSUB
	opSLL
	opSLT
	opSLTU
	opXOR
	opSRL
	opSRA
	opOR
	opAND
	opMUL
	opMULH
	opMULHSU
	opMULHU
	opDIV
	opDIVU
	opREM
	opREMU
	opFENCE
	opFENCEI
	opWFI
	opECALL
	opEBREAK
	opCSRRW
	opCSRRS
	opCSRRC
	opCSRRWI
	opCSRRSI
	opCSRRCI
	opCount
)

// inst is a decoded instruction. Registers that the operation does not have are 0.
type inst struct {
	op           op
	rd, rs1, rs2 uint8
	imm          uint32
}

// Operations by funct3.
var (
	branches  = [8]op{0: opBEQ, 1: opBNE, 4: opBLT, 5: opBGE, 6: opBLTU, 7: opBGEU}
	loads     = [8]op{0: opLB, 1: opLH, 2: opLW, 4: opLBU, 5: opLHU}
	stores    = [8]op{0: opSB, 1: opSH, 2: opSW}
	immediate = [8]op{0: opADDI, 2: opSLTI, 3: opSLTIU, 4: opXORI, 6: opORI, 7: opANDI}
	shifts    = [128][8]op{0x00: {1: opSLLI, 5: opSRLI}, 0x20: {5: opSRAI}} // by funct7 and funct3
	registers = [128][8]op{                                                 // by funct7 and funct3
		0x00: {opADD, opSLL, opSLT, opSLTU, opXOR, opSRL, opOR, opAND},
		0x01: {opMUL, opMULH, opMULHSU, opMULHU, opDIV, opDIVU, opREM, opREMU},
		0x20: {0: opSUB, 5: opSRA},
	}
	fences   = [8]op{0: opFENCE, 1: opFENCEI}
	counters = [8]op{1: opCSRRW, 2: opCSRRS, 3: opCSRRC, 5: opCSRRWI, 6: opCSRRSI, 7: opCSRRCI}
	system   = map[uint32]op{0x00000073: opECALL, 0x00100073: opEBREAK, 0x10500073: opWFI}
)

// decode takes an instruction word apart. The immediate is sign-extended; for
// shifts it is the distance, for CSR operations the number of the CSR.
func decode(w uint32) inst {
	rd, rs1, rs2 := uint8(w>>7&31), uint8(w>>15&31), uint8(w>>20&31)
	f3, f7 := w>>12&7, w>>25
	immI := uint32(int32(w) >> 20)
	var in inst
	switch w & 0x7f {
	case 0x37:
		in = inst{op: opLUI, rd: rd, imm: w &^ 0xfff}
	case 0x17:
		in = inst{op: opAUIPC, rd: rd, imm: w &^ 0xfff}
	case 0x6f:
		in = inst{op: opJAL, rd: rd, imm: uint32(int32(w)>>31)<<20 | w&0xff000 | w>>9&0x800 | w>>20&0x7fe}
	case 0x67:
		if f3 == 0 {
			in = inst{op: opJALR, rd: rd, rs1: rs1, imm: immI}
		}
	case 0x63:
		imm := uint32(int32(w)>>31)<<12 | w<<4&0x800 | w>>20&0x7e0 | w>>7&0x1e
		in = inst{op: branches[f3], rs1: rs1, rs2: rs2, imm: imm}
	case 0x03:
		in = inst{op: loads[f3], rd: rd, rs1: rs1, imm: immI}
	case 0x23:
		in = inst{op: stores[f3], rs1: rs1, rs2: rs2, imm: immI&^0x1f | uint32(rd)}
	case 0x13:
		if f3&3 == 1 {
			in = inst{op: shifts[f7][f3], rd: rd, rs1: rs1, imm: uint32(rs2)}
		} else {
			in = inst{op: immediate[f3], rd: rd, rs1: rs1, imm: immI}
		}
	case 0x33:
		in = inst{op: registers[f7][f3], rd: rd, rs1: rs1, rs2: rs2}
	case 0x0f:
		in = inst{op: fences[f3]}
	case 0x73:
		if f3 == 0 {
			in = inst{op: system[w]}
		} else {
			in = inst{op: counters[f3], rd: rd, rs1: rs1, imm: w >> 20}
		}
	}
	if in.op == opUndecoded {
		return inst{op: opIllegal}
	}
	return in
}

// at prepares a decoded instruction for execution at pc: what is relative to
// the pc becomes absolute, and writes to x0 go where nothing reads.
func (in inst) at(pc uint32) inst {
	switch in.op {
	case opAUIPC:
		in.op = opLUI
		in.imm += pc
	case opJAL, opBEQ, opBNE, opBLT, opBGE, opBLTU, opBGEU:
		in.imm += pc
	}
	if in.rd == 0 {
		in.rd = discard
	}
	return in
}

func (o op) isLoad() bool  { return o >= opLB && o <= opLHU }
func (o op) isStore() bool { return o >= opSB && o <= opSW }

// size returns the bytes that a load or store accesses.
func (o op) size() int {
	switch o {
	case opLB, opLBU, opSB:
		return 1
	case opLH, opLHU, opSH:
		return 2
	default:
		return wordBytes
	}
}
