package bringup

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// running is a world whose ranks are all ready.
func running(t testing.TB, all []Options) []*World {
	t.Helper()
	worlds := up(t, all)
	assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
	return worlds
}

func TestExchange(t *testing.T) {
	for _, size := range []int{1, 2, 7} {
		all := options(t, size)
		if size == 1 {
			all[0].Listener, all[0].Meet, all[0].Secret = nil, "", nil
		}
		worlds := running(t, all)
		const rounds = 200
		var group sync.WaitGroup
		var called [rounds]atomic.Int32
		for rank, w := range worlds {
			group.Go(func() {
				for round := range rounds {
					if rand.IntN(50) == 0 {
						time.Sleep(time.Millisecond)
					}
					called[round].Add(1)
					got, err := w.Exchange(t.Context(), []byte(fmt.Sprint(rank, " in ", round)))
					n := called[round].Load()
					assert.Check(t, int(n) == size, "round %d ends at rank %d when %d of %d have called", round, rank, n, size)
					for other := range size {
						if err != nil || len(got) != size || string(got[other]) != fmt.Sprint(other, " in ", round) {
							t.Errorf("round %d: rank %d gets %q, %v", round, rank, got, err)
							return
						}
					}
				}
			})
		}
		group.Wait()
	}
}

func TestExchangesCarryNothingAndALot(t *testing.T) {
	worlds := running(t, options(t, 3))
	give := [][]byte{nil, make([]byte, MaxExchange), []byte("x")}
	give[1][MaxExchange-1] = 7
	var group sync.WaitGroup
	for rank, w := range worlds {
		group.Go(func() {
			got, err := w.Exchange(t.Context(), give[rank])
			for i := range give {
				if err != nil || string(got[i]) != string(give[i]) {
					t.Errorf("rank %d: %v", rank, err)
					return
				}
			}
		})
	}
	group.Wait()
	_, err := worlds[0].Exchange(t.Context(), make([]byte, MaxExchange+1))
	assert.Check(t, is.ErrorIs(err, ErrOption))
}

func TestExchangesThatEndBadly(t *testing.T) {
	short := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	for _, test := range []struct {
		name  string
		leave func(worlds []*World) // of rank 2 or 0
		asks  int                   // rank that calls, before that or after
		kind  error
		text  string
	}{
		{"a rank closes", func(w []*World) { w[2].Close() }, 1, ErrLeft, "rank 2 at"},
		{"a rank dies", func(w []*World) { drop(w[2]) }, 1, ErrLeft, "rank 2 at"},
		{"rank 0 closes", func(w []*World) { w[0].Close() }, 1, ErrLeft, "rank 0 at"},
		{"rank 0 dies", func(w []*World) { kill(w[0].hub) }, 1, ErrLeft, "rank 0 at"},
		{"this rank closes", func(w []*World) { w[1].Close() }, 1, ErrClosed, "rank 1"},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprint(test.name, ", calls first ", first), func(t *testing.T) {
				worlds := running(t, options(t, 3))
				ended := make(chan error, 2)
				ask := func() {
					for range cap(ended) { // the second time it says the same, at once
						_, err := worlds[test.asks].Exchange(t.Context(), nil)
						ended <- err
					}
				}
				if first {
					go ask()
					time.Sleep(20 * time.Millisecond)
					test.leave(worlds)
				} else {
					test.leave(worlds)
					go ask()
				}
				for range cap(ended) {
					err := <-ended
					assert.Check(t, is.ErrorContains(err, test.text))
					assert.Check(t, is.ErrorIs(err, test.kind))
				}
			})
		}
	}
	t.Run("nobody else calls", func(t *testing.T) {
		worlds := running(t, options(t, 2))
		_, err := worlds[1].Exchange(short(t), nil)
		assert.Check(t, errors.Is(err, ErrMissing) && strings.Contains(err.Error(), "at an exchange"), "%v", err)
		_, err = worlds[1].Exchange(t.Context(), nil) // ranks do not agree any more
		assert.Check(t, is.ErrorContains(err, "ranks were missing at an exchange"), "the second time")
	})
	t.Run("before all are ready", func(t *testing.T) {
		worlds := up(t, options(t, 2))
		_, err := worlds[1].Exchange(t.Context(), nil)
		assert.Check(t, is.ErrorIs(err, ErrOption))
	})
}
