package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/platforms"
)

// small is a platform with a variable of its own.
func small(name, board string) string {
	return fmt.Sprintf(`
variable "port" {
  type        = number
  default     = 0
  description = "Ethernet port."
}

platform %q {
  board = %q
  clock = var.port == 0 ? 250 : 200

  poe "udp" {
    port = var.port
  }
}
`, name, board)
}

// library holds the shipped boards, kernels and generations, and the given
// platforms instead of the shipped ones.
func library(t *testing.T, platformFiles map[string]string) fstest.MapFS {
	t.Helper()
	lib := fstest.MapFS{}
	for _, dir := range []string{"abi", "boards", "kernels"} {
		err := fs.WalkDir(platforms.FS, dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := fs.ReadFile(platforms.FS, name)
			lib[name] = &fstest.MapFile{Data: text}
			return err
		})
		assert.NilError(t, err)
	}
	for name, text := range platformFiles {
		lib[name+".hcl"] = &fstest.MapFile{Data: []byte(text)}
	}
	return lib
}

// two is a library of two small platforms.
func two(t *testing.T) fstest.MapFS {
	return library(t, map[string]string{"alpha": small("alpha", "u280"), "beta": small("beta", "u55c")})
}

// testWorkspace is a workspace whose log is kept.
type testWorkspace struct {
	*Workspace
	log strings.Builder
}

func open(dir string, layers ...fs.FS) *testWorkspace {
	w := &testWorkspace{}
	w.Workspace = New(dir, func(format string, args ...any) { fmt.Fprintf(&w.log, format+"\n", args...) }, layers...)
	return w
}

func opened(t *testing.T, dir string) *Workspace {
	t.Helper()
	w, err := Open(dir, t.Logf)
	assert.NilError(t, err)
	return w
}

func generate(t *testing.T, dir string, lib fs.FS, o Options) *Report {
	t.Helper()
	r, err := open(dir, lib).Generate(t.Context(), o)
	assert.NilError(t, err)
	return r
}

// files reads all files below a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	assert.Assert(t, err == nil || os.IsNotExist(err), "%v", err)
	return out
}

func put(t *testing.T, name, text string) {
	t.Helper()
	assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
}

// times are the modification times below a directory.
func times(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil {
			out[name] = info.ModTime().String()
		}
		return err
	})
	assert.NilError(t, err)
	return out
}

func TestGenerateWritesWhatTheManifestSays(t *testing.T) {
	dir := t.TempDir()
	generate(t, dir, two(t), Options{})
	got := files(t, dir)
	listed := map[string]bool{}
	for _, where := range []string{"alpha", "beta", "abi/accl-2024"} {
		m, err := (output.Dir{Base: filepath.Join(dir, "out"), Path: where, Manifest: output.ManifestName}).Read()
		assert.NilError(t, err)
		listed["out/"+where+"/manifest.json"] = true
		for _, f := range m.Files {
			name := "out/" + where + "/" + f.Path
			listed[name] = true
			assert.Check(t, is.Equal(output.Hash([]byte(got[name])), f.SHA256), "%s is not what the manifest", name)
			assert.Check(t, len(f.Inputs) != 0, "%s comes from nothing", name)
		}
	}
	for name, text := range got {
		assert.Check(t, listed[name], "no manifest lists %s", name)
		start := text[:min(len(text), 1024)]
		described := strings.Contains(start, output.Marker+" from platforms/")
		copied := path.Ext(name) == ".sv" && strings.HasPrefix(start, "// "+output.Marker+" from templates/rtl/")
		if path.Ext(name) == ".mem" {
			continue // a memory file has words alone
		}
		if !described && !copied || !strings.Contains(start, "DO NOT EDIT") {
			t.Errorf("%s is not marked as generated at its beginning", name)
		}
		assert.Check(t, !strings.Contains(text, dir), "%s names the directory it is in", name)
	}
	assert.Check(t, got["out/alpha/vitis/link.cfg"] != "", "no link configuration")
}

func TestSecondRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	lib := two(t)
	generate(t, dir, lib, Options{})
	before := times(t, dir)
	r := generate(t, dir, lib, Options{})
	assert.Check(t, len(r.Plans) == 0, "%d directories were compared", len(r.Plans))
	same(t, before, times(t, dir))
}

