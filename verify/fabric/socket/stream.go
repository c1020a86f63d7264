package socket

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

const (
	// readAhead is what a connection reads at once beyond large payloads, in bytes.
	readAhead = 4 << 10
	// batchPackets and batchBytes are written at once.
	batchPackets = 64
	batchBytes   = 512 << 10
)

// conn is what a connection needs of a socket, or of shared memory.
type conn interface {
	net.Conn
	CloseWrite() error
}

type stream struct {
	p        *TCPPort
	conn     conn
	made     bool // by this port; otherwise it came in
	foreign  bool // it came without a hello
	s        *session
	reading  bool // guarded by the lock of the port
	r        io.Reader
	header   [headerBytes]byte
	memory   *shm.Conn     // nil over a socket
	handed   chan struct{} // closed when packets in memory are left to the goroutine that reads
	isHanded bool
}

func newStream(p *TCPPort, conn conn, made bool) *stream {
	c := &stream{p: p, conn: conn, made: made}
	if memory, ok := conn.(*shm.Conn); ok {
		c.memory, c.r, c.handed = memory, c, make(chan struct{})
		return c
	}
	c.r = bufio.NewReaderSize(c, readAhead)
	return c
}

// Read reads what comes; at the end of a session, as long as something does.
func (c *stream) Read(b []byte) (int, error) {
	for idle := 0; ; {
		n, err := c.conn.Read(b)
		if n > 0 || !timedOut(err) || !c.another(&idle, true) {
			return n, err
		}
	}
}

// flush writes all; at the end of a session, as long as the other side takes some.
func (c *stream) flush(rest *net.Buffers) error {
	for idle := 0; ; {
		n, err := rest.WriteTo(c.conn)
		if n > 0 {
			idle = 0
		}
		if !timedOut(err) || !c.another(&idle, false) {
			return err
		}
	}
}

// another gives a session that ends another moment if it has not waited for too
// many. Who reads waits for who writes.
func (c *stream) another(idle *int, reads bool) bool {
	p := c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.s == nil {
		return false
	}
	l := c.s.link
	if *idle++; reads && l.writing {
		*idle = 0
	}
	now := time.Now()
	if l.state != ending || l.forced || *idle >= moments || now.After(l.latest) {
		return false
	}
	set := c.conn.SetWriteDeadline
	if reads {
		set = c.conn.SetReadDeadline
	}
	return set(now.Add(moment)) == nil
}

// remote is the address of a connection over a socket; the zero value in memory.
func (c *stream) remote() netip.AddrPort {
	if at, ok := c.conn.RemoteAddr().(*net.TCPAddr); ok {
		return unmap(at.AddrPort())
	}
	return netip.AddrPort{}
}

var (
	errForced   = errors.New("the session has ended")
	errTooLarge = errors.New("message too large")
)

// run reads packets until the connection or its session ends. The first header
// may have been read already.
func (c *stream) run(begun bool) {
	err := c.read(begun)
	p := c.p
	p.mu.Lock()
	c.reading = false
	was := c.s.link.state
	broken := was == up && !errors.Is(err, io.EOF)
	name, n := p.breakage(c.s, broken)
	p.breakUp(c.s)
	p.finish(c.s)
	p.unlock()
	if broken {
		p.mishap(n, "%s, connection of %v: %v", name, c.conn.RemoteAddr(), err)
	}
}

// breakage counts a session that has broken, and returns its name, and how many
// there were.
func (p *TCPPort) breakage(s *session, broken bool) (name string, n uint64) {
	if !broken {
		return "", 0
	}
	p.stats.Broken++
	return s.String(), p.stats.Broken
}

func (c *stream) read(begun bool) error {
	if c.memory != nil {
		c.p.look(c)
		c.memory.Ended(c.handed)
		c.p.lookAway(c)
	}
	for {
		if !begun {
			if _, err := io.ReadFull(c.r, c.header[:]); err == io.EOF {
				return err
			} else if err != nil {
				return midway(err)
			}
		}
		begun = false
		n := c.p.o.Framing(&c.header)
		if n < 0 || n > c.p.o.MaxMessage {
			return fmt.Errorf("%w: the header announces %d bytes, at most %d expected", errTooLarge, n, c.p.o.MaxMessage)
		}
		packet, err := readPacket(c.r, &c.header, n)
		if err != nil {
			return err
		}
		if err := c.deliver(packet); err != nil {
			return err
		}
	}
}

// deliver hands a packet over, and waits until there is room for the next one.
func (c *stream) deliver(packet *fabric.Packet) error {
	p, s := c.p, c.s
	p.mu.Lock()
	if p.gone {
		p.unlock()
		packet.Release()
		return c.discard()
	}
	p.arrived(packet)
	p.put(s, packet)
	if s.unread <= p.o.WindowBytes {
		p.unlock()
		return nil
	}
	p.unlock()
	return c.wait()
}

