package emit

import (
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
)

// bindingMethod is a method of the class that calls the engine.
type bindingMethod struct {
	Name, Doc  string
	Notes      []string
	Parameters string // declared
	Arguments  string // passed on
	Base       string // the call that it starts from
	Set        []string
	// Refused is when no call is placed: RefusedCode is the answer.
	Refused, RefusedCode string
}

// StartType is what the method that does not wait returns.
func (m bindingMethod) StartType() string {
	if m.Refused != "" {
		return "bool"
	}
	return "void"
}

// Parameters of methods. What is not here is a word.
var parameterTypes = map[string]string{
	"function": "ReduceFunction",
	"source":   "ap_uint<64>", "result": "ap_uint<64>", "buffer": "ap_uint<64>",
	"operand_0": "ap_uint<64>", "operand_1": "ap_uint<64>",
}

// What methods set, by their parameters.
var parameterFields = map[string]string{
	"function": "call.function_code = static_cast<uint32_t>(function)",
	"source":   "call.addr_0 = source", "buffer": "call.addr_0 = buffer", "operand_0": "call.addr_0 = operand_0",
	"operand_1": "call.addr_1 = operand_1",
	"result":    "call.addr_2 = result",
	"rank":      "call.root_src_dst = rank", "root": "call.root_src_dst = root",
	"tag": "call.tag = tag", "stream": "call.tag = stream",
}

// operationBinding is how kernels call an operation: like the methods of the
// bindings of today, in the same order.
type operationBinding struct {
	operation, name string
	parameters      string
	base            string // method that fills in what such calls have in common
	repeats         bool   // the result is passed as operand 1, too, where operands may lie in host memory
}

var operationBindings = []operationBinding{
	{"copy", "copy", "count source result", "operands", false},
	{"combine", "combine", "count function operand_0 operand_1 result", "operands", false},
	{"ext_stream_krnl", "ext_stream_krnl", "count source result", "operands", false},
	{"send", "send", "count tag rank source", "collective", false},
	{"send", "stream_put", "count stream rank source", "collective", false},
	{"recv", "recv", "count tag rank result", "collective", false},
	{"bcast", "bcast", "count root buffer", "collective", false},
	{"scatter", "scatter", "count root source result", "collective", false},
	{"gather", "gather", "count root source result", "collective", false},
	{"reduce", "reduce", "count root function source result", "collective", false},
	{"allgather", "allgather", "count source result", "collective", true},
	{"allreduce", "allreduce", "count function source result", "collective", true},
	{"reduce_scatter", "reduce_scatter", "count function source result", "collective", false},
	{"alltoall", "alltoall", "count source result", "collective", true},
	{"barrier", "barrier", "", "", false},
	{"nop", "nop", "", "", false},
}

// configBindings are the config functions that are of use to kernels. Those that
// open sessions need the communicator.
var configBindings = []struct{ function, parameter string }{
	{"set_timeout", "cycles"},
	{"set_max_eager_msg_size", "bytes"},
	{"set_max_rendezvous_msg_size", "bytes"},
	{"set_max_segment_size", "bytes"},
	{"open_port", ""},
	{"open_con", ""},
}

// bindingMethods are the methods for what a generation can do.
func bindingMethods(g *abi.Generation, host bool) []bindingMethod {
	var methods []bindingMethod
	for _, b := range operationBindings {
		if v, ok := enumValue(g, operations, b.operation); ok {
			methods = append(methods, b.method(v, host))
		}
	}
	for _, b := range configBindings {
		v, ok := enumValue(g, abi.ConfigFunctions, b.function)
		if !ok {
			continue
		}
		m := bindingMethod{Name: b.function, Doc: v.Doc}
		count := b.parameter
		if count == "" {
			count = "0"
			m.Set = []string{"call.comm = comm_"}
		}
		m.declare(strings.Fields(b.parameter))
		m.Base = "configure(ConfigFunction::" + camel(b.function) + ", " + count + ")"
		methods = append(methods, m)
	}
	return methods
}

func enumValue(g *abi.Generation, enum, name string) (abi.EnumValue, bool) {
	e := g.Enum(enum)
	if e == nil {
		return abi.EnumValue{}, false
	}
	i := slices.IndexFunc(e.Values, func(v abi.EnumValue) bool { return v.Name == name })
	if i < 0 {
		return abi.EnumValue{}, false
	}
	return e.Values[i], true
}

func (b operationBinding) method(v abi.EnumValue, host bool) bindingMethod {
	m := bindingMethod{Name: b.name, Doc: v.Doc}
	parameters := strings.Fields(b.parameters)
	m.declare(parameters)
	code := "Operation::" + camel(b.operation)
	if b.base == "" {
		m.Set = append(m.Set, "call.scenario = static_cast<uint32_t>("+code+")")
		if b.name == "barrier" {
			m.Set = append(m.Set, "call.comm = comm_")
		}
	} else {
		m.Base = b.base + "(" + code + ", count)"
	}
	for _, p := range parameters {
		if field, ok := parameterFields[p]; ok {
			m.Set = append(m.Set, field)
		}
	}
	if b.repeats && host {
		m.Set = append(m.Set, "repeat_result(call)")
	}
	if b.name == "stream_put" {
		m.Doc = "Sends operand 0 to the kernel stream of a rank, with a TDEST of stream + PutTDESTOffset."
		m.Notes = []string{"Streams above MaxPutTag are reserved: the answer is ConfigSwitch, and no call is", "placed (start_stream_put returns false)."}
		m.Set = append(m.Set, "call.stream_flags |= stream_flags::Res")
		m.Refused, m.RefusedCode = "stream > MaxPutTag", "return_code::ConfigSwitch"
	}
	return m
}

func (m *bindingMethod) declare(parameters []string) {
	var declared []string
	for _, p := range parameters {
		typ := parameterTypes[p]
		if typ == "" {
			typ = "ap_uint<32>"
		}
		declared = append(declared, typ+" "+p)
	}
	m.Parameters, m.Arguments = strings.Join(declared, ", "), strings.Join(parameters, ", ")
}
