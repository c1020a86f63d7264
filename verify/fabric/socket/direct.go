package socket

import (
	"errors"
	"sync"
	"syscall"

	"github.com/cclforge/cclforge/verify/fabric"
)

// directBytes is the largest packet that Send writes itself, if nothing else is
// to be written: waking up a goroutine takes longer.
const directBytes = 4 << 10

// direct is a write that does not wait.
type direct struct {
	try    func(fd uintptr) bool // attempt
	staged [directBytes]byte
	rest   []byte // of staged, to be written
	err    error
}

var directs = sync.Pool{New: func() any {
	d := &direct{}
	d.try = d.attempt
	return d
}}

// attempt writes what the system has room for.
func (d *direct) attempt(fd uintptr) bool {
	for {
		n, err := writeNow(fd, d.rest)
		if err == syscall.EINTR {
			continue
		}
		d.rest, d.err = d.rest[max(n, 0):], err
		return true
	}
}

// writeNow writes a packet of a session on which nothing else is being written,
// as far as the system has room; a goroutine writes the rest. The lock of the
// port is held, but not while writing.
func (p *TCPPort) writeNow(s *session, packet *fabric.Packet) error {
	l, size := s.link, headerBytes+len(packet.Payload)
	conn := l.choose().raw
	l.writing = true
	l.bytes += size
	p.wg.Add(1)
	defer p.wg.Done()
	p.unlock()

	d := directs.Get().(*direct)
	n := copy(d.staged[:], packet.Header[:])
	n += copy(d.staged[n:], packet.Payload)
	d.rest, d.err = d.staged[:n], nil
	err := conn.Write(d.try)
	if err == nil {
		err = d.err
	}
	written := n - len(d.rest)
	directs.Put(d)

	p.mu.Lock()
	l.writing = false
	switch {
	case err != nil && !errors.Is(err, syscall.EAGAIN):
		l.bytes -= size
		p.stats.Broken++
		p.lose(l)
		p.breakUp(s)
		p.finish(s)
		return fabric.ErrClosed
	case written < n:
		l.out.pushFront(packet)
		l.begun = written
	default:
		l.bytes -= size
		p.count(1, len(packet.Payload))
		p.dropped = append(p.dropped, packet)
	}
	p.written(s)
	return nil
}