// TestEveryChangeIsNoticed changes one thing at a time after a complete run.
func TestEveryChangeIsNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the library many times")
	}
	edit := func(name, old, new string) func(*testing.T, string, fstest.MapFS, *Options) {
		return func(t *testing.T, _ string, lib fstest.MapFS, _ *Options) {
			text := string(lib[name].Data)
			assert.Assert(t, is.Contains(text, old), "%s has no", name)
			lib[name] = &fstest.MapFile{Data: []byte(strings.Replace(text, old, new, 1))}
		}
	}
	one := func() fstest.MapFS { return library(t, map[string]string{"alpha": small("alpha", "u280")}) }
	before := t.TempDir()
	generate(t, before, one(), Options{})
	undescribed := []string{"nothing", "edited output", "removed output", "removed manifest"}
	for name, change := range map[string]func(t *testing.T, dir string, lib fstest.MapFS, o *Options){
		"nothing":         func(*testing.T, string, fstest.MapFS, *Options) {},
		"platform file":   edit("alpha.hcl", "250", "240"),
		"only a comment":  edit("alpha.hcl", "\n", "\n# remark\n"),
		"board":           edit("boards/u280.hcl", "\n", "\n# remark\n"),
		"generation":      edit("abi/accl-2024.hcl", "\n", "\n# remark\n"),
		"kernel":          edit("kernels/loopback.hcl", "\n", "\n# remark\n"),
		"C++ of a kernel": edit("kernels/loopback.hpp", "\n", "\n// remark\n"),
		"new kernel": func(_ *testing.T, _ string, lib fstest.MapFS,
			_ *Options) {
			lib["kernels/x.hcl"] = &fstest.MapFile{}
		},
		"other variables": func(_ *testing.T, _ string, _ fstest.MapFS, o *Options) { o.Vars = "{port = 1}" },
		"environment":     func(t *testing.T, _ string, _ fstest.MapFS, _ *Options) { t.Setenv("CCLFORGE_VAR_port", "1") },
		"edited output": func(t *testing.T, dir string, _ fstest.MapFS, _ *Options) {
			put(t, filepath.Join(dir, "out/alpha/vitis/link.cfg"), "x")
		},
		"removed output": func(t *testing.T, dir string, _ fstest.MapFS, _ *Options) {
			os.Remove(filepath.Join(dir, "out/alpha/vitis/link.cfg"))
		},
		"removed manifest": func(t *testing.T, dir string, _ fstest.MapFS, _ *Options) {
			os.Remove(filepath.Join(dir, "out/abi/accl-2024/manifest.json"))
		},
		"new platform": func(_ *testing.T, _ string, lib fstest.MapFS, _ *Options) {
			lib["gamma.hcl"] = &fstest.MapFile{Data: []byte(small("gamma", "u50"))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lib := one()
			assert.NilError(t, os.CopyFS(dir, os.DirFS(before)))
			var o Options
			change(t, dir, lib, &o)
			_, ok := open(dir, lib).upToDate(t.Context(), o)
			assert.Check(t, ok == (name == "nothing"), "up to date: %v", ok)
			if name == "new kernel" {
				return // an empty file is not valid
			}
			generate(t, dir, lib, o)
			fresh := before
			if !slices.Contains(undescribed, name) {
				fresh = t.TempDir()
				generate(t, fresh, lib, o)
			}
			same(t, files(t, fresh), files(t, dir))
			_, ok = open(dir, lib).upToDate(t.Context(), o)
			assert.Check(t, ok, "not up to date after a run")
		})
	}
}

func TestPlatformsThatNoLongerExist(t *testing.T) {
	dir := t.TempDir()
	lib := two(t)
	generate(t, dir, lib, Options{})
	put(t, filepath.Join(dir, "out/beta/notes.txt"), "mine")
	put(t, filepath.Join(dir, "out/mine/manifest.json"), `{"name": "not ours"}`)
	delete(lib, "beta.hcl")
	for _, o := range []Options{{Selection: Selection{Only: "alpha"}}, {Out: filepath.Join(dir, "elsewhere")}} {
		generate(t, dir, lib, o)
		_, ok := files(t, dir)["out/beta/vitis/link.cfg"]
		assert.Assert(t, ok, "%+v removed what it does not know", o)
	}
	_, ok := open(dir, lib).upToDate(t.Context(), Options{})
	assert.Check(t, !ok, "up to date with a platform too many")
	generate(t, dir, lib, Options{})
	for name, text := range files(t, filepath.Join(dir, "out")) {
		assert.Check(t, !strings.HasPrefix(name, "beta/") || text == "mine", "%s stayed", name)
	}
	got := files(t, dir)
	assert.Check(t, got["out/beta/notes.txt"] == "mine" && got["out/mine/manifest.json"] != "",
		"a user's file was removed")
}

func TestClean(t *testing.T) {
	dir := t.TempDir()
	lib := two(t)
	generate(t, dir, lib, Options{})
	put(t, filepath.Join(dir, "out/bench/generate.json"), "{}")
	left, err := open(dir, lib).Clean(t.Context(), Options{})
	assert.Check(t, err == nil && len(left) == 0, "left %v, error %v", left, err)
	_, err = os.Stat(filepath.Join(dir, "out"))
	assert.Check(t, os.IsNotExist(err), "out is still there: %v", err)
	generate(t, dir, lib, Options{})
	put(t, filepath.Join(dir, "out/notes.txt"), "mine")
	left, err = open(dir, lib).Clean(t.Context(), Options{})
	if diff := cmp.Diff([]string{filepath.Join(dir, "out/notes.txt")}, left); diff != "" || err != nil {
		t.Error(diff, err)
	}
	same(t, map[string]string{"out/notes.txt": "mine"}, files(t, dir))
}

func TestDiffWritesNothing(t *testing.T) {
	dir := t.TempDir()
	lib := two(t)
	r, err := open(dir, lib).Diff(t.Context(), Options{})
	assert.NilError(t, err)
	written, _ := r.Changes()
	assert.Check(t, written != 0 && len(files(t, dir)) == 0, "%d changes, files %v", written, files(t, dir))
	generate(t, dir, lib, Options{})
	before := times(t, dir)
	r, err = open(dir, lib).Diff(t.Context(), Options{Selection: Selection{Only: "alpha", Vars: "{port = 1}"}})
	assert.NilError(t, err)
	text, err := r.DiffText(t.Context())
	assert.NilError(t, err)
	for _, want := range []string{"changed " + filepath.Join(dir, "out/alpha/vitis/link.cfg"), `+    "port": 1`} {
		assert.Check(t, is.Contains(text, want), "the diff lacks")
	}
	assert.Check(t, !strings.Contains(text, "beta"), "the diff has a platform that was not selected")
	same(t, before, times(t, dir))
}

func same(t testing.TB, want, got any) {
	t.Helper()
	assert.Check(t, is.DeepEqual(want, got), "-want +")
}
