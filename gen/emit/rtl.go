package emit

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

const (
	packageFile         = "rtl/cclo_pkg.sv"
	packageTemplate     = "rtl/cclo_pkg.sv.tmpl"
	partsTemplate       = "rtl/parts.sv.tmpl"
	layoutCheckFile     = "rtl/cclo_layout_check.sv"
	layoutCheckTemplate = "rtl/cclo_layout_check.sv.tmpl"
	checksTemplate      = "rtl/checks.sv.tmpl"
)

// systemVerilog is SystemVerilog as parameters of a package.
var systemVerilog = language{
	name:     "SystemVerilog",
	identify: func(_ *group, path []string) (string, string) { return "", upper(path...) },
	literal: func(s symbol) (string, string) {
		if s.List == nil {
			return svNumber(s.Value, s.Form)
		}
		highFirst := slices.Clone(s.List)
		slices.Reverse(highFirst)
		return fmt.Sprintf("logic [%d:0]", wordBits*len(s.List)-1), "{" + joined(highFirst, func(v uint64) string {
			_, literal := svNumber(v, s.Form)
			return literal
		}) + "}"
	},
}

// svNumber writes a number and its type. All have a size, because only such
// numbers can be concatenated.
func svNumber(v uint64, f form) (typ, literal string) {
	switch {
	case f == truth:
		return "bit", fmt.Sprintf("1'b%d", v)
	case v > maxWord:
		return "logic [63:0]", fmt.Sprintf("64'h%X", v)
	case f == decimal:
		return "int unsigned", fmt.Sprintf("32'd%d", v)
	case f == mask:
		return "logic [31:0]", fmt.Sprintf("32'h%08X", v)
	}
	return "logic [31:0]", fmt.Sprintf("32'h%X", v)
}

type svFile struct {
	Owner, Doc, Source, Generation string
	Common, Own                    string // what the platforms of the generation share, and the rest
}

// svParts is the view of a part of the package.
type svParts struct {
	Parts      []svPart
	Parameters []string // each once
	Unused     string   // of the parameter that uses all of them
	literals   map[string]string
}

// svPart is a group as parameters, an enum or parameters and a struct.
type svPart struct {
	wording
	Type   string // of the enum or struct
	Upper  string // its name, as parameters have it
	Width  int
	Fields []svField // from the highest bit down
}

// High is the highest bit of the enum or struct.
func (p svPart) High() int { return p.Width - 1 }

// Comma separates the values of an enum.
func (p svPart) Comma(i int) string {
	if i == len(p.Entries)-1 {
		return ""
	}
	return ","
}

type svField struct {
	bitField
	Upper string // the layout's and the field's name, as parameters have it
}

// disliked are names that Verilator 5.006 warns of in structs (SYMRSVDWORD) or
// takes for classes that every package has.
var disliked = strings.Fields(`
abort atomic_cancel atomic_commit atomic_noexcept bit_vector cdecl complex const_iterator deque far huge interrupt
iterator list mailbox map near override pascal process queue reference sc_clock sc_in sc_inout sc_out sc_signal
semaphore sensitive sensitive_neg sensitive_pos set stack string synchronized transaction_safe
transaction_safe_dynamic type_info uint16_t uint32_t uint8_t vector`)

// Member is the field's name in the struct. No description has names that end
// in an underscore.
func (f svField) Member() string {
	if slices.Contains(disliked, f.Name) {
		return f.Name + "_"
	}
	return f.Name
}

// Range is the packed dimension of the field, empty for a single bit.
func (f svField) Range() string {
	if f.Bits() == 1 {
		return ""
	}
	return fmt.Sprintf(" [%d:0]", f.Bits()-1)
}

func svView(groups []group, names *identifiers) (svParts, error) {
	view := svParts{literals: map[string]string{}}
	words, err := systemVerilog.wordings(groups, names)
	errs := []error{err}
	for _, w := range words {
		for _, e := range w.Entries {
			view.literals[e.Name] = e.Literal
		}
		w.withoutWords()
		part := svPart{wording: w, Upper: upper(w.Name), Type: w.Name + "_t"}
		switch w.Kind {
		case enumKind:
			part.Width = 1
			for _, e := range w.Entries {
				part.Width = max(part.Width, bits.Len64(e.Value))
			}
			if len(w.Entries) == 0 {
				continue // the language has no empty enums
			}
		case layoutKind:
			part.Width = w.Layout.Width
			for _, f := range slices.Backward(filled(w.Layout)) {
				part.Fields = append(part.Fields, svField{f, upper(w.Name, f.Name)})
			}
		}
		if !w.Enum() {
			for _, e := range w.Entries {
				view.Parameters = append(view.Parameters, e.Name)
			}
		}
		view.Parts = append(view.Parts, part)
	}
	return view, errors.Join(errs...)
}

// svPiece is a part of the package as text, with the values of its symbols.
type svPiece struct {
	common
	literals map[string]string
	checks   string // of the structs, for a generation
}

// svText renders a part of the package, which builds on another one: that of the
// generation, or none.
func svText(groups []group, base *identifiers, unused string) (svPiece, error) {
	names := newIdentifiers(systemVerilog, base)
	view, err := svView(groups, names)
	if err != nil {
		return svPiece{}, err
	}
	view.Unused = unused
	text, err := execute(partsTemplate, view)
	if err != nil {
		return svPiece{}, err
	}
	if text, err = align(text); err != nil {
		return svPiece{}, err
	}
	piece := svPiece{common: common{string(text), names}, literals: view.literals}
	if base == nil {
		text, err = execute(checksTemplate, view)
		piece.checks = string(text)
	}
	return piece, err
}

// svCommon renders what the packages of all platforms of a generation share.
var svCommon = perGeneration[svPiece]{build: func(g *abi.Generation) (svPiece, error) {
	return svText(vocabulary(g), nil, "_unused_generation")
}}

// rtl renders all SystemVerilog of the platform.
func rtl(d *design.Design) ([]File, error) {
	sources, err := hardwareSources.of(d)
	if err != nil {
		return nil, err
	}
	simulated, err := top(d, newHardwareView(d, sources.symbols))
	if err != nil {
		return nil, fmt.Errorf("top level: %w", err)
	}
	return slices.Concat(sources.list, simulated), nil
}

// svPackage renders the package that all SystemVerilog of the platform uses, and
// the check of its structs. The values of its symbols are by their names.
func svPackage(d *design.Design) ([]File, map[string]string, error) {
	generation, err := svCommon.of(d.ABI())
	if err != nil {
		return nil, nil, err
	}
	groups, err := settingsAndPorts(d)
	if err != nil {
		return nil, nil, err
	}
	own, err := svText(groups, generation.names, "_unused_platform")
	if err != nil {
		return nil, nil, err
	}
	p := d.Platform
	view := svFile{Owner: p.Name, Doc: p.Doc, Source: p.File, Generation: p.ABI.Name, Common: generation.text,
		Own: own.text}
	out := bundle{d: d}
	pkg, err := execute(packageTemplate, view)
	out.add(packageFile, pkg, err, packageTemplate, partsTemplate)
	view.Common = generation.checks
	check, err := execute(layoutCheckTemplate, view)
	out.add(layoutCheckFile, check, err, layoutCheckTemplate, checksTemplate)
	symbols := maps.Clone(generation.literals)
	maps.Copy(symbols, own.literals)
	return out.files, symbols, out.err
}
