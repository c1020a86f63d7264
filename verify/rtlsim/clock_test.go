package rtlsim

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// TestClock has an engine run alone for long, and all run together after it: it
// must not have to wait until the others have run for as long.
func TestClock(t *testing.T) {
	clock := NewClock()
	alone, other := clock.join(), clock.join()
	other.sleep()
	const long = 100 * slack
	alone.wait()
	alone.ran(long)
	alone.sleep()

	for _, first := range []*turn{other, alone} {
		first.awake()
	}
	late := clock.join()
	var ran sync.WaitGroup
	done := make(chan struct{})
	const step = slack / 4
	for _, turn := range []*turn{alone, other, late} {
		ran.Go(func() {
			for range 20 {
				turn.wait()
				clock.mu.Lock()
				if slowest, _ := clock.slowest(nil); turn.time < long || turn.time > slowest+slack {
					t.Errorf("an engine runs at %d cycles, the slowest one at %d", turn.time, slowest)
				}
				clock.mu.Unlock()
				turn.ran(step)
			}
			turn.sleep()
		})
	}
	go func() { ran.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("engines wait for each other")
	}
}

// TestSettle waits for an engine that runs, until it does no more or the context ends.
func TestSettle(t *testing.T) {
	clock := NewClock()
	runs, sleeps := clock.join(), clock.join()
	sleeps.sleep()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := clock.Settle(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("while an engine runs: %v, expected that the context has ended", err)
	}
	settled := make(chan error)
	go func() { settled <- clock.Settle(t.Context()) }()
	select {
	case err := <-settled:
		t.Errorf("settled while an engine runs: %v", err)
	case <-time.After(10 * time.Millisecond):
	}
	runs.sleep()
	assert.Check(t, <-settled)
}
