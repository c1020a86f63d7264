package abi

import "slices"

// complete reports what a generation lacks although the elaboration of every
// platform computes with it.
func (b *builder) complete(g *Generation) {
	lacks := func(what, name string) {
		b.errorf(g.Range, "Incomplete interface generation", "%q has no %s %q, which every generation has.", g.Name, what, name)
	}
	for _, name := range []string{ReduceFunctions, ConfigFunctions, Stacks} {
		if e := g.Enum(name); e == nil {
			lacks("enum", name)
		} else if len(e.Values) == 0 {
			b.errorf(e.Range, "Incomplete interface generation", "The enum %q has no values; every generation has at least one.", name)
		}
	}
	if g.BitSet(ReturnCode) == nil {
		lacks("bit set", ReturnCode)
	}
	for _, name := range []string{HardwareID, MessageHeader} {
		if g.Layout(name) == nil {
			lacks("layout", name)
		}
	}
	if l := g.Layout(HardwareID); l != nil && l.Width > 32 {
		b.errorf(l.Range, "Value out of range", "The layout %q is one word: at most 32 bits, not %d.", HardwareID, l.Width)
	}
	if g.Record(Call) == nil {
		lacks("record", Call)
	}
	if g.RegisterMap(HostControl) == nil {
		lacks("register map", HostControl)
	}
	if len(g.Types) == 0 {
		b.errorf(g.Range, "Incomplete interface generation", "%q has no element types; every generation has at least one.", g.Name)
	}
	exchange := g.Memory(Exchange)
	if exchange == nil {
		lacks("memory", Exchange)
		return
	}
	for _, name := range []string{RxBuffers, Communicators, ArithmeticConfigs} {
		if !slices.ContainsFunc(exchange.Tables, func(t Table) bool { return t.Name == name }) {
			b.errorf(exchange.Range, "Incomplete interface generation", "The memory %q of %q has no table %q, which every generation has.", Exchange, g.Name, name)
		}
	}
}
