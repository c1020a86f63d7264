package emit

import (
	"bytes"
	"fmt"
	"math/bits"
	"path"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// Kernels in C++ are modules in a simulation whose streams and registers lead to the
// compiled kernel.
const (
	cosimTemplate = "rtl/hls_kernel.sv.tmpl"
	// callGroup is that of streams of calls and answers.
	callGroup = "control"
)

// Components are the instances of a platform whose kernel is C++, in the order in
// which a simulation numbers them.
func Components(d *design.Design) []*design.Instance {
	var list []*design.Instance
	for _, i := range d.Instances {
		if i.Kernel.InCpp() {
			list = append(list, i)
		}
	}
	return list
}

// Space is the simulated address space behind a memory port of an instance: device
// and host memory of each engine.
func Space(d *design.Design, i *design.Instance, port string) int {
	space := 2 * max(i.Scope, 0)
	for _, m := range d.Memories {
		if m.Port.Instance == i && m.Port.Name == port && m.Memory == "HOST" {
			space++
		}
	}
	return space
}

// cosimView is the view of a kernel in C++ as a module.
type cosimView struct {
	hardwareView
	Kernel    *design.Kernel
	Streams   []*design.Port
	Memories  []cosimMemory
	Arguments []cosimArgument
	Control   *cosimControl // of kernels that the host calls
	Calls     *cosimCalls   // of kernels that call the engine
	Plugin    *cosimPlugin
	Ratios    []cosimRatio
	Pins      []string // declarations
	Silent    []string // outputs without a use
	Unused    []string // inputs without a use
}

// cosimMemory is a memory port; Space is the parameter that says where it leads.
type cosimMemory struct{ Name, Space string }

// cosimArgument is a register; Space is the parameter of the memory that it points
// to, or -1.
type cosimArgument struct {
	design.Argument
	Space string
}

type cosimControl struct {
	Name         string
	AddressWidth int
	Pins         []string
	First, Words int
	Writable     string // a binary digit for each word, the last one first
}

// cosimCalls are the ports of calls and of answers.
type cosimCalls struct{ To, From int }

// cosimPlugin are the ports of operands, a bit each, and the one of results.
type cosimPlugin struct{ Operands, Result int }

// cosimRatio is a conversion: a TDEST, and the bytes of an operand and of its result.
type cosimRatio struct{ TDEST, From, To int }

// cosim is the module of a kernel in C++.
func cosim(d *design.Design, k *design.Kernel, view hardwareView) (File, error) {
	v := cosimView{hardwareView: view, Kernel: k}
	for _, p := range k.Ports {
		switch p.Protocol {
		case design.AXIS:
			v.stream(p)
		case design.AXI4:
			v.memory(p)
		case design.AXILite:
			v.control(p)
		}
	}
	v.arguments()
	v.roles(d)
	text, err := execute(cosimTemplate, v)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", cosimTemplate, err)
	}
	return File{path.Join(rtlFolder, k.ID, k.Name+".sv"), text, platformInputs(d, cosimTemplate)}, nil
}

// pin declares one; a width of 0 is a single bit.
func (v *cosimView) pin(output bool, width int, name string) {
	way := "input  wire"
	if output {
		way = "output wire"
	}
	if width > 0 {
		way += fmt.Sprintf(" [%d:0]", width-1)
	}
	v.Pins = append(v.Pins, way+" "+name)
}

func (v *cosimView) stream(p *design.Port) {
	v.Streams = append(v.Streams, p)
	for _, suffix := range streamPins {
		width := map[string]int{"tdata": p.Width, "tkeep": p.Width / 8, "tdest": p.TDEST}[suffix]
		if suffix == "tdest" && p.TDEST == 0 {
			continue
		}
		v.pin(p.Output != (suffix == "tready"), width, p.Name+"_"+suffix)
	}
}

// masterPins are the pins of a kernel's memory port, driven by the kernel or not, with
// their widths: 0 is a single bit, -8 a bit for each byte of data, -1 the data.
var masterPins = []struct {
	name   string
	output bool
	width  int
}{
	{"awvalid", true, 0}, {"awready", false, 0}, {"awaddr", true, 64}, {"awlen", true, 8}, {"awsize", true, 3},
	{"awburst", true, 2},
	{"wvalid", true, 0}, {"wready", false, 0}, {"wdata", true, -1}, {"wstrb", true, -8}, {"wlast", true, 0},
	{"bvalid", false, 0}, {"bready", true, 0}, {"bresp", false, 2},
	{"arvalid", true, 0}, {"arready", false, 0}, {"araddr", true, 64}, {"arlen", true, 8}, {"arsize", true, 3},
	{"arburst", true, 2},
	{"rvalid", false, 0}, {"rready", true, 0}, {"rdata", false, -1}, {"rresp", false, 2}, {"rlast", false, 0},
}

