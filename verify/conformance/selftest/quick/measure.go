package quick

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A case is measured until it took this time, and so many runs at least and at
// most.
const (
	measureFor           = 5 * time.Millisecond
	fewestRuns, mostRuns = 3, 25
)

// measure runs something on all ranks several times, and returns the median
// time until the last rank was done.
func (g *group) measure(run func(rank int) error) (time.Duration, error) {
	var times []time.Duration
	for total := time.Duration(0); len(times) < fewestRuns || total < measureFor && len(times) < mostRuns; {
		took, err := g.once(run)
		if err != nil {
			return 0, err
		}
		times, total = append(times, took), total+took
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// once starts all ranks together.
func (g *group) once(run func(rank int) error) (time.Duration, error) {
	var ready sync.WaitGroup
	ready.Add(len(g.engines))
	begin := make(chan struct{})
	var started, ended time.Time
	go func() {
		ready.Wait()
		started = time.Now()
		close(begin)
	}()
	err := g.each(func(i int) error {
		ready.Done()
		<-begin
		return run(i)
	})
	ended = time.Now()
	return ended.Sub(started), err
}

// nop measures an empty call of one rank.
func (g *group) nop(ctx context.Context) (r result, err error) {
	one := &group{engines: g.engines[:1]}
	r.took, err = one.measure(func(i int) error {
		_, err := one.engines[i].Nop(ctx)
		return err
	})
	return r, err
}

// barrier checks that no rank leaves before the last has come, which comes
// late, and measures it with all coming together.
func (g *group) barrier(ctx context.Context) (r result, err error) {
	const late = 2 * time.Millisecond
	for last := range g.engines {
		came, left := make([]time.Time, len(g.engines)), make([]time.Time, len(g.engines))
		err := g.each(func(i int) error {
			if i == last {
				time.Sleep(late)
			}
			came[i] = time.Now()
			_, err := g.engines[i].Barrier(ctx)
			left[i] = time.Now()
			return err
		})
		if err != nil {
			return r, err
		}
		for i := range left {
			if left[i].Before(came[last]) {
				r.wrong = fmt.Sprintf("rank %d left %s before rank %d came", i, came[last].Sub(left[i]), last)
				return r, nil
			}
		}
	}
	r.took, err = g.measure(func(i int) error {
		_, err := g.engines[i].Barrier(ctx)
		return err
	})
	return r, err
}
