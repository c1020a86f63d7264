package emit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

const (
	abiHeader              = "cclo_abi.h"
	abiHeaderTemplate      = "firmware/cclo_abi.h.tmpl"
	platformHeader         = "firmware/cclo_platform.h"
	platformHeaderTemplate = "firmware/cclo_platform.h.tmpl"
)

// macros is C as macros of the preprocessor.
var macros = language{
	name:     "C",
	identify: func(_ *group, path []string) (string, string) { return "", upper(append([]string{"cclo"}, path...)...) },
	literal: func(s symbol) (string, string) {
		if s.List != nil {
			return "", "{ " + joined(s.List, func(v uint64) string { return cNumber(v, s.Form) }) + " }"
		}
		return "", cNumber(s.Value, s.Form)
	},
}

func cNumber(v uint64, f form) string {
	if f == truth {
		return hexOrDecimal(v, f)
	}
	return hexOrDecimal(v, f) + "u"
}

// hexOrDecimal writes a number as C, C++ and Go all read it.
func hexOrDecimal(v uint64, f form) string {
	switch f {
	case address:
		return fmt.Sprintf("0x%X", v)
	case mask:
		return fmt.Sprintf("0x%08X", v)
	}
	return fmt.Sprint(v)
}

// maxWord is the largest number of 32 bits.
const maxWord = 1<<32 - 1

func joined(list []uint64, write func(uint64) string) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = write(v)
	}
	return strings.Join(out, ", ")
}

// header is the view of a file for the preprocessor.
type header struct {
	Source, Guard string
	Owner, Doc    string // the generation or platform
	Generation    string
	Identifier    string // of the generation
	Board, Part   string
	Groups        []wording
	Structs       []cStruct
	Shapes        []cShape
	Operations    []cOperation
	Common, Own   string // what the platforms of the generation share, and the rest
}

// cStruct is a struct whose layout is asserted.
type cStruct struct {
	Name, Doc string
	Bytes     int
	Members   []cMember
}

type cMember struct {
	Type, Name, Length, Doc string
	Offset                  int
	Reserved                bool
}

var headerCommon = perGeneration[common]{build: func(g *abi.Generation) (common, error) {
	names := newIdentifiers(macros, nil)
	groups := vocabulary(g)
	errs := []error{names.reserve("CCLO_GENERATION", "CCLO_STATIC_ASSERT", guard("cclo_generation", g.Name),
		guard(abiHeader, g.Name))}
	words, err := macros.wordings(groups, names)
	errs = append(errs, err)
	view := header{
		Source: g.Range.Filename, Guard: guard(abiHeader, g.Name), Owner: g.Name, Doc: g.Doc,
		Generation: g.Name, Identifier: guard("cclo_generation", g.Name), Groups: words,
		Shapes: cShapes, Operations: cOperations(g),
	}
	errs = append(errs, names.reserve(cOperationNames()...))
	for _, group := range groups {
		for _, s := range cStructs(group) {
			errs = append(errs, names.claim("", s.Name, claimant{path: []string{group.Name}}))
			view.Structs = append(view.Structs, s)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return common{}, err
	}
	text, err := execute(abiHeaderTemplate, view)
	if err != nil {
		return common{}, err
	}
	text, err = align(text)
	return common{string(text), names}, err
}}

// generationHeader renders what C and C++ code needs to know of a generation.
func generationHeader(g *abi.Generation) ([]File, error) {
	made, err := headerCommon.of(g)
	if err != nil {
		return nil, err
	}
	return []File{{abiHeader, []byte(made.text), generationInputs(g, abiHeaderTemplate)}}, nil
}

// cStructs lists the structs of a group: sequences of words, and bit layouts
// that a struct of C can have.
func cStructs(g group) []cStruct {
	var out []cStruct
	for _, w := range g.Structs {
		s := cStruct{Name: cName(w.Path...), Doc: w.Doc, Bytes: len(w.Words) * wordBits / byteBits}
		for i, word := range w.Words {
			s.Members = append(s.Members, cMember{Type: "uint32_t", Name: word.Name, Doc: word.Doc,
				Offset: i * wordBits / byteBits})
		}
		out = append(out, s)
	}
	if g.Layout != nil && natural(g.Layout) {
		s := cStruct{Name: cName(g.Name), Doc: g.Doc, Bytes: g.Layout.Width / byteBits}
		for _, f := range filled(g.Layout) {
			m := cMember{Type: fmt.Sprintf("uint%d_t", f.Bits()), Name: f.Name, Doc: f.Doc, Offset: f.Low / byteBits}
			if f.Reserved {
				m.Type, m.Length, m.Reserved = "uint8_t", fmt.Sprintf("[%d]", f.Bits()/byteBits), true
			}
			s.Members = append(s.Members, m)
		}
		out = append(out, s)
	}
	return out
}

func cName(path ...string) string { return "cclo_" + strings.Join(path, "_") }

// firmware renders what C code needs to know of the platform.
func firmware(d *design.Design) ([]File, error) {
	generation, err := headerCommon.of(d.ABI())
	if err != nil {
		return nil, err
	}
	groups, err := settings(d)
	if err != nil {
		return nil, err
	}
	names := newIdentifiers(macros, generation.names)
	reserved := names.reserve("CCLO_PLATFORM_NAME", "CCLO_PLATFORM_GENERATION", "CCLO_PLATFORM_BOARD")
	words, err := macros.wordings(groups, names)
	if err := errors.Join(reserved, err); err != nil {
		return nil, err
	}
	view := platformView(d, platformHeader)
	view.Groups = words
	text, err := execute(platformHeaderTemplate, view)
	if err != nil {
		return nil, err
	}
	text, err = align(text)
	return []File{{platformHeader, text, platformInputs(d, platformHeaderTemplate)}}, err
}

func platformView(d *design.Design, file string) header {
	p := d.Platform
	return header{
		Source: p.File, Guard: guard(file, p.Name), Owner: p.Name, Doc: p.Doc,
		Generation: p.ABI.Name, Identifier: guard("cclo_generation", p.ABI.Name),
		Board: p.Board.Name, Part: p.Board.Part,
	}
}
