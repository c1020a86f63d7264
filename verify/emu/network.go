package emu

// networkSink sends a result as messages: eager segments, or packets of
// rendezvous data.
type networkSink struct {
	e       *Engine
	m       *move
	to      peer
	header  header // what the messages of the move have in common
	data    bool   // rendezvous data
	counted bool   // messages take sequence numbers
	left    uint64 // bytes that are in no packet yet
	chunk   uint64 // of these, bytes of the present chunk
	sent    uint64 // bytes in packets
	index   uint32 // of the next packet of rendezvous data

	filling *outPacket
	filled  int
	ready   *outPacket // full, but not taken by the network yet
}

// start readies the sink for a move; it is false if there is no such rank.
func (s *networkSink) start(e *Engine, m *move) bool {
	to, ok := e.peer(m.comm, m.destination)
	if ok {
		e.routes.Use(to)
	}
	*s = networkSink{e: e, m: m, to: to, index: m.packetIndex, left: m.form(m.wire)}
	s.data = e.n.rendezvous && m.messageType == e.n.message.data
	s.counted = m.messageType == e.n.message.eager && m.strm == 0 && !m.notice
	f := &e.n.header
	f.tag.put(&s.header, uint64(m.tag))
	f.src.put(&s.header, uint64(to.Local))
	f.strm.put(&s.header, uint64(m.strm))
	f.dst.put(&s.header, uint64(to.Session))
	f.context.put(&s.header, uint64(m.context))
	f.putCollective(&s.header, m.collective)
	f.notice.put(&s.header, flag(m.notice))
	f.messageType.put(&s.header, uint64(m.messageType))
	if m.messageType != e.n.message.eager {
		f.host.put(&s.header, flag(m.remoteHost))
		f.vaddr.put(&s.header, m.remoteAddress)
	}
	return ok
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// next is how many bytes the next packet has.
func (s *networkSink) next() uint64 {
	if s.data {
		return min(s.left, s.e.payload(s.m))
	}
	if s.chunk == 0 {
		s.chunk = s.left
		if c := uint64(s.m.chunkBytes); c > 0 {
			s.chunk = min(c, s.left)
		}
	}
	if c := uint64(s.m.segmentBytes); c > 0 {
		return min(c, s.chunk)
	}
	return s.chunk
}

func (s *networkSink) room(max int) ([]byte, wait, uint32) {
	if w, code := s.flush(); w != waitNone || code != 0 {
		return nil, w, code
	}
	if s.filling == nil {
		n := s.next()
		if s.e.lossy && n > s.e.maxPayload || n > s.e.n.maxTransfer {
			return nil, waitNone, s.e.n.code.size // a segment must be one packet, and one transfer
		}
		s.filling, s.filled = newPacket(int(n)), 0
	}
	rest := s.filling.Payload[s.filled:]
	return rest[:min(len(rest), max)], waitNone, 0
}

func (s *networkSink) put(n int) {
	s.filled += n
	if s.filled < len(s.filling.Payload) {
		return
	}
	s.seal(s.filling)
	s.filling = nil
}

// seal completes the header of a packet and readies it to be sent.
func (s *networkSink) seal(p *outPacket) {
	n := uint64(len(p.Payload))
	p.Header = s.header
	f := &s.e.n.header
	f.count.put(&p.Header, n)
	if s.data {
		f.seq.put(&p.Header, uint64(s.index))
		f.vaddr.put(&p.Header, s.m.remoteAddress+s.sent)
		s.index++
	} else {
		s.chunk -= n
	}
	s.left -= n
	s.sent += n
	s.ready = p
}

// alone readies a header without payload.
func (s *networkSink) alone() {
	p := newPacket(0)
	s.seal(p)
	if !s.data && s.m.messageType != s.e.n.message.eager {
		s.e.n.header.count.put(&p.Header, uint64(s.m.headerCount))
	}
}

// flush sends what is ready. A message takes its sequence number when it goes.
func (s *networkSink) flush() (wait, uint32) {
	p := s.ready
	if p == nil {
		return waitNone, 0
	}
	if s.counted {
		seq := s.e.exchange.Word(s.to.Record + s.e.n.comm.outbound)
		s.e.n.header.seq.put(&p.Header, uint64(seq.Load()))
		w, code := s.e.sendPacket(s.to, p)
		if w == waitNone && code == 0 {
			seq.Add(1)
			s.ready = nil
		}
		return w, code
	}
	announces := s.e.lossy && s.e.n.rendezvous && s.m.messageType == s.e.n.message.announcement
	if announces {
		s.e.rendezvous.number(s.to.Session, p, s.m)
	}
	w, code := s.e.sendPacket(s.to, p)
	if w == waitNone && code == 0 {
		if announces {
			s.e.rendezvous.numbers[s.to.Session]++
		}
		s.ready = nil
	}
	return w, code
}

func (s *networkSink) finish() (wait, uint32) { return s.flush() }

// end forgets what was not sent.
func (s *networkSink) end() {
	for _, p := range []**outPacket{&s.filling, &s.ready} {
		if *p != nil {
			(*p).free()
			*p = nil
		}
	}
}

// lender sends memory itself as rendezvous data, without copying it.
type lender struct {
	net   *networkSink // nil if the move lends nothing
	mem   space
	addr  uint64 // of the next byte to be sent
	ready uint64 // bytes from there on that may be sent
	lease *lease
}

// pump sends what is ready, in packets of the largest size; the last one may
// be smaller.
func (l *lender) pump() (wait, uint32) {
	if l.net == nil {
		return waitNone, 0
	}
	s := l.net
	for {
		if w, code := s.flush(); w != waitNone || code != 0 {
			return w, code
		}
		n := s.next()
		if n == 0 || l.ready < n {
			return waitNone, 0
		}
		p, code := l.packet(int(n))
		if code != 0 {
			return waitNone, code
		}
		s.seal(p)
		l.addr += n
		l.ready -= n
	}
}

// packet lends n bytes; those that lie in two pages are copied.
func (l *lender) packet(n int) (*outPacket, uint32) {
	b := l.mem.read(l.addr, n)
	if len(b) == n {
		return lendPacket(b, l.lease), 0
	}
	p := newPacket(n)
	if copyOut(p.Payload, l.mem, l.addr) != nil {
		p.free()
		return nil, l.net.e.n.code.decode
	}
	return p, 0
}

// finish waits until all lent memory has come back.
func (l *lender) finish() (wait, uint32) {
	if l.net == nil {
		return waitNone, 0
	}
	if w, code := l.pump(); w != waitNone || code != 0 {
		return w, code
	}
	if l.lease.out.Load() > 0 {
		return waitRemote, 0
	}
	return waitNone, 0
}
