package abi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/cclforge/cclforge/gen/lang"
)

// node is one block as it was written, or as it is after merging. Nodes are
// never changed once they have been read.
type node struct {
	kind     *kind
	label    string
	block    string    // the abi block that it stands in
	rng      hcl.Range // of the block's header
	labelRng hcl.Range
	attrs    map[string]setting
	maps     map[string]map[string]setting // attributes that merge key by key
	children []*node                       // in the order in which they were first written
}

// readNode evaluates a block of the abi block "in", and everything in it.
func readNode(k *kind, in string, block *hcl.Block, ctx *hcl.EvalContext) (*node, hcl.Diagnostics) {
	n := &node{kind: k, label: block.Labels[0], block: in, rng: block.DefRange, labelRng: block.LabelRanges[0],
		attrs: map[string]setting{}, maps: map[string]map[string]setting{}}
	schema := &hcl.BodySchema{}
	for _, name := range slices.Sorted(maps.Keys(k.attrs)) {
		schema.Attributes = append(schema.Attributes, hcl.AttributeSchema{Name: name})
	}
	kinds := map[string]*kind{}
	for _, child := range k.children {
		kinds[child.block] = child
		schema.Blocks = append(schema.Blocks, hcl.BlockHeaderSchema{Type: child.block, LabelNames: []string{"name"}})
	}
	content, diags := block.Body.Content(schema)
	for _, name := range slices.Sorted(maps.Keys(content.Attributes)) {
		diags = append(diags, n.readAttr(content.Attributes[name], k.attrs[name], ctx)...)
	}
	if both := n.settings(k.exclusive); len(both) > 1 {
		diags = append(diags, lang.Errorf(n.attrs[both[1]].rng, "One place expected",
			"%s has both %q and %q; it has one of them.", n.capital(), both[0], both[1]))
	}
	first := map[string]hcl.Range{}
	for _, b := range content.Blocks {
		child, d := readNode(kinds[b.Type], in, b, ctx)
		diags = append(diags, d...)
		diags = append(diags, child.checkName(k, n)...)
		key := b.Type + " " + child.label
		if prev, dup := first[key]; dup {
			diags = append(diags, lang.Errorf(child.labelRng, "Duplicate name",
				"%s already stands on line %d.", child.capital(), prev.Start.Line))
			continue
		}
		first[key] = child.labelRng
		n.children = append(n.children, child)
	}
	return n, diags
}

// readAttr evaluates one attribute. One that cannot be used is kept without a
// value, so that it is not reported as missing as well.
func (n *node) readAttr(attr *hcl.Attribute, want cty.Type, ctx *hcl.EvalContext) hcl.Diagnostics {
	value, diags := lang.Value(attr.Expr, ctx)
	if diags.HasErrors() || !value.IsWhollyKnown() {
		n.attrs[attr.Name] = setting{rng: attr.Expr.Range(), block: n.block}
		return diags
	}
	if value.IsNull() {
		return diags
	}
	converted, err := convert.Convert(value, want)
	if err != nil || hasNull(converted) {
		n.attrs[attr.Name] = setting{rng: attr.Expr.Range(), block: n.block}
		return append(diags, lang.Errorf(attr.Expr.Range(), "Wrong type", "%q of %s must be %s.", attr.Name,
			n, typeName(want)))
	}
	if !want.IsMapType() {
		s := setting{value: converted, rng: attr.Expr.Range(), block: n.block}
		if exprs, d := hcl.ExprList(attr.Expr); !d.HasErrors() {
			for _, e := range exprs {
				s.elements = append(s.elements, e.Range())
			}
		}
		n.attrs[attr.Name] = s
		return diags
	}
	places := map[string]hcl.Range{}
	if pairs, d := hcl.ExprMap(attr.Expr); !d.HasErrors() {
		for _, pair := range pairs {
			if key, d := lang.Value(pair.Key, ctx); !d.HasErrors() && key.Type() == cty.String && key.IsKnown() &&
				!key.IsNull() {
				places[key.AsString()] = pair.Key.Range()
			}
		}
	}
	n.maps[attr.Name] = map[string]setting{}
	for key, v := range converted.AsValueMap() {
		rng, ok := places[key]
		if !ok {
			rng = attr.Expr.Range()
		}
		n.maps[attr.Name][key] = setting{value: v, rng: rng, block: n.block}
	}
	return diags
}

