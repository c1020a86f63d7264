package lang

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// EnvPrefix names the environment variables that set HCL variables:
// CCLFORGE_VAR_clock=300 sets var.clock.
const EnvPrefix = "CCLFORGE_VAR_"

// Inputs are values for variables from outside the file, later ones first in
// authority: the command line, then the environment, then the default.
type Inputs struct {
	// Assigned are values from the command line by variable name.
	Assigned map[string]Input
	// LookupEnv finds an environment variable; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
}

// Input is one assigned value and the place it was written.
type Input struct {
	Value cty.Value
	Range hcl.Range
}

// ParseInputs reads variable assignments written as one HCL object:
// {ethernet_port = 1, user_kernel = "vadd_put"}.
func (p *Parser) ParseInputs(name, text string) (Inputs, hcl.Diagnostics) {
	in := Inputs{Assigned: map[string]Input{}}
	if strings.TrimSpace(text) == "" {
		return in, nil
	}
	expr, diags := p.ParseExpression(name, []byte(text))
	if diags.HasErrors() {
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			return in, hcl.Diagnostics{notObject(subject(diags[0]))}
		}
		return in, diags
	}
	v, moreDiags := Value(expr, NewContext(nil))
	diags = append(diags, moreDiags...)
	switch {
	case !diags.HasErrors() && (v.IsNull() || !v.Type().IsObjectType()),
		diags.HasErrors() && hcl.ExprAsKeyword(expr) != "":
		return in, hcl.Diagnostics{notObject(expr.Range())}
	case diags.HasErrors():
		return in, diags
	}
	ranges := map[string]hcl.Range{}
	if pairs, d := hcl.ExprMap(expr); !d.HasErrors() {
		for _, pair := range pairs {
			if k, d := Value(pair.Key, NewContext(nil)); !d.HasErrors() && k.Type() == cty.String && k.IsKnown() && !k.IsNull() {
				ranges[k.AsString()] = pair.Key.Range()
			}
		}
	}
	for k, e := range v.AsValueMap() {
		rng, ok := ranges[k]
		if !ok {
			rng = expr.Range()
		}
		in.Assigned[k] = Input{e, rng}
	}
	return in, diags
}

func notObject(rng hcl.Range) *hcl.Diagnostic {
	return Errorf(rng, "Object expected", "Variables are given as one HCL object, in braces.")
}

// Scope is a file after its variables and locals have been evaluated.
type Scope struct {
	Context *hcl.EvalContext
	// Body is the rest of the file: everything but variable and locals blocks.
	Body hcl.Body
	// Variables are the values the variables took, by name.
	Variables map[string]cty.Value
	// Declared lists the file's variables by name.
	Declared []Variable
}

// Variable is what a file says about one of its variables.
type Variable struct {
	Name        string
	Type        string // as it is written: "number"; "any" if nothing is said
	Default     string // as an expression; "" if there is none
	Description string
}

type variable struct {
	Name        string         `hcl:"name,label"`
	Type        hcl.Expression `hcl:"type,optional"`
	Default     hcl.Expression `hcl:"default,optional"`
	Description string         `hcl:"description,optional"`
	Validations []validation   `hcl:"validation,block"`
	Range       hcl.Range      `hcl:",def_range"`
}

type validation struct {
	Condition hcl.Expression `hcl:"condition"`
	Message   string         `hcl:"error_message"`
}

// Open evaluates the variables and locals of a file.
func (f *File) Open(in Inputs, p *Parser) (*Scope, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	rest := &hclsyntax.Body{Attributes: f.Body.Attributes, SrcRange: f.Body.SrcRange, EndRange: f.Body.EndRange}
	var variables, locals []*hclsyntax.Block
	for _, b := range f.Body.Blocks {
		switch b.Type {
		case "variable":
			variables = append(variables, b)
		case "locals":
			locals = append(locals, b)
		default:
			rest.Blocks = append(rest.Blocks, b)
		}
	}
	s := &Scope{Body: rest, Variables: map[string]cty.Value{}, Context: NewContext(nil)}
	diags = append(diags, s.evalVariables(variables, in, p)...)
	diags = append(diags, s.evalLocals(locals)...)
	return s, diags
}

