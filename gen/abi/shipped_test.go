package abi_test

import (
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// shipped loads the interface generations of the repository.
func shipped(t *testing.T) map[string]*abi.Generation {
	t.Helper()
	parser := lang.NewParser()
	root := os.DirFS("../../platforms/abi")
	names, err := fs.Glob(root, "*.hcl")
	assert.Assert(t, err == nil && len(names) != 0, "no interface generations: %v", err)
	var files []*lang.File
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		assert.NilError(t, err)
		file, diags := parser.Parse(name, text)
		assert.Assert(t, !diags.HasErrors(), "%v", diags)
		files = append(files, file)
	}
	generations, diags := abi.Load(files, parser)
	if diags.HasErrors() {
		var text strings.Builder
		assert.NilError(t, parser.WriteDiagnostics(&text, diags, 120, false))
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
			assert.Check(t, strings.HasSuffix(doc, ".") && !strings.Contains(doc, "\n"),
				"%s: one sentence expected, not %q", path, doc)
			for _, m := range reference.FindAllStringSubmatch(doc, -1) {
				kind, name := strings.Trim(strings.ToLower(m[1]), "("), m[2]
				known := map[string]bool{"enum": g.Enum(name) != nil, "layout": g.Layout(name) != nil,
					"record": g.Record(name) != nil, "bit set": g.BitSet(name) != nil}
				assert.Check(t, known[kind], "%s refers to the %s %q, which does not exist", path, kind, name)
			}
		})
	}
}
