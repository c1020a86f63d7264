package emit

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

// The platform's top level joins the same kernels by the same streams as the
// link configuration does, with models in place of what is not RTL of ours:
// memories, the host and network engines.
const (
	topFile     = "rtl/platform_top.sv"
	topTemplate = "rtl/platform_top.sv.tmpl"
)

type topView struct {
	hardwareView
	Wires     []topWire
	Narrowed  []string // wires of which the taker has not all bits
	Instances []topInstance
}

type topWire struct {
	Width int
	Name  string
}

// Range is the packed dimension of the wire, empty for a single bit.
func (w topWire) Range() string {
	if w.Width == 1 {
		return ""
	}
	return fmt.Sprintf(" [%d:0]", w.Width-1)
}

type topInstance struct {
	Module, Name string
	Parameters   []string
	Pins         []string // .name(signal)
	Only         string   // under this condition; empty for always
}

// topBuilder collects the top level.
type topBuilder struct {
	d       *design.Design
	view    topView
	modules map[*design.Kernel]*moduleHeader
	axilite int
	memory  int
	streams map[*design.Port]string // the prefix of the wires of a connected port
	widths  map[string]int          // of the wires, by their names

	components []*design.Instance // as a simulation numbers them
}

var streamPins = []string{"tvalid", "tready", "tdata", "tkeep", "tlast", "tdest"}

// top renders the top level of the platform for simulation.
func top(d *design.Design, view hardwareView) ([]File, error) {
	b := &topBuilder{
		d: d, view: topView{hardwareView: view}, modules: map[*design.Kernel]*moduleHeader{},
		streams: map[*design.Port]string{}, widths: map[string]int{}, components: Components(d),
	}
	for _, i := range d.Instances {
		if b.modules[i.Kernel] == nil {
			m, err := moduleOf(d, i.Kernel, view)
			if errors.Is(err, errNoModule) {
				return nil, nil // a platform with kernels of others that nobody has modelled
			}
			if err != nil {
				return nil, err
			}
			b.modules[i.Kernel] = m
		}
	}
	for _, s := range d.Streams {
		if !inRing(s) {
			b.connect(s)
		}
	}
	b.ring(ringOf(d))
	for _, i := range d.Instances {
		b.instance(i)
	}
	out := bundle{d: d}
	out.render(topFile, topTemplate, b.view)
	for _, k := range d.KernelsInCpp() {
		f, err := cosim(d, k, view)
		out.take([]File{f}, err)
	}
	models, err := fs.ReadDir(templates.FS, modelFolder)
	if err != nil {
		return nil, fmt.Errorf("simulation models: %w", err)
	}
	for _, e := range models {
		name := path.Join(modelFolder, e.Name())
		if path.Ext(name) != ".sv" || !b.needsModel(strings.TrimSuffix(e.Name(), ".sv")) {
			continue
		}
		model, err := copied(name)
		out.take([]File{model}, err)
	}
	for _, k := range d.Kernels() {
		name := moduleFile(k)
		if k.Source == platform.SourceRTL || k.InCpp() || path.Ext(name) != templateSuffix {
			continue
		}
		view.Kernel = k
		f, err := hardwareFile(d, name, view)
		f.Path = path.Join(modelFolder, k.Name+".sv")
		out.take([]File{f}, err)
	}
	if microBlaze(d) {
		out.take(simulatedCore())
	}
	return out.files, out.err
}

// needsModel tells whether the platform uses a file of models: those of kernels
// only if it has them.
func (b *topBuilder) needsModel(name string) bool {
	switch {
	case name == processorModel:
		return microBlaze(b.d)
	case strings.HasPrefix(name, "sim_hls_"):
		return len(b.components) > 0
	case name == "simulation" || strings.HasPrefix(name, "sim_") && !strings.HasPrefix(name, "sim_ipc_"):
		return true
	}
	for _, i := range b.d.Instances {
		if i.Kernel.Source != platform.SourceRTL && !i.Kernel.InCpp() && i.Kernel.Name == name {
			return true
		}
	}
	return false
}

func (b *topBuilder) wire(width int, name string) {
	b.view.Wires = append(b.view.Wires, topWire{width, name})
	b.widths[name] = width
}

// pinOf is a pin of a port's module, with its width; false if there is none.
func (b *topBuilder) pinOf(p *design.Port, suffix string) (pin, bool) {
	for _, q := range b.modules[p.Instance.Kernel].Pins {
		if q.Name != p.Name+"_"+suffix {
			continue
		}
		if q.Width == 0 {
			width := p.Width
			if p.Instance.Role == "closer" {
				width = b.closedWidth(p.Instance)
			}
			q.Width = map[string]int{"tdata": width, "tkeep": width / 8, "tdest": 8}[suffix]
		}
		return q, true
	}
	return pin{}, false
}

