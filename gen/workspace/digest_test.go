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

	"gotest.tools/v3/assert"

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
		if ext := path.Ext(rel); ext != ".go" && ext != ".css" || strings.HasSuffix(rel, "_test.go") || rel == "embed.go" {
			return nil
		}
		want, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		got, err := fs.ReadFile(gen.Sources, rel)
		assert.Check(t, err == nil && string(got) == string(want), "%s is not embedded: %v", rel, err)
		return nil
	})
	assert.NilError(t, err)
}

// TestDigestHasWhatIsImported reads the imports of what is embedded: folders of this module,
// and for what reads and renders the modules of others.
func TestDigestHasWhatIsImported(t *testing.T) {
	others := []string{"command", "designtest", "output", "workspace"} // render nothing
	for _, name := range sources(gen.Sources) {
		folder := path.Dir(name)
		if folder == "targets" || path.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly)
		assert.NilError(t, err)
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			host, _, _ := strings.Cut(imported, "/")
			known := !strings.Contains(host, ".") || slices.Contains(others, folder) ||
				strings.HasPrefix(imported, "golang.org/x/sync/") || // runs things at the same time, and renders nothing
				slices.ContainsFunc(rendering, func(m string) bool { return strings.HasPrefix(imported+"/", m+"/") })
			if inside, ours := strings.CutPrefix(imported, "github.com/cclforge/cclforge/"); ours {
				first, _, _ := strings.Cut(inside, "/")
				takes := strings.HasPrefix(inside, "gen/vitis/") && inside != "gen/vitis/step"
				known = !takes && (embedded[first] != nil || first == "platforms") // those that were read are hashed one by one
			}
			assert.Check(t, known, "%s imports %s, which is not part of the digest", name, imported)
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
		other, dup := seen[d]
		assert.Check(t, !dup, "sets %d and %d have one digest", other, i)
		seen[d] = i
	}
	tree := fstest.MapFS{"x/a.go": {}, "x/a_test.go": {}, "b.tmpl": {}}
	got := sources(tree)
	assert.Check(t, slices.Equal(got, []string{"b.tmpl", "x/a.go"}), "sources %v", got)
}
