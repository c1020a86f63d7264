package design

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// How Vitis HLS names the ports of memories and of registers.
const (
	memoryPrefix  = "m_axi_"
	controlPrefix = "s_axi_"
)

// checkForms reports kernels in C++ whose ports and arguments no top function
// has.
func (e *elaboration) checkForms() {
	seen := map[string]bool{}
	for _, in := range e.instances {
		if k := in.Kernel; k.Source == platform.SourceHLS && !seen[k.ID] {
			seen[k.ID] = true
			e.checkForm(in)
		}
	}
}

func (e *elaboration) checkForm(in *instance) {
	k, ports := in.Kernel, map[string]*port{}
	switch free := k.Control == layout.FreeRunning; {
	case free && len(k.Arguments) > 0:
		e.errorf(in.source.Range, "Control protocol",
			"Kernel %s runs freely (%s), so that nobody gives it arguments; with control = %q the host calls it.", k.ID,
			k.Control, layout.Handshake)
	case !free && !k.Called():
		e.errorf(in.source.Range, "Control protocol",
			"Kernel %s is written in C++, whose control protocols are %s, %s and %s, not %s.", k.ID, layout.FreeRunning,
			layout.Handshake, layout.Chain, k.Control)
	}
	e.checkRegisters(in)
	pointed := map[string]bool{}
	for _, p := range in.ports {
		ports[p.Name] = p
	}
	before := len(e.diags)
	for _, a := range in.source.Arguments {
		e.checkArgument(a, ports)
		pointed[a.Port] = true
	}
	if len(e.diags) > before {
		return // the ports are made for the arguments
	}
	for _, p := range in.ports {
		e.checkPort(in, p, pointed[p.Name])
	}
	if in.source.Plugin() {
		e.checkPlugin(in)
	}
	e.checkFunctions(in)
}

// checkFunctions reports functions that no file of the kernel has the name of.
// Whether they fit is the compiler's to say.
func (e *elaboration) checkFunctions(in *instance) {
	h := in.source.HLS
	look := func(rng hcl.Range, function, what string) {
		parts := strings.Split(function, "::")
		if name := parts[len(parts)-1]; lang.Identifier(strings.TrimLeft(name, "_")) && !h.Mentions(name) {
			e.errorf(rng, "Function missing", "%s is called %s, but no file of kernel %s has that name: %s.", what, function,
				in.Kernel.ID, strings.Join(lang.Names(h.Files, func(f platform.SourceFile) string { return f.Path }), ", "))
		}
	}
	switch {
	case h.Calls != "":
		look(h.CallsRange, h.Calls, "The function that the top function calls")
		return
	case h.Top != "":
		look(h.CallsRange, h.Top, "The top function")
		return
	}
	if a := e.p.Arithmetic; a != nil && a.Kernel == in.Kernel.ID {
		for _, f := range a.Functions {
			look(f.Range, f.CPP, "The function "+f.Name)
		}
	}
	if c := e.p.Compression; c != nil && c.Kernel == in.Kernel.ID {
		for _, conv := range c.Conversions {
			look(conv.Range, conv.CPP, "The conversion from "+conv.From+" to "+conv.To)
		}
	}
}

// checkRegisters compares the registers of arguments with those that Vitis HLS
// gives them: it takes no orders in this.
func (e *elaboration) checkRegisters(in *instance) {
	next := uint32(platform.FirstArgument)
	for _, a := range in.Kernel.Arguments {
		if a.At != next {
			i := slices.IndexFunc(in.source.Arguments, func(s platform.KernelArgument) bool { return s.Name == a.Name })
			rng := in.source.Range
			if i >= 0 {
				rng = in.source.Arguments[i].Range
			}
			e.errorf(rng, "Register elsewhere",
				"Vitis HLS puts the argument %q to 0x%X, not to 0x%X. Leave out at, and it is where the tool puts it.",
				a.Name, next, a.At)
			return // the others follow from it
		}
		next = platform.NextArgument(a.At, a.Width)
	}
}

