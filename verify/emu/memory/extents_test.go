package memory_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/emu/memory"
)

// TestExtentsAreSetsOfAddresses compares with a plain set of numbers.
func TestExtentsAreSetsOfAddresses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var set memory.Extents
		var plain [64]bool
		for range 12 {
			from := rng.Uint64N(64)
			to := from + rng.Uint64N(65-from)
			set.Add(memory.Extent{From: from, To: to})
			for i := from; i < to; i++ {
				plain[i] = true
			}
			for i, e := range set {
				if e.From >= e.To || i > 0 && set[i-1].To >= e.From {
					t.Fatalf("not sorted and disjoint: %v", set)
				}
			}
			from = rng.Uint64N(64)
			to = from + rng.Uint64N(65-from)
			at, lacks := set.Missing(memory.Extent{From: from, To: to})
			want := slices.Index(plain[from:to], false)
			if lacks != (want >= 0) || lacks && at != from+uint64(want) {
				t.Fatalf("%v lacks 0x%X (%v) of %d to %d", set, at, lacks, from, to)
			}
		}
	}
}
