package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/internal/report"
)

func entry(t *testing.T) Entry {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := Dir("things")
	assert.NilError(t, err)
	return Entry{Dir: dir, Key: "abc", File: "thing"}
}

// writes makes the file of an entry.
func writes(text string) func(dir string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, "thing"), []byte(text), 0o666) }
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	assert.Check(t, err == nil && string(text) == want, "%s holds %q, %v", path, text, err)
}

func TestThingsAreMadeOnce(t *testing.T) {
	e := entry(t)
	var made atomic.Int32
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			path, err := e.Get(t.Context(), func(dir string) error {
				made.Add(1)
				time.Sleep(10 * time.Millisecond)
				return writes("first")(dir)
			})
			assert.Check(t, err)
			holds(t, path, "first")
		})
	}
	runs.Wait()
	n := made.Load()
	assert.Check(t, n == 1, "it was made %d times", n)
}

func TestFailuresLeaveNothing(t *testing.T) {
	e := entry(t)
	broken := errors.New("broken")
	if path, err := e.Get(t.Context(),
		func(dir string) error { return errors.Join(writes("half")(dir), broken) }); path != "" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", path, err)
	}
	_, err := e.Get(t.Context(), func(string) error { return nil })
	assert.Check(t, is.ErrorIs(err, os.ErrNotExist), "nothing was made")
	path, err := e.Get(t.Context(), writes("whole"))
	assert.NilError(t, err)
	holds(t, path, "whole")
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	assert.Check(t, is.Equal(len(left), 1), "there are %q", left)
}

func TestWaitingForAnotherRunEndsWithTheContext(t *testing.T) {
	e := entry(t)
	ctx, cancel := context.WithCancel(t.Context())
	ctx = report.With(ctx, func(string, ...any) { cancel() })
	inside, over := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		_, err := e.Get(t.Context(), func(dir string) error {
			close(inside)
			<-over
			return writes("theirs")(dir)
		})
		assert.Check(t, err)
	})
	<-inside
	_, err := e.Get(ctx, writes("mine"))
	assert.Check(t, is.ErrorIs(err, context.Canceled))
	close(over)
	other.Wait()
	path, err := e.Get(t.Context(), writes("mine"))
	assert.NilError(t, err)
	holds(t, path, "theirs")
}

func TestWhatNobodyUsesGoes(t *testing.T) {
	e := entry(t)
	old := time.Now().Add(-2 * keep)
	var paths []string
	for _, key := range []string{"old", "used", "older"} {
		e.Key = key
		path, err := e.Get(t.Context(), writes(key))
		assert.NilError(t, err)
		paths = append(paths, path)
	}
	for _, path := range paths {
		assert.NilError(t, os.Chtimes(path, old, old))
	}
	e.Key = "used"
	_, err := e.Get(t.Context(), writes("again"))
	assert.NilError(t, err)
	holds(t, paths[1], "used")
	e.Key = "new"
	_, err = e.Get(t.Context(), writes("new"))
	assert.NilError(t, err)
	for i, there := range []bool{false, true, false} {
		if _, err := os.Stat(paths[i]); (err == nil) != there {
			t.Errorf("%s: %v", paths[i], err)
		}
	}
}

func TestPlacesDependOnFilesAlone(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	files := map[string][]byte{"a/b.h": []byte("one"), "c.cpp": []byte("two")}
	dir, err := Place("sources", files)
	assert.NilError(t, err)
	holds(t, filepath.Join(dir, "a", "b.h"), "one")
	holds(t, filepath.Join(dir, "c.cpp"), "two")
	again, err := Place("sources", files)
	assert.Check(t, err == nil && again == dir, "the same files are in %s, %v", again, err)
	files["c.cpp"] = []byte("owt")
	other, err := Place("sources", files)
	assert.Check(t, err == nil && other != dir, "other files are in %s, %v", other, err)
	holds(t, filepath.Join(dir, "c.cpp"), "two")
	// A file that was cut off is written again.
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "c.cpp"), nil, 0o666))
	files["c.cpp"] = []byte("two")
	_, err = Place("sources", files)
	assert.NilError(t, err)
	holds(t, filepath.Join(dir, "c.cpp"), "two")
}
