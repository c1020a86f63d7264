package platform

import (
	"cmp"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// complete gives a kernel the defaults of what neither it nor a kernel that it
// is like says, and checks what only the whole description shows.
func (k *Kernel) complete() hcl.Diagnostics {
	var diags hcl.Diagnostics
	if k.Source == "" && k.HLS != nil {
		k.Source = SourceHLS
	}
	if k.Source == "" && k.XO != nil {
		k.Source = SourceXO
	}
	for _, required := range []struct{ name, value string }{{"role", k.Role}, {"source", k.Source},
		{"control", k.Control}} {
		if required.value == "" {
			diags = append(diags, lang.Errorf(k.Range, "Missing required argument",
				"The argument %q is required, but kernel %s has none, and is like no kernel that has.", required.name, k.ID))
		}
	}
	k.Each = cmp.Or(k.Each, "cclo")
	if k.Place == "" {
		k.Place = "cclo"
		if k.Each == "poe" || k.Each == "card" {
			k.Place = "poe"
		}
	}
	k.Calls = value(k.kernelBlock.Calls, false)
	diags = append(diags, k.placeArguments()...)
	diags = append(diags, k.checkDescribed()...)
	return append(diags, k.checkHLS()...)
}

// placeArguments gives registers to the arguments that name none, in the order
// and with the gaps of Vitis HLS: behind each argument a word is free.
func (k *Kernel) placeArguments() hcl.Diagnostics {
	var diags hcl.Diagnostics
	ports := map[string]bool{}
	for _, p := range k.Ports {
		ports[p.Label] = true
	}
	next := uint32(FirstArgument)
	owner := map[uint32]string{}
	for i := range k.Arguments {
		arg := &k.Arguments[i]
		if arg.Port == "" {
			arg.Port = controlPort
			if arg.Pointer() && ports[memoryPort] {
				arg.Port = memoryPort
			}
		}
		if !ports[arg.Port] {
			diags = append(diags, lang.Errorf(arg.Range, "Unknown port", "Kernel %s has no port %q. %s", k.ID, arg.Port,
				lang.Choices(arg.Port, sortedKeys(ports))))
		}
		if !arg.placed {
			arg.At = next
		}
		next = NextArgument(arg.At, arg.Width)
		for at := arg.At; at < arg.At+uint32(arg.Width/8); at += 4 {
			if other, taken := owner[at]; taken {
				diags = append(diags, lang.Errorf(arg.Range, "Registers overlap",
					"The arguments %q and %q both have the word at 0x%X.", other, arg.Name, at))
				break
			}
			owner[at] = arg.Name
		}
	}
	return diags
}

// Pointer says whether the argument is an address in memory.
func (a KernelArgument) Pointer() bool { return strings.HasSuffix(a.Type, "*") }

// NextArgument is where Vitis HLS puts the argument behind one of a width in bits:
// the word after it stays free (UG1399, "S_AXILITE Control Register Map").
func NextArgument(at uint32, width int) uint32 { return at + uint32(width/8) + 4 }

const (
	// FirstArgument is where arguments start behind the control registers
	// (Vitis: UG1393, "Control Requirements for XRT-Managed Kernels").
	FirstArgument = 0x10

	controlPort = "s_axi_control"
	memoryPort  = "m_axi_gmem"
)

func (b argumentBlock) argument() (KernelArgument, hcl.Diagnostics) {
	arg := KernelArgument{Name: b.Name, Doc: b.Doc, Type: value(b.Type, "uint"), Port: value(b.Port, ""),
		Enum: b.Enum, Range: b.Range}
	diags := checkName(b.Range, "argument", b.Name)
	width := 32
	if t, _ := ArgumentTypeOf(arg.Type); t.Bits != 0 {
		width = t.Bits
	}
	arg.Width = value(b.Width, width)
	if arg.Width != 32 && arg.Width != 64 {
		diags = append(diags, lang.Errorf(b.Range, "Value out of range", "The argument %q is 32 or 64 bits wide, not %d.",
			b.Name, arg.Width))
	}
	if b.At != nil {
		arg.At, arg.placed = *b.At, true
		if arg.At%4 != 0 {
			diags = append(diags, lang.Errorf(b.AtRange, "Value out of range",
				"Registers stand on multiples of 4 bytes; 0x%X is none.", arg.At))
		}
	}
	return arg, diags
}

// checkHLS checks that a kernel in C++ says which function it is.
func (k *Kernel) checkHLS() hcl.Diagnostics {
	h := k.HLS
	switch {
	case h == nil && k.Source == SourceHLS:
		return hcl.Diagnostics{lang.Errorf(k.Range, "Source file expected",
			"Kernel %s is written in C++; say in which files: hls { files = [\"%s.hpp\"] }.", k.ID, k.ID)}
	case h == nil:
		return nil
	case k.Plugin() && h.Calls != "":
		return hcl.Diagnostics{lang.Errorf(h.Range, "Functions expected",
			"Kernel %s is a plugin, whose functions are named by its function and conversion blocks; calls is for user kernels.",
			k.ID)}
	case k.Plugin() && h.Top != "" && len(k.Functions)+len(k.Conversions) == 0:
		return hcl.Diagnostics{lang.Errorf(h.Range, "Functions expected",
			"Kernel %s is a plugin; its function or conversion blocks say what each TDEST does.", k.ID)}
	case !k.Plugin() && h.Calls == "" && h.Top == "":
		return hcl.Diagnostics{lang.Errorf(h.Range, "Function expected",
			"Kernel %s does not say which function it is: calls names one that the emitted top function calls, top the top "+
				"function itself.", k.ID)}
	}
	return append(k.checkNamespace(h.CallsRange, h.Calls), k.checkFiles()...)
}

// checkNamespace reports a function in a namespace that has the name of the top
// function.
func (k *Kernel) checkNamespace(rng hcl.Range, function string) hcl.Diagnostics {
	if namespace, _, qualified := strings.Cut(function, "::"); qualified && namespace == k.Name {
		return hcl.Diagnostics{lang.Errorf(rng, "Name taken",
			"The top function of the kernel is called %s, so that no namespace can be.", k.Name)}
	}
	return nil
}

// cppName reports whether a name is one of a function in C++, qualified or not.
func cppName(name string) bool {
	for part := range strings.SplitSeq(name, "::") {
		if !lang.Identifier(strings.TrimLeft(part, "_")) || lang.CPPKeyword(part) {
			return false
		}
	}
	return true
}
