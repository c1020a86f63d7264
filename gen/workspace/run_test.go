package workspace

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/platforms"
)

func TestDeterminism(t *testing.T) {
	if testing.Short() {
		t.Skip("generates everything several times")
	}
	var first map[string]string
	for i, procs := range nightly.Of([]int{1, 8}, []int{1, 2, 8, 2}) {
		before := runtime.GOMAXPROCS(procs)
		dir := t.TempDir()
		generate(t, dir, platforms.FS, Options{})
		runtime.GOMAXPROCS(before)
		got := files(t, dir)
		if i == 0 {
			first = got
		} else if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("run %d differs:\n%s", i, diff)
		}
	}
	assert.Check(t, len(first) >= 100, "only %d files", len(first))
}

// TestOvertakenRun has another run write to a directory between a run's look at it and
// its turn to write.
func TestOvertakenRun(t *testing.T) {
	lib := two(t)
	other, dir := t.TempDir(), t.TempDir()
	generate(t, other, lib, Options{Selection: Selection{Vars: "{port = 1}"}})
	generate(t, dir, lib, Options{})
	want := files(t, dir)
	assert.NilError(t, os.RemoveAll(filepath.Join(dir, DefaultOut, "beta")))
	unlock, err := output.Lock(t.Context(), filepath.Join(dir, DefaultOut), func() {})
	assert.NilError(t, err)
	waits, done := make(chan struct{}), make(chan error)
	go func() {
		_, err := New(dir, func(string, ...any) { close(waits) }, lib).Generate(t.Context(), Options{})
		done <- err
	}()
	<-waits
	alpha := filepath.Join(dir, DefaultOut, "alpha")
	assert.NilError(t, os.RemoveAll(alpha))
	assert.NilError(t, os.CopyFS(alpha, os.DirFS(filepath.Join(other, DefaultOut, "alpha"))))
	unlock()
	assert.NilError(t, <-done)
	same(t, want, files(t, dir))
}

// countdown is a context that is done after it was asked a number of times.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledRunIsFinishedByTheNext(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the library many times")
	}
	lib := library(t, map[string]string{"alpha": small("alpha", "u280")})
	fresh := t.TempDir()
	generate(t, fresh, lib, Options{})
	want := files(t, fresh)
	for n := 0; ; n += nightly.Of(23, 5) {
		dir := t.TempDir()
		_, err := open(dir, lib).Generate(&countdown{Context: t.Context(), left: n}, Options{})
		for name, text := range files(t, dir) {
			if !strings.HasSuffix(name, "manifest.json") && want[name] != text {
				t.Errorf("after %d steps %s is not whole", n, name)
			}
		}
		generate(t, dir, lib, Options{})
		assert.Assert(t, is.DeepEqual(want, files(t, dir)), "after %d steps", n)
		if err == nil {
			return
		}
		assert.ErrorIs(t, err, context.Canceled)
	}
}

func TestDriverInAUsersModule(t *testing.T) {
	dir, module := t.TempDir(), t.TempDir()
	put(t, filepath.Join(module, "own.go"), "package driver // mine")
	o := Options{GoDir: module}
	_, err := open(dir, two(t)).Generate(t.Context(), o)
	assert.Check(t, is.ErrorContains(err, "choose one, for example -only=alpha"), "two platforms: error")
	o.Only = "alpha"
	generate(t, dir, two(t), o)
	got := files(t, module)
	driverFiles := 0
	for name, text := range files(t, filepath.Join(dir, "out/alpha/driver")) {
		assert.Check(t, is.Equal(got[name], text), "%s differs from the one in out", name)
		driverFiles++
	}
	assert.Check(t, driverFiles != 0 && len(got) == driverFiles+2,
		"%d driver files, %d in the module", driverFiles, len(got))
	_, ok := open(dir, two(t)).upToDate(t.Context(), o)
	assert.Check(t, ok, "not up to date after a run")
	assert.NilError(t, os.Remove(filepath.Join(module, goManifest)))
	_, ok = open(dir, two(t)).upToDate(t.Context(), o)
	assert.Check(t, !ok, "up to date without the manifest in the module")
	generate(t, dir, two(t), o)
	_, err = open(dir, two(t)).Clean(t.Context(), o)
	assert.NilError(t, err)
	same(t, map[string]string{"own.go": "package driver // mine"}, files(t, module))
}

func TestUsersFileInTheWayStopsEverything(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "out/beta/vitis/link.cfg"), "mine")
	_, err := open(dir, two(t)).Generate(t.Context(), Options{})
	assert.Check(t, is.ErrorContains(err, filepath.Join("out", "beta", "vitis", "link.cfg")))
	same(t, map[string]string{"out/beta/vitis/link.cfg": "mine"}, files(t, dir))
}
