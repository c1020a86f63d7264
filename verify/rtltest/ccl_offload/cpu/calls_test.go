package cpu

import (
	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// function is one that calls only those behind it.
type function struct {
	at    uint32
	skips bool // it returns behind the instruction to which it should
}

// calls appends functions that call each other, deeper than a processor might
// remember, and some calls: by jal and jalr, with tails, and with returns to
// elsewhere.
func (w *writer) calls() {
	const ra, sp, pointer = 1, 2, 3
	r := w.r
	functions := make([]function, 1+r.IntN(12))
	type call struct{ at, set, to int } // set is where the pointer is, or -1
	var open []call
	emit := func(to int) {
		c := call{set: -1, to: to}
		if r.IntN(4) == 0 {
			c.set = w.constant(pointer, 0)
		}
		c.at = w.hole()
		open = append(open, c)
		if functions[to].skips {
			w.trap()
		}
	}
	for i := range functions {
		functions[i].skips = r.IntN(6) == 0
	}
	w.constant(sp, 0xFF00)
	over := w.jump()
	for i := range functions {
		f := &functions[i]
		f.at = w.pc()
		deeper := len(functions) - 1 - i
		if r.IntN(3) == 0 {
			w.between()
		}
		if deeper > 0 && r.IntN(10) != 0 {
			w.emit(OpI("addi", sp, sp, -4))
			w.emit(Store("sw", ra, 0, sp))
			emit(i + 1)
			if r.IntN(4) == 0 {
				emit(i + 1 + r.IntN(deeper))
			}
			w.emit(Load("lw", ra, 0, sp))
			w.emit(OpI("addi", sp, sp, 4))
		}
		if to := i + 1 + r.IntN(max(deeper, 1)); deeper > 0 && functions[to].skips == f.skips && r.IntN(4) == 0 {
			open = append(open, call{w.jump(), -2, to}) // a tail
			continue
		}
		if f.skips {
			w.emit(OpI("addi", ra, ra, 4))
		}
		if r.IntN(3) == 0 {
			w.between()
		}
		w.emit(OpI("jalr", 0, ra, 0))
	}
	w.land(over)
	for range 1 + r.IntN(3) {
		emit(r.IntN(len(functions)))
	}
	for _, c := range open {
		to := functions[c.to].at
		switch by := int32(to) - int32(4*c.at); c.set {
		case -1:
			w.words[c.at] = JAL(ra, by).Word()
		case -2:
			w.words[c.at] = JAL(0, by).Word()
		default:
			w.set(c.set, pointer, to)
			w.words[c.at] = OpI("jalr", ra, pointer, 0).Word()
		}
	}
	w.counted = false
}
