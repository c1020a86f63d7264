package emit

import (
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
)

// cShape is something that the firmware has to know of an operation before it runs.
type cShape struct {
	Name  string
	Value uint32
	Doc   string
	holds func(o *abi.Operation) bool
}

var cShapes = []cShape{
	{"CCLO_SHAPE_ELEMENTS", 1, "It has operands: an arithmetic configuration and addresses.", (*abi.Operation).Elements},
	{"CCLO_SHAPE_OP1", 2, "Operand 1 has an address.", func(o *abi.Operation) bool {
		return o.Op1.Any() ||
			o.ResultAsOp1
	}},
	{"CCLO_SHAPE_COMM", 4, "It has a communicator.", func(o *abi.Operation) bool { return !o.Local }},
	{"CCLO_SHAPE_FUNCTION", 8, "It reduces.", func(o *abi.Operation) bool { return o.Reduces }},
	{"CCLO_SHAPE_COLLECTIVE", 16, "All ranks of the communicator take part.", (*abi.Operation).Collective},
	{"CCLO_SHAPE_STREAM", 32, "Operands or the result may be kernel streams.",
		func(o *abi.Operation) bool { return o.Op0.Stream || o.Op1.Stream || o.Res.Stream }},
	{"CCLO_SHAPE_ROOT", 64, "It has a root.", func(o *abi.Operation) bool { return o.Peer == abi.PeerRoot }},
	{"CCLO_SHAPE_OPERAND_OF_ALL", 128, "Operand 0 has a block for each rank.",
		func(o *abi.Operation) bool { return o.Op0.Share == abi.ShareAll }},
	{"CCLO_SHAPE_RESULT_OF_ALL", 256, "The result has a block for each rank.",
		func(o *abi.Operation) bool { return o.Res.Share == abi.ShareAll }},
	{"CCLO_SHAPE_OPERAND_AT_ROOT", 512, "Only the root has operand 0.",
		func(o *abi.Operation) bool { return o.Op0.At == abi.AtRoot && o.InPlace != abi.InPlaceRequired }},
	{"CCLO_SHAPE_RESULT_AT_ROOT", 1024, "Only the root has a result.",
		func(o *abi.Operation) bool { return o.Res.At == abi.AtRoot }},
	{"CCLO_SHAPE_IN_PLACE", 2048, "The result is in the place of operand 0.",
		func(o *abi.Operation) bool { return o.InPlace == abi.InPlaceRequired }},
}

type cOperation struct{ Name, Code, Shape string }

// cOperations are the operations that run as tasks.
func cOperations(g *abi.Generation) []cOperation {
	var out []cOperation
	for i := range g.Operations {
		o := &g.Operations[i]
		if !o.Task || o.Call != o.Name {
			continue
		}
		var shape []string
		for _, s := range cShapes {
			if s.holds(o) {
				shape = append(shape, s.Name)
			}
		}
		if shape == nil {
			shape = []string{"0"}
		}
		out = append(out, cOperation{o.Name, upper("cclo", abi.Operations, o.Name), strings.Join(shape, " | ")})
	}
	return out
}

func cOperationNames() []string {
	out := []string{"CCLO_OPERATIONS"}
	for _, s := range cShapes {
		out = append(out, s.Name)
	}
	return out
}
