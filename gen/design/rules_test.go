package design_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// TestRules reads one directory per rule: platform files and what they share,
// laid over the shipped ones, and the whole message they cause.
func TestRules(t *testing.T) {
	dirs, err := filepath.Glob("testdata/rules/*")
	assert.Assert(t, err == nil && len(dirs) != 0, "no rules found: %v", err)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			got := messages(t, os.DirFS(dir))
			golden.Assert(t, got, filepath.Join("rules", filepath.Base(dir), "message.txt"))
			assert.Check(t, is.Contains(got, "Error: "), "the input causes no error")
		})
	}
}

// messages prints all diagnostics of the platform files of a layer.
func messages(t *testing.T, layer fs.FS) string {
	t.Helper()
	parser := lang.NewParser()
	lib, diags := platform.NewLibrary(parser, layer, platforms.FS)
	files, err := fs.Glob(layer, "*.hcl")
	assert.NilError(t, err)
	for _, file := range files {
		d, more := design.Load(lib, strings.TrimSuffix(file, ".hcl"),
			lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
		diags = append(diags, more...)
		assert.Check(t, d == nil || !more.HasErrors(), "%s: a design was returned in spite of errors", file)
	}
	var out bytes.Buffer
	assert.NilError(t, parser.WriteDiagnostics(&out, lang.Distinct(diags), 100, false))
	return out.String()
}
