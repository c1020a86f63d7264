package emu

import (
	"fmt"
	"strings"
)

type operandKind uint8

// Where operands come from. The zero value is a code that means nothing.
const (
	operandUnknown operandKind = iota
	operandNone
	operandMemory
	operandStream
	operandMessage
	operandWindow
)

func (k operandKind) String() string {
	return [...]string{"unknown", "none", "memory", "kernel_stream", "message", "window"}[k]
}

type resultKind uint8

// Where results go.
const (
	resultUnknown resultKind = iota
	resultNone
	resultMemory
	resultStream
	resultNetwork
	resultMemoryAndNetwork
	resultStreamAndNetwork
	resultApart
	resultBeside
)

func (k resultKind) String() string {
	return [...]string{"unknown", "none", "memory", "kernel_stream", "network", "memory_and_network",
		"kernel_stream_and_network", "apart", "beside"}[k]
}

type stepKind uint8

// What becomes of an address.
const (
	stepUnknown stepKind = iota
	stepRepeat
	stepAdvance
	stepStride
)

// Operand is an operand or the result of a Move.
type Operand struct {
	Kind       string // as the interface generation calls it
	Address    uint64 // bytes
	Host       bool   // in host memory
	Compressed bool   // in memory or on the kernel stream; for an operand, where it comes from
}

// Move is a move as it was issued.
type Move struct {
	Queue                     int
	Control                   uint32 // layout move_control
	Op0, Op1, Op2, Result     Operand
	Bytes, CompressedBytes    uint32
	TDEST                     uint32 // layout move_tdest
	Comm, Source, Destination uint32
	Context, Tag, Strm        uint32
	Number, Count, Shape      uint32 // of the collective, as headers carry them: 0 where Context is even
	ChunkBytes, SegmentBytes  uint32
	MessageType               uint32 // enum message_type
	RemoteAddress             uint64
	PacketIndex, HeaderCount  uint32
	Window                    uint32
	KeptAddress               uint64
	Keeps                     bool // what is sent goes to KeptAddress, too
	InnerCompressed           bool // reduced in compressed form
	WireCompressed            bool // sent in compressed form
	RemoteHost                bool // RemoteAddress lies in host memory
	Notice                    bool // a header alone for the control processor
}

// String describes the move in one line.
func (m Move) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "queue %d: %s", m.Queue, m.Op0)
	if m.Op1.Kind != operandNone.String() {
		fmt.Fprintf(&b, " with %s", m.Op1)
	}
	if m.Op2.Kind != operandNone.String() {
		fmt.Fprintf(&b, " beside %s", m.Op2)
	}
	if m.Keeps {
		fmt.Fprintf(&b, " kept at 0x%X", m.KeptAddress)
	}
	fmt.Fprintf(&b,
		" to %s, %d bytes (%d compressed), tdest 0x%06X, comm 0x%X, source %d, destination %d, context 0x%X, tag 0x%X",
		m.Result, m.Bytes, m.CompressedBytes, m.TDEST, m.Comm, m.Source, m.Destination, m.Context, m.Tag)
	fmt.Fprintf(&b, ", strm %d, chunk %d, segment %d, type %d, remote 0x%X, packet %d, count %d, window %d",
		m.Strm, m.ChunkBytes, m.SegmentBytes, m.MessageType, m.RemoteAddress, m.PacketIndex, m.HeaderCount, m.Window)
	if inside(m.Context) {
		fmt.Fprintf(&b, ", collective %d of %d elements and shape 0x%X", m.Number, m.Count, m.Shape)
	}
	if m.Notice {
		b.WriteString(", a notice")
	}
	return b.String()
}

// String describes the operand.
func (o Operand) String() string {
	s := fmt.Sprintf("%s 0x%X", o.Kind, o.Address)
	if o.Host {
		s += " host"
	}
	if o.Compressed {
		s += " compressed"
	}
	return s
}

// moveRegisters are what the processor writes and a move latches.
type moveRegisters struct {
	bytes, compressedBytes, tdest      uint32
	op0Address, op1Address, op2Address uint64
	keptAddress                        uint64
	resultAddress                      uint64
	op0Stride, op1Stride               uint64
	resultStride                       uint64
	comm, source, destination          uint32
	context, tag                       uint32
	chunkBytes, segmentBytes, strm     uint32
	remoteAddress                      uint64
	packetIndex, headerCount, windowN  uint32
	collective                         collective // of a move, as headers carry it
}

// request is what the registers ask for among the messages of a rank.
func (r *moveRegisters) request() request {
	return request{context: r.context, tag: r.tag, collective: r.carried()}
}

// carried is the collective as headers carry it.
func (r *moveRegisters) carried() collective {
	if !inside(r.context) {
		return collective{}
	}
	return r.collective
}

// place is where an operand comes from or the result goes.
type place struct {
	addr       uint64
	host       bool
	compressed bool
}

