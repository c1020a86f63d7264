package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

const endless = "Evaluation takes too long: The evaluation of this file does not end within its limit; look for " +
	"nested loops or values that grow without bound."

// doublings is a chain of locals, each made of the one before it twice.
func doublings(first, format string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "locals {\n  x0 = %s\n", first)
	for i := range n {
		fmt.Fprintf(&b, "  x%d = "+format+"\n", i+1, fmt.Sprintf("local.x%d", i))
	}
	return b.String() + "}\n"
}

// Each text describes a computation that would not end, or a value that no
// memory holds.
func TestEndless(t *testing.T) {
	loops := func(body string, n int) string {
		return nested(n, "[for x in range(1024) : ", body, "]")
	}
	for name, text := range map[string]string{
		"loops":            "locals {\n  a = " + loops("1", 10) + "\n}\n",
		"loops over text":  "locals {\n  a = " + loops(`"${x}"`, 10) + "\n}\n",
		"loops of a block": "locals {\n  a = { for x in range(1024) : x => " + loops("x", 5) + " }\n}\n",
		"directives": "locals {\n  a = \"" + strings.Repeat("%{for x in range(1024)}", 5) + "x" +
			strings.Repeat("%{endfor}", 5) + "\"\n}\n",
		"strings":       doublings(`"text "`, `"${%[2]s}${%[2]s}"`, 40),
		"tuples":        doublings("[1]", "[%[2]s, %[2]s]", 60),
		"objects":       doublings("{ a = 1 }", "{ a = %[2]s, b = %[2]s }", 60),
		"concatenation": doublings("[1]", "concat(%[2]s, %[2]s)", 60),
		"joins":         doublings(`"text "`, `join(%[2]s, [%[2]s, %[2]s, %[2]s])`, 30),
		"replacements":  doublings(`"text "`, `replace(%[2]s, "t", %[2]s)`, 30),
		"formats":       doublings(`"text "`, `format("%%s%%s", %[2]s, %[2]s)`, 60),
		"padding":       "locals {\n  a = " + loops(`format("%999d%999d", 1, 2)`, 2) + "\n}\n",
		"products": "locals {\n  a = setproduct(" + strings.TrimSuffix(strings.Repeat("range(1024), ", 8), ", ") +
			")\n}\n",
		"distinct": "locals {\n  a = flatten(" + loops("[x, x]", 2) +
			")\n  b = distinct(flatten([for i in range(100) : range(i * 1000, i * 1000 + 1000)]))\n}\n",
		"expressions": "locals {\n  a = " + loops(`regex("(a{900}){1,}", join("", [for i in range(1024) : "aaaa"]))`,
			2) + "\n}\n",
		"default": "variable \"a\" {\n  default = " + loops("1", 6) + "\n}\n",
		"literal loops": "variable \"a\" {\n  default = " + nested(6, "[for x in ["+strings.Repeat("1, ", 1000)+"] : ",
			"1", "]") + "\n}\n",
		"validation": "variable \"a\" {\n  default = 1\n  validation {\n    condition     = length(" + loops("1", 6) +
			") > 0\n    error_message = \"x\"\n  }\n}\n",
		"splat":             doublings("[1]", "[%[2]s[*], %[2]s[*]]", 60),
		"expanded argument": "locals {\n  a = max(flatten(" + loops("[for y in range(1024) : y]", 2) + ")...)\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := open(t, text, "", nil)
			assert.Assert(t, len(got.errors) != 0, "no error")
			for _, e := range got.errors {
				assert.Check(t, is.Equal(e, endless))
			}
			assert.Check(t, len(got.errors) <= 1, "reported %d times", len(got.errors))
		})
	}
}

func TestEndlessInput(t *testing.T) {
	_, diags := lang.NewParser().ParseInputs("-vars", "{a = "+nested(6, "[for x in range(1024) : ", "1", "]")+"}")
	assert.Check(t, len(diags) == 1 && diags[0].Summary == "Evaluation takes too long", "%v", diags)
	_, diags = lang.NewParser().ParseInputs("-vars", `{("${length(`+nested(6, "[for x in range(1024) : ", "1", "]")+
		`)}") = 1}`)
	assert.Check(t, len(diags) == 1 && diags[0].Summary == "Evaluation takes too long", "%v", diags)
}

