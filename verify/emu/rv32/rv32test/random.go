package rv32test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Where random programs put what: code in the lower half of the RAM, data in the
// upper, and a device behind them.
const (
	RAMBytes = 4096
	Device   = 0x20000
	words    = 500
)

// Mix says what random programs are made of.
type Mix struct {
	// Registers is how many registers are used, x0 among them; 0 is all. With
	// few, instructions depend on those just before them.
	Registers int
	// Memory is how many of 100 instructions are chosen among loads and stores,
	// Control how many among branches and jumps, Multiply how many among
	// multiplications and divisions; the others are any.
	Memory, Control, Multiply int
}

// Random writes instructions that mostly go on: jumps stay in the program, loads
// and stores mostly in the data or the device.
func Random(r *rand.Rand, mix Mix) []Instruction {
	if mix.Registers == 0 {
		mix.Registers = 32
	}
	reg := func() int { return r.IntN(mix.Registers) }
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(Encodings)), func(name string) bool {
		return strings.HasPrefix(name, "csr") || name == "ecall" || name == "ebreak"
	})
	names = append(names, "csrrs") // the one that reads counters
	code := make([]Instruction, 0, words)
	for len(code) < words {
		name := mix.pick(r, names)
		i := Instruction{Name: name}
		switch e := Encodings[name]; e.Format {
		case 'R':
			i.Rd, i.Rs1, i.Rs2 = reg(), reg(), reg()
		case 'I':
			i.Rd, i.Rs1, i.Imm = reg(), reg(), r.Int32N(4096)-2048
		case 'H':
			i.Rd, i.Rs1, i.Imm = reg(), reg(), r.Int32N(32)
		case 'U':
			i.Rd, i.Imm = reg(), int32(r.Uint32()&^0xfff)
		case 'S':
			i.Rs1, i.Rs2, i.Imm = reg(), reg(), r.Int32N(4096)-2048
		case 'B', 'J':
			i.Rs1, i.Rs2, i.Rd = reg(), reg(), 0
			if e.Format == 'J' {
				i.Rs1, i.Rs2, i.Rd = 0, 0, reg()
			}
			i.Imm = 4 * (int32(r.IntN(min(words, len(code)+20))) - int32(len(code)))
			if r.IntN(300) == 0 {
				i.Imm += 2
			}
		}
		switch {
		case name == "csrrs":
			i.Rs1, i.Imm = 0, int32(0xc00+r.IntN(3))
		case name == "fence" || name == "fence.i":
			i.Rd, i.Rs1, i.Imm = 0, 0, 0
		case name == "jalr": // to an absolute place
			i.Rs1, i.Imm = 0, 4*r.Int32N(words)+r.Int32N(2)
		case Encodings[name].Opcode == Encodings["lw"].Opcode || Encodings[name].Format == 'S':
			base := Upper("lui", 1+r.IntN(mix.Registers-1), Device)
			if r.IntN(3) > 0 { // data in the upper half
				base = OpI("addi", base.Rd, 0, 2047)
				i.Imm = 1 + r.Int32N(2047)
			}
			switch {
			case r.IntN(100) == 0: // anywhere
			case name[1] == 'w':
				i.Imm = (i.Imm+base.Imm%4096)&^3 - base.Imm%4096
			case name[1] == 'h':
				i.Imm = (i.Imm+base.Imm%4096)&^1 - base.Imm%4096
			}
			if base.Name == "lui" && i.Imm < 0 {
				i.Imm += 2048
			}
			if r.IntN(100) > 0 {
				i.Rs1 = base.Rd
				code = append(code, base)
			}
		}
		code = append(code, i)
	}
	return code
}

func (m Mix) pick(r *rand.Rand, names []string) string {
	of := func(like func(Encoding) bool) string {
		return pick(r, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !like(Encodings[name]) }))
	}
	switch n := r.IntN(100); {
	case n < m.Memory:
		return of(func(e Encoding) bool { return e.Opcode == Encodings["lw"].Opcode || e.Format == 'S' })
	case n < m.Memory+m.Control:
		return of(func(e Encoding) bool {
			return e.Format == 'B' || e.Format == 'J' || e.Opcode == Encodings["jalr"].Opcode
		})
	case n < m.Memory+m.Control+m.Multiply:
		return of(func(e Encoding) bool { return e.Format == 'R' && e.F7 == 1 })
	}
	return pick(r, names)
}

func pick(r *rand.Rand, names []string) string { return names[r.IntN(len(names))] }
