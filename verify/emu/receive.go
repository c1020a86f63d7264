package emu

import (
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// partial is a message of a foreign engine of which further packets will come,
// without headers.
type partial struct {
	left int      // bytes to come
	msg  *message // into whose buffer they go, or nil
	addr uint64   // where the next go
	put  []byte   // or a put that they complete, or nil to drop them
	used int      // bytes of put that are there
	to   uint32   // TDEST of the put
}

// receive takes a packet to where it belongs. A packet that is held can be
// offered again.
func (in *inbound) receive(p *fabric.Packet, loop bool) verdict {
	if len(in.partly) > 0 && !loop {
		if part := in.partly[p.Session]; part != nil {
			return in.proceed(part, p)
		}
	}
	e, f, h := in.e, &in.e.n.header, &p.Header
	if !f.clean(h) {
		return in.drop(e.n.event.badPacket)
	}
	cut := !e.lossy && !e.rdma && !loop
	if s := in.connections[p.Session]; cut && !s.own && f.context.get(h) != 0 { // other engines' headers have none
		s.own = true
		in.connections[p.Session] = s
	}
	if f.notice.get(h) != 0 {
		return e.notices.arrived(p, loop)
	}
	count, size := f.count.get32(h), len(p.Payload)
	switch t := f.messageType.get32(h); {
	case f.filler.get(h) != 0:
		if cut && t == e.n.message.eager && uint64(size) == uint64(count) {
			return taken
		}
	case t == e.n.message.eager:
		whole := uint64(size) == uint64(count)
		if e.lossy && uint64(size) > uint64(count) && uint64(size) <= roundBeats(uint64(count), e.n.beatBytes) {
			p.Payload, whole = p.Payload[:count], true // the last beat is padded
		}
		if !whole && (e.lossy || loop || uint64(size) > uint64(count)) {
			return in.drop(e.n.event.badPacket)
		}
		if f.strm.get32(h) != 0 {
			return in.put(p, int(count), loop)
		}
		return in.eager(p, int(count), loop)
	case !e.n.rendezvous:
	case t == e.n.message.data && uint64(size) == uint64(count):
		return e.rendezvous.data(p)
	case t == e.n.message.announcement && size == 0:
		return e.rendezvous.announced(p)
	case t == e.n.message.done && size == 0:
		return e.rendezvous.finished(p)
	}
	return in.drop(e.n.event.badPacket)
}

// eager receives a message, or the first packet of one.
func (in *inbound) eager(p *fabric.Packet, count int, loop bool) verdict {
	e, f, h := in.e, &in.e.n.header, &p.Header
	m := &message{
		key:     messageKey{p.Session, f.src.get32(h), f.seq.get32(h)},
		context: f.context.get32(h), tag: f.tag.get32(h), of: f.collective(h), bytes: count,
	}
	if m.context == 0 && !e.rendezvous.foreign[p.Session] {
		e.rendezvous.foreign[p.Session] = true
	}
	switch {
	case e.rx.stale(m):
		return in.refuse(p, count, e.n.event.stale)
	case count == 0 && e.rx.headers < maxHeaders:
		e.rx.open(m)
		e.rx.add(m)
		return taken
	case len(e.rx.free) > 0 && uint64(count) > uint64(e.rx.free[0].bytes):
		return in.refuse(p, count, e.n.event.tooLarge)
	case count == 0 || !e.rx.welcome(m):
		if loop || !e.lossy {
			return held
		}
		return in.refuse(p, count, e.n.event.noBuffer)
	}
	m.buffer = e.rx.take()
	e.rx.open(m)
	if copyIn(e.device, m.buffer.addr, p.Payload) != nil {
		e.rx.record(m, e.n.rx.errorState) // the buffer is lost
		return in.refuse(p, count, e.n.event.noBuffer)
	}
	if len(p.Payload) < count {
		in.partly[p.Session] = &partial{left: count - len(p.Payload), msg: m, addr: m.buffer.addr + uint64(len(p.Payload))}
		return taken
	}
	e.rx.add(m)
	return taken
}

// begins reports whether a packet is the first of a message's several ones.
func (in *inbound) begins(p *fabric.Packet) bool {
	f, h := &in.e.n.header, &p.Header
	return f.clean(h) && f.messageType.get32(h) == in.e.n.message.eager &&
		uint64(len(p.Payload)) < uint64(f.count.get32(h))
}

// put receives what goes straight to the kernel stream.
func (in *inbound) put(p *fabric.Packet, count int, loop bool) verdict {
	e := in.e
	tdest := e.n.header.strm.get32(&p.Header) - e.n.putStreamOffset + e.n.putTDESTOffset
	whole := roundBeats(uint64(count), e.n.beatBytes)
	switch {
	case !e.hasStreams:
		return in.refuse(p, count, e.n.event.badPacket)
	case whole > uint64(e.toKernel.Most):
		return in.refuse(p, count, e.n.event.tooLarge)
	case !e.toKernel.Takes(whole):
		if loop || !e.lossy {
			return held
		}
		return in.refuse(p, count, e.n.event.noBuffer)
	}
	data := make([]byte, whole)
	n := copy(data, p.Payload)
	if n < count {
		in.partly[p.Session] = &partial{left: count - n, put: data, used: n, to: tdest}
		return taken
	}
	if count > 0 {
		e.toKernel.Put(engine.Piece{TDEST: tdest, Data: data, Pad: len(data) - count, Last: true})
		e.stats.MessagesIn++
	}
	return taken
}

// refuse drops a message, and further packets of it.
func (in *inbound) refuse(p *fabric.Packet, count int, event uint32) verdict {
	if left := count - len(p.Payload); left > 0 {
		in.partly[p.Session] = &partial{left: left}
	}
	return in.drop(event)
}

// proceed receives a further packet of a message: what would be its header is
// payload.
func (in *inbound) proceed(part *partial, p *fabric.Packet) verdict {
	e := in.e
	first := p.Header[:min(len(p.Header), part.left)]
	rest := p.Payload
	if len(first)+len(rest) > part.left {
		in.forget(p.Session)
		return in.drop(e.n.event.badPacket)
	}
	last := len(first)+len(rest) == part.left
	for _, b := range [][]byte{first, rest} {
		switch {
		case part.msg != nil && part.msg.buffer != nil:
			if copyIn(e.device, part.addr, b) != nil {
				e.rx.record(part.msg, e.n.rx.errorState)
				part.msg = nil
			}
		case part.put != nil:
			copy(part.put[part.used:], b)
		}
		part.addr += uint64(len(b))
		part.used += len(b)
		part.left -= len(b)
	}
	if !last {
		return taken
	}
	delete(in.partly, p.Session)
	switch {
	case part.msg != nil:
		e.rx.add(part.msg)
	case part.put != nil:
		// there was room when it began
		e.toKernel.Put(engine.Piece{TDEST: part.to, Data: part.put, Pad: len(part.put) - part.used, Last: true})
		e.stats.MessagesIn++
	}
	return taken
}
