package lint

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/templates"
)

const compileTime = 5 * time.Minute

// owned are platforms on which every kernel that is shipped in C++ is in C++.
var owned = fstest.MapFS{
	"plugins.hcl": {Data: []byte(`
platform "plugins" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {}
  compression "hp_compression" { lanes = 3 }
  source = { reduce_ops = "hls", hp_compression = "hls", loopback = "hls" }
}`)},
	"called.hcl": {Data: []byte(`
platform "called" {
  board = "u280"
  poe "udp" {}
  cclo { kernel_stream = "vadd_put" }
  source = { vadd_put = "hls" }
}`)},
}

// linted are platforms, and the directories of those that are examples: one of each
// generation, those of our own, and the examples.
func linted(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"u280_2022": "", "u55c_tcp": ""}
	if nightly.Enabled() {
		all["u280_manual"] = ""
	}
	for name := range owned {
		all[strings.TrimSuffix(name, ".hcl")] = ""
	}
	examples, err := filepath.Glob("../../examples/*/platforms/*.hcl")
	assert.NilError(t, err)
	for _, name := range examples {
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), "kernels")); err != nil {
			continue // an example of something else
		}
		all[strings.TrimSuffix(filepath.Base(name), ".hcl")] = filepath.Dir(name)
	}
	return all
}

// render lists the C++ of a platform, by its paths below hls/.
func render(t *testing.T, name, example string) map[string]string {
	t.Helper()
	var from fs.FS = owned
	if example != "" {
		from = os.DirFS(example)
	}
	rendered, err := emit.HLS(designtest.Of(t, designtest.Layered(t, from), name, nil))
	assert.NilError(t, err)
	files := map[string]string{}
	for _, f := range rendered {
		if below, ok := strings.CutPrefix(f.Path, "hls/"); ok && Checked(below) {
			files[below] = string(f.Content)
		}
	}
	return files
}

func list(files map[string]string) []File {
	var out []File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, File{name, files[name]})
	}
	return out
}

// onDisk writes files into a new directory, beside the stand-in for the vendor's
// headers, and a source that includes all headers.
func onDisk(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	var all strings.Builder
	for name, text := range files {
		put(t, dir, name, text)
		if path.Dir(name) == "." && path.Ext(name) != ".cpp" {
			all.WriteString("#include \"" + name + "\"\n")
		}
	}
	put(t, dir, allHeaders, all.String())
	sim, err := fs.Sub(templates.FS, "hls/sim")
	assert.NilError(t, err)
	assert.NilError(t, os.CopyFS(filepath.Join(dir, "sim"), sim))
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
}

// compile compiles a source as C++14 with nothing else, and says what the compiler
// said; if that was nothing, these are the functions that call themselves. Benches are
// read only.
func compile(t *testing.T, dir, name string) (said string, cycles []string) {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("NOT TESTED: whether kernels are C++14, because g++ is not installed (apt install g++)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), compileTime)
	defer cancel()
	object := filepath.Join(t.TempDir(), "object.o")
	// Pragmas and the labels of regions are for other tools.
	args := []string{
		"-std=c++14", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-label",
		"-fno-rtti",
		"-I.", "-isystem", "sim", name,
	}
	switch {
	case bench(name):
		args = append(args, "-fsyntax-only")
	case name == allHeaders: // functions that nobody calls count as well
		args = append(args, "-fkeep-inline-functions", "-Wno-unused-function")
		fallthrough
	default:
		args = append(args, "-fcallgraph-info", "-c", "-o", object)
	}
	cmd := exec.CommandContext(ctx, compiler, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return string(bytes.TrimSpace(out)) + "\n" + err.Error(), nil
	}
	if bench(name) {
		return "", nil
	}
	graph, err := os.ReadFile(strings.TrimSuffix(object, ".o") + ".ci")
	assert.NilError(t, err)
	return "", CallCycles(string(graph), func(file string) bool {
		return filepath.IsAbs(file) ||
			strings.HasPrefix(file, "sim/")
	})
}

// allHeaders is a source that includes the headers of a platform.
const allHeaders = "headers.cpp"

// TestPlatformsKeepToTheRules: what is emitted for kernels, and the kernels that are
// shipped or are examples.
func TestPlatformsKeepToTheRules(t *testing.T) {
	withKernels := 0 // examples
	for name, example := range linted(t) {
		t.Run(name, func(t *testing.T) {
			files := render(t, name, example)
			for _, p := range Check(list(files)) {
				t.Error(p)
			}
			dir := onDisk(t, files)
			var compiled []string
			for file := range files {
				// Benches that gen/emit runs are of the same kinds.
				if path.Ext(file) == ".cpp" && (nightly.Enabled() || !bench(file)) {
					compiled = append(compiled, file)
				}
			}
			slices.Sort(compiled)
			if len(compiled) == 0 {
				compiled = []string{allHeaders}
			} else if example != "" {
				withKernels++
			}
			for _, file := range compiled {
				said, cycles := compile(t, dir, file)
				assert.Check(t, is.Equal(said, ""), "%s is not C++14", file)
				for _, c := range cycles {
					t.Errorf("%s: a function calls itself: %s", file, c)
				}
			}
		})
	}
	assert.Check(t, withKernels >= 3, "only %d examples have kernels", withKernels)
}

// TestSourcesOfKernelsKeepToTheRules: also those that no platform chooses by itself.
func TestSourcesOfKernelsKeepToTheRules(t *testing.T) {
	headers := render(t, "u55c_tcp", "")
	sources := map[string]fs.FS{"platforms": platforms.FS}
	examples, err := filepath.Glob("../../examples/*/platforms")
	assert.NilError(t, err)
	for _, dir := range examples {
		sources[dir] = os.DirFS(dir)
	}
	found := 0
	for name, from := range sources {
		files := maps.Clone(headers)
		shipped, err := fs.Glob(platforms.FS, "kernels/*.hpp") // examples build on them
		assert.NilError(t, err)
		own, err := fs.Glob(from, "kernels/*.hpp")
		assert.NilError(t, err)
		for _, source := range append(shipped, own...) {
			text, err := fs.ReadFile(from, source)
			if errors.Is(err, fs.ErrNotExist) {
				text, err = fs.ReadFile(platforms.FS, source)
			}
			assert.NilError(t, err)
			files[source] = string(text)
			found++
		}
		for _, p := range Check(list(files)) {
			t.Errorf("%s: %s", name, p)
		}
	}
	assert.Check(t, found != 0, "there are no kernels in C++")
}
