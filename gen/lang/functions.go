package lang

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions are what an expression can call: the standard library of cty under
// the names Terraform and Packer users know, and hex for hexadecimal numbers,
// which HCL has no literals for. All are pure.
var functions = bounded(map[string]function.Function{
	"abs":             stdlib.AbsoluteFunc,
	"ceil":            stdlib.CeilFunc,
	"chunklist":       stdlib.ChunklistFunc,
	"coalesce":        stdlib.CoalesceFunc,
	"coalescelist":    stdlib.CoalesceListFunc,
	"compact":         stdlib.CompactFunc,
	"concat":          stdlib.ConcatFunc,
	"contains":        stdlib.ContainsFunc,
	"distinct":        stdlib.DistinctFunc,
	"element":         stdlib.ElementFunc,
	"flatten":         stdlib.FlattenFunc,
	"floor":           stdlib.FloorFunc,
	"format":          stdlib.FormatFunc,
	"formatlist":      stdlib.FormatListFunc,
	"hex":             hexFunc,
	"int":             stdlib.IntFunc,
	"join":            stdlib.JoinFunc,
	"keys":            stdlib.KeysFunc,
	"length":          stdlib.LengthFunc,
	"log":             stdlib.LogFunc,
	"lookup":          stdlib.LookupFunc,
	"lower":           stdlib.LowerFunc,
	"max":             stdlib.MaxFunc,
	"merge":           stdlib.MergeFunc,
	"min":             stdlib.MinFunc,
	"parseint":        stdlib.ParseIntFunc,
	"pow":             stdlib.PowFunc,
	"range":           stdlib.RangeFunc,
	"regex":           stdlib.RegexFunc,
	"regexall":        stdlib.RegexAllFunc,
	"regexreplace":    stdlib.RegexReplaceFunc,
	"replace":         stdlib.ReplaceFunc,
	"reverse":         stdlib.ReverseListFunc,
	"setintersection": stdlib.SetIntersectionFunc,
	"setproduct":      stdlib.SetProductFunc,
	"setsubtract":     stdlib.SetSubtractFunc,
	"setunion":        stdlib.SetUnionFunc,
	"signum":          stdlib.SignumFunc,
	"slice":           stdlib.SliceFunc,
	"sort":            stdlib.SortFunc,
	"split":           stdlib.SplitFunc,
	"strlen":          stdlib.StrlenFunc,
	"strrev":          stdlib.ReverseFunc,
	"substr":          stdlib.SubstrFunc,
	"title":           stdlib.TitleFunc,
	"tobool":          stdlib.MakeToFunc(cty.Bool),
	"tolist":          stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	"tomap":           stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tonumber":        stdlib.MakeToFunc(cty.Number),
	"toset":           stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"tostring":        stdlib.MakeToFunc(cty.String),
	"trim":            stdlib.TrimFunc,
	"trimprefix":      stdlib.TrimPrefixFunc,
	"trimspace":       stdlib.TrimSpaceFunc,
	"trimsuffix":      stdlib.TrimSuffixFunc,
	"upper":           stdlib.UpperFunc,
	"values":          stdlib.ValuesFunc,
	"zipmap":          stdlib.ZipmapFunc,
})

var hexFunc = function.New(&function.Spec{
	Description: "The number written in hexadecimal digits, with or without 0x.",
	Params:      []function.Parameter{{Name: "digits", Type: cty.String}},
	Type:        function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		digits := strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(args[0].AsString()), "0x"), "_", "")
		n, ok := new(big.Int).SetString(digits, 16)
		if !ok || n.Sign() < 0 || n.BitLen() > 512 || strings.ContainsAny(digits, "+-") {
			return cty.NilVal, function.NewArgErrorf(0, "%q is not a hexadecimal number; write for example hex(\"1FFC\")", args[0].AsString())
		}
		return cty.NumberVal(new(big.Float).SetInt(n)), nil
	},
})

// maxProduct bounds what a function could make of its arguments, which is at
// worst the product of their sizes (replace, setproduct, join).
const maxProduct = 8 << 20

var wideFormat = regexp.MustCompile(`%[^a-zA-Z%]*(\d{4,}|\*)`)

// bounded wraps functions so that no call builds more than the budget allows.
func bounded(fns map[string]function.Function) map[string]function.Function {
	out := make(map[string]function.Function, len(fns))
	for name, fn := range fns {
		spec := &function.Spec{
			Description: fn.Description(),
			Params:      fn.Params(),
			VarParam:    fn.VarParam(),
			Type: func(args []cty.Value) (cty.Type, error) {
				if err := checkArguments(name, args); err != nil {
					return cty.NilType, err
				}
				return fn.ReturnTypeForValues(args)
			},
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return fn.Call(args) },
		}
		out[name] = function.New(spec)
	}
	return out
}

func checkArguments(name string, args []cty.Value) error {
	product := int64(1)
	for i, arg := range args {
		if arg.IsNull() || !arg.IsKnown() {
			continue
		}
		if arg.Type() == cty.String {
			product *= int64(len(arg.AsString()))/64 + 1
		} else if arg.CanIterateElements() {
			product *= int64(arg.LengthInt())/4 + 1
		}
		if product > maxProduct {
			return function.NewArgErrorf(i, "the arguments of %s are too large together", name)
		}
	}
	if (name == "format" || name == "formatlist") && len(args) > 0 && args[0].Type() == cty.String && args[0].IsKnown() && !args[0].IsNull() {
		if wideFormat.MatchString(args[0].AsString()) {
			return function.NewArgErrorf(0, "a field may be at most 999 characters wide")
		}
	}
	if name == "pow" && len(args) == 2 {
		for i, arg := range args {
			if arg.IsKnown() && !arg.IsNull() && arg.Type() == cty.Number && arg.AsBigFloat().Cmp(big.NewFloat(1e6)) > 0 {
				return function.NewArgErrorf(i, "must be at most 1000000")
			}
		}
	}
	return nil
}
