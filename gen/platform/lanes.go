package platform

import (
	"cmp"
	"path"
	"slices"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// taken remembers the TDESTs of a lane and where each was given.
type taken map[int]struct {
	what string
	rng  hcl.Range
}

func (b *loader) take(t taken, rng hcl.Range, tdest int, what string) {
	if tdest < 0 {
		b.errorf(rng, "Value out of range", "The TDEST of %s cannot be negative.", what)
		return
	}
	if prev, dup := t[tdest]; dup {
		b.errorf(rng, "TDEST used twice", "TDEST %d of %s already selects %s, on line %d.", tdest, what, prev.what,
			prev.rng.Start.Line)
		return
	}
	t[tdest] = struct {
		what string
		rng  hcl.Range
	}{what, rng}
}

func (b *loader) arithmetic() {
	if len(b.block.Arithmetic) == 0 {
		return
	}
	in := b.block.Arithmetic[0]
	if len(b.block.Arithmetic) > 1 {
		b.errorf(b.block.Arithmetic[1].Range, "One plugin expected",
			"An engine has one arithmetic plugin; the first is on line %d.", in.Range.Start.Line)
	}
	b.kernelWithRole(in.KernelRange, in.Kernel, "arithmetic")
	a := &Arithmetic{Kernel: in.Kernel, Range: in.Range}
	codes := b.p.ABI.Enum(abi.ReduceFunctions)
	used := taken{}
	seen := map[string]hcl.Range{}
	own := b.lib.ownFunctions(in.Kernel)
	functions := b.listed(in, own)
	cpp := map[string]string{} // of the plugin's own functions
	for _, fn := range own {
		cpp[fn.Name] = value(fn.CPP, fn.Name)
		a.Own = append(a.Own, fn.offered())
	}
	for _, fn := range functions {
		code := codes.Value(fn.Name)
		if code == nil {
			b.errorf(fn.NameRange, "Unknown function", "%s has no reduction function %q. %s", b.p.ABI.Name, fn.Name,
				lang.Choices(fn.Name, codes.Names()))
			continue
		}
		if prev, dup := seen[fn.Name]; dup {
			b.errorf(fn.NameRange, "Duplicate name", "The function %q is already given on line %d.", fn.Name, prev.Start.Line)
			continue
		}
		seen[fn.Name] = fn.NameRange
		f := Function{Name: fn.Name, Code: code.Value, CPP: value(fn.CPP, cmp.Or(cpp[fn.Name], fn.Name)), Range: fn.Range}
		b.diags = append(b.diags, checkFunction(fn.CPPRange, fn.CPP)...)
		b.checkNamespace(orElse(fn.CPPRange, fn.Range), in.Kernel, f.CPP)
		places := keyRanges(fn.Body, "tdest")
		for _, typeName := range sortedKeys(fn.TDEST) {
			rng := orElse(places[typeName], fn.TDESTExpr)
			if !b.checkType(rng, typeName) {
				continue
			}
			tdest := fn.TDEST[typeName]
			b.take(used, rng, tdest, fn.Name+" of "+typeName)
			f.TDEST = append(f.TDEST, TypeTDEST{typeName, tdest, rng})
		}
		if len(fn.TDEST) == 0 {
			b.errorf(fn.TDESTExpr, "Data type expected",
				"The function %q has no data type; give at least one, for example { float32 = 0 }.", fn.Name)
		}
		sort.Slice(f.TDEST, func(i, j int) bool { return f.TDEST[i].TDEST < f.TDEST[j].TDEST })
		a.Functions = append(a.Functions, f)
	}
	sort.Slice(a.Functions, func(i, j int) bool { return a.Functions[i].Code < a.Functions[j].Code })
	b.checkGaps(a, codes)
	if len(functions) == 0 && b.hasRole(in.Kernel, "arithmetic") {
		b.errorf(in.Range, "Function expected",
			"Kernel %s has no functions of its own; give at least one, for example function \"sum\" { tdest = { float32 = 0 "+
				"} }.", in.Kernel)
	}
	b.p.Arithmetic = a
}

// ownFunctions lists the functions of a plugin. One that has none has the functions of the kernels whose RTL it needs.
func (l *Library) ownFunctions(kernel string) []functionBlock {
	k := l.Kernels[kernel]
	if k == nil {
		return nil
	}
	own := k.Functions
	for _, needed := range k.Needs {
		if other := l.Kernels[needed]; other != nil && len(own) == 0 {
			own = other.Functions
		}
	}
	return own
}

// offered is a function as its plugin has it, without places in the platform.
func (fn functionBlock) offered() Function {
	f := Function{Name: fn.Name, CPP: value(fn.CPP, fn.Name), Range: fn.Range}
	for _, typeName := range sortedKeys(fn.TDEST) {
		f.TDEST = append(f.TDEST, TypeTDEST{typeName, fn.TDEST[typeName], fn.TDESTExpr})
	}
	return f
}

// listed lists the functions of the platform: its own blocks, or the plugin's functions that
// match its patterns, or all of the plugin's functions that are not optional.
func (b *loader) listed(in arithmeticBlock, own []functionBlock) []functionBlock {
	for _, fn := range in.Functions {
		if fn.Optional {
			b.errorf(fn.Range, "Optional function",
				"Only a plugin's own functions are optional; leave out what the platform does not have.")
		}
	}
	switch {
	case len(in.Functions) > 0 && in.Listed != nil:
		b.errorf(in.ListedRange, "Functions given twice",
			"functions lists the plugin's own functions, which function blocks replace; the first is on line %d.",
			in.Functions[0].Range.Start.Line)
		return in.Functions
	case len(in.Functions) > 0:
		return in.Functions
	case in.Listed == nil:
		return slices.DeleteFunc(slices.Clone(own), func(fn functionBlock) bool { return fn.Optional })
	}
	names := lang.Names(own, func(fn functionBlock) string { return fn.Name })
	wanted := map[string]bool{}
	for _, pattern := range *in.Listed {
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			match, err := path.Match(pattern, name)
			return err != nil || !match
		})
		if len(found) == 0 {
			b.errorf(in.ListedRange, "Unknown function", "Kernel %s has no function %q of its own. %s", in.Kernel, pattern,
				lang.Choices(pattern, names))
		}
		for _, name := range found {
			wanted[name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(own), func(fn functionBlock) bool { return !wanted[fn.Name] })
}

// checkGaps reports a type for which a function of a lower number is missing:
// an arithmetic configuration lists TDESTs by function number.
func (b *loader) checkGaps(a *Arithmetic, codes *abi.Enum) {
	have := func(code uint32, typeName string) bool {
		for _, f := range a.Functions {
			if f.Code == code && slices.ContainsFunc(f.TDEST, func(t TypeTDEST) bool { return t.Type == typeName }) {
				return true
			}
		}
		return false
	}
	for _, f := range a.Functions {
		for _, t := range f.TDEST {
			for _, lower := range codes.Values {
				if lower.Value < f.Code && !have(lower.Value, t.Type) {
					b.errorf(t.Range, "Function missing", "%s of %s needs %s of %s too: configurations list functions by number.",
						f.Name, t.Type, lower.Name, t.Type)
				}
			}
		}
	}
}

func (b *loader) compression() {
	if len(b.block.Compression) == 0 {
		return
	}
	in := b.block.Compression[0]
	if len(b.block.Compression) > 1 {
		b.errorf(b.block.Compression[1].Range, "One plugin expected",
			"The lanes of an engine have one compression plugin; the first is on line %d.", in.Range.Start.Line)
	}
	b.kernelWithRole(in.KernelRange, in.Kernel, "compression")
	c := &Compression{Kernel: in.Kernel, Lanes: value(in.Lanes, MaxLanes), Range: in.Range,
		LanesRange: orElse(in.LanesRange, in.Range)}
	if !b.within(c.LanesRange, "The number of compression lanes", c.Lanes, 0, MaxLanes) {
		b.p.Sound = false
	}
	used := taken{}
	type pair struct{ from, to string }
	seen := map[pair]hcl.Range{}
	cpp := map[pair]string{} // of the plugin's own conversions
	conversions := in.Conversions
	if k := b.lib.Kernels[in.Kernel]; k != nil {
		for _, conv := range k.Conversions {
			cpp[pair{conv.From, conv.To}] = value(conv.CPP, "")
		}
		if len(conversions) == 0 {
			conversions = k.Conversions
		}
	}
	for _, conv := range conversions {
		okFrom, okTo := b.checkType(conv.FromRange, conv.From), b.checkType(conv.ToRange, conv.To)
		key := pair{conv.From, conv.To}
		if conv.From == conv.To {
			b.errorf(conv.ToRange, "Two types expected", "A conversion goes from one type to another.")
		}
		if prev, dup := seen[key]; dup {
			b.errorf(conv.Range, "Duplicate name", "The conversion from %s to %s is already given on line %d.", conv.From,
				conv.To, prev.Start.Line)
			continue
		}
		seen[key] = conv.Range
		_, second := seen[pair{conv.To, conv.From}]
		b.within(conv.Range, "The logarithm of the ratio", conv.RatioLog, 0, maxRatioLog)
		b.take(used, orElse(conv.TDESTExpr, conv.Range), conv.TDEST, conv.From+" to "+conv.To)
		b.diags = append(b.diags, checkFunction(conv.CPPRange, conv.CPP)...)
		b.checkNamespace(orElse(conv.CPPRange, conv.Range), in.Kernel, value(conv.CPP, cpp[key]))
		if okFrom && okTo {
			c.Conversions = append(c.Conversions, Conversion{
				From: conv.From, To: conv.To, TDEST: conv.TDEST, OneWay: conv.OneWay, RatioLog: conv.RatioLog,
				Widens: b.widens(conv, !second), CPP: value(conv.CPP, cmp.Or(cpp[key], conv.From+"_to_"+conv.To)),
				Range: conv.Range,
			})
		}
	}
	ratios := map[pair]int{}
	for _, conv := range conversions {
		if other, both := ratios[pair{conv.To, conv.From}]; both && other != conv.RatioLog {
			b.errorf(conv.Range, "Ratios differ",
				"The conversion back, on line %d, has ratio_log = %d; both ways have the same.",
				seen[pair{conv.To, conv.From}].Start.Line, other)
		}
		ratios[pair{conv.From, conv.To}] = conv.RatioLog
		_, inverse := seen[pair{conv.To, conv.From}]
		if !inverse && !conv.OneWay && conv.From != conv.To {
			b.errorf(conv.Range, "Inverse missing",
				"Nothing converts %s back to %s. Add conversion %q %q, or say one_way = true.", conv.To, conv.From,
				conv.To, conv.From)
		}
		if inverse && conv.OneWay {
			b.errorf(conv.Range, "Inverse given",
				"The conversion from %s to %s says one_way = true, but its inverse is on line %d.", conv.From, conv.To,
				seen[pair{conv.To, conv.From}].Start.Line)
		}
	}
	if c.Lanes > 0 && len(conversions) == 0 && b.hasRole(in.Kernel, "compression") {
		b.errorf(in.Range, "Conversion expected",
			"Kernel %s has no conversions of its own; give at least one, for example conversion \"float32\" \"float16\" { "+
				"tdest = 0 }.", in.Kernel)
	}
	sort.Slice(c.Conversions, func(i, j int) bool { return c.Conversions[i].TDEST < c.Conversions[j].TDEST })
	b.p.Compression = c
}

// widens finds out which side of a conversion is the wide one, of which
// 2^ratio_log elements make one of the other. They have to fit into a beat, and to
// be no smaller than that one. If that leaves both, it is the side with the larger
// elements; where counts differ the conversion that stands first compresses.
func (b *loader) widens(conv conversionBlock, first bool) bool {
	from, to := b.typeNamed(conv.From).Bytes, b.typeNamed(conv.To).Bytes
	ratio := min(max(conv.RatioLog, 0), maxRatioLog)
	fits := func(wide, narrow int) bool {
		return wide<<ratio >= narrow && wide<<ratio <= b.beatBytes()
	}
	forth, back := fits(from, to), fits(to, from)
	switch {
	case !forth && !back:
		if first {
			b.errorf(conv.Range, "Elements do not fit",
				"With ratio_log = %d, %d elements of one type make one of the other. They have to be as large as that at least, "+
					"and no larger than %d bytes, but %d of %s are %d bytes, and %d of %s are %d.",
				ratio, 1<<ratio, b.beatBytes(), 1<<ratio, conv.From, from<<ratio, 1<<ratio, conv.To, to<<ratio)
		}
		return false
	case forth != back:
		return back
	case ratio > 0:
		return !first
	case from != to:
		return from < to
	default:
		return conv.From > conv.To
	}
}

// checkNamespace reports a namespace that has the name of the top function.
func (b *loader) checkNamespace(rng hcl.Range, kernel, function string) {
	if k := b.lib.Kernels[kernel]; k != nil && k.HLS != nil {
		b.diags = append(b.diags, k.checkNamespace(rng, function)...)
	}
}

// maxRatioLog bounds the logarithm of a ratio.
const maxRatioLog = 16

func (b *loader) hasRole(kernel, role string) bool {
	k := b.lib.Kernels[kernel]
	return k != nil && k.Role == role
}

// keyRanges finds where the keys of an object attribute stand, for those
// written literally.
func keyRanges(body hcl.Body, attr string) map[string]hcl.Range {
	out := map[string]hcl.Range{}
	syntax, ok := body.(*hclsyntax.Body)
	if !ok {
		return out
	}
	a, ok := syntax.Attributes[attr]
	if !ok {
		return out
	}
	pairs, diags := hcl.ExprMap(a.Expr)
	if diags.HasErrors() {
		return out
	}
	for _, pair := range pairs {
		if key := hcl.ExprAsKeyword(pair.Key); key != "" {
			out[key] = pair.Key.Range()
		} else if v, d := pair.Key.Value(nil); !d.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			out[v.AsString()] = pair.Key.Range()
		}
	}
	return out
}
