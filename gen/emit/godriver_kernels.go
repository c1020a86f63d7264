package emit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
)

const (
	driverKernelsFile     = "driver/kernels.go"
	driverKernelsTemplate = "driver/kernels.go.tmpl"
)

// goKernels is the view of the kernels that the host calls.
type goKernels struct {
	Source, Package string
	Math            bool // an argument is a floating-point number
	Kernels         []goKernel
}

type goKernel struct {
	Func, Kernel, Doc string
	Arguments         []goArgument
}

// goArgument is a register as a parameter.
type goArgument struct {
	Name, Type, Doc string
	Register        string // its name in HCL
	Word            string // what the register gets, as an expression
	Pointer         bool
}

// goParameterNames are what functions that call kernels use themselves.
var goParameterNames = []string{
	"ctx", "dev", "accl", "context", "math", "error", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32",
	"int64", "float32", "float64",
}

// goKinds are types of Go for types of C, and how such a value gets into a register.
var goKinds = map[string]struct{ golang, word string }{
	"char": {"int8", "uint64(uint32(%s))"}, "int8_t": {"int8", "uint64(uint32(%s))"},
	"uchar": {"uint8", "uint64(%s)"}, "uint8_t": {"uint8", "uint64(%s)"},
	"short": {"int16", "uint64(uint32(%s))"}, "int16_t": {"int16", "uint64(uint32(%s))"},
	"ushort": {"uint16", "uint64(%s)"}, "uint16_t": {"uint16", "uint64(%s)"},
	"int": {"int32", "uint64(uint32(%s))"}, "int32_t": {"int32", "uint64(uint32(%s))"},
	"long": {"int64", "uint64(%s)"}, "int64_t": {"int64", "uint64(%s)"},
	"float": {"float32", "uint64(math.Float32bits(%s))"}, "double": {"float64", "math.Float64bits(%s)"},
}

// goKernelCalls renders functions that call the kernels of an engine, if there are
// any.
func goKernelCalls(d *design.Design, taken *identifiers) ([]File, error) {
	view := goKernels{Source: d.Platform.File, Package: d.Platform.Name}
	var errs []error
	for _, k := range calledKernels(d) {
		kernel := goKernel{Func: camel(k.Name), Kernel: k.Name, Doc: k.Doc}
		errs = append(errs, taken.claim("", kernel.Func, claimant{path: []string{k.Name}}))
		var err error
		kernel.Arguments, err = goArguments(k)
		errs = append(errs, err)
		for _, a := range kernel.Arguments {
			view.Math = view.Math || strings.Contains(a.Word, "math.")
		}
		view.Kernels = append(view.Kernels, kernel)
	}
	if err := errors.Join(errs...); err != nil || len(view.Kernels) == 0 {
		return nil, err
	}
	text, err := formatted(driverKernelsTemplate, view)
	return []File{{driverKernelsFile, text, platformInputs(d, driverKernelsTemplate)}}, err
}

// calledKernels lists the user kernels that hosts call, by name. All engines have the
// kernels of the first one.
func calledKernels(d *design.Design) []*design.Kernel {
	var out []*design.Kernel
	for _, in := range d.Instances {
		if in.Role == "user" && in.Scope <= 0 && in.Kernel.Called() && !slices.Contains(out, in.Kernel) {
			out = append(out, in.Kernel)
		}
	}
	slices.SortFunc(out, func(a, b *design.Kernel) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// goArguments are the registers of a kernel in the order of their offsets.
func goArguments(k *design.Kernel) ([]goArgument, error) {
	registers := slices.Clone(k.Arguments)
	slices.SortStableFunc(registers, func(a, b design.Argument) int { return cmp.Compare(a.At, b.At) })
	var out []goArgument
	for _, r := range registers {
		a := goArgument{Name: parameter(r.Name), Register: r.Name, Doc: r.Doc, Type: "uint32", Word: "uint64(%s)"}
		kind, known := goKinds[r.Type]
		switch {
		case r.Pointer():
			a.Type, a.Word, a.Pointer = "uint64", "%s", true
		case known:
			a.Type, a.Word = kind.golang, kind.word
		case r.Width == 64:
			a.Type, a.Word = "uint64", "%s"
		}
		a.Word = fmt.Sprintf(a.Word, a.Name)
		if i := slices.IndexFunc(out, func(other goArgument) bool { return other.Name == a.Name }); i >= 0 {
			return nil, fmt.Errorf("the arguments %s and %s of kernel %s are both %s in Go", out[i].Register,
				r.Name, k.Name, a.Name)
		}
		out = append(out, a)
	}
	return out, nil
}

// parameter writes the name of a register as a parameter: comm_adr is commAdr.
func parameter(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	out := strings.ToLower(first) + camel(rest)
	if _, is := lang.Keyword(out); is || slices.Contains(goParameterNames, out) {
		out += "Argument"
	}
	return out
}
