package verbs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestAllStepsRunAndTheEndSaysWhichFailed(t *testing.T) {
	var ran []string
	does := func(name string, err error) check {
		return check{name, func(context.Context) error { ran = append(ran, name); return err }}
	}
	var out strings.Builder
	err := runAll(t.Context(), &out, []check{does("one", nil), does("two", errors.New("broken")), does("three", nil)})
	assert.Check(t, err != nil && err.Error() == "1 of 3 checks failed: two", "error %v", err)
	assert.Check(t, is.Equal(strings.Join(ran, " "), "one two three"), "ran %v", ran)
	got := regexp.MustCompile(`\(.*\)`).ReplaceAllString(out.String(), "(…)")
	want := "== one\n== one: ok (…)\n== two\n== two: FAILED: broken (…)\n== three\n== three: ok (…)\n"
	assert.Check(t, is.Equal(got, want))
	assert.Check(t, runAll(t.Context(), &out, []check{does("one", nil)}))
}

func TestCancelledRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stops := check{"stops", func(context.Context) error { cancel(); return errors.New("interrupted") }}
	never := check{"never", func(context.Context) error { t.Error("ran after the end"); return nil }}
	assert.Check(t, is.ErrorIs(runAll(ctx, &strings.Builder{}, []check{stops, never}), context.Canceled))
}

func TestFormatted(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.go": "package a\n", "sub/bad.go": "package  a\n", "sub/broken.go": "pakage a\n",
		"out/bad.go": "package  a\n", ".hidden/bad.go": "package  a\n", "testdata/bad.go": "package  a\n",
		"bad.txt": "package  a",
	} {
		full := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
	}
	err := formatted(dir)
	assert.Assert(t, err != nil, "no error")
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || lines[0] != filepath.Join(dir, "sub/bad.go")+" is not formatted" ||
		!strings.HasPrefix(lines[1], filepath.Join(dir, "sub/broken.go")) {
		t.Errorf("got %q", lines)
	}
}

func TestEveryWantedToolIsKnown(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	assert.Equal(t, strings.Join(missing(wantedNightly), " "), "gcc g++ make verilator yosys z3 gcc-riscv64-unknown-elf openmpi-bin "+
		"libopenmpi-dev tcl slurm-wlm munge tshark python3-numpy python3-torch")
}
