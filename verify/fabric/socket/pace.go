package socket

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	// paceBytes may be on their way to a peer without an echo; fewer if the window is
	// small.
	paceBytes = 256 << 10
	// marks is how many marks are sent within paceBytes.
	marks = 4
	// pacePatience is the time without an answer after which a mark is repeated: marks
	// and answers may be lost.
	pacePatience = 100 * time.Millisecond
	// unanswered is the number of marks without an answer after which the sender goes
	// on, and sends no more of them to a peer that has never answered.
	unanswered = 3
)

// Offsets in marks and their answers, in bytes; the rest is as in a hello.
const (
	paceCount = 40
	paceKind  = 52
	paceMagic = "cclpaced"

	kindMark = 1
	kindEcho = 2
	kindFull = 3
)

// pacing keeps a port from sending datagrams faster than a peer reads them. The
// lock of the port guards it.
type pacing struct {
	sent    uint64    // bytes since the session began, as they count in windows
	marked  uint64    // bytes before the last mark
	echoed  uint64    // bytes acknowledged by the peer
	waiting bool      // Send has returned ErrBusy
	since   time.Time // when the last outstanding mark was sent, or answered
	tries   int       // marks since then without an answer
	heard   bool      // the peer has answered a mark
	deaf    bool      // the peer answers no marks

	owed uint64 // count of a mark of the peer that is to be echoed
	owes bool   // there is one
}

// ahead is what may be on its way without an echo.
func (p *UDPPort) ahead() uint64 { return uint64(min(paceBytes, p.o.WindowBytes/4)) }

// busy tells whether nothing more should be sent for now.
func (p *UDPPort) busy(c *pacing) bool { return !c.deaf && c.sent-c.echoed > p.ahead() }

// control is a datagram that is no packet.
type control struct {
	to   netip.AddrPort
	beat [headerBytes]byte
}

func newControl(to netip.AddrPort, kind byte, count uint64) *control {
	c := &control{to: to}
	binary.LittleEndian.PutUint64(c.beat[paceCount:], count)
	binary.LittleEndian.PutUint32(c.beat[helloVersion:], version)
	c.beat[paceKind] = kind
	copy(c.beat[helloMagic:], paceMagic)
	return c
}

// parseControl is false for what is no mark and no echo.
func parseControl(b []byte) (kind byte, count uint64, ok bool) {
	if len(b) != headerBytes || string(b[helloMagic:]) != paceMagic {
		return 0, 0, false
	}
	kind, count = b[paceKind], binary.LittleEndian.Uint64(b[paceCount:])
	return kind, count, [headerBytes]byte(b) == newControl(netip.AddrPort{}, kind, count).beat
}

// pace says whether a packet may be sent, and which mark follows it.
func (p *UDPPort) pace(s *session, packet *fabric.Packet) (mark *control, err error) {
	c := &s.pacing
	if p.o.Unpaced {
		return nil, nil
	}
	if p.busy(c) {
		if !c.waiting {
			c.waiting, c.since, c.tries = true, time.Now(), 0
			p.lookLater()
		}
		return nil, fabric.ErrBusy
	}
	c.sent += uint64(cost(packet))
	if c.deaf || c.sent-c.marked < p.ahead()/marks {
		return nil, nil
	}
	c.marked = c.sent
	return newControl(s.addr, kindMark, c.sent), nil
}

// heed takes a mark or what answers one, and returns what is to be answered.
func (p *UDPPort) heed(s *session, kind byte, count uint64) *control {
	c := &s.pacing
	switch {
	case kind == kindMark:
		c.owed, c.owes = count, true
		if answer := p.echo(s); answer != nil {
			return answer
		}
		return newControl(s.addr, kindFull, count)
	case count > c.sent: // nothing like that has been sent
	case kind == kindEcho:
		c.echoed = max(c.echoed, count)
		p.resume(c)
		fallthrough
	case kind == kindFull:
		c.heard, c.since, c.tries = true, time.Now(), 0
	}
	return nil
}

// echo answers the last mark, as soon as there is room for what may follow it.
func (p *UDPPort) echo(s *session) *control {
	c := &s.pacing
	if !c.owes || s.unread > p.o.WindowBytes/2 {
		return nil
	}
	c.owes = false
	return newControl(s.addr, kindEcho, c.owed)
}

// resume lets a sender that was busy try again.
func (p *UDPPort) resume(c *pacing) {
	if c.waiting && !p.busy(c) {
		c.waiting = false
		p.wake = true
	}
}

// lookLater sees to it some time later that nobody waits in vain.
func (p *UDPPort) lookLater() {
	if p.looking || p.gone {
		return
	}
	p.looking = true
	p.look = time.AfterFunc(pacePatience, func() {
		d, marks := p.lookAround()
		for _, mark := range marks {
			d.answer(mark)
		}
	})
}

// lookAround returns marks for the peers that have not answered one for a while,
// and expects nothing more from some.
func (p *UDPPort) lookAround() (d *datagrams, marks []*control) {
	p.mu.Lock()
	defer p.unlock()
	p.looking = false
	for _, s := range p.sessions.addresses {
		c := &s.pacing
		if !c.waiting {
			continue
		}
		if time.Since(c.since) >= pacePatience {
			c.since = time.Now()
			c.tries++
			marks = append(marks, newControl(s.addr, kindMark, c.sent))
		}
		if c.tries >= unanswered {
			c.echoed, c.deaf, c.tries = c.sent, !c.heard, 0
			p.resume(c)
			continue
		}
		p.lookLater()
	}
	return p.socket, marks
}
