package cpu

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// many instructions are worth to use all processors.
const manyInstructions = 2_000_000

// TestRandomSequencesInLockStep runs programs of random pairs of instructions,
// changes of themselves, calls, traps and failing accesses, as many instructions in all
// as are asked for.
func TestRandomSequencesInLockStep(t *testing.T) {
	workers := 1
	if *instructions >= manyInstructions {
		workers = runtime.GOMAXPROCS(0)
	}
	pairs := make([]*pair, workers)
	for i := range pairs {
		pairs[i] = newPair(t, *firstSeed+uint64(i), "")
	}
	var wait sync.WaitGroup
	errs, ends := make([]error, workers), make([]map[string]int, workers)
	for i, p := range pairs {
		wait.Go(func() {
			ends[i], errs[i] = p.randomSequences(t, *firstSeed+uint64(i), uint64(workers), *instructions/workers)
		})
	}
	wait.Wait()
	all, count, cycles := map[string]int{}, 0, uint64(0)
	for i, p := range pairs {
		if errs[i] != nil {
			t.Error(errs[i])
		}
		for end, n := range ends[i] {
			all[end] += n
		}
		count, cycles = count+p.count, cycles+p.cycles
	}
	t.Logf("%d instructions, %.3f cycles each; ends: %v", count, float64(cycles)/float64(count), all)
}

// randomSequences runs programs of each step-th seed until enough was executed.
func (p *pair) randomSequences(t testing.TB, seed, step uint64, enough int) (ends map[string]int, err error) {
	ends = map[string]int{}
	for ; p.count < enough; seed += step {
		r := rand.New(rand.NewPCG(seed, 22))
		w := newWriter(r, r.IntN(2) == 0)
		w.faults = []int{0, 0, 40, 400}[r.IntN(4)]
		for most := 40 + r.IntN(codeWords-300); len(w.words) < most; {
			switch r.IntN(20) {
			case 0, 1:
				w.change()
				continue
			case 2:
				w.calls()
				continue
			}
			s := sequence{kinds[r.IntN(len(kinds))], kinds[r.IntN(len(kinds))], link(r.IntN(int(links))), 1 + r.IntN(4)}
			if s.link.possible(s.from, s.to) && (w.counted || !s.counts()) {
				w.write(s)
			}
		}
		var pc uint32
		e := endings[r.IntN(len(endings))]
		stops := r.IntN(2) == 0
		if stops {
			pc = w.stop(kinds[r.IntN(len(kinds))], e)
		}
		w.end()
		p.begin(t, w)
		trap, err := p.run(200 * len(w.words))
		switch {
		case err != nil:
			return ends, fmt.Errorf("seed %d: %w", seed, err)
		case trap == nil:
			return ends, fmt.Errorf(
				"seed %d: the program of %d words does not end: pc 0x%x after %d instructions (changed itself: %v)", seed,
				len(w.words), p.sim.PC(), p.sim.Retired(), p.changed)
		case w.faults == 0 && stops && (trap.PC != pc || trap.Cause != e.cause):
			return ends, fmt.Errorf("seed %d: it ends with %v, not at 0x%x with %v", seed, trap, pc, e)
		case w.faults == 0 && !stops && trap.PC != w.pc()-4:
			return ends, fmt.Errorf("seed %d: it ends with %v, not at its end", seed, trap)
		}
		ends[trap.Cause.String()]++
	}
	return ends, nil
}