// move is a move as it was issued, decoded.
type move struct {
	moveRegisters
	control     uint32
	queue       int
	op          [3]place // the last one is sent beside the reduction of the others
	kind        [3]operandKind
	result      place
	resultKind  resultKind
	keeps       bool // what is sent of operands that go apart goes to kept, too
	kept        place
	inner       bool // operands meet in compressed form
	wire        bool // sent in compressed form
	messageType uint32
	remoteHost  bool
	notice      bool // a header alone for the control processor
}

// form is the size of the move in one of its forms, in bytes.
func (m *move) form(compressed bool) uint64 {
	if compressed {
		return uint64(m.compressedBytes)
	}
	return uint64(m.bytes)
}

func (m *move) toMemory() bool {
	return m.resultKind == resultMemory || m.resultKind == resultMemoryAndNetwork || m.apart() || m.beside()
}

// apart tells whether operand 1 goes to memory, and operand 0 alone to the network.
func (m *move) apart() bool { return m.resultKind == resultApart }

// beside tells whether operand 2 goes to the network, and the reduction to memory alone.
func (m *move) beside() bool { return m.resultKind == resultBeside }

func (m *move) toStream() bool {
	return m.resultKind == resultStream || m.resultKind == resultStreamAndNetwork
}

func (m *move) toNetwork() bool { return m.resultKind >= resultNetwork }

// decode latches the registers with a control word.
func (n *numbers) decode(r *moveRegisters, control uint32) move {
	c := &n.control
	m := move{moveRegisters: *r, control: control, queue: int(c.queue.get(control))}
	m.kind = [3]operandKind{n.operandKind[c.op0.get(control)], n.operandKind[c.op1.get(control)], operandNone}
	m.resultKind = n.resultKind[c.result.get(control)]
	if m.beside() {
		m.kind[2] = operandMemory
	}
	m.op[0] = place{r.op0Address, c.op0Host.flag(control), c.op0Compressed.flag(control)}
	m.op[1] = place{r.op1Address, c.op1Host.flag(control), c.op1Compressed.flag(control)}
	m.op[2] = place{addr: r.op2Address}
	m.keeps, m.kept = c.keeps.flag(control), place{addr: r.keptAddress}
	m.result = place{r.resultAddress, c.resultHost.flag(control), c.resultForm.flag(control)}
	m.inner, m.wire = c.inner.flag(control), c.wireForm.flag(control)
	m.messageType, m.remoteHost = c.messageType.get(control), c.remoteHost.flag(control)
	m.notice, m.collective = c.notice.flag(control), r.carried()
	return m
}

// step moves the addresses on after a move was issued. Packets is how many of
// rendezvous data it sends.
func (r *moveRegisters) step(n *numbers, m *move, packets uint32) {
	c := &n.control
	advance := func(kind stepKind, addr *uint64, stride uint64, bytes uint64) {
		switch kind {
		case stepAdvance:
			*addr += bytes
		case stepStride:
			*addr += stride
		}
	}
	advance(n.stepKind[c.op0Step.get(m.control)], &r.op0Address, r.op0Stride, m.form(m.op[0].compressed))
	advance(n.stepKind[c.op1Step.get(m.control)], &r.op1Address, r.op1Stride, m.form(m.op[1].compressed))
	advance(n.stepKind[c.resultStep.get(m.control)], &r.resultAddress, r.resultStride, m.form(m.result.compressed))
	if c.remoteAdvance.flag(m.control) {
		r.remoteAddress += m.form(m.wire)
	}
	r.packetIndex += packets
}

// public is the move as others see it.
func (m *move) public() Move {
	return Move{
		Queue: m.queue, Control: m.control,
		Op0:    Operand{m.kind[0].String(), m.op[0].addr, m.op[0].host, m.op[0].compressed},
		Op1:    Operand{m.kind[1].String(), m.op[1].addr, m.op[1].host, m.op[1].compressed},
		Op2:    Operand{m.kind[2].String(), m.op[2].addr, m.op[2].host, m.op[2].compressed},
		Result: Operand{m.resultKind.String(), m.result.addr, m.result.host, m.result.compressed},
		Bytes:  m.bytes, CompressedBytes: m.compressedBytes, TDEST: m.tdest,
		Comm: m.comm, Source: m.source, Destination: m.destination,
		Context: m.context, Tag: m.tag, Strm: m.strm,
		Number: m.collective.number, Count: m.collective.count, Shape: m.collective.shape,
		ChunkBytes: m.chunkBytes, SegmentBytes: m.segmentBytes,
		MessageType: m.messageType, RemoteAddress: m.remoteAddress,
		PacketIndex: m.packetIndex, HeaderCount: m.headerCount, Window: m.windowN,
		KeptAddress: m.kept.addr, Keeps: m.keeps,
		InnerCompressed: m.inner, WireCompressed: m.wire, RemoteHost: m.remoteHost, Notice: m.notice,
	}
}
