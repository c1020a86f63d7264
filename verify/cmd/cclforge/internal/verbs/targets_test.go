package verbs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestTargetsAreVerbs: each target of mage calls a verb, and passes on each of its
// parameters, as an argument or as the option of the same name.
func TestTargetsAreVerbs(t *testing.T) {
	called := map[string]bool{}
	for _, dir := range []string{"", "groups", "develop", "verify"} {
		files, err := filepath.Glob(filepath.Join("../../../../../gen/targets", dir, "*.go"))
		assert.Assert(t, err == nil && len(files) != 0, "%s: no files, %v", dir, err)
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			must(t, err)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && !strings.HasSuffix(name, "_test.go") {
					called[checkTarget(t, fn)] = true
				}
			}
		}
	}
	for _, c := range New().Commands() {
		if !called[c.Name()] && c.Name() != "help" && c.Name() != "completion" {
			t.Errorf("no target calls %s", c.Name())
		}
	}
}

// checkTarget checks a target, and returns the name of its verb.
func checkTarget(t *testing.T, fn *ast.FuncDecl) string {
	t.Helper()
	var words []string
	passed := map[string]bool{} // parameters as they are named in the call
	options := map[string]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			passed[id.Name] = true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Run" {
			return true
		}
		words = strings.Fields(text(t, call.Args[1]))
		for pair := range slices.Chunk(call.Args[3:], 2) {
			name := text(t, pair[0])
			options[name] = true
			assert.Check(t, is.Equal(name, pair[1].(*ast.Ident).Name), "%s passes another parameter as --", fn.Name.Name)
		}
		return true
	})
	verb, _, err := New().Find(words)
	assert.Assert(t, err == nil && len(words) != 0 && strings.EqualFold(verb.Name(), words[len(words)-1]),
		"%s calls no verb: %q, %v", fn.Name.Name, words, err)
	for _, p := range fn.Type.Params.List[1:] {
		name := p.Names[0].Name
		assert.Check(t, passed[name], "%s does not pass on %s", fn.Name.Name, name)
	}
	for name := range options {
		if verb.Flags().Lookup(name) == nil {
			t.Errorf("%s has --%s, which %s does not have", fn.Name.Name, name, verb.CommandPath())
		}
	}
	return words[0]
}

func text(t *testing.T, e ast.Expr) string {
	t.Helper()
	s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
	must(t, err)
	return s
}
