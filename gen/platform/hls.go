package platform

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/cclforge/cclforge/gen/lang"
)

// HLS is a kernel's form in C++.
type HLS struct {
	Files []SourceFile // the top function includes the first
	// Calls names the function that the emitted top function calls, Top the top
	// function that stands in the files. Plugins have neither: their functions
	// are those of the TDEST maps.
	Calls, Top string
	Range      hcl.Range
	CallsRange hcl.Range // of calls or top, or of the block
}

// SourceFile is a file in C++ that stands beside the description of a kernel.
type SourceFile struct {
	Name string // "bf16_ops.hpp"
	Path string // as diagnostics call it
	Text []byte
}

// Mentions reports whether an identifier may be declared in one of the files: it
// stands there, or is put together by the preprocessor.
func (h *HLS) Mentions(name string) bool {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b|##`)
	return slices.ContainsFunc(h.Files, func(f SourceFile) bool { return word.Match(f.Text) })
}

// Roles whose kernels are dispatched by TDEST.
const (
	roleArithmetic  = "arithmetic"
	roleCompression = "compression"
)

var sourceExtensions = []string{".cpp", ".h", ".hpp"}

const tclExtension = ".tcl"

// Plugin says whether the kernel is dispatched by TDEST.
func (k *Kernel) Plugin() bool { return k.Role == roleArithmetic || k.Role == roleCompression }

// hls reads the form in C++, if the block has one.
func (b kernelBlock) hls(k *Kernel, text func(name string) ([]byte, bool)) hcl.Diagnostics {
	if len(b.HLS) == 0 {
		return nil
	}
	in := b.HLS[0]
	var diags hcl.Diagnostics
	if len(b.HLS) > 1 {
		diags = append(diags, lang.Errorf(b.HLS[1].Range, "One form expected",
			"A kernel has one hls block; the first is on line %d.", in.Range.Start.Line))
	}
	if len(in.Files) == 0 {
		diags = append(diags, lang.Errorf(orElse(in.FilesRange, in.Range), "Source file expected",
			"An hls block names the kernel's C++, for example files = [\"%s.hpp\"].", k.ID))
	}
	k.HLS = &HLS{Calls: value(in.Calls, ""), Top: value(in.Top, ""), Range: in.Range,
		CallsRange: orElse(orElse(in.CallsRange, in.TopRange), in.Range)}
	k.Source = cmp.Or(k.Source, SourceHLS)
	files, d := listedFiles(in.Files, elementRanges(in.Body, "files"), orElse(in.FilesRange, in.Range),
		sourceExtensions, "C++", text)
	k.HLS.Files, diags = files, append(diags, d...)
	if in.Calls != nil && in.Top != nil {
		diags = append(diags, lang.Errorf(in.TopRange, "One function expected",
			"Either the emitted top function calls %q, or the files have the top function %q themselves: say calls or top, "+
				"not both.", *in.Calls, *in.Top))
	}
	diags = append(diags, checkFunction(in.CallsRange, in.Calls)...)
	diags = append(diags, checkFunction(in.TopRange, in.Top)...)
	return diags
}

// listedFiles finds files in a language beside the description that lists them, each at its
// place or in the whole list.
func listedFiles(names []string, places []hcl.Range, all hcl.Range, extensions []string, language string,
	text func(name string) ([]byte, bool)) (files []SourceFile, diags hcl.Diagnostics) {
	for i, name := range names {
		rng := rangeAt(places, i, all)
		file, d := namedFile(name, rng, extensions, language, text)
		if d == nil && slices.ContainsFunc(files, func(f SourceFile) bool { return f.Name == name }) {
			d = lang.Errorf(rng, "Duplicate name", "The file %q is already listed.", name)
		}
		if d != nil {
			diags = append(diags, d)
			continue
		}
		files = append(files, file)
	}
	return files, diags
}

// namedFile finds a file in a language beside the description that names it.
func namedFile(name string, rng hcl.Range, extensions []string, language string,
	text func(name string) ([]byte, bool)) (SourceFile, *hcl.Diagnostic) {
	folder := path.Dir(rng.Filename)
	file := SourceFile{Name: name, Path: path.Join(folder, name)}
	if name == "" || strings.ContainsAny(name, `/\`) || name == ".." {
		return file, lang.Errorf(rng, "File elsewhere",
			"%q leaves the folder of the description; what it names stands beside it, in %s.", name, folder)
	}
	if !fileName(name, extensions) {
		return file, lang.Errorf(rng, "Invalid name",
			"%q cannot name a file in %s: letters, digits, underscores, dots and dashes, and at the end %s.", name, language,
			strings.Join(extensions, ", "))
	}
	content, ok := text(file.Path)
	switch {
	case !ok:
		return file, lang.Errorf(rng, "Source file missing", "There is no file %s.", file.Path)
	case len(content) > lang.MaxFileBytes:
		return file, lang.Errorf(rng, "File too large", "%s has more than %d bytes, the most that a file may have.",
			file.Path, lang.MaxFileBytes)
	case bytes.IndexByte(content, 0) >= 0:
		return file, lang.Errorf(rng, "Text expected", "%s is not text: it has a zero byte.", file.Path)
	}
	file.Text = content
	return file, nil
}

func fileName(name string, extensions []string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-') {
			return false
		}
	}
	return name[0] != '.' && name[0] != '-' && slices.Contains(extensions, path.Ext(name))
}

// elementRanges finds where the elements of a list attribute stand, if it is
// written literally.
func elementRanges(body hcl.Body, attr string) []hcl.Range {
	syntax, ok := body.(*hclsyntax.Body)
	if !ok || syntax.Attributes[attr] == nil {
		return nil
	}
	elements, diags := hcl.ExprList(syntax.Attributes[attr].Expr)
	if diags.HasErrors() {
		return nil
	}
	out := make([]hcl.Range, len(elements))
	for i, e := range elements {
		out[i] = e.Range()
	}
	return out
}

// checkFunction checks the name of a function in C++, with its namespaces.
func checkFunction(rng hcl.Range, name *string) hcl.Diagnostics {
	if name == nil || cppName(*name) {
		return nil
	}
	return hcl.Diagnostics{lang.Errorf(rng, "Invalid name",
		"%q cannot name a function in C++: write an identifier, with its namespaces if it has any, for example bf16::sum.",
		*name)}
}

// generatedFiles are generated into the folder of a kernel's own files. Some have
// the kernel's label in their names.
var generatedFiles = []string{"%s.cpp", "%s_tb.cpp", "%s_component.cpp", "cclo_platform.h", "cclo_hls.hpp",
	"cclo_lanes.hpp", "cclo_bench.hpp", "accl_hls.h"}

// checkFiles reports files that would take the place of generated ones. Only a
// top function may be the user's own.
func (k *Kernel) checkFiles() hcl.Diagnostics {
	var diags hcl.Diagnostics
	for i, f := range k.HLS.Files {
		for n, pattern := range generatedFiles {
			name := strings.Replace(pattern, "%s", k.ID, 1)
			if f.Name == name && (n > 0 || i > 0 || k.HLS.Top == "") {
				diags = append(diags, lang.Errorf(k.HLS.Range, "Name taken",
					"%s would take the place of a generated file; rename it.", f.Path))
			}
		}
	}
	return diags
}
