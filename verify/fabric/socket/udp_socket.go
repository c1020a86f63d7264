package socket

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// atOnce is how many datagrams are read before others get their turn.
const atOnce = 32

// datagrams is the socket of a UDP port.
type datagrams struct {
	p    *UDPPort
	at   netip.AddrPort
	conn *net.UDPConn
	raw  syscall.RawConn
	try  func(fd uintptr) bool // attempt
	now  func(fd uintptr, b []byte, to syscall.Sockaddr) error

	mu      sync.Mutex // of what is below; not held with the lock of the port
	staged  [maxDatagram]byte
	size    int // bytes staged
	to      syscall.SockaddrInet4
	err     error // of the attempt
	queue   fabric.Queue[outgoing]
	bytes   int           // in the queue
	writing bool          // a goroutine writes the queue
	written chan struct{} // closed when it has ended
	waiting bool          // Send has answered ErrBusy
	closed  bool

	// reading is held from reading to handing over, which keeps the order, and
	// guards what is below. It is taken before mu and the lock of the port.
	reading sync.Mutex
	in      *datagram // to be read into
	receive func(fd uintptr)
	got     int
	from    netip.AddrPort
	failed  error
}

// outgoing is a packet that the system had no room for.
type outgoing struct {
	to     netip.AddrPort
	packet *fabric.Packet
}

func bindDatagrams(p *UDPPort, at netip.AddrPort) (*datagrams, error) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, bound("binding UDP port", at, err)
	}
	d := &datagrams{p: p, conn: conn, at: unmap(conn.LocalAddr().(*net.UDPAddr).AddrPort())}
	d.try, d.now = d.attempt, sendNow
	d.receive = func(fd uintptr) { d.got, d.from, d.failed = receiveNow(fd, d.in.room[:]) }
	if d.raw, err = conn.SyscallConn(); err != nil {
		return nil, errors.Join(bound("binding UDP port", at, err), conn.Close())
	}
	enlarge(conn, d.raw)
	return d, nil
}

// send writes a packet, or queues it if the system has no room.
func (d *datagrams) send(to netip.AddrPort, packet *fabric.Packet) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		d.p.sent(0, net.ErrClosed)
		packet.Release()
		return nil
	}
	if d.writing {
		defer d.mu.Unlock()
		return d.enqueue(to, packet)
	}
	err := d.write(to, packet.Header[:], packet.Payload)
	if errors.Is(err, syscall.EAGAIN) {
		defer d.mu.Unlock()
		d.writing, d.written = true, make(chan struct{})
		go d.drain()
		return d.enqueue(to, packet)
	}
	d.mu.Unlock()
	d.p.sent(len(packet.Payload), err)
	packet.Release()
	return nil
}

// write writes a datagram if the system has room.
func (d *datagrams) write(to netip.AddrPort, header, payload []byte) error {
	d.size = copy(d.staged[:], header)
	d.size += copy(d.staged[d.size:], payload)
	d.to.Addr, d.to.Port = to.Addr().As4(), int(to.Port())
	if err := d.raw.Write(d.try); err != nil {
		return err
	}
	return d.err
}

// answer writes what is no packet, if there is something and the system has room.
func (d *datagrams) answer(c *control) {
	if d == nil || c == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed && !d.writing {
		_ = d.write(c.to, c.beat[:], nil) // it may be lost as well
	}
}

// attempt sends what is staged if that does not block.
func (d *datagrams) attempt(fd uintptr) bool {
	for {
		d.err = d.now(fd, d.staged[:d.size], &d.to)
		if d.err != syscall.EINTR {
			return true
		}
	}
}

func (d *datagrams) enqueue(to netip.AddrPort, packet *fabric.Packet) error {
	if d.bytes > d.p.o.WindowBytes {
		d.waiting = true
		return fabric.ErrBusy
	}
	d.bytes += cost(packet)
	d.queue.Push(outgoing{to, packet})
	return nil
}

// drain writes the queue until it is empty.
func (d *datagrams) drain() {
	var staged [maxDatagram]byte
	d.mu.Lock()
	for d.queue.Len() > 0 {
		out := d.queue.Pop()
		d.mu.Unlock()
		n := copy(staged[:], out.packet.Header[:])
		n += copy(staged[n:], out.packet.Payload)
		_, err := d.conn.WriteToUDPAddrPort(staged[:n], out.to)
		d.p.sent(len(out.packet.Payload), err)
		size := cost(out.packet)
		out.packet.Release()
		d.mu.Lock()
		d.bytes -= size
		if d.waiting && d.bytes <= d.p.o.WindowBytes/2 {
			d.waiting = false
			d.mu.Unlock()
			d.p.notifyNow()
			d.mu.Lock()
		}
	}
	d.writing = false
	close(d.written)
	d.mu.Unlock()
}

