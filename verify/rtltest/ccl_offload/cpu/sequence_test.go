package cpu

import (
	"fmt"

	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// sequence is two instructions at a distance, with what leads to them.
type sequence struct {
	from, to kind
	link     link
	distance int
}

func (s sequence) String() string {
	return fmt.Sprintf("%v, then %v at distance %d, %v", s.from, s.to, s.distance, s.link)
}

// counts tells whether the value of a counter has to be known when the program
// is written. Only the count of instructions is.
func (s sequence) counts() bool {
	if !s.from.counter() || s.link != first && s.link != second {
		return false
	}
	return s.to.branch() || s.link == first && (s.to.load() || s.to.store() || s.to.name == "jalr")
}

// plan is a sequence under way: where its instructions are, their registers and
// values.
type plan struct {
	sequence
	atFrom, atTo   int    // words
	toFrom, toTo   uint32 // targets of jumps backwards
	shared         int    // register that links them
	rs1, rs2       [2]int // of both
	rd             [2]int
	setRs1, setRs2 [2]int // where these registers are set
	before         int    // instructions executed before the first one
	value          uint32 // of the shared register, if it has to be known
}

// write appends a sequence and returns where its second instruction is.
func (w *writer) write(s sequence) (at int) {
	p := plan{sequence: s}
	w.choose(&p)
	var leave []int // jumps to the end
	late := 0
	if s.to.back && s.to.taken {
		skip := w.jump()
		p.toTo = w.pc()
		counted := w.executed
		w.use(p)
		leave = append(leave, w.jump())
		late, w.executed = w.executed-counted, counted // this comes last
		w.land(skip)
	}
	body := func() {
		for range s.distance - 1 {
			w.between()
		}
		p.atTo = w.hole()
		if s.to.taken && !s.to.back {
			w.trap()
		}
	}
	if s.from.taken && s.from.back {
		skip := w.jump()
		p.toFrom = w.pc()
		counted := w.executed
		body()
		if !s.to.back || !s.to.taken { // where it leads to is left anyway
			w.use(p)
			leave = append(leave, w.jump())
		} else {
			w.trap()
		}
		after := w.executed - counted
		w.executed = counted
		w.land(skip)
		w.lead(&p)
		p.atFrom = w.hole()
		w.trap()
		w.executed += after
	} else {
		w.lead(&p)
		p.atFrom = w.hole()
		if s.from.taken {
			w.trap()
		}
		body()
		if !s.to.back || !s.to.taken {
			w.use(p)
		} else {
			w.trap()
		}
	}
	w.executed += late
	for _, at := range leave {
		w.land(at)
	}
	w.settle(&p)
	return p.atTo
}

// choose chooses registers.
func (w *writer) choose(p *plan) {
	free := w.r.Perm(24)
	take := func() int {
		n := free[0] + 1
		free = free[1:]
		if n == passes || n == ramBase || n == busBase {
			n += 20 // 25, 28 and 29
		}
		return n
	}
	p.shared = take()
	for i, k := range []kind{p.from, p.to} {
		rs1, rs2 := k.reads()
		if rs1 {
			p.rs1[i] = take()
		}
		if rs2 {
			p.rs2[i] = take()
			if !k.branch() && w.r.IntN(8) == 0 && !k.store() && p.link == apart {
				p.rs2[i] = p.rs1[i]
			}
		}
		if k.writes() {
			p.rd[i] = take()
			if p.link == apart && w.r.IntN(8) == 0 {
				p.rd[i] = 0
			}
		}
	}
	switch p.link {
	case first:
		p.rd[0], p.rs1[1] = p.shared, p.shared
	case second:
		p.rd[0], p.rs2[1] = p.shared, p.shared
	case over:
		p.rd = [2]int{p.shared, p.shared}
	}
}

// lead sets the registers, those with values that are not known yet for later.
func (w *writer) lead(p *plan) {
	if p.link != apart {
		w.constant(p.shared, w.r.Uint32())
	}
	p.setRs1, p.setRs2 = [2]int{-1, -1}, [2]int{-1, -1}
	for i := range 2 {
		if r := p.rs1[i]; r != 0 && (i == 0 || r != p.shared) {
			p.setRs1[i] = w.constant(r, 0)
		}
		if r := p.rs2[i]; r != 0 && r != p.rs1[i] && (i == 0 || r != p.shared) {
			p.setRs2[i] = w.constant(r, 0)
		}
	}
	p.before = w.executed
}

// use appends what shows which of two results is there.
func (w *writer) use(p plan) {
	if p.link == over {
		w.emit(Op3("add", scratch, p.shared, p.shared))
	}
}

// end appends the end: the program is repeated, or stops with a breakpoint.
func (w *writer) end() {
	if w.repeats {
		w.emit(OpI("addi", passes, passes, -1))
		w.emit(Branch("bne", passes, 0, int32(w.loop)-int32(w.pc())))
	}
	w.emit(Bare("ebreak"))
}
