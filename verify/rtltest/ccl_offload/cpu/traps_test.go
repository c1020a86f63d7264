package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/emu/rv32"
	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// ending is an instruction that traps: a kind that would not, with a change.
type ending struct {
	cause rv32.Cause
	kind  kind
	text  string // how it is made
}

func (e ending) String() string { return fmt.Sprintf("%v by %v, %s", e.cause, e.kind, e.text) }

const (
	astray    = "misaligned"
	nothing   = "nothing there"
	otherWord = "another word"
)

// endings are all ways to trap.
var endings = func() (list []ending) {
	for _, k := range kinds {
		switch {
		case k.jumps():
			list = append(list, ending{rv32.MisalignedFetch, k, astray})
			if !k.branch() && !k.back {
				list = append(list, ending{rv32.UnmappedFetch, k, nothing})
			}
		case k.load() || k.store():
			misaligned, unmapped := rv32.MisalignedLoad, rv32.UnmappedLoad
			if k.store() {
				misaligned, unmapped = rv32.MisalignedStore, rv32.UnmappedStore
			}
			if k.size() > 1 {
				list = append(list, ending{misaligned, k, astray})
			}
			if k.bus {
				list = append(list, ending{unmapped, k, nothing})
			}
		}
	}
	plain := kind{name: "addi"}
	return append(list, ending{rv32.IllegalInstruction, plain, otherWord}, ending{rv32.Breakpoint, plain, otherWord},
		ending{rv32.EnvironmentCall, plain, otherWord})
}()

// illegal is a word that is no instruction of the processor.
func illegal(r *rand.Rand) uint32 {
	words := []uint32{0, ^uint32(0), 0x00010001, 0x30200073, 0x00052007, 0x00b5252f, 0x00053503, 0x02051513, 0x0000200f,
		OpI("csrrw", 1, 0, 0xC00).Word(), OpI("csrrs", 1, 1, 0xC00).Word(), OpI("csrrs", 1, 0, 0xC03).Word(),
		OpI("csrrci", 0, 1, 0xC82).Word(),
		OpI("csrrs", 1, 0, 0x300).Word(), Branch("beq", 0, 0, 8).Word() | 2<<12, OpI("jalr", 0, 0, 8).Word() | 1<<12,
		Op3("add", 1, 2, 3).Word() | 2<<25, Op3("and", 1, 2, 3).Word() | 0x20<<25, Load("lw", 1, 0, 0).Word() |
			1<<12, Store("sw", 1, 0, 0).Word() | 1<<12}
	return words[r.IntN(len(words))]
}

// stop appends a sequence whose second instruction traps, and returns the pc
// of the trap.
func (w *writer) stop(from kind, e ending) (pc uint32) {
	l := apart
	if rs1, _ := e.kind.reads(); rs1 && e.text != nothing && e.text != otherWord && from.writes() && !from.counter() &&
		w.r.IntN(2) == 0 {
		l = first
	}
	at := w.write(sequence{from, e.kind, l, 1 + w.r.IntN(2)})
	word := &w.words[at]
	switch {
	case e.text == astray && e.kind.jumps(): // bit 1 of the immediate
		bit := map[byte]uint32{'B': 8, 'J': 21, 'I': 21}[e.kind.encoding().Format]
		*word ^= 1 << bit
	case e.text == astray:
		lane := uint32(1)
		if e.kind.size() == 4 {
			lane = 1 + w.r.Uint32N(3)
		}
		if e.kind.store() {
			*word ^= lane << 7
		} else {
			*word ^= lane << 20
		}
	case e.cause == rv32.UnmappedFetch && e.kind.name == "jal":
		by := ramBytes + 4*w.r.Uint32N(0x8000)
		*word = JAL(int(*word>>7&31), int32(by)).Word()
		return uint32(4*at) + by
	case e.cause == rv32.UnmappedFetch:
		by := 4 * w.r.Uint32N(512)
		*word = OpI("jalr", int(*word>>7&31), busBase, int32(by)).Word()
		return farBus + by
	case e.text == nothing:
		w.faulty = w.aim
	case e.cause == rv32.IllegalInstruction:
		*word = illegal(w.r)
	case e.cause == rv32.Breakpoint:
		*word = Bare("ebreak").Word()
	case e.cause == rv32.EnvironmentCall:
		*word = Bare("ecall").Word()
	}
	return uint32(4 * at)
}

// Every trap behind every kind of instruction.
func TestEveryTrapInLockStep(t *testing.T) {
	p := newPair(t, 21, "")
	for _, seed := range []uint64{0, *firstSeed + 1} {
		r := rand.New(rand.NewPCG(seed, 21))
		for _, from := range kinds {
			for _, e := range endings {
				w := newWriter(r, false)
				pc := w.stop(from, e)
				w.end()
				p.begin(t, w)
				trap, err := p.run(10 * len(w.words))
				if err == nil && (trap == nil || trap.Cause != e.cause || trap.PC != pc) {
					err = fmt.Errorf("it stops with %v, not at 0x%x", trap, pc)
				}
				if err != nil {
					t.Fatalf("seed %d, %v behind %v: %v", seed, e, from, err)
				}
			}
		}
	}
	t.Logf("%d ways to trap behind %d kinds of instructions", len(endings), len(kinds))
}
