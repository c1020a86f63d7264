package verilate_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/internal/tools"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// cache is for what these tests build, which is not there before. What all models share may be.
var cache string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if cache, err = os.MkdirTemp("", "cclforge-verilate-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(cache)
		if err := shareRuntime(); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

func shareRuntime() error {
	const folder = "verilator"
	usual, err := tools.Dir(folder)
	if err != nil {
		return err
	}
	own := filepath.Join(cache, "cclforge")
	return errors.Join(os.MkdirAll(usual, 0o777), os.MkdirAll(own, 0o777), os.Symlink(usual, filepath.Join(own, folder)))
}

func fifo(t *testing.T) verilate.Build {
	t.Helper()
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	sources, err := verilate.Sources(t.Context(), "u55c_tcp")
	assert.NilError(t, err)
	shell, err := filepath.Abs("testdata/fifo.cpp")
	assert.NilError(t, err)
	return verilate.Build{Top: "fifo", Sources: only(sources, "fifo.sv"), Shell: []string{shell}}
}

func only(sources []string, name string) []string {
	for _, s := range sources {
		if filepath.Base(s) == name {
			return []string{s}
		}
	}
	return nil
}

// compiled has compilations of models go through a program in the place of ccache, and
// tells which files they were of.
func compiled(t *testing.T) func() string {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> '%s'\nexec \"$@\"\n", log)
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "ccache"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() string {
		text, err := os.ReadFile(log)
		assert.NilError(t, err)
		return string(text)
	}
}

func TestBuiltOnceAndRun(t *testing.T) {
	b := fifo(t)
	commands := compiled(t)
	var told []string
	ctx := report.With(t.Context(), func(format string, args ...any) {
		told = append(told, fmt.Sprintf(format, args...))
	})
	b.Careful = true
	b.Params = map[string]string{"DEPTH": "5"}
	path, err := b.Library(ctx)
	assert.NilError(t, err)
	assert.Check(t, len(told) != 0 && strings.Contains(told[0], "fifo"), "progress says %q", told)
	first, err := os.Stat(path)
	assert.NilError(t, err)
	told = nil // how much it is depends on how long the build has taken
	if again, err := b.Library(ctx); err != nil || again != path {
		t.Errorf("the second time it is %s (%v), not %s", again, err, path)
	}
	second, err := os.Stat(path)
	assert.NilError(t, err)
	assert.Check(t, len(told) == 0 && os.SameFile(first, second), "it was built again: %q", told)
	// Verilator's own files were compiled before, for all models.
	if text := commands(); !strings.Contains(text, "fifo.cpp") || strings.Contains(text, "-o verilated") {
		t.Errorf("compilations of the model were\n%s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("beside the library there are %q", left)
	}

	var through func(seed, count uint64) uint64
	assert.NilError(t, b.Bind(ctx, "", map[string]any{"through": &through}))
	for seed := range uint64(3) {
		if got := through(seed, 100); got != 4950 {
			t.Errorf("seed %d: the sum of 0 to 99 is %d", seed, got)
		}
	}
}

func TestSourcesAndFlagsDecide(t *testing.T) {
	b := fifo(t)
	seen := map[string]string{}
	check := func(what string, b verilate.Build) {
		t.Helper()
		path, err := b.Library(t.Context())
		assert.NilError(t, err)
		assert.Check(t, seen[path] == "", "%s and %s are one library", what, seen[path])
		seen[path] = what
	}
	check("as it is", b)
	with := b
	with.Params = map[string]string{"DEPTH": "3"}
	check("another parameter", with)

	dir := t.TempDir()
	for _, name := range []string{"fifo.cpp", "step.h"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		assert.NilError(t, err)
		if name == "step.h" {
			text = append(text, "// changed\n"...)
		}
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	with = b
	with.Shell = []string{filepath.Join(dir, "fifo.cpp")}
	check("another header", with)
}

func TestMistakesAreToldAndLeaveNothing(t *testing.T) {
	b := fifo(t)
	bad := filepath.Join(t.TempDir(), "bad.sv")
	assert.NilError(t, os.WriteFile(bad, []byte("module fifo; wire a = nowhere; endmodule\n"), 0o644))
	b.Sources = []string{bad}
	path, err := b.Library(t.Context())
	assert.Check(t, err != nil && strings.Contains(err.Error(), "nowhere") && strings.Contains(err.Error(), "bad.sv:1"),
		"got %q and %v", path, err)
	assert.Check(t, is.ErrorContains(verilate.Lint(t.Context(), "fifo", nil, bad), "nowhere"))
	b.Sources = []string{filepath.Join(t.TempDir(), "absent.sv")}
	if _, err := b.Library(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its source: %v", err)
	}
}

func TestCommonBlocksAreClean(t *testing.T) {
	sources, err := verilate.Sources(t.Context(), "u55c_tcp")
	assert.NilError(t, err)
	assert.Check(t, is.Equal(filepath.Base(sources[0]), "cclo_pkg.sv"), "the first source")
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	assert.Check(t, verilate.Lint(t.Context(), "fifo", nil, only(sources, "fifo.sv")...))
}
