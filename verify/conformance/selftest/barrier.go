package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/conformance"
)

// A rank that comes to a barrier so late keeps the others there for a good part of that.
const (
	late  = 200 * time.Millisecond
	least = late / 2
	// tries are how often it may look otherwise, because processes were busy.
	tries = 3
)

// barriers checks barriers of ranks in several processes, which have no clock in common:
// a rank comes late, and the others say how long they were kept. Of ranks in one process
// a case alone knows who has come.
func (r *runner) barriers(ctx context.Context, c *conformance.Case) error {
	last := []int{0, r.w.Size / 2, r.w.Size - 1}
	for _, late := range slices.Compact(last) {
		var all []Trouble
		for range tries {
			var err error
			if all, err = r.kept(ctx, late); err != nil {
				return err
			}
			// A call that has failed is no better the next time.
			if slices.ContainsFunc(all, func(t Trouble) bool { return !strings.HasPrefix(t.What, tooShort) }) || len(all) == 0 {
				break
			}
		}
		if err := r.judged(ctx, c, all); err != nil {
			return err
		}
	}
	return nil
}

const tooShort = "the barrier has kept it for"

// kept has all ranks wait for one, and gathers which of them were not kept. The error is
// why it cannot go on.
func (r *runner) kept(ctx context.Context, last int) ([]Trouble, error) {
	if _, err := r.w.Exchange(ctx, nil); err != nil {
		return nil, err
	}
	rank := r.w.Local[0]
	begin := time.Now()
	if rank == last {
		time.Sleep(late)
	}
	limited, cancel := context.WithTimeout(ctx, r.o.Limit)
	defer cancel()
	_, err := r.engines[rank].Barrier(limited)
	took := time.Since(begin)
	var mine []Trouble
	switch {
	case err != nil:
		mine = []Trouble{{Rank: rank, What: short(err.Error())}}
	case took < least:
		mine = []Trouble{{Rank: rank, What: fmt.Sprintf("%s %v, although rank %d came %v late", tooShort,
			took.Round(time.Microsecond), last, late)}}
	}
	return r.gather(ctx, mine)
}
