package platform

import (
	"maps"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/lang"
)

// Kernel describes a kernel: its ports, its control protocol and where its
// implementation comes from. What depends on the instance (names, joins,
// conditions) stays an expression until the elaboration.
type Kernel struct {
	kernelBlock
	Name  string // as the linker knows it
	Each  string // how many there are: one per "card", "poe", "cclo", "lane" or "dma"
	Like  string // kernel whose RTL it has, unless it has a folder of its own; "" for none
	Calls bool   // a user kernel that issues calls of its own
	HLS   *HLS   // nil: there is no C++
	XO    *XO    // nil: nobody says where an .xo comes from
	Shell *Shell // nil: it is no part of a shell

	Ports     []KernelPort
	Arguments []KernelArgument
	// Described are registers that are no arguments: what the address range of a
	// kernel of others holds, for drivers. Nothing that is linked knows of them.
	Described []KernelRegister
	// Facts are numbers of such a kernel that stand in no register.
	Facts []KernelFact
	// Files are the descriptions that it comes from: its own, and those of the
	// kernels that it is like.
	Files []string

	context map[string]cty.Value
}

// KernelPort describes a port or, repeated, a row of ports.
type KernelPort struct {
	portBlock
	Protocol string // "axis", "axi4" or "axilite"
	Output   bool
	ClosedBy *ClosedBy
}

// ClosedBy says what closes an output stream that nothing is attached to: a
// kernel with one stream in and one out, between the port and another.
type ClosedBy struct {
	Kernel   string         `hcl:"kernel"`
	Instance hcl.Expression `hcl:"instance"`
	To       hcl.Expression `hcl:"to"`
	Range    hcl.Range      `hcl:",def_range"`
}

// Bursts are the transactions that a master of AXI4 makes. Interconnect is built for them.
type Bursts struct {
	Outstanding int       `hcl:"outstanding"` // bursts at a time, each way
	Read        int       `hcl:"read"`        // beats of the longest burst
	Write       int       `hcl:"write"`
	Range       hcl.Range `hcl:",def_range"`
}

const burstBeats = 256 // of the longest burst of AXI4

func (b Bursts) check(master bool, label string) hcl.Diagnostics {
	if !master {
		return hcl.Diagnostics{lang.Errorf(b.Range, "Memory port expected",
			`Only a port with axi = "master" makes bursts; %q is none.`, label)}
	}
	var diags hcl.Diagnostics
	for _, v := range []struct {
		name       string
		value, max int
	}{{"outstanding", b.Outstanding, 1024}, {"read", b.Read, burstBeats}, {"write", b.Write, burstBeats}} {
		if v.value < 1 || v.value > v.max {
			diags = append(diags, lang.Errorf(b.Range, "Value out of range", "%s of the bursts of port %q is 1 to %d, not %d.",
				v.name, label, v.max, v.value))
		}
	}
	return diags
}

// KernelArgument is a control register of a kernel.
type KernelArgument struct {
	Name, Doc, Type, Port string
	At                    uint32
	Width                 int
	// Enum names the enum of the interface generation that its values are from;
	// "" for none.
	Enum  string
	Range hcl.Range

	placed bool // the description says where
}

// Forms of kernels, as their source says.
const (
	SourceRTL = "rtl"
	SourceHLS = "hls" // C++
	SourceXO  = "xo"  // linked as it is
)

var (
	eachKinds    = []string{"card", "poe", "cclo", "lane", "dma"}
	sourceKinds  = []string{SourceRTL, SourceHLS, SourceXO}
	controlKinds = []string{layout.Handshake, layout.Chain, layout.FreeRunning, layout.UserManaged}
	streamKinds  = []string{"in", "out"}
	busKinds     = []string{"master", "slave"}
)

// loadKernels reads the kernels of a library. Of the files that are broken there
// are only remains, which no other file is blamed for.
func loadKernels(
	files []*lang.File, broken []string, parser *lang.Parser, text func(name string) ([]byte, bool),
) (map[string]*Kernel, hcl.Diagnostics) {
	described := map[string]*Kernel{}
	var diags hcl.Diagnostics
	for _, file := range files {
		scope, d := constant(file, parser)
		diags = append(diags, d...)
		var content kernelFile
		diags = append(diags, lang.Decode(scope.Body, scope.Context, &content)...)
		for _, block := range content.Kernels {
			kernel, d := block.kernel(scope, text)
			diags = append(diags, d...)
			if prev, dup := described[kernel.ID]; dup {
				diags = append(diags, duplicate(block.IDRange, "kernel", kernel.ID, prev.Range))
				prev.Files = append(prev.Files, block.Range.Filename) // which of them is meant is not known
				continue
			}
			described[kernel.ID] = kernel
		}
	}
	diags = append(diags, resolveLikes(described)...)
	diags = append(diags, resolveXOs(described, broken)...)
	blamed := slices.Clone(broken)
	for _, d := range diags.Errs() {
		if d, ok := d.(*hcl.Diagnostic); ok && d.Subject != nil {
			blamed = append(blamed, d.Subject.Filename)
		}
	}
	for _, id := range sortedKeys(described) {
		k := described[id]
		if k.Abstract {
			continue
		}
		// What is missing only because of an error is not missed.
		sound := !slices.ContainsFunc(k.Files, func(file string) bool { return slices.Contains(blamed, file) })
		if d := k.complete(); sound {
			diags = append(diags, d...)
		}
	}
	return described, diags
}

