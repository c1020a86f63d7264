package emit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/lang"
)

// What is written of variables reads as the same values.
func TestAssignments(t *testing.T) {
	want := map[string]cty.Value{
		"clock":       cty.NumberIntVal(300),
		"ratio":       cty.MustParseNumberVal("0.1"),
		"host_memory": cty.True,
		"kernel":      cty.StringVal("a \"b\" ${c} %{d} $${e}\n\\ `"),
		"ports":       cty.TupleVal([]cty.Value{cty.Zero, cty.NumberIntVal(1)}),
		"nested":      cty.ObjectVal(map[string]cty.Value{"x y": cty.StringVal(""), "z": cty.EmptyTupleVal}),
	}
	in, diags := lang.NewParser().ParseInputs("vars", assignments(want))
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	assert.Check(t, len(in.Assigned) == len(want), "%d values of %d", len(in.Assigned), len(want))
	for name, v := range want {
		got := in.Assigned[name].Value
		assert.Check(t, got.RawEquals(v), "%s is %#v, not %#v", name, got, v)
	}
	got := assignments(nil)
	assert.Check(t, got == "", "%q of no variables", got)
}

// Users who keep their generated files in their module must not build the demo
// with it, nor get it with a driver package of their own.
func TestDemoStandsAside(t *testing.T) {
	files, err := godemo(codeDesign(t, "u55c_tcp"))
	assert.NilError(t, err)
	for _, f := range files {
		assert.Check(t, !strings.HasPrefix(f.Path, "driver/"), "%s is part of the driver package", f.Path)
		assert.Check(t, bytes.Contains(f.Content, []byte("\n//go:build ignore\n\n")),
			"%s is built with the module", f.Path)
		assert.Check(t, bytes.Contains(f.Content, []byte(`"`+DriverImport("u55c_tcp")+`"`)),
			"%s does not import %s", f.Path, DriverImport("u55c_tcp"))
	}
}
