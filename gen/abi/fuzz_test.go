package abi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLoad loads arbitrary text. Whatever it is, the answer is generations or
// diagnostics.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob("testdata/errors/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	base, err := os.ReadFile("testdata/base.hcl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(base)
	f.Fuzz(func(t *testing.T, text []byte) {
		load(t, txtar.File{Name: "fuzz.hcl", Data: text})
	})
}
