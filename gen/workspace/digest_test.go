package workspace

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cclforge/cclforge/gen"
)

// TestGeneratorSourcesAreComplete walks the source tree: what is not embedded
// could change without being noticed.
func TestGeneratorSourcesAreComplete(t *testing.T) {
	err := filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("..", name)
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			dir, _ := path.Split(rel)
			if e.Name() == "testdata" || rel == "targets" || rel == "cmd" || dir == "vitis/" && rel != "vitis/step" {
				return filepath.SkipDir // what takes files to cards decides nothing about them
			}
			return nil
		}
		if path.Ext(rel) != ".go" || strings.HasSuffix(rel, "_test.go") || rel == "embed.go" {
			return nil
		}
		want, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(gen.Sources, rel); err != nil || string(got) != string(want) {
			t.Errorf("%s is not embedded: %v", rel, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRenderingNeedsNoOtherSources reads the imports of what is embedded.
func TestRenderingNeedsNoOtherSources(t *testing.T) {
	for _, name := range sources(gen.Sources) {
		if path.Dir(name) == "targets" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			inside, ours := strings.CutPrefix(imported, "github.com/cclforge/cclforge/")
			folder, _, _ := strings.Cut(inside, "/")
			described := folder == "platforms" // files that were read are hashed one by one
			takes := strings.HasPrefix(inside, "gen/vitis/") && inside != "gen/vitis/step"
			if ours && (takes || embedded[folder] == nil && !described) {
				t.Errorf("%s imports %s, which is not part of the digest", name, imported)
			}
		}
	}
}

// TestRenderingModulesAreComplete reads the imports of the packages that read
// and render.
func TestRenderingModulesAreComplete(t *testing.T) {
	for _, name := range sources(gen.Sources) {
		if slices.Contains([]string{"command", "output", "targets", "workspace"}, path.Dir(name)) {
			continue
		}
		text, err := fs.ReadFile(gen.Sources, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			host, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(host, ".") || strings.HasPrefix(imported, "github.com/cclforge/") {
				continue
			}
			if strings.HasPrefix(imported, "golang.org/x/sync/") {
				continue // runs things at the same time, and renders nothing
			}
			if !slices.ContainsFunc(rendering, func(m string) bool { return strings.HasPrefix(imported+"/", m+"/") }) {
				t.Errorf("%s imports %s, whose version is not part of the digest", name, imported)
			}
		}
	}
}

func TestDigestTellsFilesApart(t *testing.T) {
	seen := map[string]int{}
	for i, files := range []map[string][]byte{
		{}, {"a": nil}, {"a": []byte("b")}, {"b": []byte("a")}, {"a": []byte("b"), "c": nil}, {"a": []byte("b\n1 c 0 ")},
	} {
		var s sums
		d := s.digest(files)
		if other, dup := seen[d]; dup {
			t.Errorf("sets %d and %d have one digest", other, i)
		}
		seen[d] = i
	}
	tree := fstest.MapFS{"x/a.go": {}, "x/a_test.go": {}, "b.tmpl": {}}
	if got := sources(tree); !slices.Equal(got, []string{"b.tmpl", "x/a.go"}) {
		t.Errorf("sources %v", got)
	}
}
