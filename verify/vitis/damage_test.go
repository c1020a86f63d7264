package vitis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// TestDamagedLink damages what the linked design left in the cache. A change that keeps the
// size and the time of a file is seen by cache verify; after any other it is linked again.
func TestDamagedLink(t *testing.T) {
	t.Parallel()
	b := newBench(t, standin.Options{})
	b.build(faulty)
	whole := b.content(faulty)
	b.worked()
	maps, err := filepath.Glob(filepath.Join(b.cache, "steps", "*", "out", "firmware.mmi"))
	assert.Assert(t, err == nil && len(maps) == 1, "memory maps in the cache are %q, %v", maps, err)
	info, err := os.Stat(maps[0])
	assert.NilError(t, err)
	text, err := os.ReadFile(maps[0])
	assert.NilError(t, err)
	text[len(text)-20] ^= 4
	assert.NilError(t, os.Chmod(maps[0], 0o644))
	assert.NilError(t, os.WriteFile(maps[0], text, 0o666))
	changed, err := os.Stat(maps[0])
	assert.NilError(t, err)
	assert.NilError(t, os.Chtimes(maps[0], info.ModTime(), info.ModTime()))
	if o := b.run("cache", "verify"); o.code == 0 || !strings.Contains(o.out+o.err, "firmware.mmi") {
		t.Errorf("cache verify does not see it: %v", o)
	}
	assert.NilError(t, os.Chtimes(maps[0], changed.ModTime(), changed.ModTime()))
	b.forgetSteps("image")
	b.build(faulty)
	assert.Check(t, is.Equal(difference(b.done(), []string{"image", "link"}), ""))
	assert.Check(t, is.Equal(b.content(faulty), whole), "another result")
}
