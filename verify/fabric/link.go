package fabric

// link is the way from one port of a Net to another, guarded by the lock of
// the latter.
type link struct {
	origin, target *port

	queue Queue[*Packet] // arrived
	line
	held   bool
	ready  bool // in the queue of those; it may be held nevertheless, until its turn comes
	ended  bool // the sender is gone
	closed bool // and all that it has sent has arrived

	opened  bool     // the target listens where the sender has connected to
	awaited *address // where the target does not listen yet; nil if nobody waits for that
}

func newLink(from, to *port) *link {
	l := &link{origin: from, target: to}
	l.line = line{
		medium: &to.net.medium, out: l, sender: &from.bell,
		from: int(from.index), to: int(to.index), key: linkKey(from.index, to.index),
	}
	return l
}

// open marks that the target listens where the sender has connected to.
func (l *link) open(e *effects) {
	l.opened, l.awaited = true, nil
	if l.waiting {
		l.waiting = false
		e.sender = l.sender
	}
}

// busy reports whether the sender has to wait, and remembers that it does.
func (l *link) busy() bool {
	if l.awaited != nil {
		l.waiting = true
		return true
	}
	return l.full()
}

// deliver puts a packet into the queue, and reports whether that made the
// session ready.
func (l *link) deliver(packet *Packet) bool {
	l.queue.Push(packet)
	l.stats.Delivered++
	if l.ready || l.held {
		return false
	}
	l.target.addReady(l)
	return true
}

func (l *link) arrive(packet *Packet, e *effects) {
	switch {
	case packet == nil:
		l.closed = true
		if l.queue.Len() == 0 {
			l.reportClosed(e)
		}
	case l.deliver(packet):
		e.receiver = &l.target.bell
	}
}

func (l *link) advance() {
	var e effects
	l.target.mu.Lock()
	l.step(&e)
	l.target.mu.Unlock()
	e.run()
}

// lose marks that the sender is gone. Its session closes when all that it has
// sent has arrived; UDP does not know sessions.
func (l *link) lose(e *effects) {
	l.ended = true
	if !l.medium.lossy {
		l.end(e)
	}
}

// reportClosed lets Closed return the session.
func (l *link) reportClosed(e *effects) {
	l.target.closed = append(l.target.closed, l.origin.index)
	e.receiver = &l.target.bell
}
