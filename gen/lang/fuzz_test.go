package lang_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/lang"
)

// FuzzParse evaluates everything in arbitrary text: variables, locals and all
// attributes of all blocks, and prints what is wrong. Whatever the text is,
// this ends.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"../../platforms/*.hcl", "../../platforms/*/*.hcl"} {
		paths, err := filepath.Glob(pattern)
		assert.NilError(f, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			assert.NilError(f, err)
			f.Add(text, "{ethernet_port = 1}")
		}
	}
	for _, text := range []string{
		clock,
		"locals {\n  a = [for x in range(4) : [for y in range(4) : x * y]]\n}\n",
		"locals {\n  a = \"%{for x in local.b}${x}%{endfor}\"\n  b = { c = 1e300, (\"d\") = -local.b[*].e }\n}\n",
		doublings(`"text "`, `replace(%[2]s, "t", format("%%3d", length([%[2]s])))`, 3),
		"a = <<-EOT\n  ${b}\n  EOT\nblock \"x\" \"y\" {\n  c = try ? !d : hex(\"1F\") % 3\n}\n",
	} {
		f.Add([]byte(text), "{clock = 300}")
	}
	f.Fuzz(func(t *testing.T, text []byte, inputs string) {
		parser := lang.NewParser()
		file, diags := parser.Parse("fuzz.hcl", text)
		in, d := parser.ParseInputs("-vars", inputs)
		diags = append(diags, d...)
		if file != nil {
			in.LookupEnv = func(string) (string, bool) { return inputs, len(text)%2 == 0 }
			scope, d := file.Open(in, parser)
			diags = append(diags, d...)
			evaluate(file.Body, scope.Context, &diags)
		}
		evaluate(lang.Remains("fuzz.hcl", "variable", text).Body, lang.NewContext(nil), &diags)
		assert.Check(t, parser.WriteDiagnostics(discard{}, lang.Sorted(diags), 80, true))
	})
}

func evaluate(body *hclsyntax.Body, ctx *hcl.EvalContext, diags *hcl.Diagnostics) {
	for _, attr := range body.Attributes {
		_, d := lang.Value(attr.Expr, ctx)
		*diags = append(*diags, d...)
		var n int
		*diags = append(*diags, lang.Evaluate(attr.Expr, ctx, &n)...)
	}
	for _, block := range body.Blocks {
		evaluate(block.Body, ctx, diags)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
