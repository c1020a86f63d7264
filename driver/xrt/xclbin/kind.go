package xclbin

import "fmt"

// Kind is the kind of a section (axlf_section_kind).
type Kind uint32

// Kinds of sections that this project uses.
const (
	Bitstream          Kind = 0
	EmbeddedMetadata   Kind = 2
	MemTopology        Kind = 6
	Connectivity       Kind = 7
	IPLayout           Kind = 8
	ClockFreqTopology  Kind = 11
	BuildMetadata      Kind = 14
	KeyValueMetadata   Kind = 15
	UserMetadata       Kind = 16
	PartitionMetadata  Kind = 20
	SystemMetadata     Kind = 22
	AskGroupTopology   Kind = 26
	AskGroupConnection Kind = 27
)

var kindNames = map[Kind]string{
	Bitstream: "BITSTREAM", EmbeddedMetadata: "EMBEDDED_METADATA", MemTopology: "MEM_TOPOLOGY",
	Connectivity: "CONNECTIVITY",
	IPLayout:     "IP_LAYOUT", ClockFreqTopology: "CLOCK_FREQ_TOPOLOGY", BuildMetadata: "BUILD_METADATA",
	KeyValueMetadata: "KEYVALUE_METADATA",
	UserMetadata:     "USER_METADATA", PartitionMetadata: "PARTITION_METADATA", SystemMetadata: "SYSTEM_METADATA",
	AskGroupTopology: "GROUP_TOPOLOGY", AskGroupConnection: "GROUP_CONNECTIVITY",
}

// String is the name of the kind in xclbinutil.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("of kind %d", uint32(k))
}

// IPType is the type of an entry of IP_LAYOUT (IP_TYPE).
type IPType uint32

// Types of entries.
const (
	MicroBlaze IPType = iota
	KernelIP          // instance of a kernel
	DNACheck
	DDR4Controller
	MemoryDDR4
	MemoryHBM
	MemoryHBMECC
	ProcessorKernel // software that runs on the card
)

// Control is the control protocol of a kernel (IP_CONTROL).
type Control uint8

// Control protocols.
const (
	Handshake Control = iota // ap_ctrl_hs
	Chain                    // ap_ctrl_chain
	None                     // ap_ctrl_none: the kernel is never started
	MicroEngine
	AcceleratorAdapter
	FastAdapter
)

// MemType is the type of a bank (MEM_TYPE).
type MemType uint8

// Types of banks.
const (
	DDR3 MemType = iota
	DDR4
	DRAM
	Streaming
	PreallocatedGlobal
	Aurora
	HBM
	BlockRAM
	UltraRAM
	StreamingConnection
	Host // host memory
	ProcessorMemory
)

// Stream reports whether the entry is a stream between kernels.
func (t MemType) Stream() bool { return t == Streaming || t == StreamingConnection }
