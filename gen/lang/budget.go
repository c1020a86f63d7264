package lang

import (
	"maps"
	"reflect"
	"strings"

	"github.com/hashicorp/hcl/v2"
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
	maps.Copy(vars, variables)
	vars[workVariable] = cty.CapsuleVal(workType, &budget{left: MaxWork})
	return &hcl.EvalContext{Variables: vars, Functions: functions}
}

// overLimit unwinds an evaluation that exceeded its limits; it never leaves
// the package.
type overLimit struct {
	diagnostic *hcl.Diagnostic // nil if it was reported before
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
			panic(overLimit{})
		}
		b.reported = true
		panic(overLimit{Errorf(rng, "Evaluation takes too long",
			"The evaluation of this file does not end within its limit; look for nested loops or values that grow without "+
				"bound.")})
	}
}

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
			panic(
				overLimit{Errorf(rng, "Number too large",
					"A text that can be used as a number may have exponents up to %d and at most %d digits.",
					maxExponent, maxTextDigits)})
		}
		return int64(len(text))/unitBytes + 1
	case t == cty.Number:
		if exponentTooLarge(v) {
			panic(overLimit{Errorf(rng, "Number too large", "Numbers may have exponents from -%d to %d.",
				maxExponent, maxExponent)})
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
	if text == "" || (text[0] != '.' && (text[0] < '0' || text[0] > '9')) ||
		strings.Trim(text, "0123456789.eEpP+-_") != "" {
		return false
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eEpP"); i >= 0 {
		mantissa, exponent = text[:i], strings.TrimLeft(text[i+1:], "+-0_")
	}
	return len(mantissa) > maxTextDigits || len(exponent) > 3
}
