package rv32

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// special takes the instruction that loop could not complete: it decodes it if
// that was missing, and otherwise finishes it on the bus, reads a counter, or
// traps. It reports whether the instruction has retired.
func (c *CPU) special() (retired bool, err error) {
	switch {
	case c.pc%wordBytes != 0:
		return false, c.trap(MisalignedFetch, c.pc, nil)
	case uint64(c.pc) >= uint64(len(c.ram)):
		return false, c.trap(UnmappedFetch, c.pc, nil)
	}
	in := &c.code[c.pc/wordBytes]
	if in.op == opUndecoded {
		*in = decode(c.word(c.pc)).at(c.pc)
		return false, nil
	}
	switch in.op {
	case opECALL:
		return false, c.trap(EnvironmentCall, 0, nil)
	case opEBREAK:
		return false, c.trap(Breakpoint, 0, nil)
	case opJALR:
		return false, c.trap(MisalignedFetch, (c.x[in.rs1]+in.imm)&^1, nil)
	case opJAL, opBEQ, opBNE, opBLT, opBGE, opBLTU, opBGEU: // taken, to an odd half word
		return false, c.trap(MisalignedFetch, in.imm, nil)
	case opLB, opLH, opLW, opLBU, opLHU:
		return c.busLoad(in)
	case opSB, opSH, opSW:
		return c.busStore(in)
	case opCSRRS, opCSRRC, opCSRRSI, opCSRRCI:
		v, ok := c.counter(in.imm)
		if !ok || in.rs1 != 0 { // the counters cannot be written
			break
		}
		c.x[in.rd] = v
		c.pc += wordBytes
		return true, nil
	}
	return false, c.trap(IllegalInstruction, 0, nil)
}

// word returns the word of the RAM at addr, which must be aligned and in the RAM.
func (c *CPU) word(addr uint32) uint32 { return binary.LittleEndian.Uint32(c.ram[addr:]) }

func (c *CPU) busLoad(in *inst) (retired bool, err error) {
	addr, size := c.x[in.rs1]+in.imm, in.op.size()
	if addr%uint32(size) != 0 {
		return false, c.trap(MisalignedLoad, addr, nil)
	}
	v, err := uint32(0), ErrUnmapped
	if c.bus != nil {
		v, err = c.bus.Load(addr, size)
	}
	if err != nil {
		if retired, err = c.outcome(err, UnmappedLoad, addr, size); !retired {
			return false, err
		}
	}
	switch in.op {
	case opLB:
		v = uint32(int8(v))
	case opLBU:
		v = uint32(uint8(v))
	case opLH:
		v = uint32(int16(v))
	case opLHU:
		v = uint32(uint16(v))
	}
	c.x[in.rd] = v
	c.pc += wordBytes
	return true, err
}

func (c *CPU) busStore(in *inst) (retired bool, err error) {
	addr, size, v := c.x[in.rs1]+in.imm, in.op.size(), c.x[in.rs2]
	if addr%uint32(size) != 0 {
		return false, c.trap(MisalignedStore, addr, nil)
	}
	err = ErrUnmapped
	if c.bus != nil {
		err = c.bus.Store(addr, size, v&valueMask(size))
	}
	if err != nil {
		if retired, err = c.outcome(err, UnmappedStore, addr, size); !retired {
			return false, err
		}
	}
	c.pc += wordBytes
	return true, err
}

// outcome turns an error of the bus into that of the instruction.
func (c *CPU) outcome(err error, unmapped Cause, addr uint32, size int) (retired bool, _ error) {
	switch {
	case err == ErrWait:
		return false, err
	case err == ErrYield:
		return true, err
	case errors.Is(err, ErrUnmapped):
		return false, c.trap(unmapped, addr, err)
	}
	verb := "loading"
	if unmapped == UnmappedStore {
		verb = "storing"
	}
	return false, fmt.Errorf("rv32: %s %d bytes at 0x%08x, %s: %w", verb, size, addr, place(c.pc, c.sym.Func(c.pc)), err)
}

// valueMask covers the low size bytes of a word.
func valueMask(size int) uint32 { return uint32(1<<(8*size) - 1) }

// counter returns one half of cycle, time or instret. All three count
// instructions, of which each takes one cycle.
func (c *CPU) counter(csr uint32) (v uint32, ok bool) {
	switch csr {
	case 0xc00, 0xc01, 0xc02:
		return uint32(c.retired), true
	case 0xc80, 0xc81, 0xc82:
		return uint32(c.retired >> 32), true
	}
	return 0, false
}

// trap describes what is wrong with the instruction at the pc.
func (c *CPU) trap(cause Cause, addr uint32, err error) *Trap {
	t := &Trap{Cause: cause, PC: c.pc, Addr: addr, Func: c.sym.Func(c.pc), Err: err}
	if c.pc%wordBytes == 0 && uint64(c.pc) < uint64(len(c.ram)) {
		t.Instr = c.word(c.pc)
	}
	return t
}
