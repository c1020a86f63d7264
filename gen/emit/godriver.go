package emit

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/driverview"
)

const (
	driverABIFile          = "driver/abi.go"
	driverABITemplate      = "driver/abi.go.tmpl"
	driverCommonTemplate   = "driver/generation.go.tmpl"
	driverPlatformFile     = "driver/platform.go"
	driverPlatformTemplate = "driver/platform.go.tmpl"
	driverCardFile         = "driver/card.go"
	driverCardTemplate     = "driver/card.go.tmpl"
	driverExampleFile      = "driver/example_test.go"
	driverExampleTemplate  = "driver/example_test.go.tmpl"
)

// golang is Go as exported constants.
var golang = language{
	name: "Go",
	identify: func(g *group, path []string) (string, string) {
		if g.Name == platformName {
			path = path[1:]
		}
		return "", camel(path...)
	},
	literal: func(s symbol) (string, string) {
		if s.Form == truth {
			return "", fmt.Sprint(s.Value != 0)
		}
		if s.List != nil {
			return "", "[]uint32{" + joined(s.List, func(v uint64) string { return hexOrDecimal(v, s.Form) }) + "}"
		}
		return "", hexOrDecimal(s.Value, s.Form)
	},
}

// goCommonNames and goPlatformNames are what the templates declare themselves.
var (
	goCommonNames   = []string{"Flag", "Generation"}
	goPlatformNames = []string{
		"Name", "Board", "Part", "Platform", "Open", "Example", "Card",
	}
)

// goCommon is the view of what all platforms of a generation share.
type goCommon struct {
	Generation string
	Groups     []goWording
}

// goWording is a group as constants, with the types that belong to it.
type goWording struct {
	wording
	Type       string // of enums and bit sets
	ReturnCode bool   // the bit set that answers calls
	Structs    []goStruct
}

// Bits reports whether the symbols are flags.
func (c goWording) Bits() bool { return c.Kind == bitsKind }

// At is the position of a flag.
func (c goWording) At(flag entry) int { return bits.TrailingZeros64(flag.Value) }

type goStruct struct {
	Name, Doc string
	Fields    []goField
}

type goField struct{ Name, Doc string }

// driverCommon renders what the driver packages of all platforms of a
// generation share.
var driverCommon = perGeneration[common]{build: func(g *abi.Generation) (common, error) {
	names := newIdentifiers(golang, nil)
	view := goCommon{Generation: g.Name}
	errs := []error{names.reserve(goCommonNames...)}
	words, err := golang.wordings(vocabulary(g), names)
	errs = append(errs, err)
	for _, w := range words {
		out, err := goTypes(w, names)
		errs = append(errs, err)
		view.Groups = append(view.Groups, out)
	}
	if err := errors.Join(errs...); err != nil {
		return common{}, err
	}
	text, err := formatted(driverCommonTemplate, view)
	return common{string(text), names}, err
}}

// goTypes adds the types that belong to a group.
func goTypes(w wording, names *identifiers) (goWording, error) {
	out := goWording{wording: w, ReturnCode: w.Name == abi.ReturnCode}
	var errs []error
	claim := func(path ...string) string {
		name := camel(path...)
		errs = append(errs, names.claim("", name, claimant{path: path}))
		return name
	}
	if w.Enum() || w.Kind == bitsKind {
		out.Type = claim(w.Name)
	}
	for _, s := range w.group.Structs {
		view := goStruct{Name: claim(s.Path...), Doc: s.Doc}
		for _, word := range s.Words {
			view.Fields = append(view.Fields, goField{camel(word.Name), word.Doc})
		}
		out.Structs = append(out.Structs, view)
	}
	return out, errors.Join(errs...)
}

// formatted renders a template of Go source, or of declarations.
func formatted(template string, view any) ([]byte, error) {
	text, err := execute(template, view)
	if err != nil {
		return nil, err
	}
	out, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("format what %s renders: %w", template, err)
	}
	return ended(out), nil
}

