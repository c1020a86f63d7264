package emit

import (
	"fmt"
	"slices"
	"strings"
)

// Parameters declare the arguments and the streams of the top function.
func (v *hlsView) Parameters() string {
	var list []string
	for _, a := range v.Arguments {
		list = append(list, a.Declaration()+a.Name)
	}
	for _, s := range v.Streams {
		list = append(list, s.Parameter())
	}
	return strings.Join(list, ",\n"+strings.Repeat(" ", len("void ()")-1+len(v.Name)))
}

// Passed are the arguments and the streams as a component has them.
func (v *hlsView) Passed() []string {
	var list []string
	for i, a := range v.Arguments {
		switch {
		case a.Pointer:
			list = append(list, fmt.Sprintf("reinterpret_cast<%s>(arguments[%d])", a.Declaration(), i))
		case a.Element == "float" || a.Element == "double":
			list = append(list, fmt.Sprintf("cclo::element<%s>::unpack(arguments[%d])", a.Element, i))
		default:
			list = append(list, fmt.Sprintf("static_cast<%s>(arguments[%d])", a.Element, i))
		}
	}
	for _, s := range v.Streams {
		list = append(list, s.Member())
	}
	return list
}

// Operand0 is the first input of a plugin, Operand1 the second, and Result its
// output.
func (v *hlsView) Operand0() kernelStreamView { return v.nth(false, 0) }
func (v *hlsView) Operand1() kernelStreamView { return v.nth(false, 1) }
func (v *hlsView) Result() kernelStreamView   { return v.nth(true, 0) }

func (v *hlsView) nth(output bool, n int) kernelStreamView {
	if list := v.directed(output); n < len(list) {
		return list[n]
	}
	return kernelStreamView{}
}

// Inputs and Outputs are the streams in one direction.
func (v *hlsView) Inputs() []kernelStreamView  { return v.directed(false) }
func (v *hlsView) Outputs() []kernelStreamView { return v.directed(true) }

func (v *hlsView) directed(output bool) []kernelStreamView {
	return slices.DeleteFunc(slices.Clone(v.Streams), func(s kernelStreamView) bool { return s.Output != output })
}

// OfRole is the stream with a role, or nil.
func (v *hlsView) OfRole(role string) *kernelStreamView {
	for i := range v.Streams {
		if v.Streams[i].Role == role {
			return &v.Streams[i]
		}
	}
	return nil
}

// FreeTDEST is one that has no function, or 0 if each has one.
func (v *hlsView) FreeTDEST() int {
	for dest := 1<<v.Operand0().TDEST - 1; dest > 0; dest-- {
		if !slices.ContainsFunc(v.Functions, func(f functionView) bool { return f.TDEST == dest }) {
			return dest
		}
	}
	return 0
}

// benchScalar is what a test bench gives to arguments that are no pointers.
const benchScalar = 16

// PassedByBench are the arguments and the streams as a test bench has them.
func (v *hlsView) PassedByBench() []string {
	var list []string
	for _, a := range v.Arguments {
		if a.Pointer {
			list = append(list, fmt.Sprintf("reinterpret_cast<%s>(%s.data())", a.Declaration(), a.Name))
		} else {
			list = append(list, fmt.Sprint(benchScalar))
		}
	}
	for _, s := range v.Streams {
		list = append(list, s.Member())
	}
	return list
}
