package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
)

// Kinds of chunks that the network engine's model hands over, and what it says of
// them.
const (
	chunkBytes = iota // of a stream, or a whole packet where they can be lost
	chunkSend         // of RDMA
	chunkWrite        // of RDMA: data for the memory of the remote rank
)

const (
	metaKind = iota
	metaSession
	metaAddress
	metaHost
)

// Requests of the network engine's model.
const (
	requestListen = 1 + iota
	requestConnect
	requestClose
)

const (
	headerBytes = 64
	// packetsPerBatch are received before the hardware gets its turn.
	packetsPerBatch = 256
	// enoughWaiting is how many packets of a session may wait for the network until
	// the hardware is told that there is no room.
	enoughWaiting = 32
	someBytes     = 1 << 20
)

// network makes the hardware's network engine a member of the fabric: it puts what
// comes out of it together to packets, and hands packets to it piece by piece.
type network struct {
	e       *Engine
	port    fabric.Port
	survey  *emu.Survey
	payload func(*[headerBytes]byte) int
	writes  *writes
	piece   int // bytes that the hardware takes at a time
	lossy   bool
	buffer  []byte

	segments fabric.Segmented // nil if the fabric knows messages only
	out, in  map[uint32]frames

	streams map[uint32][]byte           // what has come out, by session, not whole yet
	leaving map[uint32][]*fabric.Packet // what the fabric has no room for
	busy    map[uint32]bool             // the hardware knows that there is no room
	coming  map[uint32][]byte           // what the hardware has no room for; its sessions are held
	held    map[uint32]bool             // sessions that are held
	ending  []uint32                    // sessions that are closed, but not all has been taken of
	cutter  *cutter                     // nil if streams come as they were sent
}

func newNetwork(e *Engine, port fabric.Port) (*network, error) {
	n := &network{
		e: e, port: port, lossy: port.Lossy(), buffer: make([]byte, someBytes),
		out: map[uint32]frames{}, in: map[uint32]frames{},
		streams: map[uint32][]byte{}, leaving: map[uint32][]*fabric.Packet{}, busy: map[uint32]bool{},
		coming: map[uint32][]byte{}, held: map[uint32]bool{},
	}
	var err error
	if n.payload, err = emu.Framing(e.d); err != nil {
		return nil, err
	}
	if poes := e.d.Platform.POEs; len(poes) > 0 && poes[0].Kind == "tcp" {
		n.cutter = newCutter(e.o.CutSeed, e.number)
	}
	if n.survey, err = emu.NewSurvey(e.d.ABI(), port); err != nil {
		return nil, err
	}
	if n.piece, err = constant(e.d.ABI(), "max_packet_bytes"); err != nil {
		return nil, err
	}
	if n.writes, err = newWrites(e.d); err != nil {
		return nil, err
	}
	if s, ok := port.(fabric.Segmented); ok {
		n.segments = s
		s.TakeSegments()
	}
	return n, nil
}

// wrote notes what the host has written to the exchange memory.
func (n *network) wrote(off, v uint32) { n.survey.Wrote(off, v) }

func (n *network) listen(port uint16) error {
	n.survey.Tell()
	return n.port.Listen(port)
}

func (n *network) connect(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	n.survey.Tell()
	return n.port.Connect(ctx, ip, port)
}

// collect takes what the hardware wants to send or asks for.
func (n *network) collect() error {
	if n.e.f.NetworkPop == nil {
		return nil
	}
	for {
		var meta [chunkWords]uint64
		size := n.e.f.NetworkPop(n.e.model, n.e.number, &meta, &n.buffer[0], uint64(len(n.buffer)))
		if size < 0 {
			break
		}
		if err := n.chunk(&meta, n.buffer[:size]); err != nil {
			return err
		}
	}
	n.requests()
	return nil
}

// chunk takes bytes that the hardware sends.
func (n *network) chunk(meta *[chunkWords]uint64, b []byte) error {
	session := uint32(meta[metaSession])
	if meta[metaKind] == chunkWrite {
		n.writes.hold(session, write{meta[metaAddress], meta[metaHost] != 0, append([]byte(nil), b...)})
		return nil
	}
	if n.lossy {
		if len(b) < headerBytes {
			return fmt.Errorf("a packet of %d bytes", len(b))
		}
		p := &fabric.Packet{}
		rest := b[copy(p.Header[:], b):]
		if size := n.payload(&p.Header); size < len(rest) {
			rest = rest[:size] // the last beat is padded
		}
		p.Payload = append([]byte(nil), rest...)
		n.send(session, p)
		return nil
	}
	if len(n.streams[session]) == 0 && n.segments != nil && n.segments.Segments(session) {
		n.send(session, &fabric.Packet{Payload: append([]byte(nil), b...), Segment: true})
		return nil
	}
	stream := append(n.streams[session], b...)
	for len(stream) >= headerBytes {
		p := &fabric.Packet{}
		copy(p.Header[:], stream)
		size := n.payload(&p.Header)
		if len(stream)-headerBytes < size {
			break
		}
		p.Payload = append([]byte(nil), stream[headerBytes:headerBytes+size]...)
		stream = stream[headerBytes+size:]
		for _, data := range n.writes.complete(session, &p.Header) {
			n.send(session, data)
		}
		n.send(session, p)
	}
	n.streams[session] = stream
	return nil
}

// send hands a packet to the fabric after those that wait.
func (n *network) send(session uint32, p *fabric.Packet) {
	n.leaving[session] = append(n.leaving[session], p)
	n.depart(session)
}