// goPlatform is the view of the driver package of a platform.
type goPlatform struct {
	Source, Package, Doc string
	Board, Part          string
	Common               string
	Groups               []wording
	Platform             string // what the driver knows, as Go source
	Card                 string // how it lies on its card, likewise
	Example              goExample
}

// goExample is what the example of a driver package does.
type goExample struct {
	Ranks     int
	Variables string // of the platform, as HCL in a string of Go
	Type      string // element type, in Go
	Reduces   bool
	Output    []string
}

// godriver renders the Go package of the platform.
func godriver(d *design.Design) ([]File, error) {
	generation, err := driverCommon.of(d.ABI())
	if err != nil {
		return nil, err
	}
	view, names, err := goPlatformView(d, generation)
	if err != nil {
		return nil, err
	}
	kernels, err := goKernelCalls(d, names)
	if err != nil {
		return nil, err
	}
	out := bundle{d: d}
	shared, err := execute(driverABITemplate, view)
	out.add(driverABIFile, shared, err, driverABITemplate, driverCommonTemplate)
	for _, f := range [][2]string{{driverPlatformFile, driverPlatformTemplate}, {driverCardFile, driverCardTemplate},
		{driverExampleFile, driverExampleTemplate}} {
		text, err := formatted(f[1], view)
		out.add(f[0], text, err, f[1])
	}
	out.take(kernels, nil)
	return out.files, out.err
}

// goPlatformView also returns the names that are taken in the package.
func goPlatformView(d *design.Design, generation common) (goPlatform, *identifiers, error) {
	p := d.Platform
	view := goPlatform{
		Source: p.File, Package: p.Name, Doc: p.Doc, Board: p.Board.Name, Part: p.Board.Part,
		Common: generation.text, Platform: goLiteral(driverview.Of(d)),
	}
	names := newIdentifiers(golang, generation.names)
	errs := []error{names.reserve(goPlatformNames...)}
	var err error
	view.Groups, err = golang.wordings([]group{engineGroup(d), limitGroup(p), exchangeGroup(d)}, names)
	errs = append(errs, err)
	for _, config := range d.Configs {
		_, err := configWords(d.ABI(), config) // the driver refuses what it cannot fill in, at run time
		errs = append(errs, err)
	}
	lies, err := driverview.Card(d)
	errs = append(errs, err)
	view.Card = goLiteral(lies)
	view.Example, err = goExampleView(d)
	return view, names, errors.Join(append(errs, err)...)
}

// goExampleTypes are the types that an example may use: those that Go calls as we do.
var goExampleTypes = []string{"float32", "int32", "float64", "int64"}

// goExampleView reduces elements of a type that the platform can reduce, or
// sends them if there is none.
func goExampleView(d *design.Design) (goExample, error) {
	p := d.Platform
	view := goExample{Ranks: min(4, max(1, p.Capacity.Ranks)), Type: "float32"}
	for _, t := range goExampleTypes {
		if slices.ContainsFunc(d.Configs, func(c design.ArithmeticConfig) bool {
			return c.Uncompressed == t && c.Compressed == t && len(c.FunctionTDEST) > 0
		}) {
			view.Type, view.Reduces = t, true
			break
		}
	}
	for rank := range view.Ranks {
		row := make([]int, 4)
		for k := range row {
			row[k] = 10 * k
			if view.Reduces { // rank i adds i + k
				row[k] = view.Ranks*(view.Ranks-1)/2 + view.Ranks*k
			}
		}
		view.Output = append(view.Output, fmt.Sprint("rank ", rank, " ", row))
	}
	variables, err := designjson.Variables(p.Variables)
	if err != nil {
		return view, err
	}
	text, err := json.Marshal(variables)
	if err != nil {
		return view, fmt.Errorf("write the variables of %s: %w", p.Name, err)
	}
	// JSON is HCL, but for what HCL takes for a template.
	hcl := strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(text))
	if len(variables) == 0 {
		hcl = ""
	}
	view.Variables = quoted(hcl)
	if strconv.CanBackquote(hcl) {
		view.Variables = "`" + hcl + "`"
	}
	return view, nil
}
