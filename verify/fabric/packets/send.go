package packets

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	// piecesPerTurn are published to one rank before the others get their turn.
	piecesPerTurn = 16
	lingering     = time.Second
)

// outbound is what waits to be published.
type outbound struct {
	mu           sync.Mutex
	destinations []destination // by rank
	closing      bool
	emptied      chan struct{} // closed when nothing waits any more; nil unless closing
}

// destination is what waits for one rank.
type destination struct {
	topic   []byte
	queue   []*fabric.Packet
	bytes   int       // of packets in the queue
	waiting bool      // the engine has been told to wait
	missed  time.Time // since when the rank has not been there while it was needed; zero if it is
	given   bool      // what waited was dropped, and what follows is

	// of the goroutine that publishes
	begun int    // bytes of the first packet that were published
	text  []byte // the next piece, which could not be published yet
	piece int    // bytes of it
}

// Send hands over a packet to a rank. The error is ErrBusy while the rank has
// not subscribed, or too much waits for it; it is ErrClosed if there is no such
// rank, or it has not subscribed for long. Where the platform's network is UDP,
// packets vanish then.
func (p *Port) Send(session uint32, packet *fabric.Packet) error {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	switch {
	case p.out.closing:
		return fabric.ErrClosed
	case int64(session) >= int64(len(p.out.destinations)) || int(session) == p.o.Rank:
		return p.nowhere(packet)
	case p.o.Lossy && headerBytes+len(packet.Payload) > p.format.limit():
		return fmt.Errorf("packets: a payload of %d bytes: a packet on UDP has at most %d", len(packet.Payload),
			p.format.limit()-headerBytes)
	}
	d := &p.out.destinations[session]
	there := p.publisher.SubscribedTo(d.topic)
	switch {
	case !there && d.given:
		return p.nowhere(packet)
	case !there:
		if d.missed.IsZero() {
			d.missed = time.Now()
		}
		d.waiting = true
		p.stir()
		return fabric.ErrBusy
	case d.bytes > p.o.WindowBytes:
		d.waiting = true
		return fabric.ErrBusy
	}
	d.queue = append(d.queue, packet)
	d.bytes += size(packet)
	p.stir()
	return nil
}

// nowhere is Send to a rank that is not there.
func (p *Port) nowhere(packet *fabric.Packet) error {
	if !p.o.Lossy {
		return fabric.ErrClosed
	}
	p.stats.unheard.Add(1)
	packet.Release()
	return nil
}

// publish publishes what is sent until the port is closed.
func (p *Port) publish() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := p.round()
		timer.Reset(next)
		select {
		case <-p.life.Done():
			return
		case <-p.wake:
		case <-timer.C:
		}
	}
}

// round publishes all that can be, and returns how long it need not look again
// unless something happens.
func (p *Port) round() time.Duration {
	next := time.Hour
	for again := true; again && p.life.Err() == nil; {
		again, next = false, time.Hour
		for i := range p.out.destinations {
			more, wait := p.serve(&p.out.destinations[i])
			again = again || more
			next = min(next, wait)
		}
	}
	p.out.settle()
	return next
}

// serve publishes to one rank, and tells whether it could go on. If the rank is
// missed, it returns for how long it may be.
func (p *Port) serve(d *destination) (more bool, wait time.Duration) {
	if there, wait := p.attend(d); !there {
		return false, wait
	}
	for range piecesPerTurn {
		p.out.mu.Lock()
		var packet *fabric.Packet
		if len(d.queue) > 0 {
			packet = d.queue[0]
		}
		p.out.mu.Unlock()
		if packet == nil || !p.publishPiece(d, packet) {
			return false, time.Hour
		}
		if d.begun < size(packet) {
			continue
		}
		d.begun = 0
		p.remove(d)
		packet.Release()
	}
	return true, 0
}

// attend looks whether a rank is there. What waits for one that is missed for too
// long is dropped.
func (p *Port) attend(d *destination) (there bool, wait time.Duration) {
	there, wait = p.publisher.SubscribedTo(d.topic), time.Hour
	var dropped []*fabric.Packet
	wake := false
	p.out.mu.Lock()
	switch {
	case there:
		wake = d.waiting && d.bytes <= p.o.WindowBytes/2
		d.missed, d.given = time.Time{}, false
	case d.given, len(d.queue) == 0 && d.missed.IsZero():
	default:
		if d.missed.IsZero() {
			d.missed = time.Now()
		}
		if wait = time.Until(d.missed.Add(p.o.Patience)); wait <= 0 {
			dropped, wake, d.given = d.queue, d.waiting, true
			d.queue, d.bytes, wait = nil, 0, time.Hour
			d.begun, d.text = 0, nil
		}
	}
	if wake {
		d.waiting = false
	}
	p.out.mu.Unlock()
	for _, packet := range dropped {
		p.stats.unheard.Add(1)
		packet.Release()
	}
	if wake {
		p.tell()
	}
	return there, wait
}

// remove takes the first packet, which was published, from the queue.
func (p *Port) remove(d *destination) {
	p.out.mu.Lock()
	d.bytes -= size(d.queue[0])
	d.queue[0] = nil
	d.queue = d.queue[1:]
	wake := d.waiting && d.bytes <= p.o.WindowBytes/2
	if wake {
		d.waiting = false
	}
	p.out.mu.Unlock()
	if wake {
		p.tell()
	}
}

// publishPiece publishes the next piece of a packet, or fails because there is no
// room.
func (p *Port) publishPiece(d *destination, packet *fabric.Packet) bool {
	if d.text == nil {
		d.text, d.piece = p.format.piece(&packet.Header, packet.Payload, d.begun)
	}
	switch err := p.publisher.Publish(d.topic, p.own, d.text); {
	case errors.Is(err, zmq.ErrBusy):
		return false
	case err != nil:
		return false // closed
	}
	p.stats.published.Add(1)
	d.begun += d.piece
	d.text = nil
	return true
}

// settle tells who closes the port that nothing waits any more.
func (o *outbound) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.emptied == nil {
		return
	}
	waits := func(d destination) bool { return len(d.queue) > 0 && d.missed.IsZero() }
	if !slices.ContainsFunc(o.destinations, waits) {
		close(o.emptied)
		o.emptied = nil
	}
}

// linger waits until what was sent is published, but not for ranks that do not
// take it.
func (p *Port) linger() {
	emptied := make(chan struct{})
	p.out.mu.Lock()
	p.out.closing, p.out.emptied = true, emptied
	p.out.mu.Unlock()
	p.stir()
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-emptied:
	case <-timer.C:
	}
}

// drain releases what was not published.
func (o *outbound) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.destinations {
		d := &o.destinations[i]
		for _, packet := range d.queue {
			packet.Release()
		}
		d.queue, d.bytes = nil, 0
	}
}
