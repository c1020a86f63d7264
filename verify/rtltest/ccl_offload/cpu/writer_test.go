package cpu

import (
	"math/rand/v2"

	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// link is how the second of two instructions depends on the first one.
type link int

const (
	apart  link = iota // not at all
	first              // operand rs1
	second             // operand rs2
	over               // it writes the same register
	links
)

func (l link) String() string { return []string{"apart", "rs1", "rs2", "over"}[l] }

// possible tells whether two kinds can be linked like this.
func (l link) possible(from, to kind) bool {
	rs1, rs2 := to.reads()
	switch l {
	case first:
		return from.writes() && rs1
	case second:
		return from.writes() && rs2
	case over:
		return from.writes() && to.writes()
	}
	return true
}

// Where programs have what.
const (
	codeWords  = 0x7C0 / 4 // also 0 and 1 are near enough to jump to all code
	nearData   = 0x7C0     // up to 0x800, which is near all code
	loadedData = 0x1000    // from here on: what loads find
	farData    = 0x9000    // up to the end of the RAM
	loadedBus  = 0x40000000
	farBus     = 0x20000

	// Registers that keep their values.
	passes  = 5 // how often the program is still to be repeated
	ramBase = 8
	busBase = 9
	scratch = 30 // of what comes between
)

// writer writes programs that go on to their end, apart from what is expected.
type writer struct {
	r        *rand.Rand
	words    []uint32
	ram      map[uint32]uint32 // what words of the RAM hold at first
	bus      map[uint32]uint32 // and those outside
	executed int               // instructions so far
	counted  bool              // executed is known
	repeats  bool              // the program runs twice
	loop     uint32            // where it begins again
	aim      uint32            // address of the last load or store of a sequence
	faulty   uint32            // an address outside where nothing is, 0 for none
	faults   int               // one access of so many fails, 0 for none
}

// newWriter begins a program.
func newWriter(r *rand.Rand, repeats bool) *writer {
	w := &writer{r: r, ram: map[uint32]uint32{}, bus: map[uint32]uint32{}, counted: !repeats, repeats: repeats}
	w.constant(ramBase, farData)
	w.constant(busBase, farBus)
	w.emit(OpI("addi", passes, 0, 2))
	w.loop = w.pc()
	return w
}

func (w *writer) pc() uint32 { return uint32(4 * len(w.words)) }

// emit appends an instruction that is executed, and returns where.
func (w *writer) emit(i Instruction) (at int) {
	w.executed++
	w.words = append(w.words, i.Word())
	return len(w.words) - 1
}

// hole is an instruction that is written later.
func (w *writer) hole() (at int) { return w.emit(OpI("addi", 0, 0, 0)) }

func (w *writer) constant(rd int, v uint32) (at int) {
	at = len(w.words)
	for _, i := range LI(rd, v) {
		w.emit(i)
	}
	return at
}

// set writes the constant at a place that constant returned.
func (w *writer) set(at, rd int, v uint32) {
	for n, i := range LI(rd, v) {
		w.words[at+n] = i.Word()
	}
}

// trap appends a word that must not be executed.
func (w *writer) trap() {
	bad := []uint32{0, ^uint32(0), Bare("ebreak").Word(), Bare("ecall").Word(), Store("sw", 1, 0, 0).Word(),
		Store("sw", 1, 0, busBase).Word(),
		Load("lw", busBase, 0, busBase).Word(), OpI("addi", ramBase, 0, 1).Word(), JAL(1, -4).Word(),
		Branch("beq", 0, 0, -8).Word(),
		Op3("div", busBase, 1, 2).Word(), OpI("jalr", 1, 0, 2).Word(), OpI("csrrw", 1, 1,
			0x300).Word(), Bare("fence.i").Word()}
	w.words = append(w.words, bad[w.r.IntN(len(bad))])
}

// jump is a jump whose end is set later.
func (w *writer) jump() (at int) { return w.emit(JAL(0, 4)) }

// land makes a jump end here.
func (w *writer) land(at int) { w.words[at] = JAL(0, int32(4*(len(w.words)-at))).Word() }

// between appends an instruction that depends on nothing.
func (w *writer) between() {
	r := w.r
	ram, bus := 4*r.Int32N(512), 4*r.Int32N(512)
	switch r.IntN(14) {
	case 0:
		w.emit(Op3("mul", scratch, ramBase, busBase))
	case 1:
		w.emit(Op3("remu", scratch, busBase, ramBase))
	case 2:
		w.emit(Load("lh", scratch, ram, ramBase))
	case 3:
		w.emit(Store("sw", ramBase, ram, ramBase))
	case 4:
		w.emit(Load("lbu", scratch, bus, busBase))
	case 5:
		w.emit(Store("sb", ramBase, bus, busBase))
	case 6:
		w.emit(Branch("bne", 0, 0, -4))
	case 7:
		w.emit(Branch("beq", ramBase, busBase, 8))
	case 8:
		w.emit(JAL(scratch, 4))
	case 9:
		w.emit(Branch("bltu", ramBase, busBase, 4))
	case 10:
		w.emit(Bare([]string{"fence", "fence.i", "wfi"}[r.IntN(3)]))
	case 11:
		w.emit(OpI("csrrs", scratch, 0, 0xC00))
	default:
		w.emit(OpI("addi", scratch, ramBase, 1))
	}
}

// local is an aligned address in the RAM that programs may overwrite.
func (w *writer) local(size uint32) uint32 {
	return (farData + 0x1000 + w.r.Uint32N(ramBytes-farData-0x1000)) &^ (size - 1)
}

// outside is an aligned address outside, seldom at the end of the address space.
func (w *writer) outside(size uint32) uint32 {
	if w.r.IntN(8) == 0 {
		return -(1 + w.r.Uint32N(2048)) &^ (size - 1)
	}
	return (farBus + w.r.Uint32N(0x10000)) &^ (size - 1)
}

// place is an address for a load or store.
func (w *writer) place(k kind) uint32 {
	if k.bus {
		return w.outside(k.size())
	}
	return w.local(k.size())
}

// near is an address at which everything is in reach of a base.
func within(at, base uint32) bool { return int32(at-base) >= -2048 && int32(at-base) <= 2047 }

// somewhere is an immediate of a load or store.
func (w *writer) somewhere() uint32 {
	return uint32([]int32{0, 1, -1, 2047, -2048, w.r.Int32N(4096) - 2048}[w.r.IntN(6)])
}

// device is a memory behind the bus that lets wait as long as it likes.
func (w *writer) device() func(Access) (delay, data uint32, fault bool) {
	words := w.bus
	return func(a Access) (delay, data uint32, fault bool) {
		if w.faulty != 0 && a.Address == w.faulty || w.faults > 0 && w.r.IntN(w.faults) == 0 {
			return w.wait(), w.r.Uint32(), true
		}
		at := a.Address &^ 3
		v, known := words[at]
		if !known {
			v = at*2654435761 ^ 0x5A5A5A5A
		}
		if a.Write == 1 {
			for lane := range 4 {
				if mask := uint32(0xFF) << (8 * lane); a.Strobe>>lane&1 == 1 {
					v = v&^mask | a.Data&mask
				}
			}
			words[at] = v
		}
		return w.wait(), v, false
	}
}

// wait is the cycles that an access takes longer: often none.
func (w *writer) wait() uint32 {
	switch w.r.IntN(8) {
	case 0, 1:
		return w.r.Uint32N(4)
	case 2:
		return w.r.Uint32N(40)
	}
	return 0
}
