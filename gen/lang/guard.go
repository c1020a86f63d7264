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
const MaxWork = 1 << 18

// workVariable holds the budget. Its name resembles none that a user writes, so
// that no message suggests it.
const workVariable = "\x00 what is left of the budget of this evaluation"

var workType = cty.Capsule("work", reflect.TypeFor[budget]())

// budget is the work that is left. Once it is used up, every evaluation that
// still needs some fails, and only the first says so.
type budget struct {
	left     int64
	reported bool
}

// NewContext returns an evaluation context with the language's functions, the
// given variables and a budget of its own. A context serves one goroutine.
func NewContext(variables map[string]cty.Value) *hcl.EvalContext {
	vars := make(map[string]cty.Value, len(variables)+1)
	for k, v := range variables {
		vars[k] = v
	}
	vars[workVariable] = cty.CapsuleVal(workType, &budget{left: MaxWork})
	return &hcl.EvalContext{Variables: vars, Functions: functions}
}

// outOfWork unwinds an evaluation that exceeded its limits; it never leaves
// the package.
type outOfWork struct {
	rng    hcl.Range
	detail string // "" if it was reported before
}

func spend(ctx *hcl.EvalContext, rng hcl.Range, units int64) {
	for c := ctx; c != nil; c = c.Parent() {
		v, ok := c.Variables[workVariable]
		if !ok {
			continue
		}
		b := v.EncapsulatedValue().(*budget)
		if b.left -= units; b.left >= 0 {
			return
		}
		if b.reported {
			panic(outOfWork{rng: rng})
		}
		b.reported = true
		panic(outOfWork{rng, "The evaluation of this file does not end within its limit; look for nested loops or values that grow without bound."})
	}
}

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

// unitBytes is how many bytes of a string count as one unit of work.
const unitBytes = 16

// sizeOf is the work that it takes to look at a value once. Numbers that no
// memory holds, and strings that would become such numbers, end the evaluation.
func sizeOf(v cty.Value, rng hcl.Range) int64 {
	if !v.IsKnown() || v.IsNull() {
		return 1
	}
	switch t := v.Type(); {
	case t == cty.String:
		text := v.AsString()
		if numberTooLarge(text) {
			panic(outOfWork{rng, fmt.Sprintf("A text that can be used as a number may have exponents up to %d and at most %d digits.", maxExponent, maxTextDigits)})
		}
		return int64(len(text))/unitBytes + 1
	case t == cty.Number:
		if exponentTooLarge(v) {
			panic(outOfWork{rng, fmt.Sprintf("Numbers may have exponents from -%d to %d.", maxExponent, maxExponent)})
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

// maxTextDigits bounds texts that look like numbers.
const maxTextDigits = 4096

// numberTooLarge reports whether a text would be converted to a number that is
// out of bounds.
func numberTooLarge(text string) bool {
	text = strings.TrimLeft(text, "+-")
	if text == "" || (text[0] != '.' && (text[0] < '0' || text[0] > '9')) || strings.Trim(text, "0123456789.eEpP+-_") != "" {
		return false
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eEpP"); i >= 0 {
		mantissa, exponent = text[:i], strings.TrimLeft(text[i+1:], "+-0_")
	}
	return len(mantissa) > maxTextDigits || len(exponent) > 3
}

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
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Evaluation failed", Subject: &rng}
	switch r := r.(type) {
	case outOfWork:
		if r.detail == "" {
			return
		}
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

// Present reports whether an optional expression was written and is not simply
// null.
func Present(expr hcl.Expression) bool {
	literal, ok := expr.(*hclsyntax.LiteralValueExpr)
	return written(expr) && (!ok || !literal.Val.IsNull())
}

// written reports whether an optional expression was written: what stands in
// for one that was not is no syntax.
func written(expr hcl.Expression) bool {
	_, ok := expr.(hclsyntax.Node)
	return ok
}

// Sorted orders diagnostics by place, as a person reads a file, and drops those
// that say the same of the same place.
func Sorted(diags hcl.Diagnostics) hcl.Diagnostics {
	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		x, y := subject(a), subject(b)
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Start.Byte, y.Start.Byte))
	})
	type what struct {
		place           hcl.Range
		summary, detail string
	}
	said := map[what]bool{}
	return slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool {
		w := what{subject(d), d.Summary, d.Detail}
		if said[w] {
			return true
		}
		said[w] = true
		return false
	})
}

func subject(d *hcl.Diagnostic) hcl.Range {
	if d.Subject == nil {
		return hcl.Range{}
	}
	return *d.Subject
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
