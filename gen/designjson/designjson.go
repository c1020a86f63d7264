// Package designjson writes an elaborated design as JSON for other tools. The
// types of this package are the format: keys keep their order and meaning as
// long as Schema stays the same, new ones may be added.
package designjson

import "encoding/json"

// Schema names the format. It changes when a key changes its meaning or goes.
const Schema = "cclforge.design/1"

// File is the content of design.json. The doc tags are its documentation.
type File struct {
	Generated    string          `json:"generated" doc:"What wrote the file, and from what."`
	Schema       string          `json:"schema" doc:"Name and version of this format."`
	Platform     Platform        `json:"platform" doc:"The platform's own settings."`
	Board        Board           `json:"board" doc:"The card."`
	Engine       Engine          `json:"engine" doc:"What all collective engines have in common."`
	Network      []Network       `json:"network" doc:"Network engines, in the order of the platform file."`
	Types        []Type          `json:"types" doc:"Element types that the platform knows."`
	Functions    []Function      `json:"functions" doc:"Reduction functions of the arithmetic plugin."`
	Conversions  []Conversion    `json:"conversions" doc:"Conversions of the compression lanes."`
	Configs      []Configuration `json:"configurations" doc:"Default arithmetic configurations, in the order of the exchange memory."`
	Exchange     Exchange        `json:"exchange" doc:"Where the platform's tables stand in the exchange memory; byte offsets as the host sees them."`
	Tuning       []Tuning        `json:"tuning" doc:"Tuning words of the exchange memory that the host sets."`
	Limits       Limits          `json:"limits" doc:"Thresholds and time limits."`
	Build        Build           `json:"build" doc:"How it is built, as far as the result depends on it."`
	Kernels      []Kernel        `json:"kernels" doc:"Kernels in use, in the order of their first instances."`
	Instances    []Instance      `json:"instances" doc:"Instances of kernels, by engine, then by role."`
	Streams      []Stream        `json:"streams" doc:"AXI4-Stream connections, by engine, then by group."`
	MemoryLinks  []MemoryLink    `json:"memory_links" doc:"Connections of AXI4 ports to memory banks."`
	Descriptions []string        `json:"descriptions" doc:"The HCL files that the design came from."`
}

// Platform holds the settings of the platform file.
type Platform struct {
	Name       string                     `json:"name" doc:"Name of the platform."`
	Doc        string                     `json:"doc" doc:"What the platform file says about it."`
	Interface  string                     `json:"interface" doc:"Interface generation."`
	ClockMHz   int                        `json:"clock_mhz" doc:"Clock of all kernels."`
	HostMemory bool                       `json:"host_memory" doc:"Engines reach host memory."`
	HWEmu      bool                       `json:"hw_emu" doc:"Linked for hardware emulation."`
	HardwareID uint32                     `json:"hardware_id" doc:"What engines answer in the hardware id word, without the source revision."`
	Variables  map[string]json.RawMessage `json:"variables" doc:"Values that the variables of the platform file took, by name."`
}

// Board is the card.
type Board struct {
	Name          string   `json:"name" doc:"Name of the board."`
	Part          string   `json:"part" doc:"FPGA part."`
	Shell         string   `json:"shell" doc:"Vitis platform."`
	SLRs          int      `json:"slrs" doc:"Super logic regions."`
	EthernetPorts int      `json:"ethernet_ports" doc:"Ethernet ports."`
	Memories      []Memory `json:"memories" doc:"Memories, whether in use or not."`
}

// Memory is a memory of the card.
type Memory struct {
	Name  string `json:"name" doc:"As the linker knows it."`
	Banks int    `json:"banks" doc:"Number of banks."`
}

// Engine holds what all engines have in common.
type Engine struct {
	Count            int    `json:"count" doc:"Collective engines on the card."`
	DMA              string `json:"dma" doc:"external: DMA kernels beside the engine; internal: inside."`
	DMAEngines       int    `json:"dma_engines" doc:"DMA engines of each."`
	KernelStream     string `json:"kernel_stream" doc:"What the kernel stream leads to: a user kernel, or loopback."`
	Processor        string `json:"processor" doc:"What runs the control firmware: own, the engine's core, or microblaze_v."`
	RxBuffers        int    `json:"rx_buffers" doc:"Rx buffers of each."`
	RxBufferBytes    int    `json:"rx_buffer_bytes" doc:"Size of an rx buffer."`
	CompressionLanes int    `json:"compression_lanes" doc:"Lanes with a compression plugin."`
	Trace            int    `json:"trace" doc:"Events that the trace of each holds; 0 for no trace."`
	Activity         bool   `json:"activity" doc:"Each counts what it does, and for how long what has stood."`
}

