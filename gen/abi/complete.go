package abi

import (
	"fmt"
	"strings"
)

// complete reports what a generation lacks although the elaboration of every
// platform computes with it.
func (b *builder) complete(g *Generation) {
	var lacks []string
	need := func(there bool, what, name string) {
		if !there {
			lacks = append(lacks, fmt.Sprintf("the %s %q", what, name))
		}
	}
	for _, name := range []string{ReduceFunctions, ConfigFunctions, Stacks} {
		e := g.Enum(name)
		need(e != nil, "enum", name)
		if e != nil && len(e.Values) == 0 {
			b.errorf(e.Range, "Incomplete interface generation", "The enum %q has no values; every generation has at least one.", name)
		}
	}
	need(g.BitSet(ReturnCode) != nil, "bit set", ReturnCode)
	for _, name := range []string{HardwareID, MessageHeader} {
		need(g.Layout(name) != nil, "layout", name)
	}
	need(g.Record(Call) != nil, "record", Call)
	need(g.RegisterMap(HostControl) != nil, "register map", HostControl)
	exchange := g.Memory(Exchange)
	need(exchange != nil, "memory", Exchange)
	if exchange != nil {
		for _, name := range []string{RxBuffers, Communicators, ArithmeticConfigs} {
			need(exchange.Table(name) != nil, "table", name)
		}
	}
	if len(g.Types) == 0 {
		lacks = append(lacks, "element types")
	}
	if len(lacks) > 0 {
		b.errorf(g.Range, "Incomplete interface generation", "%q lacks what every generation has: %s.", g.Name, strings.Join(lacks, ", "))
	}
	if l := g.Layout(HardwareID); l != nil && l.Width > 32 {
		b.errorf(l.Range, "Value out of range", "The layout %q is one word: at most 32 bits, not %d.", HardwareID, l.Width)
	}
}
