package fabric

import "errors"

// outbound is the way out of an impaired port on one session.
type outbound struct {
	line
	port    *Impaired
	session uint32
	address *address // nil if it is not known
	sure    bool     // which rank is at its end
	used    uint64   // when it was last

	queue    Queue[*Packet] // has come to the inner port
	flushing bool           // somebody hands it over
	stalled  bool           // the inner port is busy
	refused  bool           // the inner port did not take a packet that was on its way
}

// identify says to which rank the line leads.
func (l *outbound) identify(rank int) {
	l.sure = true
	l.to, l.key = rank, linkKey(uint32(l.from), uint32(rank))
	l.known, l.condition = nil, nil
}

func (l *outbound) arrive(packet *Packet, _ *effects) { l.queue.Push(packet) }

func (l *outbound) advance() {
	var e effects
	p := l.port
	p.mu.Lock()
	if !p.closed {
		l.step(&e)
		_ = l.flush(nil, &e)
	}
	p.mu.Unlock()
	e.run()
}

// flush hands over what has come to the inner port, unless somebody else does.
// The error is that of the packet that is still the caller's, if the inner
// port does not take it. The lock is held, but not all the time.
func (l *outbound) flush(own *Packet, e *effects) error {
	if l.flushing {
		return nil
	}
	l.flushing = true
	defer func() { l.flushing = false }()
	p := l.port
	for l.queue.Len() > 0 && !l.stalled {
		packet := l.queue.Pop()
		size := packet.size()
		rooms := p.rooms.Load()
		l.stats.Delivered++ // before anybody can have got it
		p.mu.Unlock()
		err := p.inner.Send(l.session, packet)
		p.mu.Lock()
		if err != nil {
			l.stats.Delivered--
		}
		switch {
		case err == nil:
			l.refused = false
			if packet == own {
				own = nil
			}
			l.leave(size, e)
		case errors.Is(err, ErrBusy) && !p.closed:
			l.queue.Unpop(packet)
			l.stall(rooms)
		case packet == own:
			l.stats.Sent--
			l.stats.Bytes -= uint64(size)
			l.leave(size, e)
			if p.closed {
				return ErrClosed
			}
			return err
		default:
			l.refused = true
			l.drop(packet, e)
		}
	}
	return nil
}

// stall lets the line wait for the next notification of the inner port, unless
// there has been one since so many.
func (l *outbound) stall(rooms uint64) {
	l.stalled = true
	l.port.stalled.Add(1)
	if l.port.rooms.Load() != rooms {
		l.resume()
	}
}

func (l *outbound) resume() {
	l.stalled = false
	l.port.stalled.Add(-1)
}