// connect makes the wires of a stream: as wide as the sender has them.
func (b *topBuilder) connect(s *design.Stream) {
	prefix := s.From.Instance.Name + "_" + s.From.Name
	b.streams[s.From], b.streams[s.To] = prefix, prefix
	for _, suffix := range streamPins {
		from, sends := b.pinOf(s.From, suffix)
		_, takes := b.pinOf(s.To, suffix)
		switch {
		case suffix == "tready":
			b.wire(1, prefix+"_tready")
		case sends && takes:
			b.wire(from.Width, prefix+"_"+suffix)
		case sends:
			b.wire(from.Width, "_unused_"+prefix+"_"+suffix)
		}
	}
	if _, takes := b.pinOf(s.To, "tready"); !takes {
		b.view.Instances = append(b.view.Instances, topInstance{Module: "assign", Name: prefix + "_tready = 1'b1"})
	}
}

// signal is what a pin of a stream port is connected to.
func (b *topBuilder) signal(p *design.Port, q pin, suffix string) string {
	prefix, connected := b.streams[p]
	if !connected {
		switch {
		case q.Output:
			b.wire(q.Width, "_unused_"+p.Instance.Name+"_"+q.Name)
			return "_unused_" + p.Instance.Name + "_" + q.Name
		case suffix == "tready":
			return "1'b1"
		}
		return "'0"
	}
	name := prefix + "_" + suffix
	if q.Output && suffix != "tready" {
		if _, nobody := b.widths["_unused_"+name]; nobody {
			return "_unused_" + name
		}
		return name
	}
	width, sent := b.widths[name]
	switch {
	case !sent && (suffix == "tkeep" || suffix == "tlast"):
		return "'1"
	case !sent:
		return "'0"
	case width == q.Width:
		return name
	case width > q.Width:
		b.view.Narrowed = append(b.view.Narrowed, name)
	}
	return fmt.Sprintf("%d'(%s)", q.Width, name)
}

// pins connects all pins of an instance.
func (b *topBuilder) pins(i *design.Instance) []string {
	var pins []string
	done := map[string]bool{}
	add := func(name, signal string) {
		pins = append(pins, fmt.Sprintf(".%s(%s)", name, signal))
		done[name] = true
	}
	for _, p := range i.Ports {
		switch p.Protocol {
		case design.AXIS:
			for _, suffix := range streamPins {
				if q, ok := b.pinOf(p, suffix); ok {
					add(q.Name, b.signal(p, q, suffix))
				}
			}
		case design.AXILite, design.AXI4:
			b.bus(i, p, add)
		}
	}
	for _, q := range b.modules[i.Kernel].Pins {
		switch {
		case done[q.Name]:
		case q.Name == "ap_clk":
			add(q.Name, "clk")
		case q.Name == "ap_rst_n":
			add(q.Name, "!rst")
		case q.Output:
			b.wire(max(q.Width, 1), "_unused_"+i.Name+"_"+q.Name)
			add(q.Name, "_unused_"+i.Name+"_"+q.Name)
		default:
			add(q.Name, "'0")
		}
	}
	return pins
}

// bus joins a bus to the model at its other end.
func (b *topBuilder) bus(i *design.Instance, p *design.Port, add func(name, signal string)) {
	end := topInstance{Module: "sim_host_axil", Name: i.Name + "_" + p.Name + "_host", Pins: []string{".clk", ".rst"}}
	port := "" // prefix of the model's pins
	address := 64
	for _, q := range b.modules[i.Kernel].Pins {
		if rest, ok := strings.CutPrefix(q.Name, p.Name+"_"); ok {
			if rest == "awaddr" && q.Width != 0 {
				address = q.Width
			}
		}
	}
	if p.Protocol == design.AXI4 {
		if i.Role == "poe" {
			return // its model has no use for memory
		}
		end.Module, port = "sim_axi_memory", "s_axi_"
		end.Parameters = []string{fmt.Sprintf(".PORT(%d)", b.memory), fmt.Sprintf(".SPACE(%d)", Space(b.d, i, p.Name))}
		b.memory++
	} else {
		end.Parameters = []string{fmt.Sprintf(".ID(%d)", b.axilite), fmt.Sprintf(".ADDRESS_WIDTH(%d)", address)}
		b.axilite++
	}
	for _, q := range b.modules[i.Kernel].Pins {
		rest, ok := strings.CutPrefix(q.Name, p.Name+"_")
		if !ok {
			continue
		}
		if strings.HasSuffix(rest, "prot") || strings.HasSuffix(rest, "cache") {
			continue
		}
		width := q.Width
		if width == 0 {
			width = map[string]int{"awaddr": 64, "araddr": 64, "wdata": p.Width, "rdata": p.Width, "wstrb": p.Width / 8}[rest]
		}
		name := i.Name + "_" + q.Name
		b.wire(max(width, 1), name)
		add(q.Name, name)
		end.Pins = append(end.Pins, fmt.Sprintf(".%s%s(%s)", port, rest, name))
	}
	b.view.Instances = append(b.view.Instances, end)
}

