package manual

import (
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
)

const operandCaption = "What operations do with their operands. A block is count elements; ranks of a communicator " +
	"have " +
	"a block each of what is said to be of all of them."

// operandTable is what calls do with their operands.
func operandTable(g *abi.Generation) Table {
	t := newTable("Operation", "Operand 0", "Operand 1", "Result", "root_src_dst", "Is")
	t.Caption = operandCaption
	for i := range g.Operations {
		o := &g.Operations[i]
		t.add(Code(o.Name), operandText(o.Op0), operandText(o.Op1), operandText(o.Res), o.Peer, strings.Join(traits(o), ", "))
	}
	return t
}

func operandText(o abi.Operand) string {
	if !o.Any() {
		return ""
	}
	text := map[string]string{abi.ShareBlock: "block", abi.ShareAll: "block of each rank"}[o.Share] +
		map[string]string{
			abi.AtRoot: " at the root", abi.AtNotRoot: " on all ranks but the root", abi.AtNotFirst: " on all ranks but rank 0",
			abi.AtPeer: " in the kernel stream of the destination",
		}[o.At]
	if o.Stream {
		text += ", or kernel stream"
	}
	return text
}

func traits(o *abi.Operation) []string {
	var out []string
	for _, trait := range []struct {
		holds bool
		text  string
	}{
		{o.Collective(), "collective"},
		{o.Local, "local"},
		{o.Reduces, "a reduction"},
		{o.Tagged, "tagged"},
		{o.InPlace == abi.InPlaceAllowed, "possible in place"},
		{o.InPlace == abi.InPlaceRequired, "in place: the result has the address of operand 0"},
		{o.Call != o.Name, "a form of " + Code(o.Call)},
	} {
		if trait.holds {
			out = append(out, trait.text)
		}
	}
	return out
}
