package lang_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

// opened is a file after its variables and locals were evaluated.
type opened struct {
	scope  *lang.Scope
	errors []string // summary: detail, in order of place
	lines  []int
}

// open evaluates the variables and locals of a text, with inputs written as on
// the command line and environment variables.
func open(t *testing.T, text, inputs string, env map[string]string) opened {
	t.Helper()
	parser := lang.NewParser()
	file, diags := parser.Parse("test.hcl", []byte(text))
	out := opened{}
	if file != nil {
		in, d := parser.ParseInputs("-vars", inputs)
		diags = append(diags, d...)
		in.LookupEnv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		out.scope, d = file.Open(in, parser)
		diags = append(diags, d...)
	}
	for _, d := range lang.Sorted(diags) {
		out.errors = append(out.errors, d.Summary+": "+d.Detail)
		out.lines = append(out.lines, d.Subject.Start.Line)
	}
	return out
}

func (o opened) value(t *testing.T, root, name string) cty.Value {
	t.Helper()
	assert.Assert(t, len(o.errors) <= 0, "errors: %q", o.errors)
	return o.scope.Context.Variables[root].GetAttr(name)
}

func (o opened) local(t *testing.T, name string) cty.Value {
	t.Helper()
	return o.value(t, "local", name)
}

func (o opened) variable(t *testing.T, name string) cty.Value {
	t.Helper()
	return o.value(t, "var", name)
}

// expect checks that a text has exactly these errors.
func (o opened) expect(t *testing.T, want ...string) {
	t.Helper()
	assert.Assert(t, len(o.errors) == len(want), "%d errors, not %d: %q", len(o.errors), len(want), o.errors)
	for i := range want {
		assert.Check(t, is.Equal(o.errors[i], want[i]))
	}
}

func equal(t *testing.T, got, want cty.Value) {
	t.Helper()
	assert.Check(t, got.RawEquals(want), "%#v, not %#v", got, want)
}

func number(n int64) cty.Value { return cty.NumberIntVal(n) }

func TestDiagnosticsError(t *testing.T) {
	err := error(&lang.DiagnosticsError{Diags: hcl.Diagnostics{
		lang.Errorf(hcl.Range{Filename: "a.hcl", Start: hcl.Pos{Line: 2, Column: 3}, End: hcl.Pos{Line: 2, Column: 4}},
			"First", "Detail %d.", 1),
		lang.Errorf(hcl.Range{Filename: "b.hcl", Start: hcl.InitialPos, End: hcl.InitialPos}, "Second", "More."),
	}})
	assert.Check(t, is.Equal(err.Error(), "a.hcl:2,3-4: First; Detail 1.\nb.hcl:1,1-1: Second; More."), "%q", err)
}

func TestSorted(t *testing.T) {
	at := func(file string, b int) hcl.Range {
		return hcl.Range{Filename: file, Start: hcl.Pos{Line: 1, Byte: b}, End: hcl.Pos{Line: 1, Byte: b + 1}}
	}
	sorted := lang.Sorted(hcl.Diagnostics{
		lang.Errorf(at("b", 0), "x", "1"), lang.Errorf(at("a", 5), "x", "2"), lang.Errorf(at("a", 2), "x", "3"),
		lang.Errorf(at("a", 5), "x", "1"), lang.Errorf(at("a", 5), "x", "2"), {Severity: hcl.DiagError, Summary: "no place"},
	})
	var got []string
	for _, d := range sorted {
		got = append(got, d.Detail)
	}
	assert.Check(t, is.Equal(strings.Join(got, " "), " 3 2 1 1"))
}
