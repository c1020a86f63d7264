package accl

// Platform says everything about an engine that its host needs to know: the
// numbers of its interface generation, and what it was built with. It is a plain
// value; generated packages provide one. A Platform in use must not change.
type Platform struct {
	Name       string
	Board      string
	Part       string // of the FPGA
	Generation string // of the interface, for example "accl-2024"

	ClockMHz int
	Engines  int    // on the card
	Stack    string // "udp", "tcp" or "rdma"
	// Networks are the network engines of the card: a stack each, or "axis" for a
	// switch that joins the engines.
	Networks []string
	// KernelStream is what the kernel stream leads to: "loopback", or a user
	// kernel.
	KernelStream     string
	HostMemory       bool // the engine reaches host memory
	HWEmu            bool // built for hardware emulation
	InternalDMA      bool
	DMAEngines       int
	CompressionLanes int

	Features   Features
	HardwareID HardwareIDWord
	Exchange   Exchange

	Operations      []Operation // by code
	ConfigFunctions []Code
	ReduceFunctions []Code
	Stacks          []Code
	RxStates        []Code

	// Flags of a call as they stand in its words compression_flags and
	// stream_flags; the host flags are part of the latter. A zero says that there
	// is no such flag.
	CompressionFlags OperandFlags
	StreamFlags      OperandFlags
	HostFlags        OperandFlags

	ReturnCodes []Bit

	// Fault names the words of the exchange memory's word fault, in order. It is empty if the
	// generation has none.
	Fault []string
	// CollectiveShape are the fields of a word that all ranks of a collective agree on.
	CollectiveShape []Field

	TagAny             uint32 // matches every tag
	MaxPutTag          uint32 // largest stream number of a put
	BeatBytes          int    // of a stream
	MaxUDPPayloadBytes int    // of a segment on UDP

	Types []Type
	// Functions and Conversions are what the plugins do, and the TDESTs that
	// select it.
	Functions   []Function
	Conversions []Conversion
	// Configs are the default arithmetic configurations.
	Configs []ArithConfig

	RxBuffers RxBuffers
	Limits    Limits
	Tuning    []Setting // words of the exchange memory to set
}

// Features are what generations differ in.
type Features struct {
	EngineSessions bool // the engine opens ports and connections itself
	ConfigReady    bool // the host says when the configuration is complete
	Rendezvous     bool // large messages go straight into the receiver's buffer
	HostOperands   bool // operands and results may lie in host memory
	Tuning         bool // the host sets thresholds between algorithms
}

// HardwareIDWord is what an engine answers in its hardware id word.
type HardwareIDWord struct {
	Value  uint32
	Mask   uint32 // bits in which an engine must not differ
	Fields []Field
}

// Field is the bits High to Low of a word.
type Field struct {
	Name      string
	High, Low int
}

// of takes the field out of a word.
func (f Field) of(word uint32) uint32 {
	return uint32(uint64(word) >> f.Low & (1<<(f.High-f.Low+1) - 1))
}

// Exchange is the memory that host and engine share. Offsets count bytes as the
// host sees them.
type Exchange struct {
	Base  uint32
	Bytes uint32
	Limit uint32 // where tables must end
	Words []Word
	// Tables lie one behind the other, in this order.
	Tables []Table

	// Ranks and Communicators are what the platform keeps room for, with its
	// default rx buffers and configurations.
	Ranks         int
	Communicators int
	// ConfigOffsets are the places of Platform.Configs then.
	ConfigOffsets []uint32
}

// Word is a value at a fixed place of the exchange memory: Count values of Bits
// bits.
type Word struct {
	Name  string
	At    uint32
	Bits  int // 32 or 64
	Count int
	Group string // words that belong together, for example "tuning"
}

// Table is a header of words followed by records of words, all of 32 bits.
type Table struct {
	Name   string
	At     uint32 // of the header, if it has a place of its own
	After  string // the table that it follows, otherwise
	Header []string
	Record []string
}

// Code is a named number.
type Code struct {
	Name  string
	Value uint32
}

// OperandFlags are flags for the operands of a call, as masks.
type OperandFlags struct {
	Op0, Op1, Result, Ethernet uint32
}

// Type is an element type.
type Type struct {
	Name  DType
	Bytes int
	Align int // bytes: buffers begin at a multiple of it
}

// Function is a reduction of an element type, selected by a TDEST.
type Function struct {
	Name  Func
	Type  DType
	TDEST int
}

// Conversion is a conversion of the compression lanes, selected by a TDEST.
// RatioLog is log2 of how many elements of the wider side make one of the
// narrower.
type Conversion struct {
	From, To DType
	TDEST    int
	RatioLog int
	OneWay   bool // there is no inverse
}

// ArithConfig is an arithmetic configuration: how the engine reduces elements of
// a type, and how it converts them to a compressed type and back.
type ArithConfig struct {
	Uncompressed, Compressed           DType
	UncompressedBytes, CompressedBytes int // of an element
	RatioLog                           int // log2 of how many elements make one compressed element
	CompressorTDEST, DecompressorTDEST int
	ArithmeticIsCompressed             bool  // reduces compressed elements
	FunctionTDEST                      []int // by number of the reduction
}

// RxBuffers are the spare buffers of an engine.
type RxBuffers struct {
	Count int
	Bytes int // of each
}

// Limits are thresholds and time limits.
type Limits struct {
	TimeoutCycles             int // of waits inside the engine
	RemoteTimeoutMilliseconds int // of waits for a remote rank
	// MaxEagerBytes and MaxRendezvousBytes bound messages; 0 if the generation has
	// no such setting.
	MaxEagerBytes      int
	MaxRendezvousBytes int
	ResetMilliseconds  int // after which a reset has answered
}

// Setting is a word of the exchange memory and its value.
type Setting struct {
	Name  string
	Value uint32
}

// TypeBytes is the size of an element type; ok is false if the platform does
// not know it.
func (p *Platform) TypeBytes(t DType) (bytes int, ok bool) {
	known, ok := p.typeOf(t)
	return known.Bytes, ok
}

func (p *Platform) typeOf(t DType) (Type, bool) {
	for _, known := range p.Types {
		if known.Name == t {
			return known, true
		}
	}
	return Type{}, false
}

// Describe lists the bits that are set in a return code, from bit 0 up.
func (p *Platform) Describe(code ReturnCode) []Bit { return BitsOf(uint32(code), p.ReturnCodes) }
