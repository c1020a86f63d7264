package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bind returns an expression whose variables are looked up in the given ones first,
// then in the context of the evaluation: when another file takes an expression over,
// it keeps the variables of its own file. A missing expression stays missing.
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