// arrived counts a packet.
func (p *TCPPort) arrived(packet *fabric.Packet) {
	p.stats.Received++
	p.stats.BytesIn += uint64(len(packet.Payload))
	if p.o.datagrams {
		sizeDatagram(&packet.Header, 0)
	}
}

// wait waits until there is room for more.
func (c *stream) wait() error {
	p, s, l := c.p, c.s, c.s.link
	p.mu.Lock()
	for s.unread > p.o.WindowBytes && !l.forced && !p.gone {
		l.stalled++
		l.room.Wait()
		l.stalled--
	}
	forced, gone, last := l.forced, p.gone, l.state == ending
	if last {
		l.latest = time.Now().Add(longest)
	}
	p.mu.Unlock()
	switch {
	case forced:
		return errForced
	case gone:
		return c.discard()
	case last:
		_ = c.conn.SetReadDeadline(time.Now().Add(moment))
	}
	return nil
}

// discard reads until the other side has ended, too: what is written is lost
// there if this side closes with something unread.
func (c *stream) discard() error {
	_ = c.conn.SetReadDeadline(time.Now().Add(moment))
	if _, err := io.Copy(io.Discard, c); err != nil {
		return err
	}
	return io.EOF
}

// batch is what is written at once.
type batch struct {
	packets []*fabric.Packet
	slices  [][]byte
	rest    net.Buffers
}

var batches = sync.Pool{New: func() any { return &batch{} }}

// writeLater writes what a session has queued, in a goroutine.
func (p *TCPPort) writeLater(s *session) {
	l := s.link
	if l.writing {
		return
	}
	l.choose()
	l.writing = true
	p.wg.Go(func() { p.write(s) })
}

// choose decides on which connection packets go.
func (l *link) choose() {
	if l.sender == nil {
		l.sender = l.made
	}
	if l.sender == nil {
		l.sender = l.came
	}
}

// writeNow writes a packet to shared memory if there is room for it, and reports whether it
// has.
func (p *TCPPort) writeNow(l *link, packet *fabric.Packet) bool {
	if l.state != up || l.writing || l.out.Len() > 0 {
		return false
	}
	l.choose()
	memory, header := l.sender.memory, packet.Header
	if p.o.datagrams {
		sizeDatagram(&header, len(packet.Payload))
	}
	if memory == nil || !memory.TryWrite(header[:], packet.Payload) {
		return false
	}
	p.stats.Sent++
	p.stats.BytesOut += uint64(len(packet.Payload))
	p.dropped = append(p.dropped, packet)
	return true
}

func (p *TCPPort) write(s *session) {
	l := s.link
	b := batches.Get().(*batch)
	defer batches.Put(b)
	failure := error(nil)
	p.mu.Lock()
	for l.out.Len() > 0 {
		bytes := b.fill(&l.out)
		sender := l.sender
		p.mu.Unlock()
		err := sender.flush(&b.rest)
		packets := b.release()
		p.mu.Lock()
		l.bytes -= bytes
		if err != nil {
			p.stats.Lost += uint64(packets)
			p.lose(l)
			if l.state == up {
				failure = err
			}
			p.breakUp(s)
			break
		}
		p.stats.Sent += uint64(packets)
		p.stats.BytesOut += uint64(bytes - packets*headerBytes)
		if l.waiting && l.bytes <= p.o.WindowBytes/2 {
			p.answer(l)
			p.unlock()
			p.mu.Lock()
		}
	}
	l.writing = false
	if l.state == ending {
		l.sayEnd()
		p.finish(s)
	}
	name, n := p.breakage(s, failure != nil)
	p.unlock()
	if failure != nil {
		p.mishap(n, "%s: %v", name, failure)
	}
}

// fill takes packets from the queue, at least one, and returns their size.
func (b *batch) fill(q *fabric.Queue[*fabric.Packet]) (bytes int) {
	for q.Len() > 0 && len(b.packets) < batchPackets && bytes < batchBytes {
		packet := q.Pop()
		b.packets = append(b.packets, packet)
		b.slices = append(b.slices, packet.Header[:])
		if len(packet.Payload) > 0 {
			b.slices = append(b.slices, packet.Payload)
		}
		bytes += headerBytes + len(packet.Payload)
	}
	b.rest = b.slices
	return bytes
}

// release gives the packets back, and returns how many there were.
func (b *batch) release() int {
	n := len(b.packets)
	for _, p := range b.packets {
		p.Release()
	}
	clear(b.packets)
	clear(b.slices)
	b.packets, b.slices, b.rest = b.packets[:0], b.slices[:0], nil
	return n
}

// timedOut tells whether a deadline has passed.
func timedOut(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
