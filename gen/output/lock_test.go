package output

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestLockExcludes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var wg sync.WaitGroup
	var inside, turns atomic.Int32
	for range 8 {
		wg.Go(func() {
			for range 20 {
				unlock, err := Lock(t.Context(), dir, func() {})
				if err != nil {
					t.Error(err)
					return
				}
				n := inside.Add(1)
				assert.Check(t, n == 1, "%d at once", n)
				turns.Add(1)
				runtime.Gosched()
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	assert.Check(t, turns.Load() == 160, "%d turns", turns.Load())
	left := snapshot(t, dir)
	assert.Check(t, len(left) == 0, "left behind: %v", left)
}

func TestLockEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(t.Context(), dir, func() {})
	assert.NilError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	_, err = Lock(ctx, dir, cancel) // told that it waits, it gives up
	cancel()
	assert.Check(t, is.ErrorIs(err, context.Canceled))
	unlock()
	time.Sleep(50 * time.Millisecond) // time for one who had given up to wake
	left := snapshot(t, dir)
	assert.Check(t, len(left) == 0, "left behind: %v", left)
}
