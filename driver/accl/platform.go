package accl

// Platform describes an engine to its host: the numbers of its interface version, and the
// parts that it was built with. It is a plain value that generated packages provide. It must
// not change while it is in use.
type Platform struct {
	Name       string
	Board      string
	Part       string // of the FPGA
	Generation string // interface version, for example "accl-2024"

	ClockMHz int
	Engines  int    // on the card
	Stack    string // "udp", "tcp" or "rdma"
	// Networks are the network engines of the card: a stack each, or "axis" for a switch
	// that connects the engines of the card.
	Networks []string
	// KernelStream is the other end of the kernel stream: "loopback", or a user kernel.
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

	// Flags in the words compression_flags and stream_flags of a call; HostFlags are in
	// stream_flags, too. A flag that the interface does not have is 0.
	CompressionFlags OperandFlags
	StreamFlags      OperandFlags
	HostFlags        OperandFlags

	ReturnCodes []Bit

	// Fault names the parts of the word fault of the exchange memory, in order. It is empty if
	// the interface has no such word.
	Fault []string
	// Inspection describes the words inspection of the exchange memory.
	Inspection InspectionWords
	// CollectiveShape has the fields of the word that must agree on all ranks of a collective.
	CollectiveShape []Field

	TagAny             uint32 // matches every tag
	MaxPutTag          uint32 // largest stream number of a put
	BeatBytes          int    // of a stream
	MaxUDPPayloadBytes int    // of a segment on UDP

	Types []Type
	// Functions and Conversions are those of the plugins, with the TDESTs that select them.
	Functions   []Function
	Conversions []Conversion
	// Configs are the default arithmetic configurations.
	Configs []ArithConfig

	RxBuffers RxBuffers
	Limits    Limits
	Tuning    []Setting // words of the exchange memory to set
}

// Features are the differences between interface versions.
type Features struct {
	EngineSessions bool // the engine opens ports and connections itself
	ConfigReady    bool // a word marks the configuration as complete
	Rendezvous     bool // large messages can go directly into the receiver's buffer
	HostOperands   bool // operands and results may lie in host memory
	Tuning         bool // the host sets thresholds between algorithms
}

// HardwareIDWord is the expected hardware id word of an engine.
type HardwareIDWord struct {
	Value  uint32
	Mask   uint32 // bits that must be equal
	Fields []Field
}

// Field is the bits High to Low of a word.
type Field struct {
	Name      string
	High, Low int
}

// of returns the value of the field in a word.
func (f Field) of(word uint32) uint32 {
	return uint32(uint64(word) >> f.Low & (1<<(f.High-f.Low+1) - 1))
}

// Exchange is the layout of the memory that host and engine share. Offsets are in bytes, as
// the host sees them.
type Exchange struct {
	Base  uint32
	Bytes uint32
	Limit uint32 // end of the space for tables
	Words []Word
	// Tables follow each other in this order.
	Tables []Table

	// Ranks and Communicators are the numbers that the platform reserves space for, with its
	// default rx buffers and configurations.
	Ranks         int
	Communicators int
	// ConfigOffsets are the offsets of Platform.Configs in that case.
	ConfigOffsets []uint32
}

// Word is the word of a name; nil if the interface version has none.
func (x *Exchange) Word(name string) *Word {
	for i := range x.Words {
		if x.Words[i].Name == name {
			return &x.Words[i]
		}
	}
	return nil
}

// Word is an array at a fixed offset of the exchange memory: Count values of Bits bits.
type Word struct {
	Name  string
	At    uint32
	Bits  int // 32 or 64
	Count int
	Group string // of words that belong together, for example "tuning"
}

// Table is a header of words followed by records of words, all of 32 bits.
type Table struct {
	Name   string
	At     uint32 // offset of the header, unless After is set
	After  string // name of the table that it follows
	Header []string
	Record []string
}

// Code is a named number.
type Code struct {
	Name  string
	Value uint32
}

// OperandFlags are the flags of a call's operands and of the network, as masks.
type OperandFlags struct {
	Op0, Op1, Result, Ethernet uint32
}

// Type is an element type.
type Type struct {
	Name  DType
	Bytes int
	Align int // of buffers, in bytes
}

// Function is a reduction of an element type, selected by a TDEST.
type Function struct {
	Name  Func
	Type  DType
	TDEST int
}

// Conversion is a conversion of the compression lanes, selected by a TDEST. RatioLog is log2
// of the number of elements of the wider type in one element of the narrower type.
type Conversion struct {
	From, To DType
	TDEST    int
	RatioLog int
	OneWay   bool // there is no inverse
}

// ArithConfig is an arithmetic configuration: the TDESTs by which the engine reduces
// elements of a type, and converts them to a compressed type and back.
type ArithConfig struct {
	Uncompressed, Compressed           DType
	UncompressedBytes, CompressedBytes int // sizes of an element
	RatioLog                           int // log2 of the number of elements in one compressed element
	CompressorTDEST, DecompressorTDEST int
	ArithmeticIsCompressed             bool  // reduces compressed elements
	FunctionTDEST                      []int // by number of the reduction
}

// RxBuffers describes the rx buffers of an engine.
type RxBuffers struct {
	Count int
	Bytes int // of each
}

// Limits are thresholds and time limits.
type Limits struct {
	TimeoutCycles             int // of waits inside the engine
	RemoteTimeoutMilliseconds int // of waits for a remote rank
	// MaxEagerBytes and MaxRendezvousBytes are the largest messages of each kind; 0 if the
	// interface has no such setting.
	MaxEagerBytes      int
	MaxRendezvousBytes int
	ResetMilliseconds  int // after which a reset has ended
}

// Setting is a word of the exchange memory and its value.
type Setting struct {
	Name  string
	Value uint32
}

// TypeBytes returns the size of an element type; ok is false if the platform does not have
// it.
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
