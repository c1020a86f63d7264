package bringup

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestArrive: ranks come to the points of some groups in any order, and hear of those that they share in one.
func TestArrive(t *testing.T) {
	const size, groups, rounds = 5, 6, 400
	worlds := running(t, options(t, size))
	member := func(group, rank int) bool { return group == 0 || (rank+group)%3 != 0 }
	heard := make([][]Point, size)
	var come [groups][rounds]sync.WaitGroup
	members := make([]int, groups)
	for g := range groups {
		for rank := range size {
			if member(g, rank) {
				members[g]++
			}
		}
		for k := range rounds {
			come[g][k].Add(members[g])
		}
	}
	var group sync.WaitGroup
	for rank, w := range worlds {
		group.Go(func() {
			var order []int // of groups
			for g := range groups {
				for range rounds {
					if member(g, rank) {
						order = append(order, g)
					}
				}
			}
			rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			var next [groups]int
			for _, g := range order {
				come[g][next[g]].Done()
				assert.Check(t, w.Arrive(Point{uint64(g) << 40, uint64(next[g])}, members[g]))
				next[g]++
			}
			for range order {
				p, err := w.Arrived(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				come[p.ID>>40][p.Number].Wait() // or the test hangs
				heard[rank] = append(heard[rank], p)
			}
		})
	}
	group.Wait()
	for a := range size {
		for b := range a {
			shared := func(own, other int) []Point {
				return slices.DeleteFunc(slices.Clone(heard[own]), func(p Point) bool { return !member(int(p.ID>>40), other) })
			}
			assert.Check(t, slices.Equal(shared(a, b), shared(b, a)), "ranks %d and %d hear of points in different orders", a, b)
		}
	}
}

func TestArriveEndsBadly(t *testing.T) {
	worlds := up(t, options(t, 3))
	assert.Check(t, is.ErrorIs(worlds[0].Arrive(Point{}, 3), ErrOption), "before all are ready")
	assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
	assert.Check(t, is.ErrorIs(worlds[0].Arrive(Point{}, 4), ErrOption))
	assert.NilError(t, worlds[0].Arrive(Point{}, 3))
	assert.NilError(t, worlds[1].Arrive(Point{}, 3))
	drop(worlds[2])
	var errs []error
	for _, w := range worlds[:2] {
		_, err := w.Arrived(t.Context())
		errs = append(errs, err)
	}
	alike(t, errs, ErrLeft, StepRun, 2, "killed")
	assert.Check(t, is.ErrorIs(worlds[0].Arrive(Point{}, 3), ErrLeft))
	worlds[1].Close()
	_, err := worlds[1].Arrived(t.Context())
	assert.Check(t, is.ErrorIs(err, ErrClosed))
}
