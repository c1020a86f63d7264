package accl

import (
	"fmt"
	"strings"
)

// Called says in words what a call asks for: its operation, first, and its arguments as the engine gets them.
func (p *Platform) Called(c *Call) string {
	o := p.OperationOf(c.Scenario)
	if o == nil {
		return fmt.Sprintf("operation_%d of %d elements", c.Scenario, c.Count)
	}
	var b strings.Builder
	if b.WriteString(o.Name); o.Name == configOperation {
		fmt.Fprintf(&b, ", %s, count %d", nameOf(p.ConfigFunctions, c.FunctionCode), c.Count)
	}
	if o.Operands() {
		fmt.Fprintf(&b, " of %d elements", c.Count)
	}
	if o.Reduces {
		fmt.Fprintf(&b, ", %s", nameOf(p.ReduceFunctions, c.FunctionCode))
	}
	if o.Peer != "" {
		fmt.Fprintf(&b, ", %s %d", o.Peer, c.RootSrcDst)
	}
	if o.Tagged {
		fmt.Fprintf(&b, ", tag %d", c.Tag)
	}
	for i, at := range []uint64{c.Addr0, c.Addr1, c.Addr2} {
		if o.passed()[i].Any() {
			fmt.Fprintf(&b, ", %s at 0x%X", [...]string{"operand 0", "operand 1", "result"}[i], at)
		}
	}
	for _, word := range []struct {
		name  string
		value uint32
	}{
		{"communicator at", c.Comm}, {"types at", c.ArithCfg},
		{"compression", c.CompressionFlags}, {"streams", c.StreamFlags},
	} {
		if word.value != 0 {
			fmt.Fprintf(&b, ", %s 0x%X", word.name, word.value)
		}
	}
	return b.String()
}
