package lang

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions are what an expression can call: the standard library of cty under
// the names Terraform and Packer users know, and hex for hexadecimal numbers,
// which HCL has no literals for. All are pure.
var functions = checked(map[string]function.Function{
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
			return cty.NilVal, function.NewArgErrorf(0, "%q is not a hexadecimal number; write for example hex(\"1FFC\")",
				args[0].AsString())
		}
		return cty.NumberVal(new(big.Float).SetInt(n)), nil
	},
})

// maxFormatWidth bounds the fields of format, which pad to any width.
const maxFormatWidth = 999

var wideFormat = regexp.MustCompile(`%[^a-zA-Z%]*(\d{4,}|\*)`)

// checked refuses arguments that functions would take too literally.
func checked(fns map[string]function.Function) map[string]function.Function {
	out := make(map[string]function.Function, len(fns))
	for name, fn := range fns {
		check, ok := argumentChecks[name]
		if !ok {
			out[name] = fn
			continue
		}
		out[name] = function.New(&function.Spec{
			Description: fn.Description(),
			Params:      fn.Params(),
			VarParam:    fn.VarParam(),
			Type: func(args []cty.Value) (cty.Type, error) {
				for i, arg := range args {
					if !arg.IsKnown() || arg.IsNull() {
						continue
					}
					if err := check(i, arg); err != nil {
						return cty.NilType, err
					}
				}
				return fn.ReturnTypeForValues(args)
			},
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return fn.Call(args) },
		})
	}
	return out
}

var argumentChecks = map[string]func(i int, arg cty.Value) error{
	"format": checkFormat, "formatlist": checkFormat,
	"pow": func(i int, arg cty.Value) error {
		if arg.Type() == cty.Number && arg.AsBigFloat().Cmp(big.NewFloat(1e6)) > 0 {
			return function.NewArgErrorf(i, "must be at most 1000000")
		}
		return nil
	},
}

func checkFormat(i int, arg cty.Value) error {
	if i == 0 && arg.Type() == cty.String && wideFormat.MatchString(arg.AsString()) {
		return function.NewArgErrorf(0, "a field may be at most %d characters wide", maxFormatWidth)
	}
	return nil
}

// callWork estimates from above what a function does beyond looking at its
// arguments and its result once, in units of work.
func callWork(name string, args []cty.Value, rng hcl.Range) int64 {
	sizes := make([]float64, len(args))
	total := 0.0
	for i, arg := range args {
		sizes[i] = float64(sizeOf(arg, rng))
		total += sizes[i]
	}
	if len(args) == 0 {
		return 0
	}
	size := func(i int) float64 {
		if i < len(sizes) {
			return sizes[i]
		}
		return 1
	}
	work := total
	switch name {
	case "distinct": // compares each with each
		work = size(0) * size(0)
	case "setproduct":
		work = 1
		for i := range args {
			work *= size(i)
		}
	case "replace", "regex", "regexall", "regexreplace", "trim":
		// Each byte of one text may meet, or become, each byte of another.
		work = unitBytes * (size(0)*size(1) + size(0)*size(2) + size(1)*size(2))
	case "join": // a separator for each element
		work = size(0) * total
	case "format", "formatlist": // each verb may print every argument, and pads
		verbs, widths := fields(args[0])
		work = verbs*total + widths*rows(args)
	}
	return int64(min(work, 2*MaxWork))
}

var digits = regexp.MustCompile(`\d+`)

// fields counts the verbs of a format, and adds up how wide they print.
func fields(format cty.Value) (verbs, widths float64) {
	if format.Type() != cty.String || !format.IsKnown() || format.IsNull() {
		return 1, 1
	}
	text := format.AsString()
	for _, width := range digits.FindAllString(text, -1) {
		n, err := strconv.Atoi(width)
		if err != nil || n > maxFormatWidth {
			continue // refused by the function
		}
		widths += float64(n) / unitBytes
	}
	return 1 + float64(strings.Count(text, "%")), widths
}

// rows is the number of results of formatlist: the length of its longest list.
func rows(args []cty.Value) float64 {
	n := 1
	for _, arg := range args {
		if arg.IsKnown() && !arg.IsNull() && arg.CanIterateElements() {
			n = max(n, arg.LengthInt())
		}
	}
	return float64(n)
}
