package design_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

var update = flag.Bool("update", false, "write the messages of testdata/rules anew; read them before you commit")

// TestRules reads one directory per rule: platform files and what they share,
// laid over the shipped ones, and the whole message they cause.
func TestRules(t *testing.T) {
	dirs, err := filepath.Glob("testdata/rules/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no rules found: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			got := messages(t, os.DirFS(dir))
			file := filepath.Join(dir, "message.txt")
			if *update {
				check(t, os.WriteFile(file, []byte(got), 0o666))
			}
			want, err := os.ReadFile(file)
			check(t, err)
			same(t, string(want), got)
			if !strings.Contains(got, "Error: ") {
				t.Errorf("the input causes no error")
			}
		})
	}
}

// messages prints all diagnostics of the platform files of a layer.
func messages(t *testing.T, layer fs.FS) string {
	t.Helper()
	parser := lang.NewParser()
	lib, diags := platform.NewLibrary(parser, layer, platforms.FS)
	files, err := fs.Glob(layer, "*.hcl")
	check(t, err)
	for _, file := range files {
		d, more := design.Load(lib, strings.TrimSuffix(file, ".hcl"),
			lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
		diags = append(diags, more...)
		if d != nil && more.HasErrors() {
			t.Errorf("%s: a design was returned in spite of errors", file)
		}
	}
	var out bytes.Buffer
	check(t, parser.WriteDiagnostics(&out, lang.Distinct(diags), 100, false))
	return out.String()
}
