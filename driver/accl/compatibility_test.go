package accl_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

var (
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	shownBy   = regexp.MustCompile("^([a-z0-9_/]+) ((?:Test|Example|Benchmark)[A-Za-z0-9_]*)$")
	goName    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)?$`)
	elsewhere = []string{"CompressionFlags", "VaddPut"} // of generated packages
)

// TestCompatibilityPage: the Go names and tests that the page names exist, and
// what it says to work is shown by a test.
func TestCompatibilityPage(t *testing.T) {
	text, err := os.ReadFile("../COMPATIBILITY.md")
	assert.NilError(t, err)
	names := exported(t)
	rows, tests := 0, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[0]) == "item" {
			continue
		}
		rows++
		item, shown := strings.TrimSpace(cells[0]), false
		for _, span := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
			if name := span[1]; goName.MatchString(name) && !names[name] && !slices.Contains(elsewhere, name) {
				t.Errorf("%s: there is no %s", item, name)
			}
		}
		for _, span := range codeSpan.FindAllStringSubmatch(cells[5], -1) {
			m := shownBy.FindStringSubmatch(span[1])
			if m == nil {
				t.Errorf("%s: %q is no test of a package", item, span[1])
				continue
			}
			if !hasTest(t, filepath.Join("../..", m[1]), m[2]) {
				t.Errorf("%s: %s has no %s", item, m[1], m[2])
			}
			shown = true
			tests++
		}
		assert.Check(t, !strings.Contains(strings.Join(cells[2:5], " "), "yes") || shown,
			"%s works, says the page, and no test shows it", item)
	}
	for _, platform := range platformNames {
		for _, o := range platformOf(t, platform).Operations {
			assert.Check(t, !o.Method || strings.Contains(string(text), "`"+o.Name+"`"),
				"the page has no row for %s of %s", o.Name, platform)
		}
	}
	assert.Check(t, rows >= 60 && tests >= 80, "%d rows and %d tests were read", rows, tests)
}

// exported lists what the package exports, fields and methods with their type.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	set := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	assert.NilError(t, err)
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		assert.NilError(t, err)
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(set, files, "accl")
	assert.NilError(t, err)
	names := map[string]bool{}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, name := range v.Names {
				names[name] = true
			}
		}
	}
	functions := func(list []*doc.Func, owner string) {
		for _, f := range list {
			names[owner+f.Name] = true
		}
	}
	functions(pkg.Funcs, "")
	values(slices.Concat(pkg.Consts, pkg.Vars))
	for _, typ := range pkg.Types {
		names[typ.Name] = true
		functions(typ.Funcs, "")
		functions(typ.Methods, typ.Name+".")
		values(slices.Concat(typ.Consts, typ.Vars))
		for _, spec := range typ.Decl.Specs {
			if s, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						names[typ.Name+"."+name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// hasTest looks for a function in the tests of a package.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	assert.NilError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		assert.NilError(t, err)
		if strings.Contains(string(text), "func "+name+"(") {
			return true
		}
	}
	return false
}
