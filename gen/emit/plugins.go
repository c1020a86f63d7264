package emit

import (
	"fmt"
	"slices"
)

// reductionView is what a TDEST of the arithmetic plugin does.
type reductionView struct {
	Function, Type string
	TDEST, Log2    int  // Log2 of the bytes of an element
	Code, Codes    int  // number of the function, and how many numbers there are
	Own            bool // the plugin has it
}

// conversionView is what a TDEST of the compression plugins does.
type conversionView struct {
	From, To                string
	TDEST, FromLog2, ToLog2 int
}

// elementType is an element type that the RTL of the plugins computes with.
type elementType struct {
	log2     int // of its bytes
	floating bool
}

var (
	reducedTypes = map[string]elementType{
		"float16": {1, true}, "float32": {2, true}, "float64": {3, true}, "int32": {2, false}, "int64": {3, false},
	}
	// Conversions by whether they widen.
	convertedTypes = map[[2]string]bool{{"float32", "float16"}: false, {"float16", "float32"}: true}
)

// Built says whether the RTL has the reduction. Where it has not, operand 0
// passes unchanged.
func (r reductionView) Built() bool {
	t, known := reducedTypes[r.Type]
	return known && t.log2 == r.Log2 && r.Own
}

// OneHot is the bit of the function as a literal.
func (r reductionView) OneHot() string {
	return fmt.Sprintf("%d'b%0*b", r.Codes, r.Codes, uint64(1)<<r.Code)
}

// Products is 1 if the RTL has products.
func (v hardwareView) Products() uint64 {
	return oneIf(slices.ContainsFunc(v.Reductions, func(r reductionView) bool { return r.Function == "prod" && r.Built() }))
}

// Floating is 1 for IEEE 754 types.
func (r reductionView) Floating() uint64 { return oneIf(reducedTypes[r.Type].floating) }

// Built says whether the RTL has the conversion. Where it has not, elements
// pass unchanged.
func (c conversionView) Built() bool {
	widens, known := convertedTypes[[2]string{c.From, c.To}]
	return known && c.ToLog2 > c.FromLog2 == widens
}

// Widens is 1 if the result is the larger one.
func (c conversionView) Widens() uint64 { return oneIf(c.ToLog2 > c.FromLog2) }

// Narrows is 1 if the result is the smaller one.
func (c conversionView) Narrows() uint64 { return oneIf(c.ToLog2 < c.FromLog2) }

// registersView are the arguments of a kernel that the host calls, in the order
// of their registers.
type registersView []registerView

type registerView struct {
	Name, Doc     string
	Offset, Width int
}

// Upper is the name as parameters have it.
func (r registerView) Upper() string { return upper(r.Name) }

// High is the highest bit of the argument.
func (r registerView) High() int { return r.Width - 1 }

// Wide says whether the argument takes two words.
func (r registerView) Wide() bool { return r.Width > wordBits }

// First is the offset of the first argument.
func (v registersView) First() int { return v[0].Offset }

// Words counts the words from the first argument to the end of the last one.
func (v registersView) Words() int {
	last := v[len(v)-1]
	return (last.Offset-v.First())*8/wordBits + last.Width/wordBits
}

// Arguments lists the argument registers of a kernel, which is given by its label.
func (v hardwareView) Arguments(kernel string) registersView {
	var registers registersView
	for _, k := range v.Platform.Kernels() {
		if k.ID != kernel {
			continue
		}
		for _, a := range k.Arguments {
			registers = append(registers, registerView{a.Name, a.Doc, int(a.At), a.Width})
		}
	}
	slices.SortFunc(registers, func(a, b registerView) int { return a.Offset - b.Offset })
	return registers
}
