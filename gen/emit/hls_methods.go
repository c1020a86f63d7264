package emit

import (
	"cmp"
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

// parametersOf lists the parameters of the method that calls an operation, in the order of the published bindings.
func parametersOf(o *abi.Operation) []string {
	var out []string
	if !o.Elements() {
		return nil
	}
	out = append(out, "count")
	switch {
	case o.Tagged:
		out = append(out, "tag")
	case o.Res.At == abi.AtPeer:
		out = append(out, "stream")
	}
	switch o.Peer {
	case "":
	case abi.PeerRoot:
		out = append(out, "root")
	default:
		out = append(out, "rank")
	}
	if o.Reduces {
		out = append(out, "function")
	}
	if o.InPlace == abi.InPlaceRequired {
		return append(out, "buffer")
	}
	switch {
	case o.Op1.Any():
		out = append(out, "operand_0", "operand_1")
	case o.Op0.Any():
		out = append(out, "source")
	}
	if o.Res.Any() && o.Res.At != abi.AtPeer {
		out = append(out, "result")
	}
	return out
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
	for i := range g.Operations {
		if o := &g.Operations[i]; o.CalledBy(abi.CallerKernel) {
			methods = append(methods, operationMethod(o, host))
		}
	}
	for _, b := range configBindings {
		v := g.Enum(abi.ConfigFunctions).Value(b.function)
		if v == nil {
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

func operationMethod(o *abi.Operation, host bool) bindingMethod {
	m := bindingMethod{Name: o.Name, Doc: o.Doc}
	parameters := parametersOf(o)
	m.declare(parameters)
	code := "Operation::" + camel(o.Call)
	switch {
	case !o.Elements():
		m.Set = append(m.Set, "call.scenario = static_cast<uint32_t>("+code+")")
		if o.Collective() {
			m.Set = append(m.Set, "call.comm = comm_")
		}
	case o.Local:
		m.Base = "operands(" + code + ", count)"
	default:
		m.Base = "collective(" + code + ", count)"
	}
	for _, p := range parameters {
		if field, ok := parameterFields[p]; ok {
			m.Set = append(m.Set, field)
		}
	}
	if o.RepeatsResult && host {
		m.Set = append(m.Set, "repeat_result(call)")
	}
	if o.Res.At == abi.AtPeer {
		m.Doc = "Sends operand 0 to the kernel stream of a rank, with a TDEST of stream + PutTDESTOffset."
		m.Notes = []string{
			"Streams above MaxPutTag are reserved: the answer is ConfigSwitch, and no call is",
			"placed (start_" + o.Name + " returns false).",
		}
		m.Set = append(m.Set, "call.stream_flags |= stream_flags::Res")
		m.Refused, m.RefusedCode = "stream > MaxPutTag", "return_code::ConfigSwitch"
	}
	return m
}

func (m *bindingMethod) declare(parameters []string) {
	var declared []string
	for _, p := range parameters {
		declared = append(declared, cmp.Or(parameterTypes[p], "ap_uint<32>")+" "+p)
	}
	m.Parameters, m.Arguments = strings.Join(declared, ", "), strings.Join(parameters, ", ")
}
