package cpu

import (
	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// change appends a loop around an instruction that the program itself writes:
// another one in each turn, in one piece or several, and fence.i.
func (w *writer) change() {
	const (
		turns, table, place, word = 10, 11, 12, 13 // registers
	)
	r := w.r
	begin := loadedData + 4*uint32(len(w.ram))
	count := 2 + r.IntN(6)
	for i := range count {
		w.ram[begin+uint32(4*i)] = 0 // below
	}
	skip := w.jump()
	back := w.pc()
	leave := w.jump()
	w.land(skip)
	setPlace := w.constant(place, 0)
	w.constant(table, begin)
	w.emit(OpI("addi", turns, 0, int32(count)))
	loop := w.pc()
	w.emit(Load("lw", word, 0, table))
	w.emit(OpI("addi", table, table, 4))
	switch r.IntN(3) {
	case 0:
		w.emit(Store("sw", word, 0, place))
	case 1:
		w.emit(Store("sh", word, 0, place))
		w.emit(OpI("srli", word, word, 16))
		w.emit(Store("sh", word, 2, place))
	case 2:
		for i := range int32(4) {
			w.emit(Store("sb", word, i, place))
			w.emit(OpI("srli", word, word, 8))
		}
	}
	for range r.IntN(3) {
		w.between()
	}
	w.emit(Bare("fence.i"))
	for range r.IntN(3) {
		w.between()
	}
	at := len(w.words)
	w.trap()
	w.set(setPlace, place, uint32(4*at))
	w.between()
	w.land(leave)
	w.emit(OpI("addi", turns, turns, -1))
	w.emit(Branch("bne", turns, 0, int32(loop)-int32(w.pc())))
	w.counted = false
	for i := range count {
		w.ram[begin+uint32(4*i)] = w.replacement(uint32(4*at), back).Word()
	}
}

// replacement is an instruction for a place that goes on behind the next one, or
// by way of back, at the latest.
func (w *writer) replacement(pc, back uint32) Instruction {
	r := w.r
	target := []uint32{pc + 4, pc + 8, back}[r.IntN(3)]
	switch r.IntN(12) {
	case 0:
		return JAL(scratch, int32(target-pc))
	case 1:
		return OpI("jalr", scratch, 0, int32(target))
	case 2:
		return Branch([]string{"beq", "bgeu", "bge"}[r.IntN(3)], 0, 0, int32(target-pc))
	case 3:
		return Branch([]string{"bne", "bltu", "blt"}[r.IntN(3)], 0, 0, int32(target-pc))
	case 4:
		return Load("lw", scratch, 4*r.Int32N(512), ramBase)
	case 5:
		return Load("lhu", scratch, 2*r.Int32N(1024), busBase)
	case 6:
		return Store("sw", ramBase, 4*r.Int32N(512), ramBase)
	case 7:
		return Store("sb", ramBase, r.Int32N(2048), busBase)
	case 8:
		return Op3([]string{"mul", "mulhu", "div", "rem"}[r.IntN(4)], scratch, busBase, ramBase)
	case 9:
		return OpI("csrrs", scratch, 0, 0xC00+r.Int32N(3))
	case 10:
		return Upper("auipc", scratch, r.Uint32()&^0xFFF)
	}
	return OpI("addi", scratch, scratch, r.Int32N(4096)-2048)
}
