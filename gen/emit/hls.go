package emit

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

const (
	hlsFile          = "hls/cclo_platform.h"
	hlsTemplate      = "hls/cclo_platform.h.tmpl"
	hlsPartsTemplate = "hls/parts.h.tmpl"
)

// cpp is C++ as constants of namespaces and values of enums.
var cpp = language{
	name: "C++",
	identify: func(g *group, path []string) (string, string) {
		switch {
		case g.Kind == enumKind:
			return camel(g.Name), camel(path[1:]...)
		case g.Name != "":
			return g.Name, camel(path[1:]...)
		}
		return "", camel(path...)
	},
	literal: func(s symbol) (string, string) {
		typ := "uint32_t"
		if s.Form == truth {
			return "bool", fmt.Sprint(s.Value != 0)
		}
		if s.List != nil {
			return typ, "{" + joined(s.List, func(v uint64) string { return hexOrDecimal(v, s.Form) }) + "}"
		}
		if s.Value > maxWord {
			typ = "uint64_t"
		}
		return typ, hexOrDecimal(s.Value, s.Form)
	},
}

// hlsCommon renders what the headers of all platforms of a generation share.
var hlsCommon = perGeneration[common]{build: func(g *abi.Generation) (common, error) {
	names := newIdentifiers(cpp, nil)
	reserved := names.reserve("Generation")
	words, err := cpp.wordings(vocabulary(g), names)
	if err := errors.Join(reserved, err, reserveBindings(words, names)); err != nil {
		return common{}, err
	}
	text, err := hlsText(words)
	return common{text, names}, err
}}

func hlsText(words []wording) (string, error) {
	for i := range words {
		words[i].withoutWords()
	}
	text, err := execute(hlsPartsTemplate, words)
	if err != nil {
		return "", err
	}
	text, err = align(text)
	return string(text), err
}

// hls renders what kernels in C++ need to know.
func hls(d *design.Design) ([]File, error) {
	generation, err := hlsCommon.of(d.ABI())
	if err != nil {
		return nil, err
	}
	groups, err := settingsAndPorts(d)
	if err != nil {
		return nil, err
	}
	names := newIdentifiers(cpp, generation.names)
	reserved := names.reserve(platformName+"::Name", platformName+"::Board")
	words, err := cpp.wordings(groups, names)
	if err := errors.Join(reserved, err); err != nil {
		return nil, err
	}
	for i := range words {
		words[i].Scope = "" // the template opens the platform's namespace once
	}
	view := platformView(d, hlsFile)
	view.Common = generation.text
	if view.Own, err = hlsText(words); err != nil {
		return nil, err
	}
	out := bundle{d: d}
	text, err := execute(hlsTemplate, view)
	out.add(hlsFile, text, err, hlsTemplate, hlsPartsTemplate)
	out.take(bindings(d))
	return out.files, out.err
}
