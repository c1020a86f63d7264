package rtlsim

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestLockstep has engines run turns of different lengths: at any time it is the
// turn of the one that is furthest behind, and of no other.
func TestLockstep(t *testing.T) {
	clock := NewLockstep(4)
	const engines, turns = 3, 50
	members := make([]*turn, engines)
	for i := range members {
		members[i] = clock.join()
	}
	order := func() (list []int) {
		for _, m := range members {
			clock.mu.Lock()
			m.time = 0
			clock.members[m] = true
			clock.mu.Unlock()
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		running := 0
		for i, m := range members {
			all.Go(func() {
				for k := range turns {
					m.wait()
					mu.Lock()
					list = append(list, i)
					running++
					assert.Check(t, running == 1, "%d engines run", running)
					mu.Unlock()
					clock.mu.Lock()
					if slowest, _ := clock.slowest(nil); m.time != slowest {
						t.Errorf("engine %d runs at %d cycles, the slowest one is at %d", i, m.time, slowest)
					}
					clock.mu.Unlock()
					m.ran(uint64(1 + (i+k)%4))
					time.Sleep(10 * time.Microsecond) // what has run is looked at
					mu.Lock()
					running--
					mu.Unlock()
				}
				m.sleep()
			})
		}
		all.Wait()
		return list
	}
	first := order()
	assert.Check(t, slices.Equal(first, order()), "turns come in another order when all is done again")
	assert.Check(t, len(first) == engines*turns, "%d turns, %d expected", len(first), engines*turns)
}

// TestHold has engines wake while the clock is held: they begin at the same time.
func TestHold(t *testing.T) {
	clock := NewLockstep(1)
	a, b := clock.join(), clock.join()
	a.wait()
	a.ran(100)
	a.sleep()
	b.sleep()
	var all sync.WaitGroup
	ran := make(chan uint64, 2)
	failure := errors.New("what is done fails")
	err := clock.Hold(func() error {
		for _, m := range []*turn{b, a} {
			m.awake()
			all.Go(func() {
				m.wait()
				ran <- m.ended()
				m.ran(10)
				m.sleep()
			})
			time.Sleep(time.Millisecond) // for what should wait
		}
		assert.Check(t, is.Equal(len(ran), 0), "an engine runs on a clock that is held")
		return failure
	})
	assert.Check(t, is.ErrorIs(err, failure))
	all.Wait()
	if x, y := <-ran, <-ran; x != 100 || y != 100 {
		t.Errorf("engines begin at %d and %d, 100 expected", x, y)
	}
}