func (s *Scope) evalVariables(blocks []*hclsyntax.Block, in Inputs, p *Parser) hcl.Diagnostics {
	var diags hcl.Diagnostics
	lookup := in.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	var declared []variable
	first := map[string]hcl.Range{}
	for _, b := range blocks {
		if len(b.Labels) != 1 {
			diags = append(diags, Errorf(b.DefRange(), "One name expected",
				`A variable has one name: variable "clock" { ... }.`))
			continue
		}
		v := variable{Name: b.Labels[0]}
		diags = append(diags, Decode(b.Body, s.Context, &v)...)
		v.Range = b.DefRange()
		if prev, dup := first[v.Name]; dup {
			diags = append(diags, Errorf(v.Range, "Duplicate variable", "The variable %q is already declared on line %d.",
				v.Name, prev.Start.Line))
			continue
		}
		if !hclsyntax.ValidIdentifier(v.Name) {
			diags = append(diags, Errorf(b.LabelRanges[0], "Invalid name",
				"%q is not a name; use letters, digits and underscores.", v.Name))
			continue
		}
		first[v.Name] = v.Range
		declared = append(declared, v)
		s.Declared = append(s.Declared, v.declaration())
	}
	slices.SortFunc(s.Declared, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	for _, v := range declared {
		value, d := v.resolve(in, lookup, s.Context, p)
		diags = append(diags, d...)
		s.Variables[v.Name] = value
	}
	s.Context.Variables["var"] = cty.ObjectVal(s.Variables)
	for _, v := range declared {
		if s.Variables[v.Name].IsKnown() {
			diags = append(diags, v.validate(s.Context)...)
		}
	}
	return diags
}

// declaration is the variable as the file has it. Errors are reported when the
// variable takes its value.
func (v variable) declaration() Variable {
	out := Variable{Name: v.Name, Type: "any", Description: v.Description}
	want := cty.DynamicPseudoType
	if Present(v.Type) {
		if t, diags := typeexpr.TypeConstraint(v.Type); !diags.HasErrors() {
			want, out.Type = t, typeexpr.TypeString(t)
		}
	}
	if !written(v.Default) {
		return out
	}
	val, diags := Value(v.Default, NewContext(nil)) // a budget of its own
	if c, err := convert.Convert(val, want); err == nil && !diags.HasErrors() && c.IsWhollyKnown() {
		out.Default = literal(c)
	}
	return out
}

// literal writes a value as an expression on one line.
func literal(v cty.Value) string {
	text := string(hclwrite.TokensForValue(v).Bytes())
	if strings.Contains(text, "\n") { // it has objects; JSON is HCL, too
		if json, err := ctyjson.Marshal(v, v.Type()); err == nil {
			return string(json)
		}
	}
	return text
}

func (v variable) resolve(in Inputs, lookup func(string) (string, bool), ctx *hcl.EvalContext,
	p *Parser) (cty.Value, hcl.Diagnostics) {
	want := cty.DynamicPseudoType
	if Present(v.Type) {
		t, diags := typeexpr.TypeConstraint(v.Type)
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
		want = t
	}
	typed := func(val cty.Value, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
		c, err := convert.Convert(val, want)
		if err != nil {
			return cty.DynamicVal, hcl.Diagnostics{Errorf(rng, "Wrong type", "The variable %q wants %s: %s.", v.Name,
				want.FriendlyName(), err)}
		}
		return c, nil
	}
	if given, ok := in.Assigned[v.Name]; ok {
		return typed(given.Value, given.Range)
	}
	if text, ok := lookup(EnvPrefix + v.Name); ok {
		if want == cty.String {
			return cty.StringVal(text), nil
		}
		expr, diags := p.ParseExpression(EnvPrefix+v.Name, []byte(text))
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
		val, diags := Value(expr, NewContext(nil))
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
		return typed(val, expr.Range())
	}
	if !written(v.Default) {
		return cty.DynamicVal, hcl.Diagnostics{Errorf(v.Range, "Variable not set",
			"The variable %q has no default; set it with -vars='{%s = ...}' or the environment variable %s%s.", v.Name,
			v.Name, EnvPrefix, v.Name)}
	}
	val, diags := Value(v.Default, ctx)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return typed(val, v.Default.Range())
}

func (v variable) validate(ctx *hcl.EvalContext) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, rule := range v.Validations {
		var ok bool
		d := Evaluate(rule.Condition, ctx, &ok)
		diags = append(diags, d...)
		if !d.HasErrors() && !ok {
			diag := Errorf(rule.Condition.Range(), "Invalid value for variable", "%s: %s.", v.Name,
				strings.TrimSuffix(rule.Message, "."))
			diag.Expression, diag.EvalContext = rule.Condition, ctx
			diags = append(diags, diag)
		}
	}
	return diags
}