// close closes the socket once the queue is written, or after a time.
func (d *datagrams) close(linger time.Duration) error {
	d.mu.Lock()
	d.closed = true
	writing, written := d.writing, d.written
	d.mu.Unlock()
	if writing {
		_ = d.conn.SetWriteDeadline(time.Now().Add(linger))
		<-written
	}
	drops := kernelDrops(d.raw)
	err := d.conn.Close()
	d.p.mu.Lock()
	d.p.stats.System += drops
	d.p.mu.Unlock()
	return err
}

// datagram is a packet of a size that is not known before it is there. One byte
// more shows that it is too large.
type datagram struct {
	fabric.Packet
	room [maxDatagram + 1]byte
	back func() // as Packet.Free
}

var datagramPool sync.Pool

func newDatagram() *datagram {
	b, ok := datagramPool.Get().(*datagram)
	if !ok {
		b = &datagram{}
		b.back = func() {
			b.Payload = nil
			datagramPool.Put(b)
		}
	}
	b.Free = b.back
	return b
}

// read receives datagrams until the socket is closed.
func (d *datagrams) read() {
	select {
	case <-d.p.settled:
	case <-d.p.life.Done():
		return
	}
	for {
		if err := d.readMore(); errors.Is(err, net.ErrClosed) {
			return
		}
		pause(d.p.life, shortestPause)
	}
}

// readMore reads datagrams until that fails.
func (d *datagrams) readMore() (err error) {
	more := func(uintptr) (failed bool) {
		d.reading.Lock()
		defer d.reading.Unlock()
		for err = nil; err == nil; {
			_, err = d.take()
		}
		return !errors.Is(err, syscall.EAGAIN)
	}
	if !polls {
		more(0)
		return err
	}
	return errors.Join(d.raw.Read(more), err)
}

// pull reads what is there, unless somebody else does, and reports whether there
// was anything.
func (d *datagrams) pull() bool {
	if !d.reading.TryLock() {
		return false
	}
	defer d.reading.Unlock()
	n, _ := d.take()
	return n > 0
}

// take reads some datagrams that are there. The error is EAGAIN if there are no
// more.
func (d *datagrams) take() (n int, err error) {
	for ; n < atOnce; n++ {
		if d.in == nil {
			d.in = newDatagram()
		}
		if !polls {
			d.got, d.from, d.failed = d.conn.ReadFromUDPAddrPort(d.in.room[:])
			d.from = unmap(d.from)
		} else if err := d.raw.Control(d.receive); err != nil {
			return n, err
		}
		if d.failed != nil {
			return n, d.failed
		}
		kept, answer := d.p.arrive(d.in, d.got, d.from)
		if kept {
			d.in = nil
		}
		d.answer(answer)
	}
	return n, nil
}

// arrive takes a datagram of n bytes, and reports whether it keeps it, and what is
// to be answered.
func (p *UDPPort) arrive(b *datagram, n int, from netip.AddrPort) (kept bool, answer *control) {
	packet := &b.Packet
	p.mu.Lock()
	defer p.unlock()
	s := p.sessions.addresses[from]
	if kind, count, ok := parseControl(b.room[:min(n, len(b.room))]); ok && s != nil {
		return false, p.heed(s, kind, count)
	}
	drop := (*uint64)(nil)
	switch {
	case p.gone:
		return false, nil
	case s == nil:
		drop = &p.stats.Strangers
	case n < headerBytes:
		drop = &p.stats.Short
	case n > maxDatagram:
		drop = &p.stats.TooLarge
	case s.unread > p.o.WindowBytes:
		drop = &p.stats.Overflow
	}
	if drop != nil {
		*drop++
		return false, nil
	}
	payload := b.room[headerBytes:n]
	if kept = len(payload) > 1<<10; kept {
		b.Payload = payload
	} else {
		small := newBuffer(len(payload))
		copy(small.Payload, payload)
		packet = &small.Packet
	}
	packet.Header = [headerBytes]byte(b.room[:])
	p.stats.Received++
	p.stats.BytesIn += uint64(len(payload))
	p.put(s, packet)
	return kept, nil
}
