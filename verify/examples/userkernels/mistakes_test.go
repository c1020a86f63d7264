package userkernels_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world"
)

const (
	description = "platforms/bf16.hcl"
	ops         = "platforms/kernels/bf16_ops.hcl"
	compression = "platforms/kernels/bf16_compression.hcl"
	functions   = "platforms/kernels/bf16.hpp"
)

// write makes a copy of the examples the current directory, with one text of a file
// replaced. If old is empty, it removes the file.
func write(t *testing.T, file, old, text string) {
	t.Helper()
	dir := t.TempDir()
	assert.NilError(t, os.CopyFS(filepath.Join(dir, "platforms"), os.DirFS("platforms")))
	name := filepath.Join(dir, filepath.FromSlash(file))
	before, err := os.ReadFile(name)
	assert.NilError(t, err)
	after := strings.Replace(string(before), old, text, 1)
	if old == "" {
		after = ""
		err = os.Remove(name)
	} else if after != string(before) {
		err = os.WriteFile(name, []byte(after), 0o644)
	} else {
		t.Fatalf("%s has no %q", file, old)
	}
	assert.NilError(t, err)
	t.Chdir(dir)
}

// add writes further files into the current directory.
func add(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		assert.NilError(t, os.WriteFile(filepath.FromSlash(name), []byte(text), 0o644))
	}
}

// line is where a text of a file of the current directory stands, as it is shown.
func line(t *testing.T, file, text string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.FromSlash(file))
	assert.NilError(t, err)
	before, _, found := strings.Cut(string(content), text)
	assert.Assert(t, found, "%s has no %q", file, text)
	return strings.Count(before, "\n") + 1
}

func TestMistakesInDescriptionsAreShownWhereTheyStand(t *testing.T) {
	for _, c := range []struct {
		name            string
		file, old, text string
		said            []string
	}{
		{"a TDEST that the stream does not have", ops, "bfloat16 = 0", "bfloat16 = 256", []string{"256", "0 to 255"}},
		{"a TDEST of two conversions", compression, "tdest = 1", "tdest = 0",
			[]string{"TDEST 0 of bfloat16 to float32 already selects float32 to bfloat16"}},
		{"a type that is not declared", ops, "bfloat16 = 0", "bfloat61 = 0",
			[]string{"bfloat61", `Did you mean "bfloat16"?`}},
		{"a function that the generation does not have", ops, `function "sum"`, `function "summ"`, []string{"summ", `"sum"`}},
		{"a file that is missing", functions, "", "", []string{"There is no file platforms/kernels/bf16.hpp."}},
		{"a kernel that is missing", description, `arithmetic "bf16_ops"`, `arithmetic "bf16_op"`,
			[]string{`Did you mean "bf16_ops"?`}},
		{"a plugin on the wrong streams", ops, "arithmetic_plugin", "compression_plugin", []string{"bf16_ops"}},
		{"a name that is taken", compression, `kernel "bf16_compression"`, `kernel "bf16_ops"`,
			[]string{`"bf16_ops"`, "already"}},
		{"elements that do not fit", compression, "tdest = 0 }", "\ntdest = 0\nratio_log = 6\n}",
			[]string{"ratio_log = 6", "64 bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, c.file, c.old, c.text)
			_, err := world.Design("bf16", "")
			assert.ErrorIs(t, err, lang.ErrInvalid, "not a mistake")
			var problems *workspace.Problems
			assert.Assert(t, errors.As(err, &problems), "no list of problems: %v", err)
			var shown strings.Builder
			assert.NilError(t, problems.Show(&shown, false))
			for _, text := range append(c.said, "on platforms/") {
				assert.Check(t, strings.Contains(strings.Join(strings.Fields(shown.String()), " "), text),
					"it does not say %q:\n%s", text, shown.String())
			}
		})
	}
}

func TestTheCompilersWordsNameTheUsersFileAndLine(t *testing.T) {
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ name, old, text, said string }{
		{"a name that is not there", "ieee754::sum<8, 7>", "ieee754::total<8, 7>", "total"},
		{"syntax", "b.bits)};", "b.bits)}", "expected"},
		{"a width that does not fit", "ieee754::sum<8, 7>(a.bits, b.bits)", "ap_uint<0>(1)", "1 to 4096 bits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, functions, c.old, c.text)
			d, err := world.Design("bf16", "")
			assert.NilError(t, err)
			_, err = hls.Library(t.Context(), d, "bf16_ops")
			var failed *hls.CompileError
			assert.Assert(t, errors.As(err, &failed), "not an error of the compiler: %v", err)
			place := functions + ":" + strconv.Itoa(line(t, functions, c.text)) + ":"
			assert.Check(t, strings.Contains(failed.Text, place) && strings.Contains(failed.Text, c.said),
				"it does not say %s and %q:\n%s", place, c.said, failed.Text)
		})
	}
}

// A function that no file has is missed where the description asks for it.
func TestAFunctionThatIsNotWrittenIsNamed(t *testing.T) {
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	write(t, functions, "inline bfloat16 sum(", "inline bfloat16 add(")
	d, err := world.Design("bf16", "")
	assert.NilError(t, err)
	_, err = hls.Library(t.Context(), d, "bf16_ops")
	var failed *hls.CompileError
	assert.Check(t, errors.As(err, &failed) && strings.Contains(failed.Text, "sum"),
		"it does not name the function: %v", err)
}
