package shm

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// linger is how long a side looks again before it sleeps: waking up takes longer than the
// next message of a busy world.
const linger = 20 * time.Microsecond

// What bytes on the socket say.
const (
	saysData = 'd' // there is something to read
	saysRoom = 'r' // there is room to write
	saysEnd  = 'e' // nothing more comes
)

// Conn is one end of a stream. One goroutine may read while another one writes. A stream that
// was accepted takes the memory, and looks at who has made it, in its first Read.
type Conn struct {
	bell     *net.UnixConn
	ring     func(byte) error // rings the bell
	peer     Addr
	stranger bool // it is of another user

	reading, writing sync.Mutex // held while the memory is used, and around its end
	in, out          ring
	memory           []byte // nil before there is any, and after Close
	lending          sync.Mutex
	lent             []*Loan // what was read and not given back, in order
	gone             []byte  // memory after Close, while some of it is lent
	greet            func() ([]byte, error)
	greeted          atomic.Bool

	data, room chan struct{}          // the peer has rung
	told       atomic.Pointer[func()] // called then in place of data; nil unless Polled
	ended      chan struct{}          // the peer has said that it has ended, or soon will
	over       chan struct{}          // the peer has closed the stream, or died
	closed     chan struct{}
	close      func() error
	readBy     deadline
	writeBy    deadline
}

func newConn(bell *net.UnixConn) *Conn {
	c := &Conn{bell: bell, data: make(chan struct{}, 1), room: make(chan struct{}, 1), over: make(chan struct{}),
		ended: make(chan struct{}), closed: make(chan struct{}), readBy: newDeadline(), writeBy: newDeadline()}
	c.close = sync.OnceValue(c.shut)
	return c
}

// start uses memory, and listens for the bell.
func (c *Conn) start(memory []byte, dialed bool) {
	c.memory = memory
	c.greeted.Store(true)
	own, other := &c.out, &c.in
	if !dialed {
		own, other = other, own
	}
	own.control, own.data, other.control, other.data = rings(memory)
	go func() {
		var b [64]byte
		for {
			n, err := c.bell.Read(b[:])
			for _, what := range b[:n] {
				c.heed(what)
			}
			if errors.Is(err, os.ErrDeadlineExceeded) { // of the greeting
				err = c.bell.SetReadDeadline(time.Time{})
			}
			if err != nil {
				close(c.over)
				return
			}
		}
	}()
}

// heed does what a byte on the socket asks for.
func (c *Conn) heed(what byte) {
	to := c.room
	switch what {
	case saysData:
		if told := c.told.Load(); told != nil {
			(*told)()
			return
		}
		to = c.data
	case saysEnd:
		if !IsClosed(c.ended) {
			close(c.ended)
		}
		to = c.data
	}
	select {
	case to <- struct{}{}:
	default:
	}
}

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if err := c.meet(); err != nil || len(b) == 0 {
		return 0, err
	}
	n, err := c.await(c.in.unread, c.data, &c.readBy, func(sleeps uint32) { c.in.dry.Store(sleeps) })
	if err != nil {
		return 0, err
	}
	l := &Loan{}
	n = copy(b, c.lend(l, min(n, len(b))))
	l.Return()
	return n, nil
}

// meet takes the memory of who has dialed.
func (c *Conn) meet() error {
	if c.greet == nil {
		return nil
	}
	memory, err := c.greet()
	if err != nil {
		return err
	}
	c.greet = nil
	c.writing.Lock()
	defer c.writing.Unlock()
	c.start(memory, false)
	return nil
}

// await waits until a ring has something to read, or room.
func (c *Conn) await(look func() (int, error), told chan struct{}, by *deadline, sleeps func(uint32)) (
	int, error) {
	var start time.Time
	for {
		if IsClosed(c.closed) {
			return 0, net.ErrClosed
		}
		// Before the last look: what was written before the end is read.
		over := c.in.ended.Load() != 0 && told == c.data || IsClosed(c.over)
		n, err := look()
		switch {
		case err != nil:
			return 0, err
		case n > 0:
			return n, nil
		case over:
			return 0, io.EOF
		case IsClosed(by.passed()):
			return 0, os.ErrDeadlineExceeded
		}
		if start.IsZero() {
			start = time.Now()
		}
		if time.Since(start) < linger {
			runtime.Gosched()
			continue
		}
		sleeps(1)
		if n, err := look(); n == 0 && err == nil {
			select {
			case <-told:
			case <-c.over:
			case <-c.closed:
			case <-by.passed():
			}
		}
		sleeps(0)
		start = time.Time{}
	}
}

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (done int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.memory == nil {
		return 0, net.ErrClosed
	}
	for done < len(b) {
		n, err := c.await(c.out.room, c.room, &c.writeBy, func(sleeps uint32) { c.out.full.Store(sleeps) })
		if err == io.EOF {
			err = io.ErrClosedPipe
		}
		if err != nil {
			return done, err
		}
		n = min(n, len(b)-done)
		c.out.put(b[done : done+n])
		done += n
		if err := c.publish(); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (c *Conn) publish() error {
	if c.out.publish() {
		return c.ring(saysData)
	}
	return nil
}

// TryWrite writes two pieces if there is room for all of them and nobody else writes, and
// reports whether it has.
func (c *Conn) TryWrite(a, b []byte) bool {
	if !c.writing.TryLock() {
		return false
	}
	defer c.writing.Unlock()
	if c.memory == nil {
		return false
	}
	if n, err := c.out.room(); err != nil || n < len(a)+len(b) {
		return false // Write says what is wrong
	}
	c.out.put(a)
	c.out.put(b)
	_ = c.publish() // the reader says that the peer is gone
	return true
}

// CloseWrite lets the peer read the end of the stream after what has been written.
func (c *Conn) CloseWrite() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.memory == nil {
		return net.ErrClosed
	}
	c.out.ended.Store(1)
	return c.ring(saysEnd)
}

// Close implements net.Conn. Reads and writes that wait end with net.ErrClosed.
func (c *Conn) Close() error { return c.close() }

func (c *Conn) shut() error {
	close(c.closed)
	err := c.bell.Close()
	c.reading.Lock()
	defer c.reading.Unlock()
	c.writing.Lock()
	defer c.writing.Unlock()
	memory := c.memory
	c.memory = nil
	if memory == nil {
		return err
	}
	<-c.over
	c.lending.Lock()
	defer c.lending.Unlock()
	if len(c.lent) > 0 {
		c.gone = memory
		return err
	}
	if e := unmap(memory); err == nil {
		err = e
	}
	return err
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return Addr{PID: os.Getpid()} }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.peer }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if IsClosed(c.closed) {
		return net.ErrClosed
	}
	c.readBy.set(t)
	if !c.greeted.Load() {
		return c.bell.SetReadDeadline(t)
	}
	return nil
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if IsClosed(c.closed) {
		return net.ErrClosed
	}
	c.writeBy.set(t)
	return nil
}
