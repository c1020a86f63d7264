package moves_test

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// Kinds of operands and results, by their names in the interface generation.
const (
	none      = "none"
	memory    = "memory"
	kernel    = "kernel_stream"
	message   = "message"
	window    = "window"
	network   = "network"
	twoPlaces = "memory_and_network"
	twoWays   = "kernel_stream_and_network"
	apart     = "apart"
	beside    = "beside"
)

// numbers looks up what the interface generation defines.
type numbers struct {
	d *design.Design
	g *abi.Generation
}

func (n *numbers) offset(registers, name string) uint64 {
	m := n.g.RegisterMap(registers)
	i := slices.IndexFunc(m.Registers, func(r abi.Register) bool { return r.Name == name })
	if i < 0 {
		panic("no register " + name)
	}
	return uint64(m.Registers[i].At)
}

func (n *numbers) put(layout, name string, v uint32) uint32 {
	l := n.g.Layout(layout)
	i := slices.IndexFunc(l.Fields, func(f abi.Field) bool { return f.Name == name })
	if i < 0 {
		return 0
	}
	return v << l.Fields[i].Low
}

func (n *numbers) code(enum, value string) uint32 { return n.g.Enum(enum).Value(value).Value }

func (n *numbers) bit(name string) uint32 {
	b := n.g.BitSet(abi.ReturnCode).Bits
	return 1 << b[slices.IndexFunc(b, func(x abi.Bit) bool { return x.Name == name })].At
}

func (n *numbers) constant(name string) int { return int(n.g.Constant(name).Value) }

// stack tells whether the platform's network is this one.
func (n *numbers) stack(name string) bool {
	l := n.g.Layout(abi.HardwareID)
	f := l.Fields[slices.IndexFunc(l.Fields, func(f abi.Field) bool { return f.Name == abi.Stacks })]
	return n.d.HardwareID>>f.Low&(1<<f.Bits()-1) == n.code(abi.Stacks, name)
}

// conversion is what a TDEST does: log2 of the bytes that it takes together, and of
// what it makes of them.
func (n *numbers) conversion(lane int, tdest uint32) (from, to int, ok bool) {
	c := n.d.Platform.Compression
	if c == nil || lane >= c.Lanes {
		return 0, 0, tdest == 0
	}
	for _, x := range c.Conversions {
		if uint32(x.TDEST) != tdest {
			continue
		}
		from, to = n.log2(x.From), n.log2(x.To)
		if x.Widens {
			return from, to + x.RatioLog, true
		}
		return from + x.RatioLog, to, true
	}
	return 0, 0, false
}

// pairs are the TDESTs of conversions to and fro.
func (n *numbers) pairs() (list [][2]uint32) {
	all := n.d.Platform.Compression.Conversions
	for _, forth := range all {
		for _, back := range all {
			if !forth.Widens && forth.From == back.To && forth.To == back.From {
				list = append(list, [2]uint32{uint32(forth.TDEST), uint32(back.TDEST)})
			}
		}
	}
	return list
}

func (n *numbers) reduction(tdest uint32) (log2 int, ok bool) {
	for _, f := range n.d.Platform.Arithmetic.Functions {
		for _, t := range f.TDEST {
			if uint32(t.TDEST) == tdest {
				return n.log2(t.Type), true
			}
		}
	}
	return 0, false
}

func (n *numbers) log2(name string) int {
	return bits.TrailingZeros(uint(n.d.Platform.Type(name).Bytes))
}

// operand is one of a move, or its result.
type operand struct {
	kind       string
	address    uint64
	host       bool
	compressed bool
}

// packet is one that a move sends.
type packet struct {
	bytes, count, seq uint64
	vaddr             uint64
	headed, last      bool // last of its message
}

