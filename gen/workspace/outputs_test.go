package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/platforms"
)

// withOutputs is a platform with output blocks: templates and paths, by turns.
func withOutputs(name string, outputs ...string) string {
	text := fmt.Sprintf("platform %q {\n  board = \"u55c\"\n\n  poe \"tcp\" {}\n", name)
	for i := 0; i < len(outputs); i += 2 {
		text += fmt.Sprintf("\n  output \"own%d\" {\n    template = %q\n    path     = %q\n  }\n", i/2,
			outputs[i], outputs[i+1])
	}
	return text + "}\n"
}

func TestOutputErrors(t *testing.T) {
	const good = "{{.platform.name}}\n"
	for _, c := range []struct {
		name, hcl, template string
		file                string
		line                int
		said                string
	}{
		{"missing file", withOutputs("mine", "other.tmpl", "a"), good, "mine.hcl", 7, "no file platforms/other.tmpl"},
		{"file elsewhere", withOutputs("mine", "../own.tmpl", "a"), good, "mine.hcl", 7, "leaves the folder"},
		{"no template", withOutputs("mine", "own.txt", "a"), good, "mine.hcl", 7, ".tmpl"},
		{"not text", withOutputs("mine", "own.tmpl", "a"), "\x00", "mine.hcl", 7, "not text"},
		{"no path", strings.Replace(withOutputs("mine", "own.tmpl", "a"), "path ", "paht ", 1), good, "mine.hcl", 8, "paht"},
		{"above", withOutputs("mine", "own.tmpl", "../a"), good, "mine.hcl", 8, "does not stay inside"},
		{"above, later", withOutputs("mine", "own.tmpl", "docs/../../a"), good, "mine.hcl", 8, "does not stay inside"},
		{"absolute", withOutputs("mine", "own.tmpl", "/tmp/a"), good, "mine.hcl", 8, "does not stay inside"},
		{"empty", withOutputs("mine", "own.tmpl", ""), good, "mine.hcl", 8, "does not stay inside"},
		{"characters", withOutputs("mine", "own.tmpl", `a:b`), good, "mine.hcl", 8, "not every file system"},
		{"generated", withOutputs("mine", "own.tmpl", "design.json"), good, "mine.hcl", 8, `already has "design.json"`},
		{"generated but for case", withOutputs("mine", "own.tmpl", "Docs/a"), good, "mine.hcl", 8, `already has "docs"`},
		{"generated directory", withOutputs("mine", "own.tmpl", "docs"), good, "mine.hcl", 8, `already has "docs"`},
		{"below a file", withOutputs("mine", "own.tmpl", "design.json/a"), good, "mine.hcl", 8, `already has "design.json"`},
		{"manifest", withOutputs("mine", "own.tmpl", "manifest.json"), good, "mine.hcl", 8, `already has "manifest.json"`},
		{"twice", withOutputs("mine", "own.tmpl", "a", "own.tmpl", "a"), good, "mine.hcl", 13, `already has "a"`},
		{"name", strings.ReplaceAll(withOutputs("mine", "own.tmpl", "a", "own.tmpl", "b"), "own1", "own0"), good, "mine.hcl",
			11, "already described"},
		{"syntax", withOutputs("mine", "own.tmpl", "a"), "a\n{{if}}\n", "own.tmpl", 2, "missing value for if"},
		{"key", withOutputs("mine", "own.tmpl", "a"), "a\nb\n{{.platform.nmae}}\n", "own.tmpl", 3, `no entry for key "nmae"`},
		{"clock", withOutputs("mine", "own.tmpl", "a"), "{{now}}", "own.tmpl", 1, `"now" not defined`},
		{"no end", withOutputs("mine", "own.tmpl", "a"), "\n{{range 100000000000}}{{end}}", "own.tmpl", 2, "does not end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			own := fstest.MapFS{"mine.hcl": {Data: []byte(c.hcl)}, "own.tmpl": {Data: []byte(c.template)}}
			_, err := open(dir, own, platforms.FS).Generate(t.Context(), Options{Selection: Selection{Only: "mine"}})
			var p *Problems
			assert.Assert(t, errors.As(err, &p), "%v", err)
			found := slices.ContainsFunc(p.List(), func(d Diagnostic) bool {
				return d.File == "platforms/"+c.file && d.Line == c.line && strings.Contains(d.Summary+d.Detail, c.said)
			})
			assert.Check(t, found, "no %q in line %d of %s:\n%v", c.said, c.line, c.file, err)
			var shown strings.Builder
			if err := p.Show(&shown, false); err != nil || strings.Contains(shown.String(), "not available") {
				t.Errorf("%v: the line is not shown:\n%s", err, &shown)
			}
			left, _ := os.ReadDir(dir)
			assert.Check(t, len(left) == 0, "%v was written", left)
		})
	}
}

