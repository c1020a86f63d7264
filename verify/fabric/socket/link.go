package socket

import (
	"sync"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// linkState is how far the connections of a session are.
type linkState int

const (
	idle   linkState = iota // none yet; the first Send makes one
	up                      // at least one
	ending                  // one has ended: the rest is read and written, briefly
	over                    // until somebody connects anew
)

// When a session ends, what is queued is still written, and what comes is still
// read, until nothing has moved for so many moments, one after the other: a process
// that gets no processor for longer than all of them has seen but one. After longest
// it is given up whatever moves.
const (
	moment  = 50 * time.Millisecond
	moments = 4
	longest = 5 * time.Second

	lingering = moments * moment
)

// link is what a session has on TCP: its connections, and what is to be sent. The
// lock of the port guards it.
type link struct {
	state   linkState
	removed bool // the session is no longer known
	met     bool // there has been a connection
	streams []*stream
	made    *stream // that this port made, nil if there is none
	came    *stream // that came in
	sender  *stream // to which packets are written; it stays the same

	out     fabric.Queue[*fabric.Packet]
	bytes   int  // of packets in out, and of those that are being written
	writing bool // a goroutine does that
	waiting bool // Send has answered ErrBusy

	awaited bool          // nobody listened yet when Connect asked
	dialing func()        // ends the goroutine that dials until somebody is there; nil if there is none
	attempt chan struct{} // held by who dials

	room    sync.Cond // readers wait on it until what has come is received
	stalled int       // readers that wait
	forced  bool      // they shall wait no longer
	latest  time.Time // when a session that is ending is given up
	ended   chan struct{}
}

func newLink(mu *sync.Mutex) *link {
	return &link{attempt: make(chan struct{}, 1), room: sync.Cond{L: mu}}
}

// attach adds a connection to a session that is not ending.
func (p *TCPPort) attach(s *session, c *stream) {
	l := s.link
	l.met = true
	c.s, c.reading = s, true
	_ = c.conn.SetReadDeadline(time.Time{}) // there was one for the first beat
	if l.state != up {
		l.state, l.ended, l.forced = up, make(chan struct{}), false
	}
	if l.awaited {
		l.awaited = false
		p.answer(l)
	}
	l.streams = append(l.streams, c)
	if c.made {
		l.made = c
	} else {
		l.came = c
	}
	if l.dialing != nil {
		l.dialing()
	}
	if l.out.Len() > 0 {
		p.writeLater(s)
	}
	if p.gone {
		p.breakUp(s)
	}
}

// breakUp ends a session of which a connection has ended, or whose port is
// closed. What is queued is written if the other side takes it, and what has come
// is read.
func (p *TCPPort) breakUp(s *session) {
	l := s.link
	if l.state != up {
		return
	}
	l.state, l.latest = ending, time.Now().Add(longest)
	for _, c := range l.streams {
		_ = c.conn.SetWriteDeadline(time.Now().Add(moment))
		if c.memory != nil {
			c.memory.Ending()
		}
	}
	if !l.writing {
		l.sayEnd()
	}
	p.answer(l)
}

// answer says that a Send that was busy has another answer now.
func (p *TCPPort) answer(l *link) {
	p.wake = p.wake || l.waiting
	l.waiting = false
}

// sayEnd tells the other side that nothing more comes, and expects the same soon.
func (l *link) sayEnd() {
	for _, c := range l.streams {
		_ = c.conn.CloseWrite()
		_ = c.conn.SetReadDeadline(time.Now().Add(moment))
	}
}

// force makes a session end at once.
func (p *TCPPort) force(s *session) {
	p.breakUp(s)
	l := s.link
	if l.state != ending {
		return
	}
	l.forced = true
	for _, c := range l.streams {
		_ = c.conn.SetDeadline(time.Now())
	}
	l.room.Broadcast()
}

// finish ends a session that is ending when its goroutines have ended.
func (p *TCPPort) finish(s *session) {
	l := s.link
	if l.state != ending || l.writing {
		return
	}
	for _, c := range l.streams {
		if c.reading {
			return
		}
	}
	for _, c := range l.streams {
		p.hangUp(c)
	}
	l.streams, l.made, l.came, l.sender = nil, nil, nil, nil
	p.lose(l)
	l.state = over
	if l.awaited {
		l.state = idle
	}
	close(l.ended)
	p.conclude(s)
	if !s.wanted() {
		p.parted(s)
	}
}

// hangUp closes a connection.
func (p *TCPPort) hangUp(c *stream) {
	_ = c.conn.Close()
	delete(p.came, c)
}

// lose drops what a session was to send.
func (p *TCPPort) lose(l *link) {
	p.stats.Lost += uint64(l.out.Len())
	for l.out.Len() > 0 {
		packet := l.out.Pop()
		l.bytes -= headerBytes + len(packet.Payload)
		p.dropped = append(p.dropped, packet)
	}
}

// parted keeps what came in a session that nobody asked for and that is over,
// for a limited number of them.
func (p *TCPPort) parted(s *session) {
	p.forget(s)
	if s.link.removed {
		return
	}
	p.strangers = append(p.strangers, s)
	for len(p.strangers) > p.o.Connections {
		old := p.strangers[0]
		p.strangers = p.strangers[1:]
		if !old.link.removed && !old.wanted() && old.link.state == over {
			p.empty(old)
			p.remove(old)
		}
	}
}

// forget removes a session that nobody asked for, if nothing is left of it.
func (p *TCPPort) forget(s *session) {
	if !s.wanted() && !s.reported && s.link.state == over && s.queue.Len() == 0 {
		p.remove(s)
	}
}

func (p *TCPPort) remove(s *session) {
	if s.link.removed {
		return
	}
	s.link.removed = true
	if s.link.dialing != nil {
		s.link.dialing()
	}
	p.lose(s.link)
	p.sessions.remove(s)
}
