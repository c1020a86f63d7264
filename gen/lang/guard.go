package lang

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// MaxWork bounds one evaluation: elements and bytes that pass through loops,
// templates and functions. Counting makes "does not end" a property of the
// file, not of the machine's speed.
const MaxWork = 4 << 20

const workVariable = "\x00work"

var workType = cty.Capsule("work", reflect.TypeFor[int64]())

// NewContext returns an evaluation context with the language's functions, the
// given variables and a budget of its own. A context serves one goroutine.
func NewContext(variables map[string]cty.Value) *hcl.EvalContext {
	vars := make(map[string]cty.Value, len(variables)+1)
	for k, v := range variables {
		vars[k] = v
	}
	work := int64(MaxWork)
	vars[workVariable] = cty.CapsuleVal(workType, &work)
	return &hcl.EvalContext{Variables: vars, Functions: functions}
}

// outOfWork unwinds an evaluation that exceeded its budget; it never leaves
// the package.
type outOfWork struct {
	rng    hcl.Range
	detail string
}

func spend(ctx *hcl.EvalContext, rng hcl.Range, units int64) {
	for c := ctx; c != nil; c = c.Parent() {
		v, ok := c.Variables[workVariable]
		if !ok {
			continue
		}
		left := v.EncapsulatedValue().(*int64)
		if *left -= units; *left < 0 {
			panic(outOfWork{rng, "The evaluation of this file does not end within its limit; look for nested loops or values that grow without bound."})
		}
		return
	}
}

// guarded is an expression whose results are charged to the budget.
type guarded struct{ hclsyntax.Expression }

func (g guarded) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := g.Expression.Value(ctx)
	spend(ctx, g.Range(), 1+sizeOf(v, g.Range()))
	return v, diags
}

// UnwrapExpression lets static analysis of HCL (keywords, type expressions) see
// through the guard.
func (g guarded) UnwrapExpression() hcl.Expression { return g.Expression }

// sizeOf is the number of elements and string bytes in a value.
func sizeOf(v cty.Value, rng hcl.Range) int64 {
	if !v.IsKnown() || v.IsNull() {
		return 1
	}
	switch t := v.Type(); {
	case t == cty.String:
		return int64(len(v.AsString()))/16 + 1
	case t == cty.Number:
		if f := v.AsBigFloat(); f.MantExp(nil) > 4*maxExponent {
			panic(outOfWork{rng, fmt.Sprintf("Numbers may have exponents up to %d.", maxExponent)})
		}
		return 1
	case t.IsCollectionType() || t.IsTupleType() || t.IsObjectType():
		n := int64(1)
		for it := v.ElementIterator(); it.Next() && n < MaxWork; {
			k, e := it.Element()
			n += sizeOf(e, rng)
			if k.Type() == cty.String {
				n += sizeOf(k, rng)
			}
		}
		return n
	default:
		return 1
	}
}

