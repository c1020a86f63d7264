package platform

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/names"
)

// Kernel describes a kernel: its ports, its control protocol and where its
// implementation comes from. What depends on the instance (names, joins,
// conditions) stays an expression until the elaboration.
type Kernel struct {
	ID        string // the label
	Name      string // as the linker knows it
	Doc       string
	Role      string   // what it is for: "engine", "dma", "arithmetic", ...
	Each      string   // how many there are: one per "card", "poe", "cclo", "lane" or "dma"
	Source    string   // "rtl", "hls" or "xo"
	Control   string   // "ap_ctrl_hs", "ap_ctrl_none" or "user_managed"
	Origin    string   // where an external .xo comes from
	Needs     []string // folders of RTL that it is made of, beside its own
	Place     string   // a name of the board's slr block
	Default   bool     // preferred among kernels of its role
	Calls     bool     // a user kernel that issues calls of its own
	When      hcl.Expression
	Instance  hcl.Expression
	Ports     []KernelPort
	Arguments []KernelArgument
	// Registers names a register map of the interface generation whose
	// registers are further arguments.
	Registers      string
	RegistersRange hcl.Range
	// Pointers names the arguments that are addresses, and the memory port
	// that each is for.
	Pointers      map[string]string
	PointersRange hcl.Range
	Range         hcl.Range
	PlaceRange    hcl.Range

	functions   []functionBlock // what a plugin does unless the platform says otherwise
	conversions []conversionBlock
	context     map[string]cty.Value
}

// KernelPort describes a port or, repeated, a row of ports.
type KernelPort struct {
	Label    string
	Doc      string
	Protocol string // "axis", "axi4" or "axilite"
	Output   bool
	Resizes  bool // the linker fits other widths to this port
	ClosedBy *ClosedBy
	Range    hcl.Range

	Name, Repeat, When, Width, TDEST, Joins, Depth, Memory, AddressRange, Required hcl.Expression
}

// ClosedBy says what closes an output stream that nothing is attached to: a
// kernel with one stream in and one out, between the port and another.
type ClosedBy struct {
	Kernel   string
	Instance hcl.Expression
	To       hcl.Expression
	Range    hcl.Range
}

// KernelArgument is a control register of a kernel.
type KernelArgument struct {
	Name, Doc, Type, Port string
	At                    uint32
	Width                 int
	Range                 hcl.Range
}

var (
	eachKinds    = []string{"card", "poe", "cclo", "lane", "dma"}
	sourceKinds  = []string{"rtl", "hls", "xo"}
	controlKinds = []string{"ap_ctrl_hs", "ap_ctrl_chain", "ap_ctrl_none", "user_managed"}
	streamKinds  = []string{"in", "out"}
	busKinds     = []string{"master", "slave"}
)

func loadKernels(files []*lang.File, parser *lang.Parser) (map[string]*Kernel, hcl.Diagnostics) {
	kernels := map[string]*Kernel{}
	var diags hcl.Diagnostics
	for _, file := range files {
		scope, d := constant(file, parser)
		diags = append(diags, d...)
		var content kernelFile
		diags = append(diags, lang.Decode(scope.Body, scope.Context, &content)...)
		for _, block := range content.Kernels {
			kernel, d := block.kernel(scope)
			diags = append(diags, d...)
			if prev, dup := kernels[kernel.ID]; dup {
				diags = append(diags, duplicate(block.IDRange, "kernel", kernel.ID, prev.Range))
				continue
			}
			kernels[kernel.ID] = kernel
		}
	}
	return kernels, diags
}

func (b kernelBlock) kernel(scope *lang.Scope) (*Kernel, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	k := &Kernel{
		ID: b.ID, Name: b.ID, Doc: b.Doc, Role: b.Role, Each: "cclo", Source: b.Source, Control: b.Control,
		Origin: b.Origin, Needs: b.Needs, Place: b.Place, PlaceRange: orElse(b.PlaceRange, b.Range), Default: b.Default, Calls: b.Calls,
		Registers: b.Registers, RegistersRange: b.RegistersRange, Pointers: b.Pointers, PointersRange: b.PointersRange,
		When: b.When, Instance: b.Instance, Range: b.Range,
		functions: b.Functions, conversions: b.Conversions, context: scope.Context.Variables,
	}
	if b.Name != nil {
		k.Name = *b.Name
	}
	if b.Each != nil {
		k.Each = *b.Each
	}
	if k.Place == "" {
		k.Place = map[string]string{"poe": "poe", "card": "poe"}[k.Each]
		if k.Place == "" {
			k.Place = "cclo"
		}
	}
	for _, name := range []string{k.ID, k.Name} {
		diags = append(diags, checkName(b.IDRange, "kernel", name)...)
		if k.Name == k.ID {
			break
		}
	}
	diags = append(diags, oneOf(b.EachRange, "each", k.Each, eachKinds)...)
	diags = append(diags, oneOf(b.SourceRange, "source", k.Source, sourceKinds)...)
	diags = append(diags, oneOf(b.ControlRange, "control", k.Control, controlKinds)...)
	labels := map[string]hcl.Range{}
	for _, p := range b.Ports {
		port, d := p.port()
		diags = append(diags, d...)
		if prev, dup := labels[p.Label]; dup {
			diags = append(diags, duplicate(p.Range, "port", p.Label, prev))
			continue
		}
		labels[p.Label] = p.Range
		k.Ports = append(k.Ports, port)
	}
	for _, a := range b.Arguments {
		arg := KernelArgument{Name: a.Name, Doc: a.Doc, At: a.At, Width: 32, Type: "uint", Port: "s_axi_control", Range: a.Range}
		if a.Width != nil {
			arg.Width = *a.Width
		}
		if a.Type != nil {
			arg.Type = *a.Type
		}
		if a.Port != nil {
			arg.Port = *a.Port
		}
		if arg.Width != 32 && arg.Width != 64 {
			diags = append(diags, lang.Errorf(a.Range, "Value out of range", "The argument %q is 32 or 64 bits wide, not %d.", a.Name, arg.Width))
		}
		if arg.At%4 != 0 {
			diags = append(diags, lang.Errorf(a.AtRange, "Value out of range", "Registers stand on multiples of 4 bytes; 0x%X is none.", arg.At))
		}
		if _, ok := labels[arg.Port]; !ok {
			diags = append(diags, lang.Errorf(a.Range, "Unknown port", "Kernel %s has no port %q. %s", k.ID, arg.Port, lang.Choices(arg.Port, sortedKeys(labels))))
		}
		diags = append(diags, checkName(a.Range, "argument", a.Name)...)
		k.Arguments = append(k.Arguments, arg)
	}
	return k, diags
}

