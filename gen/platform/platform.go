// Package platform reads what users write: platforms, boards and kernels in
// HCL. It checks each file by itself; how they fit together is checked by
// package design, which elaborates them.
package platform

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// Platform is one validated platform file, its references resolved.
type Platform struct {
	Name string // the label, which is also the file's name
	Doc  string
	File string // as diagnostics call it

	Board *Board
	ABI   *abi.Generation
	Clock int // MHz

	HostMemory bool
	HWEmu      bool

	CCLO        CCLO
	POEs        []POE
	Arithmetic  *Arithmetic  // nil: the engine cannot reduce
	Compression *Compression // nil: no lane has a plugin
	Types       []abi.Type   // the generation's and the platform's own, by name
	Tuning      []Tuning
	Capacity    Capacity
	Limits      Limits
	Build       Build
	// Shell is what the platform changes of the shell that it is built into; nil
	// if that is nothing. Design.Shell is the whole.
	Shell *Shell
	// Outputs are files that templates of the user make. What is built does not
	// depend on them.
	Outputs []Output
	// Use chooses among kernels that play the same role.
	Use map[string]string
	// Source chooses among the forms that a kernel has: "rtl", "hls" or "xo",
	// by the kernel's label.
	Source map[string]string

	// Sound says that boards, kernels and counts are known well enough to build
	// the graph; if not, errors were reported.
	Sound bool

	// Variables are the values the file's variables took.
	Variables map[string]cty.Value
	// Declared are the variables as the file declares them, by name.
	Declared []lang.Variable

	Ranges Ranges
}

// Ranges are the places of attributes, for the checks that come later. Those
// not written point to the platform block.
type Ranges struct {
	Block, Board, ABI, Clock, HostMemory, HWEmu, Use hcl.Range
}

// CCLO describes the collective engines of a card.
type CCLO struct {
	Count        int
	DMA          string // "external" or "internal"
	DMAEngines   int
	KernelStream string // "loopback" or a user kernel
	Processor    string // what runs the control firmware: ProcessorOwn or ProcessorMicroBlazeV
	Trace        int    // events that the trace of each holds, a power of two; 0 for no trace
	Activity     bool   // each counts what it does
	RxBuffers    RxBuffers

	CountRange, DMARange, DMAEnginesRange, KernelStreamRange hcl.Range
}

// RxBuffers are the spare buffers of one engine.
type RxBuffers struct {
	Count int
	Size  int // bytes, a multiple of 64
	Range hcl.Range
}

// POE is a network engine. Kind "axis" joins the engines of one card by a
// switch; it stands for one engine's network side per CCLO.
type POE struct {
	Kind  string // "udp", "tcp", "rdma" or "axis"
	Port  int    // Ethernet port of the board
	Range hcl.Range
	// PortRange is the place of the port, or the block's.
	PortRange hcl.Range
}

// Arithmetic is the reduction plugin of every engine.
type Arithmetic struct {
	Kernel    string
	Functions []Function // by number
	Own       []Function // what the plugin can compute, whether the platform has it or not
	Range     hcl.Range
}

// Has says whether the plugin itself has a function for a type.
func (a *Arithmetic) Has(function, elementType string) bool {
	return slices.ContainsFunc(a.Own, func(f Function) bool {
		return f.Name == function && slices.ContainsFunc(f.TDEST, func(t TypeTDEST) bool { return t.Type == elementType })
	})
}

// Function is one reduction and the TDEST that selects it for each type.
type Function struct {
	Name  string
	Code  uint32
	TDEST []TypeTDEST // by TDEST
	CPP   string      // the C++ function, overloaded by element type
	Range hcl.Range
}

// TypeTDEST is the TDEST of a function for one element type.
type TypeTDEST struct {
	Type  string
	TDEST int
	Range hcl.Range
}

// Compression is the conversion plugin of the engine's lanes.
type Compression struct {
	Kernel      string
	Lanes       int // 0 to 3
	Conversions []Conversion
	Range       hcl.Range
	LanesRange  hcl.Range
}

// Conversion is one conversion of a compression lane.
type Conversion struct {
	From, To string
	TDEST    int
	OneWay   bool
	// RatioLog is log2 of how many elements of the wider side make one of the
	// narrower.
	RatioLog int
	// Widens says that From is the side of which one element becomes 2^RatioLog,
	// or the smaller one if the counts are equal.
	Widens bool
	CPP    string // the C++ function
	Range  hcl.Range
}

// Tuning is a tuning word of the exchange memory and the value the host
// writes to it.
type Tuning struct {
	Name  string
	Value uint32
	Range hcl.Range
}

// Capacity is what the exchange memory must have room for.
type Capacity struct {
	Ranks         int // in each communicator
	Communicators int
	Range         hcl.Range
}

// Limits are thresholds and time limits.
type Limits struct {
	// MaxEagerBytes and MaxRendezvousBytes bound messages; 0 if the generation
	// has no such setting.
	MaxEagerBytes, MaxRendezvousBytes int
	// TimeoutCycles bounds waits inside the engine.
	TimeoutCycles int
	// RemoteTimeoutMillis bounds waits for a remote rank.
	RemoteTimeoutMillis int
	Range               hcl.Range
}
