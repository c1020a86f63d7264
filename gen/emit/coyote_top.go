package emit

import (
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

// coyoteView is what the templates of a Coyote application know of the platform.
type coyoteView struct {
	topView
	Name     string // of the platform
	Device   string // as the shell calls the board
	Clock    int    // MHz
	Ethernet int    // port
	Revision string
	Windows  []CoyoteWindow
	InCpp    []*design.Kernel
	DMAs     int // engines; the stream behind theirs is for remote ranks
	kernel   bool
	computed []platform.Setting
	shell    *platform.Shell
}

// CoyoteWindow is where the host finds the registers of an instance: byte o of the
// kernel's registers is at byte 2 (Base + o) of the application's.
type CoyoteWindow struct {
	Instance string
	Base     uint64 // bytes, as kernels count them
	Size     uint64 // bytes, a power of two
	Port     string
}

// Mask are the bits inside the window.
func (w CoyoteWindow) Mask() string { return fmt.Sprintf("32'h%08X", w.Size-1) }

// Shell is where it begins in bytes of the shell's bus, in hexadecimal.
func (w CoyoteWindow) Shell() string { return fmt.Sprintf("%06X", design.ShellSpacing*w.Base) }

// Hex is the window's first byte.
func (w CoyoteWindow) Hex() string { return fmt.Sprintf("32'h%08X", w.Base) }

// Streams are the numbers of the memory streams.
func (v coyoteView) Streams() []int {
	var list []int
	for i := range v.DMAs + 1 {
		list = append(list, i)
	}
	return list
}

// Engines are the numbers of the DMA engines.
func (v coyoteView) Engines() []int { return v.Streams()[:v.DMAs] }

// Sides are the memories.
func (v coyoteView) Sides() []string { return []string{"host", "card"} }

// Ranks are the numbers of the network's streams: for what is in the card's memory
// of a remote rank, and in its host's.
func (v coyoteView) Ranks() []int { return []int{0, 1} }

// Bus are the signals of the registers' bus.
func (v coyoteView) Bus() []string {
	return strings.Fields(
		"awvalid awready awaddr wvalid wready wdata wstrb bvalid bready bresp arvalid arready araddr rvalid rready rdata " +
			"rresp")
}

// AddressHigh is the highest bit of the kernels' bytes.
func (v coyoteView) AddressHigh() int { return v.AddressWidth() - 1 }

// Remote is the number of the memory stream for remote ranks.
func (v coyoteView) Remote() int { return v.DMAs }

// Queues are what the application asks of the shell, Done what that has done, and
// Told what remote ranks have sent or want.
func (v coyoteView) Queues() []string { return []string{"sq_rd", "sq_wr"} }
func (v coyoteView) Done() []string   { return []string{"cq_rd", "cq_wr"} }
func (v coyoteView) Told() []string   { return []string{"rq_rd", "rq_wr"} }

// Answers are the streams of memory that remote ranks read, for each of theirs.
func (v coyoteView) Answers() []string {
	return []string{fmt.Sprintf("axis_card_recv[%d]", v.DMAs), fmt.Sprintf("axis_host_recv[%d]", v.DMAs)}
}

// Senders are the streams towards the shell.
func (v coyoteView) Senders() []string {
	var list []string
	for _, n := range v.Streams() {
		for _, at := range v.Sides() {
			list = append(list, fmt.Sprintf("axis_%s_send[%d]", at, n))
		}
	}
	for _, n := range v.Ranks() {
		list = append(list, fmt.Sprintf("axis_rreq_send[%d]", n))
	}
	return list
}

// Computed are the shell's options that follow from the design.
func (v coyoteView) Computed() []platform.Setting { return v.computed }

// Cores tells whether the build decides how many processors it takes.
func (v coyoteView) Cores() bool {
	return !slices.ContainsFunc(v.shell.Options, func(o platform.Setting) bool { return o.Name == "COMP_CORES" })
}

// Flags are the options that the platform sets, as CMake takes them.
func (v coyoteView) Flags() []string { return CoyoteFlags(v.shell) }

// CoyoteFlags are the options that a platform sets, as arguments of CMake.
func CoyoteFlags(s *platform.Shell) []string {
	var flags []string
	for _, o := range s.Options {
		flags = append(flags, "-D"+o.Name+"="+o.Value)
	}
	return flags
}

// Git and Submodules are where the shell comes from.
func (v coyoteView) Git() string      { return v.shell.Git }
func (v coyoteView) Submodules() bool { return v.shell.Submodules }

// Map tells whether the firmware is put into the bit stream when all else is done.
func (v coyoteView) Map() bool { return !v.kernel }

// Reversed are the windows from the last to the first, as a concatenation has them.
func (v coyoteView) Reversed() []CoyoteWindow {
	list := slices.Clone(v.Windows)
	slices.Reverse(list)
	return list
}

// CoyoteWindows are the windows of the registers of a Coyote application, the
// engine's first.
func CoyoteWindows(d *design.Design) []CoyoteWindow {
	var windows []CoyoteWindow
	for _, w := range d.ShellWindows() {
		windows = append(windows, CoyoteWindow{Instance: w.Instance.Name, Base: w.Base, Size: w.Size, Port: w.Port})
	}
	return windows
}

// AddressWidth is how many bits the kernels' bytes have.
func (v coyoteView) AddressWidth() int {
	last := v.Windows[len(v.Windows)-1]
	return max(15, bits.Len64(last.Base+last.Size-1))
}

// shellModule is the adapter that is in the place of a kernel in the shell.
func shellModule(name string) (*moduleHeader, error) {
	text, err := fs.ReadFile(templates.FS, "coyote/"+name+".sv")
	if err != nil {
		return nil, err
	}
	return parseModule(name, text)
}

func newCoyoteView(d *design.Design, view hardwareView) (coyoteView, error) {
	device, _ := d.Shell.Device(d.Platform.Board)
	v := coyoteView{
		Name: d.Platform.Name, Device: device, Clock: d.Platform.Clock, Ethernet: d.Platform.POEs[0].Port,
		Revision: d.Shell.Revision,
		Windows:  CoyoteWindows(d), DMAs: d.Platform.CCLO.DMAEngines, kernel: FirmwareInKernel(d),
		shell: d.Shell, InCpp: d.KernelsInCpp(),
	}
	v.computed = coyoteOptions(v)
	b := &topBuilder{
		d: d, view: topView{hardwareView: view}, modules: map[*design.Kernel]*moduleHeader{},
		streams: map[*design.Port]string{}, widths: map[string]int{},
	}
	for _, i := range d.Instances {
		if b.modules[i.Kernel] != nil {
			continue
		}
		var m *moduleHeader
		var err error
		switch i.Role {
		case "poe":
			m, err = shellModule("coyote_rdma")
		case "dma":
			m, err = shellModule("coyote_dma")
		default:
			m, err = moduleOf(d, i.Kernel, view)
		}
		if err != nil {
			return v, fmt.Errorf("kernel %s: %w", i.Kernel.ID, err)
		}
		b.modules[i.Kernel] = m
	}
	for _, s := range d.Streams {
		b.connect(s)
	}
	dma := 0
	for _, i := range d.Instances {
		t := topInstance{Module: b.modules[i.Kernel].Name, Name: i.Name}
		if i.Role == "closer" {
			t.Parameters = []string{fmt.Sprintf(".WIDTH(%d)", b.closedWidth(i))}
		}
		t.Pins = b.kernelPins(i, v)
		switch {
		case i.Role == "dma":
			t.Parameters = []string{fmt.Sprintf(".DMA(%d)", dma)}
			t.Pins = append(t.Pins, dmaPins(dma)...)
			dma++
		case i.Role == "poe":
			t.Parameters = []string{fmt.Sprintf(".STREAM(%d)", v.DMAs)}
			t.Pins = append(t.Pins, rdmaPins(v.DMAs)...)
		case i.Kernel.InCpp():
			t.Module += hlsIPSuffix
		}
		b.view.Instances = append(b.view.Instances, t)
	}
	v.topView = b.view
	return v, nil
}

// kernelPins connects the streams and registers of an instance.
func (b *topBuilder) kernelPins(i *design.Instance, v coyoteView) []string {
	var pins []string
	done := map[string]bool{}
	add := func(q pin, signal string) {
		name := q.Name
		if at := strings.LastIndexByte(name, '_'); i.Kernel.InCpp() && at > 0 {
			name = name[:at] + strings.ToUpper(name[at:]) // as the vendor's compiler calls them
		}
		pins = append(pins, fmt.Sprintf(".%s(%s)", name, signal))
		done[q.Name] = true
	}
	for _, p := range i.Ports {
		if p.Protocol != design.AXIS {
			continue
		}
		for _, suffix := range streamPins {
			if q, ok := b.pinOf(p, suffix); ok {
				add(q, b.signal(p, q, suffix))
			}
		}
	}
	shell := i.Role == "poe" || i.Role == "dma"
	for _, q := range b.modules[i.Kernel].Pins {
		switch {
		case done[q.Name]:
		case q.Name == clockPin:
			pins = append(pins, "."+clockPin+"(aclk)")
		case q.Name == resetPin:
			pins = append(pins, "."+resetPin+"(aresetn)")
		case shell: // the shell's side
		default:
			add(q, b.register(i, q, v))
		}
	}
	return pins
}

// register is what a pin of an instance's registers is connected to.
func (b *topBuilder) register(i *design.Instance, q pin, v coyoteView) string {
	for n, w := range v.Windows {
		suffix, ok := strings.CutPrefix(q.Name, w.Port+"_")
		if w.Instance != i.Name || !ok {
			continue
		}
		switch suffix {
		case "awaddr", "araddr":
			return fmt.Sprintf("ctrl_%s[%d:0]", suffix, q.Width-1)
		case "wdata", "wstrb":
			return "ctrl_" + suffix
		case "rdata":
			return fmt.Sprintf("ctrl_rdata[%d +: 32]", 32*n)
		case "bresp", "rresp":
			return fmt.Sprintf("ctrl_%s[%d +: 2]", suffix, 2*n)
		case "awvalid", "awready", "wvalid", "wready", "bvalid", "bready", "arvalid", "arready", "rvalid", "rready":
			return fmt.Sprintf("ctrl_%s[%d]", suffix, n)
		}
	}
	if q.Output {
		name := "_unused_" + i.Name + "_" + q.Name
		b.wire(max(q.Width, 1), name)
		return name
	}
	return "'0"
}

func dmaPins(n int) []string {
	pins := slices.Concat(queuePins("rd", "rd", n), queuePins("wr", "wr", n))
	for _, at := range []string{"host", "card"} {
		pins = append(pins,
			fmt.Sprintf(".rd_%s_done(rd_%s_done[%d])", at, at, n), fmt.Sprintf(".wr_%s_done(wr_%s_done[%d])", at, at, n))
		pins = append(pins, samePins(at+"_recv", fmt.Sprintf("%s_recv_%d", at, n), receivedPins)...)
		pins = append(pins, samePins(at+"_send", fmt.Sprintf("%s_send_%d", at, n), sentPins)...)
	}
	return pins
}

func rdmaPins(stream int) []string {
	pins := slices.Concat(queuePins("send", "wr", stream), queuePins("write", "wr", stream+1),
		queuePins("read", "rd", stream))
	for _, q := range []string{"rq_wr", "rq_rd"} {
		pins = append(pins, samePins(q, q, []string{"valid", "ready", "data"})...)
	}
	for n := range 2 {
		request, response := fmt.Sprintf("rreq_send_%d", n), fmt.Sprintf("rrsp_recv_%d", n)
		pins = append(pins, samePins(request, request, sentPins)...)
		pins = append(pins, samePins(response, response, receivedPins)...)
	}
	for _, at := range []string{"host", "card"} {
		pins = append(pins, samePins(at+"_send", fmt.Sprintf("%s_send_%d", at, stream), sentPins)...)
	}
	return pins
}

// queuePins connects a port for commands to the place of number n in a queue of the shell.
func queuePins(pin, queue string, n int) []string {
	return []string{
		fmt.Sprintf(".%s_valid(%s_valid[%d])", pin, queue, n), fmt.Sprintf(".%s_ready(%s_ready[%d])", pin, queue, n),
		fmt.Sprintf(".%s_data(%s_data[%d +: 98])", pin, queue, 98*n),
	}
}

// The pins of streams from the shell and towards it.
var (
	receivedPins = []string{"tvalid", "tready", "tdata"}
	sentPins     = append(receivedPins[:3:3], "tkeep", "tlast")
)

// samePins connects pins to the signals with the same suffixes.
func samePins(pin, signal string, suffixes []string) []string {
	var pins []string
	for _, suffix := range suffixes {
		pins = append(pins, fmt.Sprintf(".%s_%s(%s_%s)", pin, suffix, signal, suffix))
	}
	return pins
}

// coyoteOptions are the shell's options that follow from the design: one region,
// with as many streams to host and card memory as the application has.
func coyoteOptions(v coyoteView) []platform.Setting {
	port := func(n int) string {
		if v.Ethernet == n {
			return "1"
		}
		return "0"
	}
	streams := fmt.Sprint(v.DMAs + 1)
	return []platform.Setting{
		{Name: "FDEV_NAME", Value: v.Device}, {Name: "N_REGIONS", Value: "1"}, {Name: "N_CONFIG", Value: "1"},
		{Name: "EN_PR", Value: "0"},
		{Name: "EN_STRM", Value: "1"}, {Name: "N_STRM_AXI", Value: streams}, {Name: "EN_MEM", Value: "1"},
		{Name: "N_CARD_AXI", Value: streams},
		{Name: "EN_RDMA", Value: "1"}, {Name: "N_RDMA_AXI", Value: "2"}, {Name: "EN_TCP", Value: "0"},
		{Name: "EN_NET_0", Value: port(0)}, {Name: "EN_NET_1", Value: port(1)},
		{Name: "ACLK_F", Value: fmt.Sprint(v.Clock)}, {Name: "EN_UCLK", Value: "0"},
	}
}
