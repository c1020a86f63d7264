package tcl_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

func needTcl(t testing.TB) {
	t.Helper()
	if err := tcl.Available(); err != nil {
		t.Skip(err)
	}
}

func shipped(t testing.TB) []string {
	t.Helper()
	files, err := fs.Glob(platforms.FS, "*.hcl")
	assert.Assert(t, err == nil && len(files) == 18, "%d platforms, and not 18: %v", len(files), err)
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, path.Ext(f))
	}
	return files
}

func rendered(t testing.TB, d *design.Design) map[string][]byte {
	t.Helper()
	files, err := emit.Platform(d)
	assert.NilError(t, err)
	all := map[string][]byte{}
	for _, f := range files {
		all[f.Path] = f.Content
	}
	return all
}

// place writes some of the files into a directory of their own: what is not named
// is not there.
func place(t testing.TB, files map[string][]byte, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		text, ok := files[name]
		assert.Assert(t, ok, "%s is not rendered", name)
		write(t, filepath.Join(dir, name), string(text))
	}
	return dir
}

func write(t testing.TB, name, text string) {
	t.Helper()
	assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
}

func must(t testing.TB, r tcl.Run) *tcl.State {
	t.Helper()
	s, err := r.Do(t.Context())
	assert.NilError(t, err)
	return s
}
