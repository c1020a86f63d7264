package abi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gotest.tools/v3/assert"
)

// FuzzLoad loads arbitrary text. Whatever it is, the answer is generations or
// diagnostics.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob("testdata/errors/*.txt")
	assert.NilError(f, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		assert.NilError(f, err)
		f.Add(archive.Files[0].Data)
	}
	base, err := os.ReadFile("testdata/base.hcl")
	assert.NilError(f, err)
	f.Add(base)
	f.Fuzz(func(t *testing.T, text []byte) {
		load(t, txtar.File{Name: "fuzz.hcl", Data: text})
	})
}
