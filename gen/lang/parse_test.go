package lang_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

const (
	tooDeep = "Nested too deeply: Blocks, brackets, operators and templates may be nested at most 100 deep."
	tooMany = "Too many operators: An expression may have at most 500 operators."
)

func TestFileSize(t *testing.T) {
	line := "# a comment of 32 bytes in all.\n"
	text := strings.Repeat(line, lang.MaxFileBytes/len(line))
	open(t, text, "", nil).expect(t)
	open(t, text+"#", "", nil).expect(t,
		"File too large: test.hcl has more than 262144 bytes, the most that a file may have.")
	_, diags := lang.NewParser().ParseExpression("value", make([]byte, lang.MaxFileBytes+1))
	assert.Check(t, len(diags) == 1 && diags[0].Summary == "Value too large", "%v", diags)
}

// nested returns n openings around a middle and their closings.
func nested(n int, opening, middle, closing string) string {
	return strings.Repeat(opening, n) + middle + strings.Repeat(closing, n)
}

func TestDepth(t *testing.T) {
	// What is around the expression may not count against it, however it is
	// checked: texts with many brackets are looked at before they are parsed.
	large := "locals {\n" + strings.Repeat("# ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\n", 100) + "}\n"
	for name, text := range map[string]func(n int) string{
		"parentheses": func(n int) string { return nested(n, "(", "1", ")") },
		"tuples":      func(n int) string { return nested(n, "[", "1", "]") },
		"objects":     func(n int) string { return nested(n, "{a=", "1", "}") },
		"calls":       func(n int) string { return nested(n, "abs(", "1", ")") },
		"negations":   func(n int) string { return strings.Repeat("-", n) + "1" },
		"templates":   func(n int) string { return nested(n, `"x${`, "1", `}"`) },
		"directives":  func(n int) string { return `"` + nested(n/2, "%{if true}", "1", "%{endif}") + `"` },
		"loops":       func(n int) string { return nested(n, "[for x in [1] : ", "1", "]") },
		"choices":     func(n int) string { return strings.Repeat("true ? 1 : ", n) + "1" },
	} {
		t.Run(name, func(t *testing.T) {
			for _, prefix := range []string{"", large} {
				good := open(t, prefix+"locals {\n  a = "+text(90)+"\n}\n", "", nil)
				assert.Check(t, len(good.errors) <= 0, "90 deep: %q", good.errors)
				open(t, prefix+"locals {\n  a = "+text(110)+"\n}\n", "", nil).expect(t, tooDeep)
			}
		})
	}
}

// What the parser could not even survive.
func TestFarTooDeep(t *testing.T) {
	const n = 60000
	for name, text := range map[string]string{
		"parentheses":      "a = " + strings.Repeat("(", n),
		"objects":          "a = " + strings.Repeat("{a=", n),
		"blocks":           strings.Repeat("a {\n", n),
		"templates":        "a = " + strings.Repeat(`"${`, n),
		"directives":       `a = "` + strings.Repeat("%{if true}", 20000),
		"after closings":   strings.Repeat("}", n) + "a = " + strings.Repeat("(", n),
		"mixed brackets":   "a = " + strings.Repeat("(]", n),
		"after directives": `a = "` + strings.Repeat("%{endif}", 10000) + strings.Repeat("%{if true}", 10000),
	} {
		t.Run(name, func(t *testing.T) { open(t, text, "", nil).expect(t, tooDeep) })
	}
}

func TestOperators(t *testing.T) {
	sum := func(n int) string { return "locals {\n  a = 0" + strings.Repeat("+1", n) + "\n}\n" }
	equal(t, open(t, sum(500), "", nil).local(t, "a"), number(500))
	open(t, sum(501), "", nil).expect(t, tooMany)
	open(t, sum(100000), "", nil).expect(t, tooMany)
	index := "locals {\n  a = [0]\n  b = local.a" + strings.Repeat("[local.a[0]]", 20000) + "\n}\n"
	open(t, index, "", nil).expect(t, tooMany)
	open(t, "a = "+strings.Repeat("-", 60000)+"1", "", nil).expect(t, tooMany)
	splat := "locals {\n  a = [0]\n  b = local.a" + strings.Repeat("[*]", 60000) + "\n}\n"
	open(t, splat, "", nil).expect(t, tooMany)
}

func TestNumbers(t *testing.T) {
	const tooLarge = "Number too large: Numbers may have at most 100 digits and exponents up to 300."
	for _, literal := range []string{"1e999999", "1e-999999", "1e600000000", strings.Repeat("9", 101),
		"0." + strings.Repeat("0", 5000) + "1"} {
		open(t, "locals {\n  a = "+literal+"\n}", "", nil).expect(t, tooLarge)
	}
	for _, literal := range []string{"1e300", "1e-300", strings.Repeat("9", 100), "0.5"} {
		open(t, "locals {\n  a = "+literal+"\n}", "", nil).expect(t)
	}
}

func TestDuplicateKeys(t *testing.T) {
	got := open(t, `locals {
  a = { x = 1, y = 2, "x" = 3 }
  b = [{ 1 = 2,
    1 = 3 }]
  c = { (local.k) = 1, (local.k) = 2 }
  k = "k"
}
`, "", nil)
	got.expect(t,
		`Duplicate key: The key "x" is already set on line 2; an object has each key once.`,
		`Duplicate key: The key "1" is already set on line 3; an object has each key once.`)
	assert.Check(t, got.lines[0] == 2 && got.lines[1] == 4, "lines %v", got.lines)
}

func TestDiagnosticsShowTheSource(t *testing.T) {
	parser := lang.NewParser()
	_, diags := parser.Parse("test.hcl", []byte("locals {\n  a = = 1\n}\n"))
	var b strings.Builder
	assert.NilError(t, parser.WriteDiagnostics(&b, diags, 0, false))
	want := `Error: Invalid expression

  on test.hcl line 2:
   2:   a = = 1

Expected the start of an expression, but found an invalid expression token.

`
	assert.Check(t, is.Equal(b.String(), want))
}
