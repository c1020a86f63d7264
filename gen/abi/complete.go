package abi

import (
	"fmt"
	"math"
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
			b.errorf(e.Range, "Incomplete interface generation", "The enum %q has no values; every generation has at least one.",
				name)
		}
	}
	for _, name := range []string{BeatBytes, DefaultTimeout, MinTimeout} {
		need(g.Constant(name) != nil, "constant", name)
	}
	if c := g.Constant(BeatBytes); c != nil && (c.Value == 0 || c.Value > 4096 || c.Value&(c.Value-1) != 0) {
		b.errorf(c.Range, "Value out of range", "A beat has 1 to 4096 bytes, a power of two, not %d.", c.Value)
	}
	if c := g.Constant(DefaultTimeout); c != nil && c.Value > math.MaxInt32 {
		b.errorf(c.Range, "Value out of range", "A time limit is at most %d cycles, not %d.", math.MaxInt32, c.Value)
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
		b.errorf(g.Range, "Incomplete interface generation", "%q lacks what every generation has: %s.", g.Name,
			strings.Join(lacks, ", "))
	}
	if l := g.Layout(HardwareID); l != nil && l.Width > 32 {
		b.errorf(l.Range, "Value out of range", "The layout %q is one word: at most 32 bits, not %d.", HardwareID, l.Width)
	}
	if e := g.Enum(ReduceFunctions); e != nil {
		for i, v := range e.Values {
			if v.Value > uint32(i) {
				b.errorf(v.Range, "Function missing",
					"Reduction functions are numbered from 0 without gaps, because configurations list them by number: %q is %d, "+
						"but there is no %d.", v.Name, v.Value, i)
				break
			}
		}
	}
	if e, l := g.Enum(Stacks), g.Layout(HardwareID); e != nil && l != nil {
		for _, f := range l.Fields {
			if f.Name != Stacks {
				continue
			}
			for _, v := range e.Values {
				if v.Value >= 1<<f.Bits() {
					b.errorf(v.Range, "Value out of range", "The stack %q is %d, but the hardware id has %d bits for it: 0 to %d.",
						v.Name, v.Value, f.Bits(), 1<<f.Bits()-1)
				}
			}
		}
	}
}
