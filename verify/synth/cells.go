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

// delay is that of a part of a path: half levels, and ps in cells and fixed connections, and in wires.
type delay struct{ levels, logic, wire int }

func (d delay) plus(e delay) delay {
	return delay{d.levels + e.levels, d.logic + e.logic, d.wire + e.wire}
}

func halves(d delay) int { return d.levels }
func logic(d delay) int  { return d.logic }
func total(d delay) int  { return d.logic + d.wire }

// arc is whether a cell's output follows an input in the same cycle, and after what delay.
type arc func(input string, i int, output string, o int) (d delay, follows bool)

func always(levels, logic int) arc {
	return func(string, int, string, int) (delay, bool) { return delay{levels: levels, logic: logic}, true }
}

func mux(input string, _ int, _ string, _ int) (delay, bool) {
	if input == "S" {
		return delay{logic: delays.Mux.Select}, true
	}
	return delay{logic: delays.Mux.Data}, true
}

// carry: what comes in at bit i leaves at i or above.
func carry(input string, i int, output string, o int) (delay, bool) {
	t := delays.Carry
	byBit, byCI, byAX := t.SCO, t.CICO, t.AXCO
	if output == "O" {
		byBit, byCI, byAX = t.SO, t.CIO, t.AXO
	}
	if input == "DI" {
		if byBit = t.DICO; output == "O" {
			byBit = t.DIO
		}
	}
	d := delay{levels: half}
	if o >= carry4 && i < carry4 {
		d.levels += half
	}
	switch {
	case input == "CI":
		d.logic = byCI[o]
	case input == "CYINIT":
		d.logic = byAX[o]
	case i > o || input == "DI" && output == "O" && i == o:
		return d, false
	default:
		d.logic = byBit[i][o-i]
	}
	return d, true
}

// lutMemory reads what an address names: ADDRA leads to DOA, DPRA to DPO, A to SPO
// or, in shift registers, Q.
func lutMemory(input string, _ int, output string, _ int) (delay, bool) {
	read := delay{levels: level, logic: delays.LUTMemory.Read}
	switch {
	case strings.HasPrefix(input, "ADDR"):
		return read, strings.HasSuffix(output, strings.TrimPrefix(input, "ADDR"))
	case strings.HasPrefix(input, "DPRA"):
		return read, output == "DPO"
	case strings.HasPrefix(input, "A"):
		return read, output == "SPO" || output == "O" || output == "Q"
	}
	return delay{}, false
}

// writeAddress tells whether a pin is the address that a memory made of LUTs writes to; it may read there, too.
func writeAddress(t, pin string) bool {
	switch {
	case lutMemories[t] == 0 || strings.HasPrefix(t, "SRL"):
		return false
	case t == "RAM32M16" || t == "RAM64M8":
		return pin == "ADDRH"
	case t == "RAM32M" || t == "RAM64M":
		return pin == "ADDRD"
	}
	return strings.HasPrefix(pin, "A")
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

func isMemory(t string) bool {
	return lutMemories[t] > 0 || strings.HasPrefix(t, "RAMB") || strings.HasPrefix(t, "URAM")
}

// kindOf is what is known about a cell.
func kindOf(c cell) kind {
	switch t := c.Type; {
	case strings.HasPrefix(t, "LUT"):
		return kind{luts: 1, through: always(level, delays.LUT[t[len("LUT")]-'1'])}
	case strings.HasPrefix(t, "MUXF"):
		return kind{through: mux}
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
		return kind{through: always(multiplier, delays.DSP.Through)}
	case transparent(t):
		return kind{through: always(0, 0)}
	}
	return kind{begins: true} // memories and black boxes
}

// transparent are cells without delay: buffers, and inverters, which become part of what they lead to.
func transparent(t string) bool {
	return t == "INV" || strings.HasPrefix(t, "BUF") || strings.HasPrefix(t, "IBUF") || t == "OBUF"
}

// launch is the delay from the clock to an output of a cell at which paths begin. Nothing is known of black boxes.
func launch(c cell, output string) int {
	memory := func(m memoryDelays, registers string) int {
		if strings.Contains(c.Parameters[registers], "1") || c.Parameters[registers] == "TRUE" {
			return m.Registered
		}
		return m.ClockToQ
	}
	switch t := c.Type; {
	case strings.HasPrefix(t, "FD"):
		return delays.FF.ClockToQ
	case lutMemories[t] > 0:
		return delays.LUTMemory.ClockToQ
	case strings.HasPrefix(t, "RAMB"):
		if strings.HasPrefix(output, "DOUTB") || strings.HasPrefix(output, "DOUTPB") {
			return memory(delays.BlockRAM, "DOB_REG")
		}
		return memory(delays.BlockRAM, "DOA_REG")
	case strings.HasPrefix(t, "URAM"):
		return memory(delays.UltraRAM, "OREG_"+output[len(output)-1:])
	case strings.HasPrefix(t, "DSP"):
		return delays.DSP.Through
	}
	return 0
}

// setup is how long before the clock an input of a cell must be there.
func setup(c cell, input string) int {
	memory := func(m memoryDelays) int {
		if strings.HasPrefix(input, "DIN") {
			return m.Data
		}
		return m.Address
	}
	switch t := c.Type; {
	case strings.HasPrefix(t, "FD"):
		switch input {
		case "D":
			return delays.FF.D
		case "CE":
			return delays.FF.CE
		}
		return delays.FF.SR
	case lutMemories[t] > 0:
		switch {
		case strings.HasPrefix(input, "D"):
			return delays.LUTMemory.Data
		case strings.HasPrefix(input, "A"):
			return delays.LUTMemory.Address
		}
		return delays.LUTMemory.Enable
	case strings.HasPrefix(t, "RAMB"):
		return memory(delays.BlockRAM)
	case strings.HasPrefix(t, "URAM"):
		return memory(delays.UltraRAM)
	case strings.HasPrefix(t, "DSP"):
		return delays.DSP.Setup
	}
	return 0
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