// move is one that is issued, and what has become of it.
type move struct {
	id, queue                int
	op                       [2]operand
	op2                      uint64 // address of what is sent beside
	keeps                    bool
	kept                     uint64 // address of what is kept
	result                   operand
	inner, wire              bool
	bytes                    [2]uint64 // uncompressed, compressed
	compressor, decompressor uint32
	reduction                uint32
	kernelTDEST              uint64
	source, destination      uint64
	chunk, segment, strm     uint64
	messageType              string
	remote                   uint64
	remoteHost               bool
	packetIndex, headerCount uint64
	fence                    bool
	junk                     uint32 // bits of the control word that make it mean nothing
	code                     uint32 // what it must fail with
	log2                     [2]int
	shrinks                  bool // what is sent is smaller than what it is made from
	units, done              uint64
	empty                    bool
	packets                  []packet
	opened                   int
	allowed                  uint32 // what else it may fail with
	must                     bool   // and will
	silent                   bool   // none of its messages comes
	received                 uint64 // bytes of the messages handed to it
	incoming                 []*incoming
	arrived                  [2]uint64
	windowHost               bool
	windowEnd                [2]uint64
	cut, retired, started    bool
	under                    int // slices under way
}

// incoming is a message that is being read.
type incoming struct {
	address, bytes, taken uint64
	stored                bool
	buffer                uint64
}

func form(compressed bool) int {
	if compressed {
		return 1
	}
	return 0
}

func (m *move) size(compressed bool) uint64 { return m.bytes[form(compressed)] }

func (m *move) takes(kind string) bool { return m.op[0].kind == kind || m.op[1].kind == kind }

// messageForm tells whether the operand that is a message is compressed.
func (m *move) messageForm() bool {
	if m.op[0].kind == message {
		return m.op[0].compressed
	}
	return m.op[1].compressed
}

func (m *move) toNetwork() bool {
	return slices.Contains([]string{network, twoPlaces, twoWays, apart, beside}, m.result.kind)
}

func (m *move) reduces() bool { return m.op[1].kind != none && m.result.kind != apart }

func (m *move) toKernel() bool { return m.result.kind == kernel || m.result.kind == twoWays }

func (m *move) toMemory() bool {
	return slices.Contains([]string{memory, twoPlaces, apart, beside}, m.result.kind)
}

func (m *move) String() string {
	return fmt.Sprintf(
		"move %d of queue %d: %v to %v, inner %v, wire %v, %d bytes, %s, rank %d, chunk %d, segment %d, code 0x%X",
		m.id, m.queue, m.op, m.result, m.inner, m.wire, m.bytes, m.messageType, m.destination, m.chunk, m.segment, m.code)
}

// settle works out what a move must do, as the emulator does.
func (m *move) settle(n *numbers, enabled bool, known func(uint64) bool, lossy bool, payload uint64) {
	m.code = m.check(n, enabled, known)
	if m.code == 0 && m.toNetwork() {
		m.cutPackets(lossy, payload, uint64(n.constant("max_packet_bytes")), n.bit("DMA_SIZE"))
	}
}

func (m *move) check(n *numbers, enabled bool, known func(uint64) bool) uint32 {
	config := n.bit("CONFIG_SWITCH")
	if m.junk != 0 || m.op[0].kind == none && m.op[1].kind != none ||
		m.op[0].kind == m.op[1].kind && (m.op[0].kind == message || m.op[0].kind == kernel) {
		return config
	}
	if m.result.kind == apart && (m.op[1].kind == none || m.result.compressed != m.inner) {
		return config
	}
	if m.keeps && m.result.kind != apart {
		return config
	}
	if m.result.kind == beside && (m.op[1].kind == none || m.takes(kernel) || m.wire != m.inner || m.inner &&
		!m.op[1].compressed) {
		return config // there is one lane for operand 1 and for what is sent
	}
	if m.toNetwork() && (!enabled || !known(m.destination)) || m.takes(message) && !known(m.source) {
		return config
	}
	any := uint64(0)
	for i := range m.op {
		if m.op[i].kind != none {
			any = max(any, m.size(m.op[i].compressed))
		}
	}
	if m.toNetwork() {
		any = max(any, m.size(m.wire))
	}
	if m.result.kind == beside {
		any = max(any, m.size(false))
	}
	if m.result.kind != none && m.result.kind != network {
		any = max(any, m.size(m.result.compressed))
	}
	if m.empty = any == 0; m.empty {
		return 0
	}
	if m.op[0].kind == none || m.toNetwork() && m.messageType != "eager" && m.messageType != "rendezvous_data" {
		return config
	}
	return m.sizes(n)
}

