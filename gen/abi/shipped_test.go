package abi_test

import (
	"io/fs"
	"os"
	"reflect"
	"regexp"
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
		check(t, err)
		file, diags := parser.Parse(name, text)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		files = append(files, file)
	}
	generations, diags := abi.Load(files, parser)
	if diags.HasErrors() {
		var text strings.Builder
		check(t, parser.WriteDiagnostics(&text, diags, 120, false))
		t.Fatal(text.String())
	}
	return generations
}

// eachDoc calls f for everything below a value that has a description, with the names on the way.
func eachDoc(v reflect.Value, path string, f func(path, doc string)) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			eachDoc(v.Index(i), path, f)
		}
	case reflect.Struct:
		if name := v.FieldByName("Name"); name.IsValid() {
			path += " " + name.String()
		}
		if doc := v.FieldByName("Doc"); doc.IsValid() {
			f(path, doc.String())
		}
		for i := range v.NumField() {
			eachDoc(v.Field(i), path, f)
		}
	}
}

var reference = regexp.MustCompile(`\b([Ee]num|[Ll]ayout|\(record|[Bb]it set) ([a-z0-9]+(?:_[a-z0-9]+)*)\b`)

// Every part of the shipped generations says in a sentence what it is for. Enums, layouts,
// records and bit sets that it names exist.
func TestShippedGenerationsAreDocumented(t *testing.T) {
	for _, g := range shipped(t) {
		eachDoc(reflect.ValueOf(*g), "", func(path, doc string) {
			if !strings.HasSuffix(doc, ".") || strings.Contains(doc, "\n") {
				t.Errorf("%s: one sentence expected, not %q", path, doc)
			}
			for _, m := range reference.FindAllStringSubmatch(doc, -1) {
				kind, name := strings.Trim(strings.ToLower(m[1]), "("), m[2]
				known := map[string]bool{"enum": g.Enum(name) != nil, "layout": g.Layout(name) != nil,
					"record": g.Record(name) != nil, "bit set": g.BitSet(name) != nil}
				if !known[kind] {
					t.Errorf("%s refers to the %s %q, which does not exist", path, kind, name)
				}
			}
		})
	}
}
