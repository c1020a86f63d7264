package cpu

import (
	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// settle writes both instructions and their operands, now that all places are known.
func (w *writer) settle(p *plan) {
	pc := uint32(4 * p.atFrom)
	for {
		if p.value = w.produce(p, pc, w.want(p)); w.consume(p) {
			return
		}
	}
}

// want is a value for the shared register.
func (w *writer) want(p *plan) uint32 {
	switch needs := p.link == first; {
	case needs && p.to.name == "jalr":
		return w.r.Uint32N(2048)
	case needs && (p.to.load() || p.to.store()) && p.to.bus:
		return farBus + 0x1000 + w.r.Uint32N(0x10000)
	case needs && (p.to.load() || p.to.store()):
		return farData + 0x1000 + w.r.Uint32N(ramBytes-farData-0x2000)
	}
	return some(w.r)
}

// setTo gives the operands of one of both instructions their values.
func (w *writer) setTo(p *plan, i int, a, b uint32) {
	if p.setRs1[i] >= 0 {
		w.set(p.setRs1[i], p.rs1[i], a)
	}
	if p.setRs2[i] >= 0 {
		w.set(p.setRs2[i], p.rs2[i], b)
	}
}

// produce writes the first instruction so that its result is near what is
// wanted, and returns the result.
func (w *writer) produce(p *plan, pc, want uint32) (value uint32) {
	k, r := p.from, w.r
	i := Instruction{Name: k.name, Rd: p.rd[0], Rs1: p.rs1[0], Rs2: p.rs2[0]}
	exact := p.link == first && (p.to.name == "jalr" || p.to.load() || p.to.store())
	switch e := k.encoding(); {
	case k.name == "lui":
		value = (want + 0x800) &^ 0xFFF
		if exact && p.to.name == "jalr" {
			value = 0
		}
		i.Imm = int32(value)
	case k.name == "auipc":
		i.Imm = int32((want - pc + 0x800) &^ 0xFFF)
		if exact && p.to.name == "jalr" {
			i.Imm = 0
		}
		value = pc + uint32(i.Imm)
	case k.name == "jal", k.name == "jalr":
		value = pc + 4
		target := pc + 8 // over what must not be executed
		if k.back {
			target = p.toFrom
		}
		if i.Imm = int32(target - pc); k.name == "jalr" {
			i.Imm = int32(w.somewhere())
			w.setTo(p, 0, target-uint32(i.Imm)+r.Uint32N(2), 0)
		}
	case k.branch():
		i.Imm = 8
		switch {
		case k.back && k.taken:
			i.Imm = int32(p.toFrom - pc)
		case k.back:
			i.Imm = -4 * (1 + r.Int32N(int32(pc/4)))
		}
		for {
			a := some(r)
			if b, ok := partner(r, k, a, false); ok {
				w.setTo(p, 0, a, b)
				break
			}
		}
	case k.store():
		i.Imm = int32(w.somewhere())
		w.setTo(p, 0, w.place(k)-uint32(i.Imm), r.Uint32())
	case k.load():
		i.Imm = int32(w.somewhere())
		var at uint32
		at, value = w.loads(k, want, exact)
		w.setTo(p, 0, at-uint32(i.Imm), 0)
	case k.counter():
		i.Imm = 0xC02
		value = uint32(p.before)
		if !p.counts() {
			i.Imm = []int32{0xC00, 0xC01, 0xC02, 0xC80, 0xC81, 0xC82}[r.IntN(6)]
		}
	case e.Format == 'R' || e.Format == 'I' && k.writes() || e.Format == 'H':
		a, b, result := operands(r, k.name, want)
		if rs2 := e.Format == 'R'; !exact && r.IntN(2) == 0 || rs2 && i.Rs1 == i.Rs2 {
			if a, b = some(r), some(r); !rs2 {
				b = immediate(r, k.name)
			} else if i.Rs1 == i.Rs2 {
				b = a
			}
			result = resultOf(k.name, a, b)
		}
		w.setTo(p, 0, a, b)
		i.Imm, value = int32(b), result
		if e.Format == 'R' {
			i.Imm = 0
		}
	}
	w.words[p.atFrom] = i.Word()
	return value
}

// loads is where a load finds a value, or one that is near it: a byte or half
// word if the value is to be exact has to be small.
func (w *writer) loads(k kind, want uint32, exact bool) (at, value uint32) {
	word := w.r.Uint32()
	size := k.size()
	if size < 4 && exact {
		want = w.r.Uint32N(128)
	}
	memory, base := w.ram, uint32(loadedData)
	if k.bus {
		memory, base = w.bus, loadedBus
	}
	lane := w.r.Uint32N(4) &^ (size - 1)
	mask := uint32(1<<(8*size)-1) << (8 * lane)
	address := base + 4*uint32(len(memory))
	memory[address] = word&^mask | want<<(8*lane)&mask
	value = want & (mask >> (8 * lane))
	if k.name == "lb" {
		value = uint32(int8(value))
	} else if k.name == "lh" {
		value = uint32(int16(value))
	}
	return address + lane, value
}

// consume writes the second instruction. It is false if none fits the result.
func (w *writer) consume(p *plan) bool {
	k, r := p.to, w.r
	pc := uint32(4 * p.atTo)
	i := Instruction{Name: k.name, Rd: p.rd[1], Rs1: p.rs1[1], Rs2: p.rs2[1]}
	switch e := k.encoding(); {
	case k.name == "lui" || k.name == "auipc":
		i.Imm = int32(r.Uint32() &^ 0xFFF)
	case k.name == "jal" || k.name == "jalr":
		target := pc + 8
		if k.back {
			target = p.toTo
		}
		switch {
		case k.name == "jal":
			i.Imm = int32(target - pc)
		case p.link == first:
			if !within(target, p.value) {
				return false
			}
			i.Imm = int32(target - p.value)
		default:
			i.Imm = int32(w.somewhere())
			w.setTo(p, 1, target-uint32(i.Imm), 0)
		}
	case k.branch():
		i.Imm = 8
		switch {
		case k.back && k.taken:
			i.Imm = int32(p.toTo - pc)
		case k.back:
			i.Imm = -4 * (1 + r.Int32N(int32(pc/4)))
		}
		one := p.value
		if p.link == apart {
			one = some(r)
		}
		other, ok := partner(r, k, one, p.link == second)
		if !ok {
			return false
		}
		if p.link == second {
			w.setTo(p, 1, other, 0)
		} else {
			w.setTo(p, 1, one, other)
		}
	case k.load() || k.store():
		if p.link != first {
			i.Imm = int32(w.somewhere())
			w.aim = w.place(k)
			w.setTo(p, 1, w.aim-uint32(i.Imm), r.Uint32())
			break
		}
		at, ok := w.reach(k, p.value)
		if !ok {
			return false
		}
		i.Imm = int32(at - p.value)
		w.setTo(p, 1, 0, r.Uint32())
	case k.counter():
		i.Imm = []int32{0xC00, 0xC01, 0xC02, 0xC80, 0xC81, 0xC82}[r.IntN(6)]
	case e.Format == 'H' || e.Format == 'I' && k.writes():
		i.Imm = int32(immediate(r, k.name))
		w.setTo(p, 1, some(r), 0)
	case e.Format == 'R':
		w.setTo(p, 1, some(r), some(r))
	}
	w.words[p.atTo] = i.Word()
	return true
}

// reach is an address for a load or store with a base that is given.
func (w *writer) reach(k kind, base uint32) (at uint32, ok bool) {
	for range 100 {
		at = (base + w.somewhere()) &^ (k.size() - 1)
		if base < 2048+4*codeWords && !k.bus {
			at = (nearData + w.r.Uint32N(0x40)) &^ (k.size() - 1)
		}
		mine := at >= farData && at < ramBytes || at >= nearData && at < 0x800
		if k.bus {
			mine = at >= ramBytes && (at < loadedBus || at >= loadedBus+0x10000)
		}
		if mine && within(at, base) {
			return at, true
		}
	}
	return 0, false
}
