package synth

import (
	"strings"
)

// Levels are counted in halves: two CARRY4, which yosys maps to, are one CARRY8,
// which the device has.
const (
	half  = 1
	level = 2 * half
)

// Rules says how levels are counted.
const Rules = "a LUT, or the reading of a memory made of LUTs, is a level; a carry chain is one for every 8 bits, " +
	"as CARRY8 has; " +
	"MUXF7 to MUXF9 lie beside their LUTs and are none; a multiplier without registers inside is four; block RAM, URAM " +
	"and flip-flops begin and end paths"

const multiplier = 4 * level

// arc is whether a cell's output follows an input in the same cycle, and after
// how many half levels.
type arc func(input string, i int, output string, o int) (delay int, follows bool)

func always(delay int) arc {
	return func(string, int, string, int) (int, bool) { return delay, true }
}

// carry: what comes in at bit i leaves at i or above.
func carry(input string, i int, _ string, o int) (int, bool) {
	return half, input == "CI" || input == "CYINIT" || i <= o
}

// lutMemory reads what an address names: ADDRA leads to DOA, DPRA to DPO, A to SPO
// or, in shift registers, Q.
func lutMemory(input string, _ int, output string, _ int) (int, bool) {
	switch {
	case strings.HasPrefix(input, "ADDR"):
		return level, strings.HasSuffix(output, strings.TrimPrefix(input, "ADDR"))
	case strings.HasPrefix(input, "DPRA"):
		return level, output == "DPO"
	case strings.HasPrefix(input, "A"):
		return level, output == "SPO" || output == "O" || output == "Q"
	}
	return 0, false
}

// kind is what is known about a type of cells.
type kind struct {
	luts      int  // that it takes
	registers int  // flip-flops
	begins    bool // paths begin at its outputs and end at its inputs
	through   arc  // nil: none
	latch     bool
}

// lutMemories are how many LUTs those memories take.
var lutMemories = map[string]int{
	"RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4,
	"RAM256X1D": 8,
	"RAM32M":    4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1,
}

// kindOf is what is known about a cell.
func kindOf(c cell) kind {
	switch t := c.Type; {
	case strings.HasPrefix(t, "LUT"):
		return kind{luts: 1, through: always(level)}
	case t == "INV" || strings.HasPrefix(t, "MUXF"):
		return kind{through: always(0)}
	case t == "CARRY4" || t == "CARRY8":
		return kind{through: carry}
	case strings.HasPrefix(t, "FD"):
		return kind{registers: 1, begins: true}
	case strings.HasPrefix(t, "LD"):
		return kind{latch: true}
	case lutMemories[t] > 0:
		return kind{luts: lutMemories[t], begins: true, through: lutMemory}
	case strings.HasPrefix(t, "DSP"):
		for _, stage := range []string{"AREG", "MREG", "PREG"} {
			if strings.Contains(c.Parameters[stage], "1") {
				return kind{begins: true}
			}
		}
		return kind{through: always(multiplier)}
	case strings.HasPrefix(t, "BUF") || strings.HasPrefix(t, "IBUF") || t == "OBUF":
		return kind{through: always(0)}
	}
	return kind{begins: true} // memories and black boxes
}

// Use is what a module takes of a device.
type Use struct {
	LUT, FF, Carry, BRAM18, URAM, DSP int
}

// BRAM is the block RAM, in blocks of 36 Kbit.
func (u Use) BRAM() float64 { return float64(u.BRAM18) / 2 }

// Add adds n times another use.
func (u *Use) Add(other Use, n int) {
	u.LUT += n * other.LUT
	u.FF += n * other.FF
	u.Carry += n * other.Carry
	u.BRAM18 += n * other.BRAM18
	u.URAM += n * other.URAM
	u.DSP += n * other.DSP
}

func (u *Use) count(c cell) {
	k := kindOf(c)
	u.LUT += k.luts
	u.FF += k.registers
	switch {
	case strings.HasPrefix(c.Type, "CARRY"):
		u.Carry++
	case strings.HasPrefix(c.Type, "RAMB18"):
		u.BRAM18++
	case strings.HasPrefix(c.Type, "RAMB36"):
		u.BRAM18 += 2
	case strings.HasPrefix(c.Type, "URAM"):
		u.URAM++
	case strings.HasPrefix(c.Type, "DSP"):
		u.DSP++
	}
}