func (b portBlock) port() (KernelPort, hcl.Diagnostics) {
	p := KernelPort{
		Label: b.Label, Doc: b.Doc, Resizes: b.Resizes, Range: b.Range,
		Name: b.Name, Repeat: b.Repeat, When: b.When, Width: b.Width, TDEST: b.TDEST, Joins: b.Joins,
		Depth: b.Depth, Memory: b.Memory, AddressRange: b.AddressRange, Required: b.Required,
	}
	var diags hcl.Diagnostics
	kinds := 0
	for _, k := range []struct {
		protocol string
		value    *string
		rng      hcl.Range
		kinds    []string
		output   string
	}{
		{"axis", b.AXIS, b.AXISRange, streamKinds, "out"},
		{"axi4", b.AXI, b.AXIRange, busKinds, "master"},
		{"axilite", b.AXILite, b.AXILiteRange, busKinds, "master"},
	} {
		if k.value == nil {
			continue
		}
		kinds++
		p.Protocol, p.Output = k.protocol, *k.value == k.output
		diags = append(diags, oneOf(k.rng, k.protocol, *k.value, k.kinds)...)
	}
	if kinds != 1 {
		diags = append(diags, lang.Errorf(b.Range, "One protocol expected", `The port %q says one of axis = "in" or "out", axi = "master" or "slave", axilite = "slave".`, b.Label))
	}
	if len(b.ClosedBy) > 0 {
		c := b.ClosedBy[0]
		p.ClosedBy = &ClosedBy{c.Kernel, c.Instance, c.To, c.Range}
		if len(b.ClosedBy) > 1 || !p.Output {
			diags = append(diags, lang.Errorf(c.Range, "Output expected", "closed_by stands once, at the output of the pair of streams that it joins."))
		}
	}
	if !lang.Present(b.Name) {
		diags = append(diags, checkName(b.Range, "port", b.Label)...)
	}
	return p, diags
}

// Context returns what a kernel's expressions see: the instance's variables
// and the file's own.
func (k *Kernel) Context(vars map[string]cty.Value) *hcl.EvalContext {
	ctx := lang.NewContext(vars)
	for _, name := range []string{"var", "local"} {
		if v, ok := k.context[name]; ok {
			ctx.Variables[name] = v
		}
	}
	return ctx
}

func checkName(rng hcl.Range, what, name string) hcl.Diagnostics {
	if !names.Identifier(name) {
		return hcl.Diagnostics{notIdentifier(rng, what, name)}
	}
	// "in" and "out" are keywords of SystemVerilog in no position that a port
	// of a linked kernel takes there, and users' kernels have such ports.
	if language, is := names.Keyword(name); is && what != "port" {
		return hcl.Diagnostics{lang.Errorf(rng, "Reserved word", "%q cannot name a %s: it is a keyword of %s.", name, what, language)}
	}
	return nil
}

func notIdentifier(rng hcl.Range, what, name string) *hcl.Diagnostic {
	return lang.Errorf(rng, "Invalid name", "%q cannot name a %s: names start with a letter and have letters, digits and underscores.", name, what)
}

func duplicate(rng hcl.Range, what, name string, prev hcl.Range) *hcl.Diagnostic {
	return lang.Errorf(rng, "Duplicate name", "The %s %q is already described in %s, line %d.", what, name, prev.Filename, prev.Start.Line)
}

func oneOf(rng hcl.Range, attr, value string, allowed []string) hcl.Diagnostics {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return hcl.Diagnostics{lang.Errorf(rng, "Unknown value", "%s cannot be %q. %s", attr, value, lang.Choices(value, allowed))}
}

func orElse(rng, other hcl.Range) hcl.Range {
	if rng.Filename == "" {
		return other
	}
	return rng
}
