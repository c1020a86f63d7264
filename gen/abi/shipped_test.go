package abi_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// shipped loads the interface generations of the repository.
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
		var text strings.Builder
		if err := parser.WriteDiagnostics(&text, diags, 120, false); err != nil {
			t.Fatal(err)
		}
		t.Fatal(text.String())
	}
	return generations
}

// Every part of the shipped generations says what it is for.
func TestShippedGenerationsAreDocumented(t *testing.T) {
	for _, g := range shipped(t) {
		need := func(doc string, path ...string) {
			if doc == "" || !strings.HasSuffix(doc, ".") || strings.Contains(doc, "\n") {
				t.Errorf("%s: %s: one sentence expected, not %q", g.Name, strings.Join(path, " "), doc)
			}
		}
		need(g.Doc, "generation")
		for _, x := range g.Types {
			need(x.Doc, "type", x.Name)
		}
		for _, x := range g.Constants {
			need(x.Doc, "constant", x.Name)
		}
		for _, x := range g.Enums {
			need(x.Doc, "enum", x.Name)
			for _, v := range x.Values {
				need(v.Doc, "enum", x.Name, v.Name)
			}
		}
		for _, x := range g.BitSets {
			need(x.Doc, "bits", x.Name)
			for _, b := range x.Bits {
				need(b.Doc, "bits", x.Name, b.Name)
			}
		}
		for _, x := range g.Layouts {
			need(x.Doc, "layout", x.Name)
			for _, f := range x.Fields {
				need(f.Doc, "layout", x.Name, f.Name)
			}
		}
		for _, x := range g.Records {
			need(x.Doc, "record", x.Name)
			for _, w := range x.Words {
				need(w.Doc, "record", x.Name, w.Name)
			}
		}
		for _, x := range g.Registers {
			need(x.Doc, "registers", x.Name)
			for _, r := range x.Registers {
				need(r.Doc, "registers", x.Name, r.Name)
			}
		}
		for _, x := range g.Memories {
			need(x.Doc, "memory", x.Name)
			for _, w := range x.Words {
				need(w.Doc, "memory", x.Name, w.Name)
			}
			for _, table := range x.Tables {
				need(table.Doc, "table", table.Name)
				for _, w := range append(append([]abi.RecordWord{}, table.Header...), table.Record...) {
					need(w.Doc, "table", table.Name, w.Name)
				}
			}
		}
	}
}
