package emu

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cclforge/cclforge/verify/fabric"
)

// outPacket is a packet to be sent. Its payload is its own buffer, or memory
// that is lent until the receiver has taken it.
type outPacket struct {
	fabric.Packet
	own   []byte // kept for the next use
	lease *lease // nil unless the payload is lent
	back  func() // free, as Packet.Free
}

// lease counts the packets by which a move lends memory.
type lease struct {
	out   atomic.Int32
	waker *waker
	until int64 // once its move is gone: when the engine stops waiting for it, in nanoseconds since power-up
}

var packets sync.Pool

func anyPacket() *outPacket {
	if p, ok := packets.Get().(*outPacket); ok {
		return p
	}
	p := &outPacket{}
	p.back = p.free
	return p
}

// newPacket returns a packet with a buffer of its own for n bytes of payload.
func newPacket(n int) *outPacket {
	p := anyPacket()
	if cap(p.own) < n {
		p.own = make([]byte, n)
	}
	p.Payload, p.Free = p.own[:n], p.back
	return p
}

// lendPacket returns a packet whose payload is memory that is lent.
func lendPacket(payload []byte, l *lease) *outPacket {
	p := anyPacket()
	p.Payload, p.Free, p.lease = payload, p.back, l
	l.out.Add(1)
	return p
}

// free takes the packet back when the receiver has taken it.
func (p *outPacket) free() {
	l := p.lease
	p.Payload, p.lease = nil, nil
	packets.Put(p)
	if l != nil && l.out.Add(-1) == 0 {
		l.waker.tell(signalRoom)
	}
}

// sendPacket hands a packet to the network, or to the engine itself.
func (e *Engine) sendPacket(to peer, p *outPacket) (wait, uint32) {
	bytes := len(p.Payload)
	kind, sequence := e.toldOf(&p.Header, to.Self())
	if to.Self() {
		if !e.inbound.loop(to.Session, &p.Packet) {
			return waitRemote, 0
		}
		e.own.packets++
		e.own.bytes += uint64(bytes)
	} else if err := e.sendOn(to.Session, p); err != nil {
		if errors.Is(err, fabric.ErrBusy) {
			return waitRemote, 0
		}
		return waitNone, e.n.code.sendTimeout
	} else {
		e.traces(&e.n.trace.packetSent, to.Session, kind, sequence)
	}
	e.stats.PacketsOut++
	e.stats.BytesOut += uint64(bytes)
	return waitNone, 0
}

// connection is a session of TCP: the bytes in the last beat of the stream that was sent, and
// whether the peer is an engine of this make.
type connection struct {
	level int
	own   bool
}

// sendOn hands a packet to the network. A TCP stack is much slower where a request does not
// begin at a multiple of a beat in the session's stream: where need be, a filler, a message
// that the receiver drops, goes before a large one.
func (e *Engine) sendOn(session uint32, p *outPacket) error {
	if e.lossy || e.rdma {
		return e.port.Send(session, &p.Packet)
	}
	s, n := e.inbound.connections[session], len(p.Payload)
	if s.own && s.level != 0 && n >= e.n.largeMessage {
		filler := newPacket(int(e.n.beatBytes) - s.level)
		filler.Header = header{}
		e.n.header.count.put(&filler.Header, uint64(len(filler.Payload)))
		e.n.header.filler.put(&filler.Header, 1)
		for i := range filler.Payload {
			filler.Payload[i] = 0xFF
		}
		if err := e.port.Send(session, &filler.Packet); err != nil {
			filler.free()
			return err
		}
		e.traces(&e.n.trace.packetSent, session, e.n.trace.kinds.filler)
		s.level = 0
		e.inbound.connections[session] = s
	}
	err := e.port.Send(session, &p.Packet)
	if rest := n % int(e.n.beatBytes); err == nil && rest != 0 {
		s.level = (s.level + rest) % int(e.n.beatBytes)
		e.inbound.connections[session] = s
	}
	return err
}

// packets is how many packets of rendezvous data a move sends.
func (e *Engine) packets(m *move) uint32 {
	if !e.n.rendezvous || !m.toNetwork() || m.messageType != e.n.message.data {
		return 0
	}
	payload := e.payload(m)
	return uint32(max(1, (m.form(m.wire)+payload-1)/payload))
}

// payload is how many bytes a packet of rendezvous data has at most. What is sent
// beside a reduction goes in packets as small as the hardware's: two ranks that
// each reduce what the other one sends would wait for the rest of larger ones.
func (e *Engine) payload(m *move) uint64 {
	if m.beside() {
		return min(e.maxPayload, e.n.packetPayload)
	}
	return e.maxPayload
}