// Network is a network engine.
type Network struct {
	Kind         string `json:"kind" doc:"udp, tcp, rdma, or axis for a switch on the card."`
	EthernetPort int    `json:"ethernet_port" doc:"Ethernet port of the card."`
}

// Type is an element type.
type Type struct {
	Name  string `json:"name" doc:"Name of the type."`
	Bytes int    `json:"bytes" doc:"Size of an element."`
	Align int    `json:"align" doc:"Alignment of an element in memory."`
}

// Function is a reduction function.
type Function struct {
	Name   string  `json:"name" doc:"Name of the function."`
	Code   uint32  `json:"code" doc:"Its number in calls."`
	TDESTs []TDEST `json:"tdests" doc:"TDEST that selects it for each element type."`
	CPP    string  `json:"cpp" doc:"Its function in C++, where the plugin is written in that."`
}

// TDEST selects a function for a type.
type TDEST struct {
	Type  string `json:"type" doc:"Element type."`
	TDEST int    `json:"tdest" doc:"TDEST of the operands."`
}

// Conversion is a conversion of the compression lanes.
type Conversion struct {
	From     string `json:"from" doc:"Element type that goes in."`
	To       string `json:"to" doc:"Element type that comes out."`
	TDEST    int    `json:"tdest" doc:"TDEST that selects it."`
	OneWay   bool   `json:"one_way" doc:"There is no conversion back."`
	RatioLog int    `json:"ratio_log" doc:"Log2 of how many wide elements make a narrow one."`
	Widens   bool   `json:"widens" doc:"The wide elements are those that come out."`
	CPP      string `json:"cpp" doc:"Its function in C++, where the plugin is written in that."`
}

// Configuration is a default arithmetic configuration.
type Configuration struct {
	Uncompressed           string `json:"uncompressed" doc:"Element type of buffers."`
	Compressed             string `json:"compressed" doc:"Element type of compressed buffers."`
	UncompressedBytes      int    `json:"uncompressed_bytes" doc:"Size of an uncompressed element."`
	CompressedBytes        int    `json:"compressed_bytes" doc:"Size of a compressed element."`
	RatioLog               int    `json:"ratio_log" doc:"Log2 of how many elements make one compressed element."`
	CompressorTDEST        int    `json:"compressor_tdest" doc:"TDEST that compresses."`
	DecompressorTDEST      int    `json:"decompressor_tdest" doc:"TDEST that decompresses."`
	ArithmeticIsCompressed bool   `json:"arithmetic_is_compressed" doc:"Reductions work on compressed elements."`
	FunctionTDESTs         []int  `json:"function_tdests" doc:"TDEST of each reduction function, by number."`
}

// Exchange is how the exchange memory is filled.
type Exchange struct {
	RxBuffers      uint32   `json:"rx_buffers" doc:"The table of rx buffers."`
	Communicators  []uint32 `json:"communicators" doc:"Communicators that there is room for."`
	Configurations []uint32 `json:"configurations" doc:"The default arithmetic configurations."`
	End            uint32   `json:"end" doc:"First free byte."`
	Limit          uint32   `json:"limit" doc:"First byte that tables must not use."`
	MaxRanks       int      `json:"max_ranks" doc:"Ranks that would fit in each communicator."`
}

// Tuning is a tuning word.
type Tuning struct {
	Name  string `json:"name" doc:"Name of the word."`
	Value uint32 `json:"value" doc:"What the host writes to it."`
}

// Limits are thresholds and time limits.
type Limits struct {
	MaxEagerBytes       int `json:"max_eager_bytes" doc:"Largest eager message; 0 if the interface has no such setting."`
	MaxRendezvousBytes  int `json:"max_rendezvous_bytes" doc:"Largest rendezvous message; 0 if the interface has none."`
	TimeoutCycles       int `json:"timeout_cycles" doc:"Limit of waits inside an engine."`
	RemoteTimeoutMillis int `json:"remote_timeout_milliseconds" doc:"Limit of waits for a remote rank."`
}

// Build is how the platform is built.
type Build struct {
	Firmware    string    `json:"firmware" doc:"Where the control firmware is put: image, into the linked design; kernel, into the engine's kernel."`
	Timing      string    `json:"timing" doc:"What a build is that misses timing: must, failed; report, done."`
	LinkOptions []string  `json:"link_options" doc:"Further arguments of v++ --link."`
	Settings    []Setting `json:"settings" doc:"Lines of the link configuration beside the connectivity."`
	PostLink    []Source  `json:"post_link" doc:"Tcl files of the platform that run in the link."`
}