func (v *cosimView) memory(p *design.Port) {
	v.Memories = append(v.Memories, cosimMemory{p.Name, spaceParameter(p.Name)})
	for _, q := range masterPins {
		name, width := p.Name+"_"+q.name, q.width
		if width < 0 {
			width = p.Width / -width
		}
		v.pin(q.output, width, name)
		if q.output {
			v.Silent = append(v.Silent, name)
		} else {
			v.Unused = append(v.Unused, name)
		}
	}
}

func spaceParameter(port string) string { return upper(port, "space") }

func (v *cosimView) control(p *design.Port) {
	c := &cosimControl{Name: p.Name, AddressWidth: bits.Len64(p.Range - 1)}
	for _, q := range []struct {
		name   string
		output bool
		width  int
	}{
		{"awvalid", false, 0}, {"awready", true, 0}, {"awaddr", false, c.AddressWidth}, {"wvalid", false, 0},
		{"wready", true, 0},
		{"wdata", false, 32}, {"wstrb", false, 4}, {"bvalid", true, 0}, {"bready", false, 0}, {"bresp", true, 2},
		{"arvalid", false, 0}, {"arready", true, 0}, {"araddr", false, c.AddressWidth}, {"rvalid", true, 0},
		{"rready", false, 0},
		{"rdata", true, 32}, {"rresp", true, 2},
	} {
		c.Pins = append(c.Pins, q.name)
		v.pin(q.output, q.width, p.Name+"_"+q.name)
	}
	v.Control = c
}

// arguments lists the kernel's arguments, and their registers.
func (v *cosimView) arguments() {
	for _, a := range v.Kernel.Arguments {
		own := cosimArgument{a, "-1"}
		for _, m := range v.Memories {
			if a.Port == m.Name {
				own.Space = m.Space
			}
		}
		v.Arguments = append(v.Arguments, own)
	}
	if v.Control == nil {
		return
	}
	v.Control.First, v.Control.Words, v.Control.Writable = 0x10, 1, "0"
	if registers := v.hardwareView.Arguments(v.Kernel.ID); len(registers) > 0 {
		v.Control.First, v.Control.Words = registers.First(), registers.Words()
		written := bytes.Repeat([]byte("0"), v.Control.Words)
		for _, r := range registers {
			for w := range r.Width / wordBits {
				written[len(written)-1-(r.Offset-registers.First())*8/wordBits-w] = '1'
			}
		}
		v.Control.Writable = string(written)
	}
}

func (v *cosimView) roles(d *design.Design) {
	var first *design.Instance
	for _, i := range d.Instances {
		if i.Kernel == v.Kernel && first == nil {
			first = i
		}
	}
	at := func(p *design.Port) int {
		for n, q := range v.Streams {
			if p.Instance == first && q.Name == p.Name {
				return n
			}
		}
		return -1
	}
	calls, answers := -1, -1
	for _, s := range d.Streams {
		if s.Group == callGroup {
			calls, answers = max(calls, at(s.From)), max(answers, at(s.To))
		}
	}
	if calls >= 0 && answers >= 0 {
		v.Calls = &cosimCalls{calls, answers}
	}
	if first.Role != "arithmetic" && first.Role != "compression" {
		return
	}
	v.Plugin = &cosimPlugin{Result: -1}
	for n, p := range v.Streams {
		if p.Output {
			v.Plugin.Result = n
		} else {
			v.Plugin.Operands |= 1 << n
		}
	}
	if c := d.Platform.Compression; c != nil && first.Role == "compression" {
		for _, x := range c.Conversions {
			if from, to := unitBytes(d, x); from > 0 && to > 0 && from != to {
				v.Ratios = append(v.Ratios, cosimRatio{x.TDEST, from, to})
			}
		}
	}
}

// unitBytes are the bytes that a conversion takes at a time, and what it makes of
// them.
func unitBytes(d *design.Design, c platform.Conversion) (from, to int) {
	size := func(name string) int {
		if t := d.Platform.Type(name); t != nil {
			return t.Bytes
		}
		return 0
	}
	from, to = size(c.From), size(c.To)
	if c.Widens {
		return from, to << c.RatioLog
	}
	return from << c.RatioLog, to
}
