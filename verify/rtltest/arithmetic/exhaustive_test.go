package arithmetic

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var (
	exhaustive = flag.Bool("tb.exhaustive", false,
		"check all operands, which takes minutes (with -timeout=2h), not a sample")
	partFlag = flag.String("tb.exhaustive.part", "1/1", "part of all operands: 3/16, or 3-16/16")
)

// errPart is a part that cannot be read.
var errPart = errors.New("not a part of all operands, which is like 3/16 or 3-16/16")

// part is the units of some of n that a text asks for.
func part(text string, n int) (units []int, err error) {
	var first, last, of int
	if count, _ := fmt.Sscanf(text, "%d-%d/%d", &first, &last, &of); count != 3 {
		_, _ = fmt.Sscanf(text, "%d/%d", &first, &of)
		last = first
	}
	if first < 1 || last < first || of < last {
		return nil, fmt.Errorf("%q: %w", text, errPart)
	}
	for unit := (first - 1) * n / of; unit < last*n/of; unit++ {
		units = append(units, unit)
	}
	return units, nil
}

// sampled is some units of n: the special ones, and count for each seed.
func sampled(n, count int, special []int) []int {
	units := slices.Clone(special)
	for _, seed := range []uint64{0, block.ExtraSeed()} {
		r := rand.New(rand.NewPCG(seed, 1))
		for range count {
			units = append(units, r.IntN(n))
		}
	}
	slices.Sort(units)
	return slices.Compact(units)
}

// checkUnits checks units 0 to before n, side by side: with -tb.exhaustive those of the part, or else the special ones
// and a sample. A worker checks its units one by one.
func checkUnits(t *testing.T, n, sample int, special []int,
	worker func() (check func(unit int) error, free func(), err error)) {
	t.Helper()
	units := sampled(n, sample, special)
	if *exhaustive {
		var err error
		if units, err = part(*partFlag, n); err != nil {
			t.Fatal(err)
		}
	}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	for range min(runtime.GOMAXPROCS(0), len(units)) {
		group.Go(func() error {
			check, free, err := worker()
			if err != nil {
				return err
			}
			defer free()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(units) {
					return nil
				}
				if err := check(units[i]); err != nil {
					return fmt.Errorf("seed %d, unit %d: %w", block.ExtraSeed(), units[i], err)
				}
			}
			return ctx.Err()
		})
	}
	assert.NilError(t, group.Wait())
}

// All parts together are all units, each once, also when there are fewer.
func TestPartsTogetherAreAll(t *testing.T) {
	for _, n := range []int{0, 1, 5, 64, 1000} {
		for _, of := range []int{1, 3, 16, 64} {
			var together []int
			for k := range of {
				units, err := part(fmt.Sprintf("%d/%d", k+1, of), n)
				assert.NilError(t, err)
				together = append(together, units...)
			}
			if all, err := part(fmt.Sprintf("1-%d/%d", of, of), n); err != nil || !slices.Equal(together, all) || len(all) != n {
				t.Errorf("%d parts of %d units are %v, together %v (%v)", of, n, together, all, err)
			}
		}
	}
	for _, text := range []string{"", "0/4", "5/4", "3-2/4", "1", "1/0", "-1/4", "a/b"} {
		if _, err := part(text, 9); !errors.Is(err, errPart) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
