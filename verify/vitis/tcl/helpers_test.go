package tcl_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

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
	if err != nil || len(files) != 18 {
		t.Fatalf("%d platforms, and not 18: %v", len(files), err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, path.Ext(f))
	}
	return files
}

func rendered(t testing.TB, d *design.Design) map[string][]byte {
	t.Helper()
	files, err := emit.Platform(d)
	check(t, err)
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
		if !ok {
			t.Fatalf("%s is not rendered", name)
		}
		write(t, filepath.Join(dir, name), string(text))
	}
	return dir
}

func write(t testing.TB, name, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	check(t, os.WriteFile(name, []byte(text), 0o644))
}

func must(t testing.TB, r tcl.Run) *tcl.State {
	t.Helper()
	s, err := r.Do(t.Context())
	check(t, err)
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