func hasNull(v cty.Value) bool {
	if v.IsNull() {
		return true
	}
	if v.CanIterateElements() {
		for _, e := range v.AsValueSlice() {
			if hasNull(e) {
				return true
			}
		}
	}
	return false
}

func typeName(t cty.Type) string {
	switch t {
	case number:
		return "a number"
	case flag:
		return "true or false"
	case wordList:
		return "a list of names"
	case docMap:
		return "an object of texts, by name"
	case flagMap:
		return "an object of true and false, by name"
	default:
		return "a text"
	}
}

// checkName checks the name of a block that stands in parent.
func (n *node) checkName(k *kind, parent *node) hcl.Diagnostics {
	if k.block == "bits" && parent.label == ReturnCode {
		if !lang.UpperSnake(n.label) {
			return hcl.Diagnostics{lang.Errorf(n.labelRng, "Invalid name",
				"%q cannot name a %s of %s: write capitals, digits and single underscores, starting with a letter, for example "+
					"DMA_TIMEOUT.", n.label, n.kind.what, parent)}
		}
		return nil
	}
	return checkWord(n.labelRng, n.kind.what, n.label, n.kind.prefixed)
}

// checkWord checks a name that is written in lower case.
func checkWord(rng hcl.Range, what, name string, keywords bool) hcl.Diagnostics {
	if !lang.LowerSnake(name) {
		return hcl.Diagnostics{lang.Errorf(rng, "Invalid name",
			"%q cannot name %s: write small letters, digits and single underscores, starting with a letter, for example "+
				"rx_buffers.", name, article(what))}
	}
	if language, is := lang.Keyword(name); is && !keywords {
		return hcl.Diagnostics{lang.Errorf(rng, "Reserved word", "%q cannot name %s: it is a keyword of %s.", name,
			article(what), language)}
	}
	return nil
}

// merge lays n over base: attributes and map entries of n win, blocks of the
// same type and name merge, others are added.
func (n *node) merge(base *node) *node {
	out := &node{kind: n.kind, label: n.label, block: n.block, rng: n.rng, labelRng: n.labelRng,
		attrs: maps.Clone(base.attrs), maps: map[string]map[string]setting{}}
	if len(n.settings(n.kind.exclusive)) > 0 {
		for _, name := range n.kind.exclusive {
			delete(out.attrs, name)
		}
	}
	maps.Copy(out.attrs, n.attrs)
	for _, layer := range []*node{base, n} {
		for name, entries := range layer.maps {
			if out.maps[name] == nil {
				out.maps[name] = map[string]setting{}
			}
			maps.Copy(out.maps[name], entries)
		}
	}
	out.children = slices.Clone(base.children)
	for _, child := range n.children {
		i := slices.IndexFunc(out.children, func(c *node) bool { return c.kind == child.kind && c.label == child.label })
		if i < 0 {
			out.children = append(out.children, child)
		} else {
			out.children[i] = child.merge(out.children[i])
		}
	}
	return out
}

// settings lists which of the given attributes are set.
func (n *node) settings(attrs []string) []string {
	var out []string
	for _, name := range attrs {
		if _, ok := n.attrs[name]; ok {
			out = append(out, name)
		}
	}
	return out
}

// of lists the children of one block type.
func (n *node) of(block string) []*node {
	var out []*node
	for _, c := range n.children {
		if c.kind.block == block {
			out = append(out, c)
		}
	}
	return out
}

// at is the place of an attribute's value, or of the block if it is not set.
func (n *node) at(attr string) hcl.Range {
	if s, ok := n.attrs[attr]; ok {
		return s.rng
	}
	return n.rng
}

// usable returns an attribute that is set to a value.
func (n *node) usable(attr string) (setting, bool) {
	s, ok := n.attrs[attr]
	return s, ok && s.value != cty.NilVal
}

func (n *node) text(attr string) string {
	if s, ok := n.usable(attr); ok {
		return s.value.AsString()
	}
	return ""
}

func (n *node) flag(attr string) bool {
	s, ok := n.usable(attr)
	return ok && s.value.True()
}

// String names the block in messages: the register "count".
func (n *node) String() string { return fmt.Sprintf("the %s %q", n.kind.what, n.label) }

func (n *node) capital() string { return capital(n.String()) }

func article(what string) string {
	if strings.HasPrefix(what, "e") || strings.HasPrefix(what, "i") {
		return "an " + what
	}
	return "a " + what
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
