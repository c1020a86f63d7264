package fabric

import (
	"bytes"
	"time"
)

// line is what a network does to the packets of one link, from Send until they
// arrive at its outlet: fate, delay, rate, partition and window. The lock of its
// owner guards it.
type line struct {
	medium *medium
	out    outlet
	sender *bell

	bytes   int  // of packets that have not left the outlet
	waiting bool // the sender has been told to wait
	stats   Stats

	wire Queue[flight] // on its way; nothing arrives before what was sent earlier
	late []late        // held back, so that others overtake
	free int64         // when the wire takes the next packet, in nanoseconds

	from, to int    // the ports at its ends, or Unknown
	key      uint64 // of the link, for the dice

	known     *Conditions // those that the next two come from
	condition *Condition  // nil if there are no faults
	dice      dice

	timer  *time.Timer // of the next step; nil before the first
	due    int64       // when that is, in nanoseconds
	awaits bool        // there is one
}

// outlet is what a line leads to.
type outlet interface {
	// arrive takes a packet, or the end of the session if it is nil. The lock is
	// held.
	arrive(packet *Packet, e *effects)
	// advance takes the lock, lets the line step, and does what is to be done
	// without the lock.
	advance()
}

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

// weather is the condition of the line now, nil if it has no faults.
func (l *line) weather() *Condition {
	if c := l.medium.conditions.Load(); c != l.known {
		l.known, l.condition = c, c.of(l.from, l.to)
		if l.condition != nil {
			l.dice = newDice(c.Seed, l.key)
		}
	}
	return l.condition
}

// full reports whether the sender has to wait, and remembers that it does.
func (l *line) full() bool {
	if l.bytes <= l.medium.window {
		return false
	}
	l.waiting = true
	return true
}

// count counts a packet that was sent. The number is its place among them.
func (l *line) count(size int) (k uint64) {
	k = l.stats.Sent
	l.stats.Sent++
	l.stats.Bytes += uint64(size)
	return k
}

// straight reports whether nothing is on its way that a packet could overtake.
func (l *line) straight() bool { return l.wire.Len() == 0 && len(l.late) == 0 }

// transmit sends the k-th packet of the line.
func (l *line) transmit(packet *Packet, k uint64, e *effects) {
	overtakable := len(l.late)
	c := l.weather()
	var f fate
	if c != nil {
		f = c.decide(l.medium.lossy, l.dice, k)
	}
	l.bytes += packet.size()
	var copied *Packet
	if f.duplicated && !f.lost {
		copied = &Packet{Session: packet.Session, Header: packet.Header, Payload: bytes.Clone(packet.Payload),
			Segment: packet.Segment}
		l.bytes += copied.size()
		l.stats.Duplicated++
	}
	switch {
	case f.lost:
		l.drop(packet, e)
	case f.overtaken > 0:
		l.stats.Reordered++
		deadline := l.medium.now() + int64(reorderPatience)
		l.late = append(l.late, late{packet, f.overtaken, deadline, f.jitter})
		l.at(deadline)
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

// depart puts a packet on the wire, or right into the outlet if the way takes
// no time.
func (l *line) depart(c *Condition, packet *Packet, jitter float64, e *effects) {
	cut := c.cut()
	if cut && l.medium.lossy {
		l.drop(packet, e)
		return
	}
	if !cut && !c.delayed() && l.wire.Len() == 0 {
		l.out.arrive(packet, e)
		return
	}
	var delay time.Duration
	departure := l.medium.now()
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

func (l *line) put(f flight, cut bool) {
	l.wire.Push(f)
	if !cut {
		l.at(l.wire.Front().arrival)
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
func (l *line) drop(packet *Packet, e *effects) {
	l.stats.Dropped++
	e.dropped = append(e.dropped, packet)
	l.leave(packet.size(), e)
}

// leave makes room in the window, and notifies a sender that waits if there is
// enough again.
func (l *line) leave(size int, e *effects) {
	l.bytes -= size
	if l.waiting && l.bytes <= l.medium.window/2 {
		l.waiting = false
		e.sender = l.sender
	}
}

// at lets the line step at a time in nanoseconds, or earlier if that has been asked for.
func (l *line) at(when int64) {
	if l.awaits && l.due <= when {
		return
	}
	l.awaits, l.due = true, when
	d := time.Duration(when - l.medium.now())
	if l.timer == nil {
		l.timer = time.AfterFunc(d, l.out.advance)
	} else {
		l.timer.Reset(d)
	}
}

// step moves on whatever is due.
func (l *line) step(e *effects) {
	l.awaits = false
	c, now := l.weather(), l.medium.now()
	for len(l.late) > 0 && l.late[0].deadline <= now {
		x := l.late[0]
		l.late[0] = late{}
		l.late = l.late[1:]
		l.depart(c, x.packet, x.jitter, e)
	}
	stopped := c.cut() && !l.medium.lossy
	for !stopped && l.wire.Len() > 0 && l.wire.Front().arrival <= now {
		if f := l.wire.Pop(); f.packet != nil && c.cut() {
			l.drop(f.packet, e)
		} else {
			l.out.arrive(f.packet, e)
		}
	}
	if l.wire.Len() > 0 && !stopped {
		l.at(l.wire.Front().arrival)
	}
	if len(l.late) > 0 {
		l.at(l.late[0].deadline)
	}
}

// end sends the end of the session after all that is on its way.
func (l *line) end(e *effects) {
	c := l.weather()
	if !c.cut() && !c.delayed() && l.wire.Len() == 0 {
		l.out.arrive(nil, e)
		return
	}
	arrival := l.medium.now()
	if c != nil {
		arrival = later(arrival, float64(c.Latency))
	}
	l.put(flight{arrival: arrival}, c.cut())
}

// abandon returns all that is on its way, which will not arrive.
func (l *line) abandon() (packets []*Packet) {
	if l.timer != nil {
		l.timer.Stop()
	}
	for l.wire.Len() > 0 {
		if f := l.wire.Pop(); f.packet != nil {
			packets = append(packets, f.packet)
		}
	}
	for _, x := range l.late {
		packets = append(packets, x.packet)
	}
	l.late = nil
	l.stats.Dropped += uint64(len(packets))
	return packets
}