// depart sends what waits for the fabric.
func (n *network) depart(session uint32) {
	q := n.leaving[session]
	for len(q) > 0 {
		next, messages, bytes := n.measure(n.out[session], q[0]) // now: it is no longer ours when it has been sent
		err := n.port.Send(session, q[0])
		if errors.Is(err, fabric.ErrBusy) {
			break
		}
		if err != nil {
			q = nil
			n.e.f.NetworkClosed(n.e.model, n.e.number, session)
			break
		}
		n.out[session] = next
		n.count(func() { n.e.stats.PacketsOut += messages; n.e.stats.BytesOut += bytes })
		q[0] = nil
		q = q[1:]
	}
	if len(q) == 0 {
		delete(n.leaving, session)
	} else {
		n.leaving[session] = q
	}
	if full := len(q) >= enoughWaiting; full != n.busy[session] && n.e.f.NetworkWindow != nil {
		n.busy[session] = full
		window := uint64(someBytes)
		if full {
			window = 0
		}
		n.e.f.NetworkWindow(n.e.model, n.e.number, session, window)
	}
}

func (n *network) count(f func()) {
	n.e.mu.Lock()
	defer n.e.mu.Unlock()
	f()
}

// requests answers what the hardware asks for.
func (n *network) requests() {
	var kind, ip, port uint64
	for n.e.f.NetworkRequest(n.e.model, n.e.number, &kind, &ip, &port) != 0 {
		switch kind {
		case requestListen:
			n.answer(requestListen, 0, n.listen(uint16(port)))
		case requestConnect:
			n.survey.Tell()
			go func() {
				session, err := n.port.Connect(n.e.life, uint32(ip), uint16(port))
				n.e.post(func() { n.answer(requestConnect, session, err) })
			}()
		case requestClose: // sessions of the fabric stay
		}
	}
}

func (n *network) answer(kind uint64, session uint32, err error) {
	ok := int32(0)
	if err == nil {
		ok = 1
	}
	n.e.f.NetworkAnswer(n.e.model, n.e.number, kind, session, ok)
}

// deliver hands the hardware what has come, and the fabric what waits for it.
func (n *network) deliver() {
	if n.e.f.NetworkPush == nil {
		return
	}
	for session := range n.leaving {
		n.depart(session)
	}
	for session := range n.coming {
		n.arrive(session)
	}
	for range packetsPerBatch {
		p := n.port.Receive()
		if p == nil {
			break
		}
		n.take(p)
	}
	n.cut()
	for {
		session, ok := n.port.Closed()
		if !ok {
			break
		}
		n.ending = append(n.ending, session)
	}
	n.ending = slices.DeleteFunc(n.ending, func(session uint32) bool {
		if n.waits(session) {
			return false
		}
		n.e.f.NetworkClosed(n.e.model, n.e.number, session)
		return true
	})
}

// take takes a packet from the fabric.
func (n *network) take(p *fabric.Packet) {
	next, messages, size := n.measure(n.in[p.Session], p)
	n.in[p.Session] = next
	n.count(func() { n.e.stats.PacketsIn += messages; n.e.stats.BytesIn += size })
	if addr, host, ok := n.writes.written(&p.Header); ok && !p.Segment {
		space := n.e.deviceSpace()
		if host {
			space = n.e.hostSpace()
		}
		if len(p.Payload) > 0 {
			n.e.f.MemoryWrite(n.e.model, space, addr, &p.Payload[0], uint64(len(p.Payload)))
		}
		p.Release()
		return
	}
	bytes := make([]byte, 0, headerBytes+len(p.Payload))
	if !p.Segment {
		bytes = append(bytes, p.Header[:]...)
	}
	bytes = append(bytes, p.Payload...)
	session := p.Session
	p.Release()
	if n.cutter != nil {
		n.hold(session, n.cutter.add(session, bytes))
		return
	}
	n.coming[session] = bytes
	if !n.arrive(session) {
		n.hold(session, true)
	}
}

// hold keeps what comes of a session where it is, or lets it come again.
func (n *network) hold(session uint32, hold bool) {
	if hold == n.held[session] {
		return
	}
	n.port.Hold(session, hold)
	if hold {
		n.held[session] = true
	} else {
		delete(n.held, session)
	}
}

// waits reports whether the hardware has not taken all that has come of a session.
func (n *network) waits(session uint32) bool {
	return len(n.coming[session]) > 0 || n.cutter != nil && len(n.cutter.waits[session]) > 0
}

// cut hands the hardware what it takes of the bytes that wait to be cut.
func (n *network) cut() {
	if n.cutter == nil {
		return
	}
	for _, session := range n.cutter.sessions() {
		all := n.cutter.give(session, func(piece []byte) bool {
			return n.e.f.NetworkPush(n.e.model, n.e.number, session, &piece[0], uint64(len(piece))) != 0
		})
		if all {
			n.hold(session, false)
		}
	}
}

// arrive hands the hardware bytes of a session; true if it has taken them all.
func (n *network) arrive(session uint32) bool {
	bytes := n.coming[session]
	for len(bytes) > 0 {
		size := len(bytes)
		if !n.lossy {
			size = min(size, n.piece)
		}
		if n.e.f.NetworkPush(n.e.model, n.e.number, session, &bytes[0], uint64(size)) == 0 {
			n.coming[session] = bytes
			return false
		}
		bytes = bytes[size:]
	}
	delete(n.coming, session)
	n.hold(session, false)
	return true
}

// release forgets what is on its way.
func (n *network) release() {
	for _, q := range n.leaving {
		for _, p := range q {
			p.Release()
		}
	}
	clear(n.leaving)
	clear(n.coming)
}
