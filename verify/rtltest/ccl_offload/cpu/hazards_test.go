package cpu

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/verify/emu/rv32"
)

var (
	hazardsFile = flag.String("tb.core.hazards", "", "file for the table of hazards that were met, with tabs")
)

// reach is over how many instructions a hazard may reach.
const reach = 3

const many = 96 // at least as many as there are kinds

// hazards counts what came before what, in what was executed.
type hazards struct {
	next  [many][many]int           // one directly after the other
	reads [many][many][2][reach]int // rs1 and rs2 of what was written 1 to 3 before
	over  [many][many]int           // the result of the second of two is read
	words [many][many]int           // a load of a word that was stored directly before
	last  [reach + 1]seen           // what was executed before, 0 the last one
	known int                       // how many of them
}

// watch is told of an instruction.
func (h *hazards) watch(r rv32.Retired) {
	s, ok := see(r)
	if !ok {
		h.known = 0
		return
	}
	if h.known > 0 {
		before := h.last[0]
		h.next[before.number][s.number]++
		if before.kind.store() && s.kind.load() && before.word == s.word {
			h.words[before.number][s.number]++
		}
	}
	for slot, reg := range [2]int{s.rs1, s.rs2} {
		if reg == 0 {
			continue
		}
		for d := range min(reach, h.known) {
			if h.last[d].rd != reg {
				continue
			}
			h.reads[h.last[d].number][s.number][slot][d]++
			if d == 0 && h.known > 1 && h.last[1].rd == reg {
				h.over[h.last[1].number][h.last[0].number]++
			}
			break
		}
	}
	copy(h.last[1:], h.last[:])
	h.last[0] = s
	h.known = min(h.known+1, len(h.last))
}

// restart forgets what was executed before.
func (h *hazards) restart() { h.known = 0 }

// row is one hazard that there can be.
type row struct {
	sequence
	count int
}

// rows are all hazards, with how often each was met.
func (h *hazards) rows() (list []row) {
	for _, from := range kinds {
		for _, to := range kinds {
			a, b := number[from], number[to]
			list = append(list, row{sequence{from, to, apart, 1}, h.next[a][b]})
			for slot, l := range []link{first, second} {
				for d := 1; d <= reach && l.possible(from, to); d++ {
					list = append(list, row{sequence{from, to, l, d}, h.reads[a][b][slot][d-1]})
				}
			}
			if over.possible(from, to) {
				list = append(list, row{sequence{from, to, over, 1}, h.over[a][b]})
			}
		}
	}
	return list
}

// missing are those that were not met.
func missing(rows []row) (list []sequence) {
	for _, r := range rows {
		if r.count == 0 {
			list = append(list, r.sequence)
		}
	}
	return list
}

// report logs how much was met, fails if something was not, and writes the file.
func (h *hazards) report(t *testing.T) {
	t.Helper()
	rows := h.rows()
	if gone := missing(rows); len(gone) > 0 {
		t.Errorf("%d of %d hazards were not met: %v", len(gone), len(rows), gone[:min(len(gone), 20)])
	}
	least := rows[0]
	for _, r := range rows {
		if r.count < least.count {
			least = r
		}
	}
	t.Logf("%d hazards between %d kinds of instructions; %v was met %d times, all others as often at least", len(rows),
		len(kinds), least.sequence, least.count)
	if *hazardsFile == "" {
		return
	}
	var text strings.Builder
	text.WriteString("first\tsecond\tdependence\tdistance\ttimes\n")
	for _, r := range rows {
		fmt.Fprintf(&text, "%v\t%v\t%v\t%d\t%d\n", r.from, r.to, r.link, r.distance, r.count)
	}
	if err := os.WriteFile(*hazardsFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// begin loads a program that was written.
func (p *pair) begin(t testing.TB, w *writer) {
	t.Helper()
	image := make([]byte, ramBytes)
	put := func(at, v uint32) {
		for i := range uint32(4) {
			image[at+i] = byte(v >> (8 * i))
		}
	}
	for i, v := range w.words {
		put(uint32(4*i), v)
	}
	for at, v := range w.ram {
		put(at, v)
	}
	p.load(t, image, [32]uint32{})
	p.answer = w.device()
}

// passThrough runs a program that must stop at its end, as it was written.
func (p *pair) passThrough(t testing.TB, w *writer) error {
	t.Helper()
	p.begin(t, w)
	trap, err := p.run(10 * len(w.words))
	switch {
	case err != nil:
		return err
	case trap == nil || trap.Cause != rv32.Breakpoint || trap.PC != w.pc()-4:
		return fmt.Errorf("a program of %d words that was to go to its end stops with %v (changed itself: %v)", len(w.words),
			trap, p.changed)
	}
	return nil
}

// Every hazard there is comes up, in programs that run once and such that run twice.
func TestEveryHazardInLockStep(t *testing.T) {
	p := newPair(t, 20, "")
	h := &hazards{}
	p.watch = h.watch
	for _, seed := range []uint64{0, *firstSeed + 1} {
		r := rand.New(rand.NewPCG(seed, 20))
		var once, any []sequence
		for _, row := range (&hazards{}).rows() {
			if row.sequence.counts() {
				once = append(once, row.sequence)
			} else {
				any = append(any, row.sequence)
			}
		}
		for _, part := range []struct {
			sequences []sequence
			repeats   bool
		}{{once, false}, {any, seed != 0}} {
			list := part.sequences
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for len(list) > 0 {
				w := newWriter(r, part.repeats)
				begin := list
				for len(list) > 0 && len(w.words) < codeWords-40 {
					w.write(list[0])
					list = list[1:]
				}
				w.end()
				h.restart()
				if err := p.passThrough(t, w); err != nil {
					t.Fatalf("seed %d, a program of %v: %v", seed, begin[:len(begin)-len(list)], err)
				}
			}
		}
	}
	h.report(t)
	t.Logf("%d instructions, %.3f cycles each", p.count, float64(p.cycles)/float64(p.count))
}
