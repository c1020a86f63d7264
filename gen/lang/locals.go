package lang

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

func (s *Scope) evalLocals(blocks []*hclsyntax.Block) hcl.Diagnostics {
	var diags hcl.Diagnostics
	attrs := map[string]*hclsyntax.Attribute{}
	for _, b := range blocks {
		for _, nested := range b.Body.Blocks {
			diags = append(diags, Errorf(nested.DefRange(), "Unexpected block", "A locals block holds only name = value lines."))
		}
		for _, name := range inOrder(b.Body.Attributes) {
			attr := b.Body.Attributes[name]
			if prev, dup := attrs[name]; dup {
				diags = append(diags, Errorf(attr.NameRange, "Duplicate local", "local.%s is already set on line %d.", name,
					prev.NameRange.Start.Line))
				continue
			}
			attrs[name] = attr
		}
	}
	order, d := orderLocals(attrs)
	diags = append(diags, d...)
	values := map[string]cty.Value{}
	for name := range attrs {
		values[name] = cty.DynamicVal
	}
	for _, name := range order {
		s.Context.Variables["local"] = visible(values, attrs[name].Expr)
		v, d := Value(attrs[name].Expr, s.Context)
		diags = append(diags, d...)
		if !d.HasErrors() {
			values[name] = v
		}
	}
	s.Context.Variables["local"] = cty.ObjectVal(values)
	return diags
}

// orderLocals sorts locals so that each comes after those it uses, and reports
// every cycle once, at its first member.
func orderLocals(attrs map[string]*hclsyntax.Attribute) ([]string, hcl.Diagnostics) {
	const visiting, done = 1, 2
	state := map[string]int{}
	var order, path []string
	var diags hcl.Diagnostics
	var visit func(string) bool
	visit = func(name string) bool {
		switch state[name] {
		case done:
			return true
		case visiting:
			cycle := append(slices.Clone(path[slices.Index(path, name):]), name)
			diags = append(diags, Errorf(attrs[name].NameRange, "Locals depend on each other",
				"local.%s needs itself: %s.", name, "local."+strings.Join(cycle, " -> local.")))
			return false
		}
		state[name] = visiting
		path = append(path, name)
		ok := true
		used, _ := localsUsed(attrs[name].Expr)
		for _, other := range used {
			if _, exists := attrs[other]; exists {
				ok = visit(other) && ok
			}
		}
		path = path[:len(path)-1]
		state[name] = done
		if ok {
			order = append(order, name)
		}
		return ok
	}
	for _, name := range inOrder(attrs) {
		visit(name)
	}
	return order, diags
}

// visible is the object of locals as an expression sees it. It holds only
// those that the expression names, unless it uses the object as a whole:
// building all of them for each would take quadratic time.
func visible(values map[string]cty.Value, expr hcl.Expression) cty.Value {
	used, whole := localsUsed(expr)
	if whole {
		return cty.ObjectVal(values)
	}
	some := make(map[string]cty.Value, len(used))
	for _, name := range used {
		if v, exists := values[name]; exists {
			some[name] = v
		}
	}
	return cty.ObjectVal(some)
}

// localsUsed lists the locals that an expression names, and whether it also
// uses the object of all locals in another way.
func localsUsed(expr hcl.Expression) (names []string, whole bool) {
	for _, traversal := range expr.Variables() {
		if traversal.RootName() != "local" {
			continue
		}
		if len(traversal) < 2 {
			whole = true
			continue
		}
		switch step := traversal[1].(type) {
		case hcl.TraverseAttr:
			names = append(names, step.Name)
		case hcl.TraverseIndex:
			if step.Key.Type() != cty.String || step.Key.IsNull() {
				whole = true
				continue
			}
			names = append(names, step.Key.AsString())
		default:
			whole = true
		}
	}
	return names, whole
}

// inOrder lists the names of attributes as they stand in the file.
func inOrder(attrs map[string]*hclsyntax.Attribute) []string {
	return slices.SortedFunc(maps.Keys(attrs), func(a, b string) int {
		return cmp.Compare(attrs[a].NameRange.Start.Byte, attrs[b].NameRange.Start.Byte)
	})
}
