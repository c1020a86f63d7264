package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bind returns an expression that sees the given variables before those of the
// context in which it is evaluated: those of the file that it was written in,
// when another file takes it over. What was not written stays so.
func Bind(expr hcl.Expression, variables map[string]cty.Value) hcl.Expression {
	syntax, ok := expr.(hclsyntax.Expression)
	if !ok || len(variables) == 0 {
		return expr
	}
	return bound{newGuarded(syntax), variables}
}

type bound struct {
	guarded
	variables map[string]cty.Value
}

func (b bound) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	inner := ctx.NewChild()
	inner.Variables = b.variables
	return b.Expression.Value(inner)
}
