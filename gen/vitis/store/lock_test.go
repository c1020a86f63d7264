//go:build linux

package store

import (
	"context"
	"math/rand"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestLocksExcludeAndEndWithTheirProcess(t *testing.T) {
	s := open(t)
	said, end := other(t, nil, "lock", s.Dir(), key("a"))
	defer end()
	assert.Equal(t, said, "locked <nil>")
	if unlock, err := s.TryLock(key("a")); err != nil || unlock != nil {
		t.Fatalf("two have it: %v", err)
	}
	if unlock, err := s.TryLock(key("b")); err != nil || unlock == nil {
		t.Fatalf("another key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var holder Holder
	_, err := s.Lock(ctx, key("a"), func(h Holder) { holder = h; cancel() })
	assert.Check(t, is.ErrorIs(err, context.Canceled), "waiting ended with")
	if holder.PID == 0 || holder.PID == os.Getpid() || holder.Host == "" ||
		!strings.Contains(holder.String(), holder.Host) {
		t.Errorf("it was waited for %+v", holder)
	}
	unlock, err := s.Lock(t.Context(), key("a"), func(Holder) { end() }) // killed
	assert.Assert(t, err == nil && unlock != nil, "%v", err)
	unlock()
	// What it says about its holder may be anything: it was left by a crash.
	name := s.path("locks", key("a"))
	assert.NilError(t, os.WriteFile(name, []byte(`{"host": 3`), 0o666))
	old := time.Now().Add(100 * time.Hour)
	os.Chtimes(name, old, old)
	if unlock, err = s.TryLock(key("a")); err != nil || unlock == nil {
		t.Fatalf("a stale lock: %v", err)
	}
	unlock()
}

func TestALockThatWasRemovedIsNoLock(t *testing.T) {
	s := open(t)
	name := s.path("locks", key("a"))
	unlock, err := s.TryLock(key("a"))
	assert.NilError(t, err)
	// Somebody opens the file; whoever has the lock removes it; a third one makes it anew.
	f, err := s.openLock(name)
	assert.NilError(t, err)
	os.Remove(name)
	unlock()
	for _, there := range []bool{false, true} {
		if there {
			if unlock, err = s.TryLock(key("a")); err != nil || unlock == nil {
				t.Fatal(err)
			}
			f, err = os.OpenFile(name, os.O_RDWR, 0)
			assert.NilError(t, err)
			other := name + "x" // as if f had been opened before
			assert.NilError(t, os.WriteFile(other, nil, 0o666))
			f.Close()
			f, err = os.OpenFile(other, os.O_RDWR, 0)
			assert.NilError(t, err)
		}
		got, err := claim(f, name)
		assert.Check(t, got == nil && err == nil, "a file without the name is a lock: %v", err)
	}
	var held atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				free, err := s.Lock(t.Context(), key("a"), nil)
				if err != nil {
					t.Error(err)
					return
				}
				assert.Check(t, held.Add(1) == 1, "several had it at once")
				runtime.Gosched()
				held.Add(-1)
				if rand.Intn(3) == 0 {
					os.Remove(s.path("locks", key("a"))) // as prune does, which has it
				}
				free()
			}
		})
	}
	unlock()
	all.Wait()
}
