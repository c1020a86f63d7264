package lang_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

const clock = `
variable "clock" {
  type    = number
  default = 250
  validation {
    condition     = var.clock >= 50 && var.clock <= 500
    error_message = "The clock is 50 to 500 MHz"
  }
}
`

func TestVariableSources(t *testing.T) {
	env := map[string]string{lang.EnvPrefix + "clock": "200"}
	equal(t, open(t, clock, "", nil).variable(t, "clock"), number(250))
	equal(t, open(t, clock, "", env).variable(t, "clock"), number(200))
	equal(t, open(t, clock, "{clock = 300}", env).variable(t, "clock"), number(300))
	equal(t, open(t, clock, "{clock = 2 * 150}", nil).variable(t, "clock"), number(300))
	equal(t, open(t, clock, `{"clock" = "300"}`, nil).variable(t, "clock"), number(300))
}

func TestVariableTypes(t *testing.T) {
	const declared = `
variable "name" {
  type = string
}
variable "lanes" {
  type    = list(number)
  default = ["1", 2]
}
variable "map" {
  type    = map(object({ tdest = number, way = optional(string) }))
  default = { sum = { tdest = 0 } }
}
variable "anything" {
  default = [1, "a"]
}
variable "nothing" {
  type    = string
  default = null
}
`
	got := open(t, declared, "", map[string]string{lang.EnvPrefix + "name": "plain text, not an expression"})
	equal(t, got.variable(t, "name"), cty.StringVal("plain text, not an expression"))
	equal(t, got.variable(t, "lanes"), cty.ListVal([]cty.Value{number(1), number(2)}))
	equal(t, got.variable(t, "map").Index(cty.StringVal("sum")).GetAttr("tdest"), number(0))
	equal(t, got.variable(t, "anything"), cty.TupleVal([]cty.Value{number(1), cty.StringVal("a")}))
	equal(t, got.variable(t, "nothing"), cty.NullVal(cty.String))
	var said []string
	for _, v := range got.scope.Declared {
		said = append(said, v.Name+": "+v.Type+" = "+v.Default)
	}
	want := []string{
		`anything: any = [1, "a"]`, "lanes: list(number) = [1, 2]",
		`map: map(object({tdest=number,way=string})) = {"sum":{"tdest":0,"way":null}}`,
		"name: string = ", "nothing: string = null",
	}
	assert.Check(t, is.DeepEqual(want, said))
}

func TestVariableErrors(t *testing.T) {
	open(t, clock, "{clock = 1000}", nil).expect(t,
		"Invalid value for variable: clock: The clock is 50 to 500 MHz.")
	open(t, clock, `{clock = "fast"}`, nil).expect(t,
		`Wrong type: The variable "clock" wants number: a number is required.`)
	open(t, clock, "", map[string]string{lang.EnvPrefix + "clock": "[1]"}).expect(t,
		`Wrong type: The variable "clock" wants number: number required, but have tuple.`)
	open(t, `variable "name" {}`, "", nil).expect(t,
		`Variable not set: The variable "name" has no default; set it with -vars='{name = ...}' or the environment variable CCLFORGE_VAR_name.`)
	open(t, clock+clock, "", nil).expect(t,
		`Duplicate variable: The variable "clock" is already declared on line 2.`)
	open(t, `variable "a b" { default = 1 }`, "", nil).expect(t,
		`Invalid name: "a b" is not a name; use letters, digits and underscores.`)
	open(t, `variable "a" "b" { default = 1 }`, "", nil).expect(t,
		`One name expected: A variable has one name: variable "clock" { ... }.`)
	open(t, `variable "a" { defualt = 1 }`, "{a = 1}", nil).expect(t,
		`Unsupported argument: An argument named "defualt" is not expected here. Did you mean "default"?`)
	open(t, "locals {\n  a = var.clokc\n}\n"+clock, "", nil).expect(t,
		`Unsupported attribute: This object does not have an attribute named "clokc".`)
}

func TestInputErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[1]":              "Object expected",
		"null":             "Object expected",
		"clock = 300":      "Object expected",
		"clock=300":        "Object expected",
		"clock":            "Object expected",
		"clock: 300, a":    "Object expected",
		"{a = }":           "Invalid expression",
		"{a = 1, a = 2}":   "Duplicate key",
		"{a = nosuch}":     "Variables not allowed",
		"{a = nosuch(1)}":  "Call to unknown function",
		"{(nosuch) = 1}":   "Variables not allowed",
		"{a = 1e99999999}": "Number too large",
	} {
		_, diags := lang.NewParser().ParseInputs("-vars", text)
		if len(diags) != 1 || (diags[0].Summary != want && diags[0].Summary != "Unknown variable") {
			t.Errorf("%s: %v, not %s", text, diags, want)
		}
	}
	in, diags := lang.NewParser().ParseInputs("-vars", "  ")
	assert.Check(t, !diags.HasErrors() && len(in.Assigned) == 0, "%v %v", in, diags)
}

func TestLocalsInAnyOrder(t *testing.T) {
	got := open(t, `
locals {
  c = "${local.b} and ${local.a[0] + local.two}"
  a = [local.two, 1]
}
variable "one" { default = 1 }
locals {
  b   = [for x in local.a : x * local.two if x < local.two + 1][0]
  two = 2 * var.one
  f   = max(local.two, local.b, local["a"][1])
  n   = length(keys(local))
}
`, "", nil)
	equal(t, got.local(t, "c"), cty.StringVal("4 and 4"))
	equal(t, got.local(t, "f"), number(4))
	equal(t, got.local(t, "n"), number(6))
}

func TestLocalErrors(t *testing.T) {
	open(t, "locals {\n  a = local.b + 1\n  b = [local.c]\n  c = \"${local.a}\"\n  d = local.d\n}\n", "", nil).expect(t,
		"Locals depend on each other: local.a needs itself: local.a -> local.b -> local.c -> local.a.",
		"Locals depend on each other: local.d needs itself: local.d -> local.d.")
	open(t, "locals {\n  a = 1\n}\nlocals {\n  a = 2\n}\n", "", nil).expect(t,
		"Duplicate local: local.a is already set on line 2.")
	open(t, "locals {\n  a = 1\n  b {\n  }\n}\n", "", nil).expect(t,
		"Unexpected block: A locals block holds only name = value lines.")
	open(t, "locals {\n  a = lcoal.b\n  b = work\n}\n", "", nil).expect(t,
		`Unknown variable: There is no variable named "lcoal". Did you mean "local"?`,
		`Unknown variable: There is no variable named "work".`)
}

// An error is reported where it is, not again wherever its value is used.
func TestErrorsDoNotSpread(t *testing.T) {
	open(t, "locals {\n  a = nosuch(1)\n  b = local.a + 1\n  c = [local.b]\n}\n", "", nil).expect(t,
		`Call to unknown function: There is no function named "nosuch".`)
}

func TestInputRanges(t *testing.T) {
	in, diags := lang.NewParser().ParseInputs("-vars", "{a = 1,\n b = 2}")
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	rng := in.Assigned["b"].Range
	assert.Check(t, rng.Filename == "-vars" && rng.Start.Line == 2, "%v", rng)
}
