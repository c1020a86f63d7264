package arithmetic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// grace is the time that is left to say how to go on before a test's deadline.
const grace = 5 * time.Second

// Check checks the units 0 to before n of a task: those of the part that is asked
// for, or else the special ones and some more of the seed, which is printed when
// one is wrong. An interrupt stops it.
func Check(t *testing.T, task Task, n, sample int, special []int) {
	t.Helper()
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if end, limited := t.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-grace))
		defer cancel()
	}
	if !Wanted() {
		task.Units = Sample(n, sample, special)
		if err := task.Run(ctx); err != nil {
			t.Fatalf("seed %d: %v", block.ExtraSeed(), err)
		}
		return
	}
	p, err := Asked()
	if err != nil {
		t.Fatal(err)
	}
	from, to := p.Range(n)
	task.Units = All(from, to)
	task.Progress = func(message string) { fmt.Fprintln(os.Stderr, message) }
	err = task.Run(ctx)
	if stopped := (*Stopped)(nil); errors.As(err, &stopped) {
		t.Fatalf("%v; go on with -tb.exhaustive.part=%s", err, p.rest(from+stopped.Done, n))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Sample is some units of n: the special ones, and count for each seed.
func Sample(n, count int, special []int) []int {
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
