package accl

import "context"

// Call is what an engine is asked for: the meaning of the words of the call
// record, in its order. Count is in uncompressed elements; Comm and ArithCfg
// are byte offsets in the exchange memory; addresses are bytes in device or
// host memory.
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

// ReturnCode is the answer to a call: 0 for success, otherwise a set of bits
// whose meaning the interface generation gives.
type ReturnCode uint32

// MemSpec says what memory is wanted.
type MemSpec struct {
	Bytes int     // more than 0
	Host  bool    // in host memory that the engine reaches, instead of device memory
	Peer  bool    // in device memory that the host and other devices see directly, where there is such
	At    *uint64 // at this address, if not nil; it must be free
}

// Memory is a piece of memory that engine and host share. Its Bytes are the
// host's copy, except in host memory that is not Mirrored, where both see the
// same bytes. They must not be used after Free, or after the card of the device is
// closed: on cards, they are no memory of Go's.
type Memory interface {
	Addr() uint64                                          // as the engine sees it
	Bytes() []byte                                         // the host's copy
	SyncTo(ctx context.Context, offset, bytes int) error   // host to device; nothing to do where both see the same bytes
	SyncFrom(ctx context.Context, offset, bytes int) error // device to host
	Free() error
}

// Device is one engine as its host reaches it: emulated, simulated or on a
// card. All methods may be called concurrently.
type Device interface {
	// ReadReg reads a word of the exchange memory; off is in bytes, as the host
	// sees it.
	ReadReg(ctx context.Context, off uint32) (uint32, error)
	WriteReg(ctx context.Context, off, v uint32) error
	Alloc(ctx context.Context, spec MemSpec) (Memory, error)
	// Start places a call of a client, a host controller from 0 up. Calls of one
	// client are answered in order; a call that waits for a remote rank does not
	// hold up those behind it.
	Start(ctx context.Context, client int, c Call) (Ticket, error)
	// Wait waits for the answer to a call. An error says that there is none (yet);
	// after the context has ended, Wait can be called again. Each answer is given
	// once.
	Wait(ctx context.Context, t Ticket) (ReturnCode, error)
	Close() error
}

// SessionOpener is a Device whose network engine is asked for TCP sessions by
// the host instead of by the engine (generations without engine sessions).
type SessionOpener interface {
	OpenPort(ctx context.Context, port uint16) error
	// OpenConnection connects to a rank that listens, and answers the session.
	OpenConnection(ctx context.Context, ip uint32, port uint16) (session uint32, err error)
}

// KernelPort is a Device that stands in for the user kernel at the engine's
// kernel streams.
type KernelPort interface {
	// Push puts data on the stream into the engine, padded to whole beats of 64
	// bytes.
	Push(ctx context.Context, tdest uint32, data []byte) error
	// Pull takes at least one and at most max bytes that the engine has put on
	// its stream, all of one TDEST, as whole beats (the last may be padded).
	Pull(ctx context.Context, max int) (tdest uint32, data []byte, err error)
}