func (b *topBuilder) instance(i *design.Instance) {
	m := b.modules[i.Kernel]
	t := topInstance{Module: m.Name, Name: i.Name}
	give := func(parameter, value string) {
		if m.Parameters[parameter] {
			t.Parameters = append(t.Parameters, fmt.Sprintf(".%s(%s)", parameter, value))
		}
	}
	if i.Role == "closer" {
		give("WIDTH", fmt.Sprint(b.closedWidth(i)))
	}
	give("ID", fmt.Sprint(max(i.Scope, 0)))
	give("INDEX", fmt.Sprint(max(i.Scope, 0)))
	give("MILLISECOND_CYCLES", "MILLISECOND_CYCLES")
	give("COMPONENT", fmt.Sprint(slices.Index(b.components, i)))
	give("INSTANCE", fmt.Sprintf("%q", i.Name))
	for _, p := range i.Ports {
		give(spaceParameter(p.Name), fmt.Sprint(Space(b.d, i, p.Name)))
	}
	t.Pins = b.pins(i)
	if i.Role == "engine" {
		b.callsOf(i, &t)
	}
	if b.closesKernel(i) {
		t.Only = "!KERNEL_PORT"
		b.kernelPort(i)
	}
	b.view.Instances = append(b.view.Instances, t)
}

// closedWidth is the width of the stream that a loop-back closes.
func (b *topBuilder) closedWidth(i *design.Instance) int {
	for _, s := range b.d.Streams {
		if s.To.Instance == i {
			return s.From.Width
		}
	}
	return i.Ports[0].Width
}

// callsOf lets the host's calls in before the engine's call stream.
func (b *topBuilder) callsOf(i *design.Instance, t *topInstance) {
	var call, ack *design.Port
	for _, p := range i.Ports {
		switch p.Name {
		case "s_axis_call_req":
			call = p
		case "m_axis_call_ack":
			ack = p
		}
	}
	if call == nil || ack == nil {
		return
	}
	from, to := b.streams[call], b.streams[ack]
	host := topInstance{
		Module: "sim_host_calls", Name: i.Name + "_calls", Parameters: []string{fmt.Sprintf(".ID(%d)", i.Scope)},
		Pins: []string{".clk", ".rst"},
	}
	for _, s := range []string{"tvalid", "tready", "tdata"} {
		width := 1
		if s == "tdata" {
			width = call.Width
		}
		merged, answers := i.Name+"_merged_call_"+s, i.Name+"_merged_ack_"+s
		b.wire(width, merged)
		b.wire(width, answers)
		host.Pins = append(host.Pins,
			fmt.Sprintf(".design_call_%s(%s_%s)", s, from, s), fmt.Sprintf(".design_ack_%s(%s_%s)", s, to, s),
			fmt.Sprintf(".call_%s(%s)", s, merged), fmt.Sprintf(".ack_%s(%s)", s, answers))
		for n, p := range t.Pins {
			switch {
			case strings.HasPrefix(p, "."+call.Name+"_"+s+"("):
				t.Pins[n] = fmt.Sprintf(".%s_%s(%s)", call.Name, s, merged)
			case strings.HasPrefix(p, "."+ack.Name+"_"+s+"("):
				t.Pins[n] = fmt.Sprintf(".%s_%s(%s)", ack.Name, s, answers)
			}
		}
	}
	b.view.Instances = append(b.view.Instances, host)
}

// closesKernel tells whether a loop-back closes an engine's kernel stream.
func (b *topBuilder) closesKernel(i *design.Instance) bool {
	if i.Role != "closer" {
		return false
	}
	for _, s := range b.d.Streams {
		if s.To.Instance == i && s.From.Name == "m_axis_krnl" {
			return true
		}
	}
	return false
}

// kernelPort is the simulation's host in place of a loop-back.
func (b *topBuilder) kernelPort(i *design.Instance) {
	host := topInstance{
		Module: "sim_kernel_port", Name: i.Name + "_host", Only: "KERNEL_PORT",
		Parameters: []string{fmt.Sprintf(".ID(%d)", i.Scope)}, Pins: []string{".clk", ".rst"},
	}
	for _, p := range i.Ports {
		for _, suffix := range streamPins {
			if q, ok := b.pinOf(p, suffix); ok {
				side := "s_axis_"
				if p.Output {
					side = "m_axis_"
				}
				host.Pins = append(host.Pins, fmt.Sprintf(".%s%s(%s)", side, suffix, b.signal(p, q, suffix)))
			}
		}
	}
	b.view.Instances = append(b.view.Instances, host)
}