// Numbers grow and shrink only as far as they can be written.
func TestNumbersOutOfBounds(t *testing.T) {
	const numbers = "Number too large: Numbers may have exponents from -300 to 300."
	const texts = "Number too large: A text that can be used as a number may have exponents up to 300 and at most 4096 " +
		"digits."
	for text, want := range map[string]string{
		doublings("1e300", "%[2]s * %[2]s", 5):                                     numbers,
		doublings("1e-300", "%[2]s * %[2]s", 5):                                    numbers,
		"locals {\n  a = \"1e600000000\" % 7\n}\n":                                 texts,
		"locals {\n  a = \"1e-600000000\" * 1\n}\n":                                texts,
		"locals {\n  a = tonumber(\"1e600000000\")\n}\n":                           texts,
		"locals {\n  a = parseint(\"" + strings.Repeat("9", 5000) + "\", 10)\n}\n": texts,
	} {
		got := open(t, text, "", nil)
		assert.Check(t, len(got.errors) != 0 && got.errors[0] == want, "%.60q: %q", text, got.errors)
	}
	for _, text := range []string{`"1e2" * 1`, `"${1e300}"`, `"12e3abc"`, `"e"`, `"--"`, `"."`} {
		got := open(t, "locals {\n  a = "+text+"\n}\n", "", nil)
		assert.Check(t, len(got.errors) <= 0, "%s: %q", text, got.errors)
	}
}

// After its budget is used up, a context evaluates what costs nothing and says
// no more about the rest.
func TestExhaustedContext(t *testing.T) {
	parser := lang.NewParser()
	file, diags := parser.Parse("test.hcl", []byte(`
locals {
  a = [for x in range(1024) : [for y in range(1024) : [for z in range(1024) : 1]]]
}
name = "x"
sum  = 1 + 1
`))
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	scope, diags := file.Open(lang.Inputs{}, parser)
	assert.Equal(t, len(diags), 1, "one error expected: %v", diags)
	var name struct {
		Name string   `hcl:"name"`
		Rest hcl.Body `hcl:",remain"`
	}
	if diags := lang.Decode(scope.Body, scope.Context, &name); diags.HasErrors() || name.Name != "x" {
		t.Errorf("%v %q", diags, name.Name)
	}
	v, diags := lang.Value(file.Body.Attributes["sum"].Expr, scope.Context)
	assert.Check(t, !diags.HasErrors() && !v.IsKnown(), "an unknown value expected: %#v %v", v, diags)
	fresh, diags := lang.Value(file.Body.Attributes["sum"].Expr, lang.NewContext(nil))
	assert.Check(t, !diags.HasErrors() && fresh.RawEquals(number(2)), "2 expected: %#v %v", fresh, diags)
}

func TestPresent(t *testing.T) {
	var content struct {
		Missing hcl.Expression `hcl:"missing,optional"`
		Null    hcl.Expression `hcl:"null_value,optional"`
		Zero    hcl.Expression `hcl:"zero,optional"`
		Name    hcl.Expression `hcl:"name,optional"`
		Loop    hcl.Expression `hcl:"loop,optional"`
	}
	parser := lang.NewParser()
	file, diags := parser.Parse("test.hcl",
		[]byte("null_value = null\nzero = 0\nname = nosuch\nloop = [for x in [1] : x]\n"))
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	if diags := lang.Decode(file.Body, lang.NewContext(nil), &content); diags.HasErrors() {
		t.Fatal(diags)
	}
	for name, c := range map[string]struct {
		expr hcl.Expression
		want bool
	}{
		"missing": {content.Missing, false}, "null": {content.Null, false}, "nil": {nil, false},
		"zero": {content.Zero, true}, "name": {content.Name, true}, "loop": {content.Loop, true},
	} {
		assert.Check(t, is.Equal(lang.Present(c.expr), c.want), "%s", name)
	}
}
