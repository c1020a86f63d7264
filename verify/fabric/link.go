package fabric

import (
	"bytes"
	"time"
)

// flight is a packet on the wire, or the end of its session if it is nil.
type flight struct {
	packet  *Packet
	arrival int64 // in nanoseconds, or when those before it have arrived
}

// late is a packet that has been held back.
type late struct {
	packet    *Packet
	overtaken int   // how many later ones are let through first
	deadline  int64 // when it goes in any case, in nanoseconds
	jitter    float64
}

// deliver puts a packet into the queue, and reports whether that made the
// session ready.
func (l *link) deliver(packet *Packet) bool {
	l.queue.push(packet)
	l.stats.Delivered++
	if l.ready || l.held {
		return false
	}
	l.to.addReady(l)
	return true
}

// transmit sends the k-th packet of the link under conditions, nil for none.
func (l *link) transmit(c *conditions, packet *Packet, k uint64, e *effects) {
	n := l.to.net
	overtakable := len(l.late)
	var f fate
	if c != nil {
		f = n.decide(&c.Faults, l.from.index, l.to.index, k)
	}
	l.bytes += packet.size()
	var copied *Packet
	if f.duplicated && !f.lost {
		copied = &Packet{Session: packet.Session, Header: packet.Header, Payload: bytes.Clone(packet.Payload)}
		l.bytes += copied.size()
		l.stats.Duplicated++
	}
	switch {
	case f.lost:
		l.drop(packet, e)
	case f.overtaken > 0:
		l.stats.Reordered++
		deadline := n.now() + int64(reorderPatience)
		l.late = append(l.late, late{packet, f.overtaken, deadline, f.jitter})
		n.timers.at(n, l, deadline)
	default:
		l.depart(c, packet, f.jitter, e)
	}
	if copied != nil {
		l.depart(c, copied, f.jitter, e)
	}
	// Those that were held back before count this packet, lost or not.
	waiting := l.late[:0]
	for i, x := range l.late {
		if i < overtakable {
			x.overtaken--
		}
		if x.overtaken > 0 {
			waiting = append(waiting, x)
		} else {
			l.depart(c, x.packet, x.jitter, e)
		}
	}
	clear(l.late[len(waiting):])
	l.late = waiting
}

// depart puts a packet on the wire, or right into the queue if the way takes
// no time.
func (l *link) depart(c *conditions, packet *Packet, jitter float64, e *effects) {
	n := l.to.net
	cut := c.cut(l.from.index, l.to.index)
	if cut && n.lossy() {
		l.drop(packet, e)
		return
	}
	if !cut && !c.delayed() && l.wire.len() == 0 {
		if l.deliver(packet) {
			e.receiver = l.to
		}
		return
	}
	var delay time.Duration
	departure := n.now()
	if c != nil {
		if c.BytesPerSecond > 0 {
			departure = later(max(departure, l.free), float64(packet.size())/c.BytesPerSecond*1e9)
			l.free = departure
		}
		delay = c.Latency
		departure = later(departure, jitter*float64(c.Jitter))
	}
	l.put(flight{packet, later(departure, float64(delay))}, cut)
}

func (l *link) put(f flight, cut bool) {
	l.wire.push(f)
	if !cut {
		l.to.net.timers.at(l.to.net, l, l.wire.front().arrival)
	}
}

// horizon is a time that never comes, in nanoseconds.
const horizon = 1 << 62

// later adds nanoseconds to a time, up to the horizon.
func later(t int64, ns float64) int64 {
	if ns >= float64(horizon-t) {
		return horizon
	}
	return t + int64(ns)
}

// drop lets a packet vanish on its way.
func (l *link) drop(packet *Packet, e *effects) {
	l.bytes -= packet.size()
	l.stats.Dropped++
	e.dropped = append(e.dropped, packet)
	l.drained(e)
}

// drained notifies a sender that waits, if there is room again.
func (l *link) drained(e *effects) {
	if l.waiting && l.bytes <= l.to.net.options.WindowBytes/2 {
		l.waiting = false
		e.sender = l.from
	}
}

// advance moves on whatever is due. It takes the lock.
func (l *link) advance() {
	n := l.to.net
	var e effects
	l.to.mu.Lock()
	c, now := n.faults.Load(), n.now()
	cut := c.cut(l.from.index, l.to.index)
	for len(l.late) > 0 && l.late[0].deadline <= now {
		x := l.late[0]
		l.late[0] = late{}
		l.late = l.late[1:]
		l.depart(c, x.packet, x.jitter, &e)
	}
	stopped := cut && !n.lossy()
	for !stopped && l.wire.len() > 0 && l.wire.front().arrival <= now {
		switch f := l.wire.pop(); {
		case f.packet == nil:
			l.arriveEnd(&e)
		case cut:
			l.drop(f.packet, &e)
		case l.deliver(f.packet):
			e.receiver = l.to
		}
	}
	if l.wire.len() > 0 && !stopped {
		n.timers.at(n, l, l.wire.front().arrival)
	}
	if len(l.late) > 0 {
		n.timers.at(n, l, l.late[0].deadline)
	}
	l.to.mu.Unlock()
	e.run()
}

// end marks that the sender is gone. Its session closes when all that it has
// sent has arrived; UDP does not know sessions.
func (l *link) end(e *effects) {
	n := l.to.net
	l.ended = true
	if n.lossy() {
		return
	}
	c := n.faults.Load()
	cut := c.cut(l.from.index, l.to.index)
	if !cut && !c.delayed() && l.wire.len() == 0 {
		l.arriveEnd(e)
		return
	}
	arrival := n.now()
	if c != nil {
		arrival = later(arrival, float64(c.Latency))
	}
	l.put(flight{arrival: arrival}, cut)
}

func (l *link) arriveEnd(e *effects) {
	l.closed = true
	if l.queue.len() == 0 {
		l.reportClosed(e)
	}
}

// reportClosed lets Closed return the session.
func (l *link) reportClosed(e *effects) {
	l.to.closed = append(l.to.closed, l.from.index)
	e.receiver = l.to
}
