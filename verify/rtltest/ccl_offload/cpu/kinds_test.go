package cpu

import (
	"maps"
	"slices"

	"github.com/cclforge/cclforge/verify/emu/rv32"
	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// kind is an instruction as far as a pipeline may treat it in its own way.
type kind struct {
	name  string
	bus   bool // a load or store outside of the RAM
	taken bool // a branch that is taken, or a jump
	back  bool // a branch or jump to before itself
}

func (k kind) String() string {
	text := k.name
	if k.bus {
		text += " bus"
	}
	if k.back {
		text += " back"
	}
	if k.branch() && k.taken {
		text += " taken"
	}
	return text
}

func (k kind) encoding() Encoding { return Encodings[k.name] }
func (k kind) branch() bool       { return k.encoding().Format == 'B' }
func (k kind) load() bool         { return k.encoding().Opcode == Encodings["lw"].Opcode }
func (k kind) store() bool        { return k.encoding().Format == 'S' }
func (k kind) counter() bool      { return k.encoding().Opcode == Encodings["csrrs"].Opcode }
func (k kind) jumps() bool        { return k.taken }

// writes tells whether it has a destination.
func (k kind) writes() bool {
	e := k.encoding()
	return e.Format != 'B' && e.Format != 'S' && e.Format != 'N' && e.Opcode != Encodings["fence"].Opcode
}

// reads tells whether it has operands rs1 and rs2. A counter is read with x0.
func (k kind) reads() (rs1, rs2 bool) {
	switch e := k.encoding(); e.Format {
	case 'R', 'B', 'S':
		return true, true
	case 'H':
		return true, false
	case 'I':
		return !k.counter() && e.Opcode != Encodings["fence"].Opcode, false
	}
	return false, false
}

// size is the bytes of a load or store.
func (k kind) size() uint32 { return map[byte]uint32{'b': 1, 'h': 2, 'w': 4}[k.name[1]] }

// kinds are all that are executed without a trap.
var kinds = func() (list []kind) {
	for _, name := range slices.Sorted(maps.Keys(Encodings)) {
		switch k := (kind{name: name}); {
		case name == "ecall" || name == "ebreak" || name == "csrrw" || name == "csrrwi":
		case k.branch():
			for _, taken := range []bool{false, true} {
				list = append(list, kind{name: name, taken: taken}, kind{name: name, taken: taken, back: true})
			}
		case name == "jal" || name == "jalr":
			list = append(list, kind{name: name, taken: true}, kind{name: name, taken: true, back: true})
		case k.load() || k.store():
			list = append(list, k, kind{name: name, bus: true})
		default:
			list = append(list, k)
		}
	}
	return list
}()

// number is a kind's place among all.
var number = func() map[kind]int {
	m := map[kind]int{}
	for i, k := range kinds {
		m[k] = i
	}
	return m
}()

// form is what tells one instruction from another, by format.
type form struct{ opcode, f3, f7 uint32 }

var names = func() map[form]string {
	m := map[form]string{}
	for name, e := range Encodings {
		switch e.Format {
		case 'R', 'H':
			m[form{e.Opcode, e.F3, e.F7}] = name
		case 'N':
			m[form{e.Opcode, 0, 0}] = name // the whole word
		default:
			m[form{e.Opcode, e.F3, 0}] = name
		}
	}
	return m
}()

// nameOf is the name of an instruction word, empty if it is none.
func nameOf(w uint32) string {
	opcode, f3, f7 := w&0x7F, w>>12&7, w>>25
	for _, f := range []form{{w, 0, 0}, {opcode, f3, f7}, {opcode, f3, 0}, {opcode, 0, 0}} {
		name, known := names[f]
		if !known {
			continue
		}
		switch e := Encodings[name]; {
		case e.Format == 'N' && f.opcode != w, (e.Format == 'R' || e.Format == 'H') && f.f7 != f7:
		case f == form{opcode, 0, 0} && e.Format != 'U' && e.Format != 'J' && f3 != 0:
		default:
			return name
		}
	}
	return ""
}

// seen is an executed instruction and its registers, 0 for none.
type seen struct {
	kind         kind
	number       int
	rd, rs1, rs2 int
	word         uint32 // of the memory, for loads and stores
}

// see tells what was executed; ok is false for what is none of the kinds.
func see(r rv32.Retired) (s seen, ok bool) {
	k := kind{name: nameOf(r.Instr)}
	if k.name == "" {
		return seen{}, false
	}
	k.bus = r.Access != rv32.NoAccess && r.Addr >= ramBytes
	switch {
	case k.branch():
		k.taken, k.back = r.Next != r.PC+4, r.Instr>>31 == 1
	case k.name == "jal" || k.name == "jalr":
		k.taken, k.back = true, r.Next < r.PC
	}
	if s.number, ok = number[k]; !ok {
		return seen{}, false
	}
	s.kind, s.word = k, r.Addr/4
	if k.writes() {
		s.rd = int(r.Instr >> 7 & 31)
	}
	rs1, rs2 := k.reads()
	if rs1 {
		s.rs1 = int(r.Instr >> 15 & 31)
	}
	if rs2 {
		s.rs2 = int(r.Instr >> 20 & 31)
	}
	return s, true
}