// Setting is a line of a section of the link configuration.
type Setting struct {
	Section string `json:"section" doc:"debug, profile, vivado or advanced."`
	Line    string `json:"line" doc:"The line."`
}

// XO is where the .xo of a kernel comes from.
type XO struct {
	File         string   `json:"file" doc:"The file, if it is there; otherwise empty."`
	Variable     string   `json:"variable" doc:"Environment variable that the file is relative to; otherwise empty."`
	Git          string   `json:"git" doc:"Repository that it is built from; otherwise empty."`
	Revision     string   `json:"revision" doc:"Commit that is built."`
	Directory    string   `json:"directory" doc:"Directory of the repository in which the command runs."`
	Command      string   `json:"command" doc:"Command line that builds it."`
	Produces     string   `json:"produces" doc:"File of the repository that the command leaves."`
	Repositories []string `json:"repositories" doc:"Directories of IP that the link reads."`
	PostLink     string   `json:"post_link" doc:"Tcl file of the repository that runs in the link."`
}

// Kernel is a kernel in use.
type Kernel struct {
	ID        string     `json:"id" doc:"Label of its description."`
	Name      string     `json:"name" doc:"As the linker knows it."`
	Doc       string     `json:"doc" doc:"What its description says about it."`
	Source    string     `json:"source" doc:"rtl, hls, or xo for an external one."`
	Control   string     `json:"control" doc:"Control protocol of its registers."`
	Origin    string     `json:"origin" doc:"Where an external one comes from."`
	XO        XO         `json:"xo" doc:"What of it is linked, and how that is built."`
	Arguments []Argument `json:"arguments" doc:"Control registers as the host sees them."`
	Calls     string     `json:"calls" doc:"Function in C++ that the generated top function calls, where that is how it is written."`
	Top       string     `json:"top" doc:"Top function in C++, where that is not generated."`
	Files     []Source   `json:"files" doc:"Its files in C++, where it is linked in that form; otherwise none."`
}

// Source is a file in C++.
type Source struct {
	Path   string `json:"path" doc:"The file, as diagnostics call it."`
	SHA256 string `json:"sha256" doc:"Hash of its text."`
}

// Argument is a control register of a kernel.
type Argument struct {
	Name   string `json:"name" doc:"Name of the argument."`
	Offset uint32 `json:"offset" doc:"Byte offset."`
	Width  int    `json:"width_bits" doc:"32 or 64."`
	Type   string `json:"type" doc:"Type in C."`
	Port   string `json:"port" doc:"Port that it belongs to."`
}

// Instance is an instance of a kernel.
type Instance struct {
	Name   string `json:"name" doc:"Name of the instance."`
	Kernel string `json:"kernel" doc:"ID of its kernel."`
	Role   string `json:"role" doc:"What it is for."`
	Engine *int   `json:"engine" doc:"Index of the engine that it belongs to; null if it serves the whole card."`
	SLR    *int   `json:"slr" doc:"Its place; null in hardware emulation."`
	Ports  []Port `json:"ports" doc:"Its ports."`
}

// Port is a port of an instance.
type Port struct {
	Name       string `json:"name" doc:"Name of the port."`
	Protocol   string `json:"protocol" doc:"axis, axi4 or axilite."`
	Output     bool   `json:"output" doc:"The kernel sends on the stream, or is the master of the bus."`
	Width      int    `json:"width_bits" doc:"Bits of data."`
	TDEST      int    `json:"tdest_bits" doc:"Bits of TDEST; 0 for none."`
	RangeBytes uint64 `json:"range_bytes" doc:"Address range of a slave; otherwise 0."`
}

// Stream is a stream connection.
type Stream struct {
	From   End    `json:"from" doc:"Sender."`
	To     End    `json:"to" doc:"Receiver."`
	Depth  int    `json:"fifo_depth" doc:"Beats of the FIFO between them; 0 for none."`
	Engine *int   `json:"engine" doc:"Index of the engine that it belongs to; null if it serves the whole card."`
	Group  string `json:"group" doc:"What it is for."`
}

// End is one end of a connection.
type End struct {
	Instance string `json:"instance" doc:"Name of the instance."`
	Port     string `json:"port" doc:"Name of its port."`
}

// MemoryLink connects a port to memory banks.
type MemoryLink struct {
	Instance string `json:"instance" doc:"Name of the instance."`
	Port     string `json:"port" doc:"Name of its port."`
	Memory   string `json:"memory" doc:"Name of the memory."`
	First    int    `json:"first_bank" doc:"First bank."`
	Last     int    `json:"last_bank" doc:"Last bank."`
}
