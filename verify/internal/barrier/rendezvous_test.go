package barrier

import (
	"sync"
	"testing"
	"time"
)

func TestRendezvous(t *testing.T) {
	const ranks, turns = 5, 200
	r := New(ranks)
	var came [ranks]int
	done := 0
	var all sync.WaitGroup
	for i := range ranks {
		all.Go(func() {
			for r.Wait(func() bool {
				for j := range came {
					if came[j] != done {
						t.Errorf("turn %d: rank %d has come %d times", done, j, came[j])
					}
				}
				done++
				return done <= turns
			}) {
				came[i]++
			}
		})
	}
	all.Wait()
	if done != turns+1 {
		t.Errorf("%d turns, want %d", done, turns+1)
	}
	r = New(2)
	time.AfterFunc(time.Millisecond, r.End)
	if r.Wait(func() bool { return true }) {
		t.Error("somebody came who cannot have")
	}
}
