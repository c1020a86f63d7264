package emit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
)

const (
	bindingsFile          = "hls/cclo_hls.hpp"
	bindingsTemplate      = "hls/cclo_hls.hpp.tmpl"
	compatibilityFile     = "hls/accl_hls.h"
	compatibilityTemplate = "hls/accl_hls.h.tmpl"
)

// bindingNames are what the bindings declare beside what the description names:
// nothing of the description may have these names, be it a constant or what it
// is part of.
var bindingNames = strings.Fields(`
BeatBits Call Command Data answered beat block element finish from_double from_float from_int get kernel_beat set
start to_double to_float to_int types word`)

// ErrBinding says that kernels in C++ cannot be given what a platform describes.
var ErrBinding = errors.New("no binding for C++")

// bindingsView is what the bindings know of a platform.
type bindingsView struct {
	header
	Kernel     *streamView // nil: no kernel streams
	Types      []typeView
	Fields     []callField
	Words      []callWord
	CallDoc    string
	Operations []bindingOperation
	Methods    []bindingMethod
	Host       bool // operands may lie in host memory
}

// streamView are the widths of the kernel streams.
type streamView struct{ Width, TDEST int }

type typeView struct {
	Name, Doc string
	Bytes     int
}

func (t typeView) Bits() int { return 8 * t.Bytes }

// callField is an argument of a call, of one or two words.
type callField struct {
	Name, Doc string
	Bits      int
}

// callWord is a word of a call, as part of a field.
type callWord struct {
	Value string
	Last  int // TLAST
}

func (w callWord) String() string { return w.Value }

type bindingOperation struct {
	Name string
	Code uint32
}

// Upper is the name as macros have it.
func (o bindingOperation) Upper() string { return upper(o.Name) }

// Has says whether the platform has an element type of this size.
func (v bindingsView) Has(name string, bytes int) bool {
	return slices.ContainsFunc(v.Types, func(t typeView) bool { return t.Name == name && t.Bytes == bytes })
}

// Can says whether the generation has an operation.
func (v bindingsView) Can(operation string) bool {
	return slices.ContainsFunc(v.Operations, func(o bindingOperation) bool { return o.Name == operation })
}

// Integers are the types that C++ computes with as they are.
func (v bindingsView) Integers() []typeView {
	return slices.DeleteFunc(slices.Clone(v.Types),
		func(t typeView) bool { return t.Name != fmt.Sprintf("int%d", t.Bits()) })
}

// bindings renders what kernels in C++ are written with.
func bindings(d *design.Design) ([]File, error) {
	view, err := newBindingsView(d)
	if err != nil {
		return nil, err
	}
	out := bundle{d: d}
	for _, f := range [][2]string{{bindingsFile, bindingsTemplate}, {compatibilityFile, compatibilityTemplate}} {
		view.header = platformView(d, f[0])
		out.render(f[0], f[1], view)
	}
	return out.files, out.err
}

func newBindingsView(d *design.Design) (bindingsView, error) {
	g := d.ABI()
	v := bindingsView{Kernel: kernelStream(d)}
	for _, t := range d.Platform.Types {
		if lang.CPPKeyword(t.Name) {
			return v, fmt.Errorf("%w: %s:%d: the element type %q has the name of a word of C++; rename it", ErrBinding,
				t.Range.Filename, t.Range.Start.Line, t.Name)
		}
		v.Types = append(v.Types, typeView{t.Name, t.Doc, t.Bytes})
	}
	if l := g.Layout("stream_word"); l != nil {
		v.Host = slices.ContainsFunc(l.Fields, func(f abi.Field) bool { return f.Name == "host" })
	}
	if e := g.Enum(abi.Operations); e != nil {
		for _, o := range e.Values {
			v.Operations = append(v.Operations, bindingOperation{o.Name, o.Value})
		}
	}
	v.call(g.Record(abi.Call))
	v.Methods = bindingMethods(g, v.Host)
	return v, nil
}

// call takes a call apart: words of a name that ends in _low and _high are one
// field.
func (v *bindingsView) call(r *abi.Record) {
	v.CallDoc = r.Doc
	for i, w := range r.Words {
		last := int(oneIf(i == len(r.Words)-1))
		if name, high := strings.CutSuffix(w.Name, "_high"); high {
			v.Words = append(v.Words, callWord{fmt.Sprintf("%s.range(%d, %d)", name, 2*wordBits-1, wordBits), last})
			continue
		}
		name, low := strings.CutSuffix(w.Name, "_low")
		field, word := callField{name, w.Doc, wordBits}, callWord{name, last}
		if low {
			field.Bits, word.Value = 2*wordBits, fmt.Sprintf("%s.range(%d, 0)", name, wordBits-1)
			field.Doc, _, _ = strings.Cut(field.Doc, ", bits ")
			field.Doc = strings.TrimSuffix(field.Doc, ".") + "."
		}
		v.Fields, v.Words = append(v.Fields, field), append(v.Words, word)
	}
}

// kernelStream finds the stream from an engine to the kernel behind it, or to what
// closes it: an engine has no other stream that can be closed.
func kernelStream(d *design.Design) *streamView {
	for _, s := range d.Streams {
		if s.From.Instance.Role == "engine" && (s.Group == "kernel" || s.To.Instance.Role == "closer") {
			return &streamView{s.From.Width, s.From.TDEST}
		}
	}
	return nil
}

// reserveBindings keeps the names of the bindings free.
func reserveBindings(words []wording, names *identifiers) error {
	errs := []error{names.reserve(bindingNames...)}
	for _, w := range words {
		if slices.Contains(bindingNames, w.Scope) {
			errs = append(errs,
				fmt.Errorf("%w: %s of the description and %[2]s of every file in %s; rename the one of the description",
					ErrCollision, w.Scope, names.language))
		}
	}
	return errors.Join(errs...)
}