// sizes finds the sizes of units and how many there are.
func (m *move) sizes(n *numbers) uint32 {
	size := [2]int{-1, -1}
	used := [2]bool{}
	know := func(form, log2 int) bool {
		if size[form] < 0 {
			size[form] = log2
		}
		return size[form] == log2
	}
	fits := true
	lane := func(i int, from, to bool) {
		used[form(from)], used[form(to)] = true, true
		if from == to || !fits {
			return
		}
		tdest := m.decompressor
		if to {
			tdest = m.compressor
		}
		f, t, ok := n.conversion(i, tdest)
		fits = ok && know(form(from), f) && know(form(to), t)
	}
	for i := range m.op {
		if m.op[i].kind != none {
			lane(i, m.op[i].compressed, m.inner)
		}
	}
	if m.result.kind == beside {
		lane(1, false, m.inner)
	}
	if m.result.kind != none && m.result.kind != network {
		lane(2, m.inner, m.result.compressed)
	}
	if m.toNetwork() {
		lane(2, m.inner, m.wire)
	}
	if !fits {
		return n.bit("COMPRESSION")
	}
	code := n.bit("ARITH")
	if m.reduces() { // elements that are reduced are whole in a unit that is converted
		log2, ok := n.reduction(m.reduction)
		if in := &size[form(m.inner)]; *in < 0 {
			*in = log2
		}
		if !ok || size[form(m.inner)] < log2 {
			return code
		}
	}
	if used[0] && used[1] {
		code = n.bit("COMPRESSION")
	}
	first := true
	for f := range 2 {
		m.log2[f] = max(size[f], 0)
		if !used[f] {
			continue
		}
		if m.bytes[f]%(1<<m.log2[f]) != 0 || !first && m.bytes[f]>>m.log2[f] != m.units {
			return code
		}
		m.units, first = m.bytes[f]>>m.log2[f], false
	}
	m.shrinks = used[1-form(m.wire)] && m.log2[1-form(m.wire)] > m.log2[form(m.wire)]
	switch { // only what is used limits a slice
	case !used[0]:
		m.log2[0] = m.log2[1]
	case !used[1]:
		m.log2[1] = m.log2[0]
	}
	return 0
}

// cutPackets is what the network gets.
func (m *move) cutPackets(lossy bool, payload, slot uint64, tooLarge uint32) {
	left := m.size(m.wire)
	if m.empty {
		count := m.headerCount
		if m.messageType == "eager" || m.messageType == "rendezvous_data" {
			count = 0
		}
		p := packet{headed: true, last: true, count: count, vaddr: m.remote}
		if m.messageType == "rendezvous_data" {
			p.seq = m.packetIndex
		}
		m.packets = []packet{p}
		return
	}
	if m.messageType == "rendezvous_data" {
		for at := uint64(0); at < left; at += payload {
			n := min(payload, left-at)
			m.packets = append(m.packets, packet{n, n, m.packetIndex + at/payload, m.remote + at, true, true})
		}
		return
	}
	most := [2]uint64{payload, slot} // of the first packet of a message, of others
	if m.shrinks && !lossy {
		most = [2]uint64{payload / 2, slot / 2}
	}
	for chunk := uint64(0); left > 0; {
		if chunk == 0 {
			chunk = left
			if m.chunk > 0 {
				chunk = min(m.chunk, left)
			}
		}
		n := chunk
		if m.segment > 0 {
			n = min(m.segment, chunk)
		}
		if lossy && n > payload {
			m.allowed, m.must = tooLarge, true
			return
		}
		for at, fits := uint64(0), most[0]; at < n; fits = most[1] {
			bytes := min(fits, n-at)
			if n-at > fits && n-at <= fits+most[1]/2 { // two of about the same size
				bytes = most[1] / 2
			}
			m.packets = append(m.packets, packet{bytes: bytes, count: n, headed: at == 0, last: at+bytes == n})
			at += bytes
		}
		chunk -= n
		left -= n
	}
}
