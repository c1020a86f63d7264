package abi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/rogpeppe/go-internal/txtar"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// load loads texts by file name, together with testdata/base.hcl.
func load(t *testing.T, texts ...txtar.File) (map[string]*abi.Generation, string) {
	t.Helper()
	base, err := os.ReadFile("testdata/base.hcl")
	assert.NilError(t, err)
	parser := lang.NewParser()
	var files []*lang.File
	var all hcl.Diagnostics
	for _, text := range append([]txtar.File{{Name: "base.hcl", Data: base}}, texts...) {
		file, diags := parser.Parse(text.Name, text.Data)
		all = append(all, diags...)
		if file != nil {
			files = append(files, file)
		}
	}
	generations, diags := abi.Load(files, parser)
	var message strings.Builder
	assert.NilError(t, parser.WriteDiagnostics(&message, append(all, diags...), 0, false))
	return generations, message.String()
}

// Each file of testdata/errors is a mistake and the whole message about it.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.txt")
	assert.Assert(t, err == nil && len(paths) != 0, "no inputs: %v", err)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			assert.NilError(t, err)
			last := len(archive.Files) - 1
			assert.Assert(t, last >= 1 && archive.Files[last].Name == "message", "input files and the message expected")
			_, got := load(t, archive.Files[:last]...)
			if golden.FlagUpdate() {
				archive.Files[last].Data = []byte(got)
				assert.NilError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
			}
			assert.Assert(t, got != "", "no error")
			assert.Check(t, is.DeepEqual(string(archive.Files[last].Data), got), "message (-want +got)")
		})
	}
}