// guard wraps the parts of an expression that can multiply work.
func guard(expr hclsyntax.Expression) hclsyntax.Expression {
	if expr == nil {
		return nil
	}
	charged := func(e hclsyntax.Expression) hclsyntax.Expression {
		if e == nil {
			return nil
		}
		if lit, ok := e.(*hclsyntax.LiteralValueExpr); ok {
			return lit
		}
		return chargedAlways(e)
	}
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		e.Expression = guard(e.Expression)
	case *hclsyntax.TemplateExpr:
		for i := range e.Parts {
			e.Parts[i] = charged(e.Parts[i])
		}
	case *hclsyntax.TemplateWrapExpr:
		e.Wrapped = charged(e.Wrapped)
	case *hclsyntax.TemplateJoinExpr:
		e.Tuple = guard(e.Tuple)
	case *hclsyntax.FunctionCallExpr:
		for i := range e.Args {
			e.Args[i] = charged(e.Args[i])
		}
		return guarded{e}
	case *hclsyntax.ForExpr:
		e.CollExpr, e.KeyExpr = charged(e.CollExpr), charged(e.KeyExpr)
		e.ValExpr, e.CondExpr = chargedAlways(e.ValExpr), charged(e.CondExpr)
	case *hclsyntax.TupleConsExpr:
		for i := range e.Exprs {
			e.Exprs[i] = charged(e.Exprs[i])
		}
	case *hclsyntax.ObjectConsExpr:
		for i := range e.Items {
			e.Items[i].KeyExpr = guard(e.Items[i].KeyExpr)
			e.Items[i].ValueExpr = charged(e.Items[i].ValueExpr)
		}
	case *hclsyntax.ObjectConsKeyExpr:
		if hcl.ExprAsKeyword(e.Wrapped) == "" {
			e.Wrapped = charged(e.Wrapped)
		}
	case *hclsyntax.ConditionalExpr:
		e.Condition, e.TrueResult, e.FalseResult = charged(e.Condition), charged(e.TrueResult), charged(e.FalseResult)
	case *hclsyntax.IndexExpr:
		e.Collection, e.Key = charged(e.Collection), charged(e.Key)
	case *hclsyntax.RelativeTraversalExpr:
		e.Source = charged(e.Source)
	case *hclsyntax.SplatExpr:
		e.Source, e.Each = charged(e.Source), chargedAlways(e.Each)
	case *hclsyntax.UnaryOpExpr:
		e.Val = charged(e.Val)
	case *hclsyntax.BinaryOpExpr:
		e.LHS, e.RHS = charged(e.LHS), charged(e.RHS)
	}
	return expr
}

// chargedAlways also charges literals: a loop costs a step whatever its body.
func chargedAlways(e hclsyntax.Expression) hclsyntax.Expression {
	if _, ok := e.(*hclsyntax.ScopeTraversalExpr); ok {
		// A walk sees the children of what is guarded but not the node itself,
		// and would miss the variable.
		e = &hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}
	}
	return guarded{guard(e)}
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
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Evaluation failed", Subject: &rng}
	switch r := r.(type) {
	case outOfWork:
		d.Summary, d.Detail, d.Subject = "Evaluation takes too long", r.detail, &r.rng
	case error:
		d.Detail = "This cannot be evaluated: " + r.Error()
	default:
		d.Detail = fmt.Sprintf("This cannot be evaluated: %v", r)
	}
	*diags = append(*diags, d)
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

// Present reports whether an optional expression was written: gohcl stands a
// null value of its own in for one that was not.
func Present(expr hcl.Expression) bool {
	written, ok := expr.(hclsyntax.Expression)
	if !ok {
		return false
	}
	literal, ok := written.(*hclsyntax.LiteralValueExpr)
	return !ok || !literal.Val.IsNull()
}

// Sorted orders diagnostics by place, as a person reads a file, and drops those
// that say the same of the same place.
func Sorted(diags hcl.Diagnostics) hcl.Diagnostics {
	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		if a.Subject == nil || b.Subject == nil {
			return 0
		}
		return cmp.Or(cmp.Compare(a.Subject.Filename, b.Subject.Filename), cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte))
	})
	return slices.CompactFunc(diags, func(a, b *hcl.Diagnostic) bool {
		return a.Summary == b.Summary && a.Detail == b.Detail && a.Subject != nil && b.Subject != nil && *a.Subject == *b.Subject
	})
}

// DiagnosticsError carries diagnostics through an error return.
type DiagnosticsError struct{ Diags hcl.Diagnostics }

// ErrInvalid matches every DiagnosticsError.
var ErrInvalid = errors.New("invalid description")

func (e *DiagnosticsError) Error() string {
	var b strings.Builder
	for i, d := range e.Diags {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.Error())
	}
	return b.String()
}

// Is makes errors.Is(err, ErrInvalid) true.
func (e *DiagnosticsError) Is(target error) bool { return target == ErrInvalid }