// TestOutputLife follows a file from its output block until that goes.
func TestOutputLife(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("platforms/mine.hcl"), withOutputs("mine", "own.tmpl", "notes/own.txt"))
	put(t, at("platforms/own.tmpl"), "{{.board.name | upper}} at {{.platform.clock_mhz}} MHz\n")
	generate := func() *Report {
		t.Helper()
		w := opened(t, dir)
		r, err := w.Generate(t.Context(), Options{Selection: Selection{Only: "mine"}})
		assert.NilError(t, err)
		return r
	}
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(at("out/mine/notes/own.txt"))
		assert.Assert(t, err == nil && string(got) == want, "%q, not %q: %v", got, want, err)
	}
	generate()
	holds("U55C at 250 MHz\n")
	m, err := output.Dir{Base: at("out"), Path: "mine", Manifest: output.ManifestName}.Read()
	assert.NilError(t, err)
	listed := slices.ContainsFunc(m.Files, func(e output.Entry) bool {
		return e.Path == "notes/own.txt" && slices.Contains(e.Inputs, "platforms/own.tmpl") &&
			slices.Contains(e.Inputs, "platforms/mine.hcl")
	})
	assert.Check(t, listed, "the manifest does not list the output with its template")

	w := opened(t, dir)
	_, ok := w.upToDate(t.Context(), Options{Selection: Selection{Only: "mine"}})
	assert.Check(t, ok, "not up to date, although nothing has changed")
	put(t, at("platforms/own.tmpl"), "{{len .instances}} instances\n{{range .network}}{{.kind}}{{end}}\n")
	if written, removed := generate().Changes(); written != 2 || removed != 0 {
		t.Errorf("%d files written, %d removed; want the output and the manifests of what may depend on it", written, removed)
	}
	put(t, at("platforms/own.tmpl"), "{{.nothing}}")
	w, _ = Open(dir, t.Logf)
	_, err = w.Generate(t.Context(), Options{Selection: Selection{Only: "mine"}})
	assert.Check(t, err != nil, "no error")
	if got, err := os.ReadFile(at("out/mine/notes/own.txt")); err != nil || !strings.HasSuffix(string(got), "\ntcp\n") {
		t.Errorf("after an error the output is %q: %v", got, err)
	}

	put(t, at("platforms/mine.hcl"), withOutputs("mine"))
	_, removed := generate().Changes()
	assert.Check(t, removed == 1, "%d files removed, not 1", removed)
	_, err = os.Stat(at("out/mine/notes"))
	assert.Check(t, is.ErrorIs(err, fs.ErrNotExist), "the directory of the output is still there")
}

// TestGuideToOutputs renders the example of the guide.
func TestGuideToOutputs(t *testing.T) {
	guide, err := fs.ReadFile(os.DirFS("../../platforms"), "OUTPUTS.md")
	assert.NilError(t, err)
	_, text, _ := strings.Cut(string(guide), "# Files of your own\n")
	_, text, _ = strings.Cut(text, "```hcl\n")
	hcl, text, _ := strings.Cut(text, "```\n")
	_, text, _ = strings.Cut(text, "```\n")
	template, _, found := strings.Cut(text, "```\n")
	assert.Assert(t, found, "the guide has no example of an output")
	own := fstest.MapFS{"mine.hcl": {Data: []byte(hcl)}, "bringup.md.tmpl": {Data: []byte(template)}}
	dir := t.TempDir()
	if _, err := open(dir, own, platforms.FS).Generate(t.Context(),
		Options{Selection: Selection{Only: "mine"}}); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "out/mine/docs/bringup.md"))
	if err != nil ||
		!strings.HasPrefix(string(made), "# Bring-up of mine\n\n- [ ] ccl_offload_0, in SLR0, has the hardware ID ") {
		t.Errorf("%q: %v", made, err)
	}
}
