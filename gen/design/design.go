// Package design elaborates a platform into the graph of what is linked:
// instances of kernels, the streams and memory connections between them, and
// their places on the board. It checks the graph and performs no I/O.
//
// The link configuration, the simulation top level and the block diagram are
// walks over the same edges, so that what is simulated is what is linked.
package design

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/platform"
)

// Design is an elaborated platform. Its slices are in a fixed order, so that
// everything rendered from it is deterministic.
type Design struct {
	Platform *platform.Platform
	// Instances are sorted by engine, then by role; card-wide ones come first.
	Instances []*Instance
	Streams   []*Stream
	Memories  []*MemoryLink
	// Configs are the default arithmetic configurations, in the order in which
	// the host writes them to the exchange memory.
	Configs  []ArithmeticConfig
	Exchange ExchangeLayout
	// HardwareID is what the engine answers in the hardware id word, the source
	// revision left zero.
	HardwareID uint32
	// Files lists the HCL files that the design came from, as diagnostics call
	// them.
	Files []string
	// Shell is what the platform is built into instead of being linked; nil if it
	// is linked.
	Shell *platform.Shell
}

// ABI is the interface generation of the design.
func (d *Design) ABI() *abi.Generation { return d.Platform.ABI }

// Stack is the network stack that the hardware id names, "" for none.
func (d *Design) Stack() string {
	field := d.ABI().Layout(abi.HardwareID).Field(abi.Stacks)
	if field == nil {
		return ""
	}
	return d.ABI().Enum(abi.Stacks).NameOf(field.Of(d.HardwareID))
}

// Instance is one kernel instance.
type Instance struct {
	Name   string // "compression_0_1"
	Kernel *Kernel
	Role   string // "engine", "compression", ...; "closer" for loop-backs of unused streams
	// Scope is the index of the engine it belongs to, -1 for card-wide ones.
	Scope int
	SLR   int // -1: not placed (hardware emulation)
	Ports []*Port
}

// Kernel is a kernel as this platform uses it. Instances of one kernel share
// it.
type Kernel struct {
	ID        string // label of its description
	Name      string // as the linker knows it
	Doc       string
	Source    string   // the form that is linked: "rtl", "hls" or "xo"
	Control   string   // card.Handshake, card.Chain, card.FreeRunning or card.UserManaged
	Origin    string   // where an external .xo comes from
	Needs     []string // folders of RTL that it is made of, beside its own
	Like      string   // kernel whose RTL it has, unless it has a folder of its own; "" for none
	Arguments []Argument
	Described []platform.KernelRegister // registers beside the arguments, for drivers
	Facts     []platform.KernelFact     // numbers of kernels of others, for drivers
	Nets      map[string]int            // for a logic analyzer inside: names below its module, and bits
	Registers string                    // the register map of the interface generation that it has; "" for none
	Ports     []*Port                   // of its first instance
	HLS       *platform.HLS             // its C++; nil if there is none
	XO        *XO                       // where its .xo comes from; nil unless Source is "xo" and somebody has said
}

// Called reports whether hosts call the kernel.
func (k *Kernel) Called() bool { return layout.Called(k.Control) }

// Kernels are the kernels of the instances, each once.
func (d *Design) Kernels() []*Kernel {
	var out []*Kernel
	for _, in := range d.Instances {
		if !slices.Contains(out, in.Kernel) {
			out = append(out, in.Kernel)
		}
	}
	return out
}

// KernelsInCpp are those of the kernels that are linked in C++.
func (d *Design) KernelsInCpp() []*Kernel {
	return slices.DeleteFunc(d.Kernels(), func(k *Kernel) bool { return !k.InCpp() })
}

// PluginsAs links the plugins that have a form in C++ in the form given, whatever
// the platform says.
func (d *Design) PluginsAs(form string) {
	for _, in := range d.Instances {
		if in.Kernel.HLS != nil && (in.Role == roleArithmetic || in.Role == roleCompression) {
			in.Kernel.Source = form
		}
	}
}

// InCpp reports whether the form that is linked is C++.
func (k *Kernel) InCpp() bool { return k.Source == platform.SourceHLS && k.HLS != nil }

// Argument is a control register of a kernel as the host sees it.
type Argument struct {
	Name, Doc string
	At        uint32 // byte offset
	Width     int    // bits: 32 or 64
	Type      string // C type
	Port      string // the port it belongs to: s_axi_control, or a memory port for pointers
	Enum      string // the enum of the interface generation that its values are from; "" for none
}

// Pointer reports whether the register holds an address in memory.
func (a Argument) Pointer() bool { return strings.HasSuffix(a.Type, "*") }

// Protocol of a port.
type Protocol string

// The protocols.
const (
	AXIS    Protocol = "axis"
	AXI4    Protocol = "axi4"
	AXILite Protocol = "axilite"
)

// Port is a port of an instance. Output says that the kernel is the sender of
// a stream or the master of a bus.
type Port struct {
	Name     string
	Doc      string
	Instance *Instance // nil in Kernel.Ports
	Protocol Protocol
	Output   bool
	Width    int              // bits of data
	TDEST    int              // bits of TDEST, 0 for none
	Range    uint64           // bytes of a slave's address range
	Bursts   *platform.Bursts // of a master of AXI4; nil if its kernel does not say
}

// FullName is the port's name behind that of its instance, as the linker knows it.
func (p *Port) FullName() string { return p.Instance.Name + "." + p.Name }

// Stream is an AXI4-Stream connection.
type Stream struct {
	From, To *Port
	Depth    int // FIFO beats, 0 for none
	// Scope is the engine it belongs to, -1 for card-wide ones; Group names the
	// connection's purpose, for grouping: "network", "control", "arithmetic", ...
	Scope int
	Group string
}

// MemoryLink connects a memory port to banks First..Last of a board memory.
type MemoryLink struct {
	Port        *Port
	Memory      string // "HBM", "DDR", "HOST"
	First, Last int
}

// Banks writes the banks as v++ does: HBM[6] or HBM[0:5].
func (m *MemoryLink) Banks() string {
	if m.First == m.Last {
		return fmt.Sprintf("%s[%d]", m.Memory, m.First)
	}
	return fmt.Sprintf("%s[%d:%d]", m.Memory, m.First, m.Last)
}

// ArithmeticConfig is one default arithmetic configuration.
type ArithmeticConfig struct {
	Uncompressed, Compressed           string // element types
	UncompressedBytes, CompressedBytes int
	RatioLog                           int
	CompressorTDEST                    int
	DecompressorTDEST                  int
	ArithmeticIsCompressed             bool
	FunctionTDEST                      []int // by reduction function
}

// ExchangeLayout is how the host fills the exchange memory with the
// platform's buffers and configurations. Addresses are the host's byte
// offsets.
type ExchangeLayout struct {
	RxBuffers         uint32
	Communicators     []uint32 // one per communicator of the capacity
	ArithmeticConfigs []uint32 // by index in Design.Configs
	End               uint32   // first free byte
	Limit             uint32   // first byte not available
	MaxRanks          int      // how many ranks would fit in each communicator
}
