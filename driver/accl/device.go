package accl

import "context"

// Call is a call of an engine, word by word in the order of the call record. Count is in
// uncompressed elements, Comm and ArithCfg are offsets in the exchange memory in bytes, and
// Addr0 to Addr2 are addresses of operand 0, operand 1 and the result in device or host
// memory.
type Call struct {
	Scenario         uint32
	Count            uint32
	Comm             uint32
	RootSrcDst       uint32
	FunctionCode     uint32
	Tag              uint32
	ArithCfg         uint32
	CompressionFlags uint32
	StreamFlags      uint32
	Addr0            uint64
	Addr1            uint64
	Addr2            uint64
}

// Ticket names a call that was started on a device.
type Ticket uint64

// ReturnCode is the answer to a call: 0 for success, otherwise a set of bits that
// Platform.ReturnCodes describes.
type ReturnCode uint32

// MemSpec is a request for memory.
type MemSpec struct {
	Bytes int     // more than 0
	Host  bool    // in host memory that the engine reaches, instead of device memory
	Peer  bool    // in device memory that the host and other devices reach directly, if there is any
	At    *uint64 // at this address, if not nil; it must be free
}

// Memory is memory that engine and host share. Bytes is the host's copy; in host memory
// that is not Mirrored, the engine sees the same bytes. It must not be used after Free, or
// after the card of the device is closed: on cards, Go does not manage it.
type Memory interface {
	Addr() uint64                                          // as the engine sees it
	Bytes() []byte                                         // the host's copy
	SyncTo(ctx context.Context, offset, bytes int) error   // host to device; does nothing if both see the same bytes
	SyncFrom(ctx context.Context, offset, bytes int) error // device to host
	Free() error
}

// Device is the connection of a host to one engine: emulated, simulated or on a card. All
// methods may be called concurrently.
type Device interface {
	// ReadReg reads a word of the exchange memory at an offset in bytes. WriteReg writes
	// one.
	ReadReg(ctx context.Context, off uint32) (uint32, error)
	WriteReg(ctx context.Context, off, v uint32) error
	Alloc(ctx context.Context, spec MemSpec) (Memory, error)
	Caller
	Close() error
}

// Caller makes calls.
type Caller interface {
	// Start places a call of a client, a host controller numbered from 0. A client gets
	// its answers in the order of its calls. A call that waits for a remote rank does not
	// hold up the execution of those behind it.
	Start(ctx context.Context, client int, c Call) (Ticket, error)
	// Wait waits for the answer to a call and returns it, once. An error means that there
	// is no answer; if the context has ended, Wait can be called again.
	Wait(ctx context.Context, t Ticket) (ReturnCode, error)
}

// SessionOpener is a Device on which the host opens TCP sessions, for interface versions
// whose engines do not (Features.EngineSessions).
type SessionOpener interface {
	OpenPort(ctx context.Context, port uint16) error
	// OpenConnection connects to a rank that listens, and returns the session. ip is the
	// IPv4 address as a big-endian number.
	OpenConnection(ctx context.Context, ip uint32, port uint16) (session uint32, err error)
}

// KernelPort is a Device on which the host takes the place of the user kernel at the
// engine's kernel streams.
type KernelPort interface {
	// Push sends data to the engine on a TDEST, padded to whole beats of 64 bytes.
	Push(ctx context.Context, tdest uint32, data []byte) error
	// Pull receives from 1 to max bytes that the engine has sent on one TDEST, as whole
	// beats, of which the last may be padded.
	Pull(ctx context.Context, max int) (tdest uint32, data []byte, err error)
}