func (e *elaboration) checkArgument(a platform.KernelArgument, ports map[string]*port) {
	t, known := platform.ArgumentTypeOf(a.Type)
	p := ports[a.Port]
	switch {
	case !known:
		e.errorf(a.Range, "Unknown type", "The argument %q has the type %q, which no argument of a kernel in C++ can have.",
			a.Name, a.Type)
	case t.Bits != a.Width:
		e.errorf(a.Range, "Width mismatch", "The argument %q is %d bits wide, but its type %s has %d.", a.Name,
			a.Width, a.Type, t.Bits)
	case t.Pointer && (p == nil || p.Protocol != AXI4):
		e.errorf(a.Range, "Memory port missing",
			"The argument %q is a pointer, so that its port is one to memory: port = \"m_axi_gmem\", with axi = \"master\".",
			a.Name)
	case !t.Pointer && (p == nil || p.Protocol != AXILite):
		e.errorf(a.Range, "Control port missing",
			"The argument %q is a number, so that its port is one of registers: axilite = \"slave\".", a.Name)
	case lang.CPPKeyword(a.Name):
		e.errorf(a.Range, "Reserved word", "%q cannot name an argument: it is a keyword of C++.", a.Name)
	}
}

func (e *elaboration) checkPort(in *instance, p *port, pointed bool) {
	rng := p.source.Range
	switch p.Protocol {
	case AXIS:
		if widest := e.beatBits(); p.Width > widest {
			e.errorf(rng, "Width does not fit", "Port %s is %d bits wide; streams of kernels in C++ are up to %d.",
				p.Name, p.Width, widest)
		}
		if lang.CPPKeyword(p.Name) {
			e.errorf(rng, "Reserved word", "%q cannot name a stream of a kernel in C++: it is a keyword.", p.Name)
		}
	case AXI4:
		if name, ok := strings.CutPrefix(p.Name, memoryPrefix); !ok || name == "" {
			e.errorf(rng, "Invalid name",
				"Port %s of a kernel in C++ leads to memory; Vitis HLS calls such ports %s and a name.", p.Name, memoryPrefix)
		} else if !pointed {
			e.errorf(rng, "Argument missing",
				"No argument of kernel %s points to what is behind port %s, so that Vitis HLS makes no such port.",
				in.Kernel.ID, p.Name)
		}
	case AXILite:
		if name, ok := strings.CutPrefix(p.Name, controlPrefix); !ok || name == "" {
			e.errorf(rng, "Invalid name", "Port %s of a kernel in C++ has registers; Vitis HLS calls such ports %s and a name.",
				p.Name, controlPrefix)
		}
	}
}

// checkPlugin checks that a plugin has the streams that its wrapper joins.
func (e *elaboration) checkPlugin(in *instance) {
	if in.source.HLS.Top != "" {
		return
	}
	operands := map[string]int{roleArithmetic: 2, roleCompression: 1}[in.Role]
	inputs, outputs := 0, 0
	for _, p := range in.ports {
		if p.Protocol != AXIS {
			continue
		}
		if p.Output {
			outputs++
		} else {
			inputs++
		}
		if p.Width != e.beatBits() {
			e.errorf(p.source.Range, "Width does not fit", "Port %s is %d bits wide; the streams of a plugin in C++ have %d.",
				p.Name, p.Width, e.beatBits())
		}
		if !p.Output && inputs == 1 && p.TDEST == 0 {
			e.errorf(p.source.Range, "TDEST expected",
				"Port %s has no TDEST to select a function by; say tdest = 8, for example.", p.Name)
		}
		if p.Output && p.TDEST != 0 {
			e.errorf(p.source.Range, "TDEST not expected", "Port %s is the result of a plugin, which has no TDEST.", p.Name)
		}
	}
	if inputs != operands || outputs != 1 {
		e.errorf(in.source.Range, "Streams expected",
			"Kernel %s has %d streams in and %d out; a plugin in C++ of the role %s has %d in and 1 out.", in.Kernel.ID, inputs,
			outputs, in.Role, operands)
	}
}

func (e *elaboration) beatBits() int { return 8 * int(e.p.ABI.Constant(abi.BeatBytes).Value) }

// checkNames reports kernels that the linker would take for one.
func (e *elaboration) checkNames() {
	first := map[string]*instance{}
	for _, in := range e.instances {
		prev, known := first[in.Kernel.Name]
		switch {
		case !known:
			first[in.Kernel.Name] = in
		case prev.Kernel != in.Kernel:
			e.errorf(in.source.Range, "Name taken",
				"Kernel %s is called %q for the linker, but so is kernel %s of %s, line %d, which this platform has as well.",
				in.Kernel.ID, in.Kernel.Name, prev.Kernel.ID, prev.source.Range.Filename, prev.source.Range.Start.Line)
			first[in.Kernel.Name] = in // said once
		}
	}
}
