package faults

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
)

// decoder reads a plan and collects what is wrong with it.
type decoder struct {
	parser *lang.Parser
	ctx    *hcl.EvalContext
	diags  hcl.Diagnostics
	out    *Plan
	seeded bool
}

func newDecoder() *decoder {
	parser := lang.NewParser()
	return &decoder{parser: parser, out: &Plan{parser: parser}}
}

func (d *decoder) complain(place hcl.Range, summary, format string, args ...any) {
	d.diags = append(d.diags, lang.Errorf(place, summary, format, args...))
}

// entry is a name with what is said about it: an attribute of an object or a
// body, or a block.
type entry struct {
	name  string
	place hcl.Range      // of the name
	expr  hcl.Expression // nil for a block
	block *record
}

// record is an object with a label, if it has one: a block, an element of a
// list, or of an object whose key is the label.
type record struct {
	label   string
	place   hcl.Range // of the label, or of the whole
	entries []entry
}

// value evaluates an attribute; it is false if there is nothing to be read.
func (d *decoder) value(expr hcl.Expression) (cty.Value, bool) {
	v, diags := lang.Value(expr, d.ctx)
	d.diags = append(d.diags, diags...)
	return v, !diags.HasErrors() && !v.IsNull() && v.IsWhollyKnown()
}

// body returns what a file or a block holds, in its order.
func (d *decoder) body(b *hclsyntax.Body) []entry {
	var out []entry
	for _, a := range b.Attributes {
		out = append(out, entry{name: a.Name, place: a.NameRange, expr: a.Expr})
	}
	for _, block := range b.Blocks {
		r := &record{place: block.DefRange(), entries: d.body(block.Body)}
		if len(block.Labels) > 0 {
			r.label, r.place = block.Labels[0], block.LabelRanges[0]
		}
		if len(block.Labels) > 1 {
			d.complain(block.LabelRanges[1], "Too many labels", "A block has at most one label here.")
		}
		out = append(out, entry{name: block.Type, place: block.TypeRange, block: r})
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.place.Start.Byte, b.place.Start.Byte) })
	return out
}

// entries returns what an object holds: in its order if it is written out,
// otherwise by name.
func (d *decoder) entries(expr hcl.Expression) []entry {
	var out []entry
	first := map[string]hcl.Range{}
	add := func(name string, place hcl.Range, value hcl.Expression) {
		if before, twice := first[name]; twice {
			d.complain(place, "Duplicate key", "The key %q is already set on line %d; an object has each key once.",
				name, before.Start.Line)
			return
		}
		first[name] = place
		out = append(out, entry{name: name, place: place, expr: value})
	}
	if pairs, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		for _, pair := range pairs {
			key, ok := d.value(pair.Key)
			switch {
			case ok && key.Type() == cty.String:
				add(key.AsString(), pair.Key.Range(), pair.Value)
			case ok && key.Type() == cty.Number:
				add(numberName(key), pair.Key.Range(), pair.Value)
			case ok:
				d.complain(pair.Key.Range(), "Not a name", "A name is a text.")
			}
		}
		return out
	}
	v, ok := d.value(expr)
	switch {
	case !ok:
	case v.Type().IsObjectType() || v.Type().IsMapType():
		values := v.AsValueMap()
		for _, name := range slices.Sorted(maps.Keys(values)) {
			add(name, expr.Range(), hcl.StaticExpr(values[name], expr.Range()))
		}
	default:
		d.complain(expr.Range(), "Object expected", "Write an object here, {name = value, ...}.")
	}
	return out
}

// object is entries, but false if it is none.
func (d *decoder) object(expr hcl.Expression) ([]entry, bool) {
	before := len(d.diags)
	out := d.entries(expr)
	return out, len(out) > 0 || len(d.diags) == before
}

// elements returns those of a list; it is false if this is none. Null and what
// cannot be evaluated has none.
func (d *decoder) elements(expr hcl.Expression) ([]hcl.Expression, bool) {
	if list, diags := hcl.ExprList(expr); !diags.HasErrors() {
		return list, true
	}
	if _, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		return nil, false
	}
	v, ok := d.value(expr)
	if !ok {
		return nil, true
	}
	if t := v.Type(); !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		return nil, false
	}
	var out []hcl.Expression
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		out = append(out, hcl.StaticExpr(e, expr.Range()))
	}
	return out, true
}

// records returns those of a list, whose label is an attribute, or of an
// object, whose keys are the labels.
func (d *decoder) records(e entry, label string) []record {
	if e.block != nil {
		d.complain(e.place, "Not a block", "Write %s = [...].", e.name)
		return nil
	}
	list, ok := d.elements(e.expr)
	if !ok && label == "" {
		d.complain(e.expr.Range(), "List expected", "Write %s = [{...}, ...].", e.name)
		return nil
	}
	var out []record
	if !ok {
		for _, sub := range d.entries(e.expr) {
			if entries, ok := d.object(sub.expr); ok {
				out = append(out, record{sub.name, sub.place, entries})
			}
		}
		return out
	}
	for _, element := range list {
		r := record{place: element.Range()}
		entries, ok := d.object(element)
		if !ok {
			continue
		}
		for _, sub := range entries {
			if sub.name != label {
				r.entries = append(r.entries, sub)
			} else if v, ok := d.value(sub.expr); ok {
				r.label, r.place = labelText(v), sub.expr.Range()
			}
		}
		out = append(out, r)
	}
	return out
}

// labelText is a label as it would be written for a block.
func labelText(v cty.Value) string {
	switch v.Type() {
	case cty.String:
		return v.AsString()
	case cty.Number:
		return numberName(v)
	}
	return "?"
}

func numberName(v cty.Value) string {
	f, _ := v.AsBigFloat().Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}
