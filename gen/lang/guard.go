package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// guarded is an expression whose results are charged to the budget. It walks
// like parentheses, so that the variables of what it holds are found.
type guarded struct{ *hclsyntax.ParenthesesExpr }

func newGuarded(e hclsyntax.Expression) guarded {
	return guarded{&hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}}
}

func (g guarded) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := g.Expression.Value(ctx)
	spend(ctx, g.Range(), 1+sizeOf(v, g.Range()))
	return v, diags
}

// UnwrapExpression lets static analysis of HCL (keywords, type expressions) see
// through the guard.
func (g guarded) UnwrapExpression() hcl.Expression { return g.Expression }

// call is a function call that is charged for what the function will do with
// its arguments, before it does.
type call struct{ *hclsyntax.FunctionCallExpr }

func (c call) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	args := make([]cty.Value, len(c.Args))
	counted := *c.FunctionCallExpr
	counted.Args = make([]hclsyntax.Expression, len(c.Args))
	for i, arg := range c.Args {
		v, diags := arg.Value(ctx)
		args[i] = v
		counted.Args[i] = evaluated{newGuarded(arg), v, diags}
	}
	spend(ctx, c.Range(), callWork(c.Name, args, c.Range()))
	return counted.Value(ctx)
}

// evaluated is an expression whose value is known already.
type evaluated struct {
	guarded
	value cty.Value
	diags hcl.Diagnostics
}

func (e evaluated) Value(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return e.value, e.diags }

// guard charges an expression and all of its parts to the budget. Literals are
// not charged: there are no more than the file has room for.
func guard(expr hclsyntax.Expression) hclsyntax.Expression {
	switch e := expr.(type) {
	case nil, *hclsyntax.LiteralValueExpr:
		return expr
	case *hclsyntax.TemplateExpr:
		if e.IsStringLiteral() && !numberTooLarge(e.Parts[0].(*hclsyntax.LiteralValueExpr).Val.AsString()) {
			return expr
		}
	}
	return newGuarded(guardParts(expr))
}

func guardParts(expr hclsyntax.Expression) hclsyntax.Expression {
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		e.Expression = guard(e.Expression)
	case *hclsyntax.TemplateExpr:
		for i := range e.Parts {
			e.Parts[i] = guard(e.Parts[i])
		}
	case *hclsyntax.TemplateWrapExpr:
		e.Wrapped = guard(e.Wrapped)
	case *hclsyntax.TemplateJoinExpr:
		e.Tuple = guard(e.Tuple)
	case *hclsyntax.FunctionCallExpr:
		for i := range e.Args {
			e.Args[i] = guard(e.Args[i])
		}
		return call{e}
	case *hclsyntax.ForExpr:
		e.CollExpr, e.KeyExpr, e.CondExpr = guard(e.CollExpr), guard(e.KeyExpr), guard(e.CondExpr)
		e.ValExpr = newGuarded(guardParts(e.ValExpr)) // a step costs whatever its body
	case *hclsyntax.TupleConsExpr:
		for i := range e.Exprs {
			e.Exprs[i] = guard(e.Exprs[i])
		}
	case *hclsyntax.ObjectConsExpr:
		for i := range e.Items {
			if key, ok := e.Items[i].KeyExpr.(*hclsyntax.ObjectConsKeyExpr); ok && hcl.ExprAsKeyword(key.Wrapped) == "" {
				key.Wrapped = guard(key.Wrapped)
			}
			e.Items[i].ValueExpr = guard(e.Items[i].ValueExpr)
		}
	case *hclsyntax.ConditionalExpr:
		e.Condition, e.TrueResult, e.FalseResult = guard(e.Condition), guard(e.TrueResult), guard(e.FalseResult)
	case *hclsyntax.IndexExpr:
		e.Collection, e.Key = guard(e.Collection), guard(e.Key)
	case *hclsyntax.RelativeTraversalExpr:
		e.Source = guard(e.Source)
	case *hclsyntax.SplatExpr:
		e.Source = guard(e.Source)
		e.Each = newGuarded(guardParts(e.Each))
	case *hclsyntax.UnaryOpExpr:
		e.Val = guard(e.Val)
	case *hclsyntax.BinaryOpExpr:
		e.LHS, e.RHS = guard(e.LHS), guard(e.RHS)
	}
	return expr
}

func guardBody(body *hclsyntax.Body) {
	for _, attr := range body.Attributes {
		attr.Expr = guard(attr.Expr)
	}
	for _, block := range body.Blocks {
		guardBody(block.Body)
	}
}

// protect turns an exhausted budget, and any panic of the evaluation itself,
// into a diagnostic.
func protect(rng hcl.Range, diags *hcl.Diagnostics) {
	r := recover()
	if r == nil {
		return
	}
	over, ok := r.(overLimit)
	if !ok {
		over.diagnostic = Errorf(rng, "Evaluation failed", "This cannot be evaluated: %v", r)
	}
	if over.diagnostic != nil {
		*diags = append(*diags, over.diagnostic)
	}
}

// Decode decodes a body into a struct with hcl tags, as gohcl does, within the
// context's budget. All errors are reported.
func Decode(body hcl.Body, ctx *hcl.EvalContext, into any) (diags hcl.Diagnostics) {
	defer protect(body.MissingItemRange(), &diags)
	return gohcl.DecodeBody(body, ctx, into)
}

// Value evaluates one expression within the context's budget.
func Value(expr hcl.Expression, ctx *hcl.EvalContext) (v cty.Value, diags hcl.Diagnostics) {
	defer protect(expr.Range(), &diags)
	v = cty.DynamicVal
	v, diags = expr.Value(ctx)
	return v, diags
}

// Evaluate decodes one expression into a Go value.
func Evaluate(expr hcl.Expression, ctx *hcl.EvalContext, into any) (diags hcl.Diagnostics) {
	defer protect(expr.Range(), &diags)
	return gohcl.DecodeExpression(expr, ctx, into)
}

// Present reports whether an optional expression was written and is not simply
// null.
func Present(expr hcl.Expression) bool {
	literal, ok := expr.(*hclsyntax.LiteralValueExpr)
	return written(expr) && (!ok || !literal.Val.IsNull())
}

// written reports whether an optional expression was written. The stand-in for a
// missing one is not a node of the syntax.
func written(expr hcl.Expression) bool {
	_, ok := expr.(hclsyntax.Node)
	return ok
}