func (b kernelBlock) kernel(scope *lang.Scope, text func(name string) ([]byte, bool)) (*Kernel, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	k := &Kernel{kernelBlock: b, Name: b.ID, Files: []string{b.Range.Filename}, context: scope.Context.Variables}
	k.PlaceRange = orElse(b.PlaceRange, b.Range)
	if b.Name != nil {
		k.Name = *b.Name
	}
	for _, name := range []string{k.ID, k.Name} {
		diags = append(diags, checkName(b.IDRange, "kernel", name)...)
		if k.Name == k.ID {
			break
		}
	}
	if b.Each != nil {
		k.Each = *b.Each
		diags = append(diags, oneOf(b.EachRange, "each", k.Each, eachKinds)...)
	}
	if b.Source != "" {
		diags = append(diags, oneOf(b.SourceRange, "source", k.Source, sourceKinds)...)
	}
	if b.Control != "" {
		diags = append(diags, oneOf(b.ControlRange, "control", k.Control, controlKinds)...)
	}
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
		arg, d := a.argument()
		diags = append(diags, d...)
		k.Arguments = append(k.Arguments, arg)
	}
	for _, r := range b.Described {
		register, d := r.register()
		diags = append(diags, d...)
		k.Described = append(k.Described, register)
	}
	diags = append(diags, b.checkNets()...)
	facts, d := b.facts()
	k.Facts = facts
	diags = append(diags, d...)
	diags = append(diags, b.xo(k)...)
	diags = append(diags, b.shell(k)...)
	return k, append(diags, b.hls(k, text)...)
}

// netForm is the name of a net below a module.
var netForm = regexp.MustCompile(`^[a-z_]\w*(\[\d+\])?(\.[a-z_]\w*(\[\d+\])?)*$`)

func (b kernelBlock) checkNets() (diags hcl.Diagnostics) {
	const widest = 1024 // probe of a logic analyzer (PG172)
	places := keyRanges(b.Body, "nets")
	for _, name := range sortedKeys(b.Nets) {
		if bits := b.Nets[name]; bits < 1 || bits > widest || !netForm.MatchString(name) {
			diags = append(diags, lang.Errorf(orElse(places[name], b.NetsRange), "Net expected",
				"%q = %d is no net; write for example \"core.queues[0].full\" = 1, with 1 to %d bits.", name, bits, widest))
		}
	}
	return diags
}

func (b portBlock) port() (KernelPort, hcl.Diagnostics) {
	p := KernelPort{portBlock: b}
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
		diags = append(diags, lang.Errorf(b.Range, "One protocol expected",
			`The port %q says one of axis = "in" or "out", axi = "master" or "slave", axilite = "slave".`, b.Label))
	}
	if b.Bursts != nil {
		diags = append(diags, b.Bursts.check(p.Protocol == "axi4" && p.Output, b.Label)...)
	}
	if len(b.ClosedBy) > 0 {
		c := b.ClosedBy[0]
		p.ClosedBy = &c
		if len(b.ClosedBy) > 1 || !p.Output {
			diags = append(diags, lang.Errorf(c.Range, "Output expected",
				"closed_by stands once, at the output of the pair of streams that it joins."))
		}
	}
	if !lang.Present(b.Name) {
		diags = append(diags, checkName(b.Range, "port", b.Label)...)
	}
	return p, diags
}

// Context returns what a kernel's expressions see: the instance's variables,
// the kernel itself and the file's own variables.
func (k *Kernel) Context(vars map[string]cty.Value) *hcl.EvalContext {
	ctx := lang.NewContext(vars)
	pointers := 0
	for _, a := range k.Arguments {
		if a.Pointer() {
			pointers++
		}
	}
	ctx.Variables["kernel"] = cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal(k.Name), "arguments": cty.NumberIntVal(int64(len(k.Arguments))),
		"pointers": cty.NumberIntVal(int64(pointers)),
	})
	maps.Copy(ctx.Variables, k.fileVariables())
	return ctx
}
