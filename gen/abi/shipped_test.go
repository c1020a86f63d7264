package abi_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

func shipped(t *testing.T) map[string]*abi.Generation {
	t.Helper()
	parser := lang.NewParser()
	root := os.DirFS("../../platforms/abi")
	names, err := fs.Glob(root, "*.hcl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no interface generations: %v", err)
	}
	var files []*lang.File
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		file, diags := parser.Parse(name, text)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		files = append(files, file)
	}
	generations, diags := abi.Load(files, parser)
	if diags.HasErrors() {
		parser.WriteDiagnostics(os.Stderr, diags, 120, false)
		t.Fatal("the shipped interface generations have errors")
	}
	return generations
}

func TestShipped(t *testing.T) {
	for name, g := range shipped(t) {
		t.Logf("%s %+v", name, g)
	}
}
