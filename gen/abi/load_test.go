package abi_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

var update = flag.Bool("update", false, "rewrite the messages in testdata/errors; review them by eye")

// load loads texts by file name, together with testdata/base.hcl.
func load(t *testing.T, texts ...txtar.File) (map[string]*abi.Generation, string) {
	t.Helper()
	base, err := os.ReadFile("testdata/base.hcl")
	check(t, err)
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
	check(t, parser.WriteDiagnostics(&message, append(all, diags...), 0, false))
	return generations, message.String()
}

// Each file of testdata/errors is a mistake and the whole message about it.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			check(t, err)
			last := len(archive.Files) - 1
			if last < 1 || archive.Files[last].Name != "message" {
				t.Fatal("input files and the message expected")
			}
			_, got := load(t, archive.Files[:last]...)
			if *update {
				archive.Files[last].Data = []byte(got)
				check(t, os.WriteFile(path, txtar.Format(archive), 0o644))
			}
			if got == "" {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(string(archive.Files[last].Data), got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// check ends a test at an error that it does not expect.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
