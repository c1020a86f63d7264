package rv32

import (
	"encoding/binary"
	"math"
)

// Run executes at most limit instructions and returns how many it completed.
// The error is nil when the limit was reached. ErrWait, a *Trap or a wrapped
// error of the Bus leave the pc at the instruction that did not complete.
// ErrYield leaves it behind the last one that did, also at the limit.
func (c *CPU) Run(limit int) (executed int, err error) {
	for {
		n := c.loop(limit - executed)
		executed += n
		c.retired += uint64(n)
		if executed >= limit {
			return executed, nil
		}
		done, err := c.special()
		if done {
			executed++
			c.retired++
		}
		if err != nil {
			return executed, err
		}
	}
}

// loop executes instructions until the limit, or up to one that it leaves to
// special, and returns how many. It makes no calls, so that its state stays in
// machine registers. Slices of RAM with a capacity, and one place that moves
// ip, are what the compiler turns into the shortest code.
func (c *CPU) loop(limit int) int {
	var (
		x    = &c.x
		code = c.code
		ram  = c.ram
		ip   = uint(c.pc / wordBytes)
		n    = 0
	)
	if c.pc%wordBytes != 0 || ip >= uint(len(code)) {
		return 0
	}
	in := &code[ip]
run:
	for n < limit {
		next := ip + 1
		switch in.op {
		case opUndecoded, opIllegal, opECALL, opEBREAK, opCSRRW, opCSRRS, opCSRRC, opCSRRWI, opCSRRSI, opCSRRCI:
			// not decoded, or for special
			break run
		case opLUI: // also auipc
			x[in.rd] = in.imm
		case opFENCE, opFENCEI, opWFI:

		case opJAL:
			if in.imm%wordBytes != 0 {
				break run
			}
			x[in.rd] = uint32(next) * wordBytes
			next = uint(in.imm / wordBytes)
		case opJALR:
			target := (x[in.rs1] + in.imm) &^ 1
			if target%wordBytes != 0 {
				break run
			}
			x[in.rd] = uint32(next) * wordBytes
			next = uint(target / wordBytes)
		case opBEQ:
			if x[in.rs1] == x[in.rs2] {
				if in.imm%wordBytes != 0 {
					break run
				}
				next = uint(in.imm / wordBytes)
			}
		case opBNE:
			if x[in.rs1] != x[in.rs2] {
				if in.imm%wordBytes != 0 {
					break run
				}
				next = uint(in.imm / wordBytes)
			}
		case opBLT:
			if int32(x[in.rs1]) < int32(x[in.rs2]) {
				if in.imm%wordBytes != 0 {
					break run
				}
				next = uint(in.imm / wordBytes)
			}
		case opBGE:
			if int32(x[in.rs1]) >= int32(x[in.rs2]) {
				if in.imm%wordBytes != 0 {
					break run
				}
				next = uint(in.imm / wordBytes)
			}
		case opBLTU:
			if x[in.rs1] < x[in.rs2] {
				if in.imm%wordBytes != 0 {
					break run
				}
				next = uint(in.imm / wordBytes)
			}
		case opBGEU:
			if x[in.rs1] >= x[in.rs2] {
				if in.imm%wordBytes != 0 {
					break run
				}
				next = uint(in.imm / wordBytes)
			}

		case opLB:
			a := uint(x[in.rs1] + in.imm)
			if a >= uint(len(ram)) {
				break run
			}
			x[in.rd] = uint32(int8(ram[a]))
		case opLBU:
			a := uint(x[in.rs1] + in.imm)
			if a >= uint(len(ram)) {
				break run
			}
			x[in.rd] = uint32(ram[a])
		case opLH:
			a := uint(x[in.rs1] + in.imm)
			if a%2 != 0 || a >= uint(len(ram)) {
				break run
			}
			x[in.rd] = uint32(int16(binary.LittleEndian.Uint16(ram[a : a+2 : a+2])))
		case opLHU:
			a := uint(x[in.rs1] + in.imm)
			if a%2 != 0 || a >= uint(len(ram)) {
				break run
			}
			x[in.rd] = uint32(binary.LittleEndian.Uint16(ram[a : a+2 : a+2]))
		case opLW:
			a := uint(x[in.rs1] + in.imm)
			if a%wordBytes != 0 || a >= uint(len(ram)) {
				i := (uint32(a) - c.wordsFrom) / wordBytes
				if a%wordBytes != 0 || i >= uint32(len(c.words)) || c.words[i].Read == nil {
					break run
				}
				x[in.rd] = *c.words[i].Read
				break
			}
			x[in.rd] = binary.LittleEndian.Uint32(ram[a : a+4 : a+4])
		case opSB:
			a := uint(x[in.rs1] + in.imm)
			if a >= uint(len(ram)) {
				break run
			}
			ram[a] = uint8(x[in.rs2])
			code[a/wordBytes].op = opUndecoded
		case opSH:
			a := uint(x[in.rs1] + in.imm)
			if a%2 != 0 || a >= uint(len(ram)) {
				break run
			}
			binary.LittleEndian.PutUint16(ram[a:a+2:a+2], uint16(x[in.rs2]))
			code[a/wordBytes].op = opUndecoded
		case opSW:
			a := uint(x[in.rs1] + in.imm)
			if a%wordBytes != 0 || a >= uint(len(ram)) {
				i := (uint32(a) - c.wordsFrom) / wordBytes
				if a%wordBytes != 0 || i >= uint32(len(c.words)) || c.words[i].Write == nil {
					break run
				}
				*c.words[i].Write = x[in.rs2]
				break
			}
			binary.LittleEndian.PutUint32(ram[a:a+4:a+4], x[in.rs2])
			code[a/wordBytes].op = opUndecoded

		case opADDI:
			x[in.rd] = x[in.rs1] + in.imm
		case opSLTI:
			x[in.rd] = bit(int32(x[in.rs1]) < int32(in.imm))
		case opSLTIU:
			x[in.rd] = bit(x[in.rs1] < in.imm)
		case opXORI:
			x[in.rd] = x[in.rs1] ^ in.imm
		case opORI:
			x[in.rd] = x[in.rs1] | in.imm
		case opANDI:
			x[in.rd] = x[in.rs1] & in.imm
		case opSLLI:
			x[in.rd] = x[in.rs1] << (in.imm & 31)
		case opSRLI:
			x[in.rd] = x[in.rs1] >> (in.imm & 31)
		case opSRAI:
			x[in.rd] = uint32(int32(x[in.rs1]) >> (in.imm & 31))
		case opADD:
			x[in.rd] = x[in.rs1] + x[in.rs2]
		case opSUB:
			x[in.rd] = x[in.rs1] - x[in.rs2]
		case opSLL:
			x[in.rd] = x[in.rs1] << (x[in.rs2] & 31)
		case opSLT:
			x[in.rd] = bit(int32(x[in.rs1]) < int32(x[in.rs2]))
		case opSLTU:
			x[in.rd] = bit(x[in.rs1] < x[in.rs2])
		case opXOR:
			x[in.rd] = x[in.rs1] ^ x[in.rs2]
		case opSRL:
			x[in.rd] = x[in.rs1] >> (x[in.rs2] & 31)
		case opSRA:
			x[in.rd] = uint32(int32(x[in.rs1]) >> (x[in.rs2] & 31))
		case opOR:
			x[in.rd] = x[in.rs1] | x[in.rs2]
		case opAND:
			x[in.rd] = x[in.rs1] & x[in.rs2]

		case opMUL:
			x[in.rd] = x[in.rs1] * x[in.rs2]
		case opMULH:
			x[in.rd] = uint32(int64(int32(x[in.rs1])) * int64(int32(x[in.rs2])) >> 32)
		case opMULHSU:
			x[in.rd] = uint32(int64(int32(x[in.rs1])) * int64(x[in.rs2]) >> 32)
		case opMULHU:
			x[in.rd] = uint32(uint64(x[in.rs1]) * uint64(x[in.rs2]) >> 32)
		case opDIV: // division by zero yields -1; Go wraps the overflow as RISC-V does
			q := uint32(math.MaxUint32)
			if b := int32(x[in.rs2]); b != 0 {
				q = uint32(int32(x[in.rs1]) / b)
			}
			x[in.rd] = q
		case opDIVU:
			q := uint32(math.MaxUint32)
			if b := x[in.rs2]; b != 0 {
				q = x[in.rs1] / b
			}
			x[in.rd] = q
		case opREM: // the remainder of a division by zero is the dividend
			r := x[in.rs1]
			if b := int32(x[in.rs2]); b != 0 {
				r = uint32(int32(r) % b)
			}
			x[in.rd] = r
		case opREMU:
			r := x[in.rs1]
			if b := x[in.rs2]; b != 0 {
				r %= b
			}
			x[in.rd] = r
		}
		n++
		ip = next
		if ip >= uint(len(code)) {
			break
		}
		in = &code[ip]
	}
	c.pc = uint32(ip * wordBytes)
	return n
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
