package shm

import (
	"net"
	"slices"
)

// Notify has a function called, by any goroutine, when the peer says after Doze that there is
// something to read; nil for Read to wait for that, as at first. It must not block.
func (c *Conn) Notify(f func()) {
	if f != nil {
		c.told.Store(&f)
		return
	}
	c.told.Store(nil)
	if c.greeted.Load() {
		c.heed(saysData) // which may have been told to the function
	}
}

// Unread is how many bytes can be read at once. The error is ErrCorrupt, or net.ErrClosed.
func (c *Conn) Unread() (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.memory == nil {
		return 0, net.ErrClosed
	}
	return c.in.unread()
}

// Peek copies bytes that Unread counts, and leaves them unread.
func (c *Conn) Peek(b []byte) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.memory != nil {
		copy(b, c.in.next(len(b)))
	}
}

// Loan are bytes that were read, and lie where the peer has written them.
type Loan struct {
	conn     *Conn
	end      uint64 // in the ring
	returned bool
}

// Lend reads bytes that Unread counts without copying them. They may be used until the loan is returned, also
// when the stream is closed, and take room of the peer until then. They are nil if it was closed before.
func (c *Conn) Lend(l *Loan, n int) []byte {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.memory == nil {
		return nil
	}
	return c.lend(l, n)
}

// lend is Lend where there is memory, and who reads holds the lock.
func (c *Conn) lend(l *Loan, n int) []byte {
	b := c.in.next(n)
	c.in.own += uint64(n)
	*l = Loan{conn: c, end: c.in.own}
	c.lending.Lock()
	defer c.lending.Unlock()
	c.lent = append(c.lent, l)
	return b
}

// Return gives the bytes back, once. The peer is shown their room when all that was read before has been given back.
func (l *Loan) Return() {
	c := l.conn
	c.lending.Lock()
	defer c.lending.Unlock()
	l.returned = true
	n := 0
	for ; n < len(c.lent) && c.lent[n].returned; n++ {
	}
	if n == 0 {
		return
	}
	if c.in.give(c.lent[n-1].end) {
		_ = c.ring(saysRoom) // if the peer is gone, so is its interest in room
	}
	if c.lent = slices.Delete(c.lent, 0, n); len(c.lent) == 0 && c.gone != nil {
		_ = unmap(c.gone)
		c.gone = nil
	}
}

// Doze has the peer say when it writes something, or not.
func (c *Conn) Doze(yes bool) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.memory == nil {
		return
	}
	sleeps := uint32(0)
	if yes {
		sleeps = 1
	}
	if c.in.dry.Load() != sleeps {
		c.in.dry.Store(sleeps)
	}
}

// Ending tells the peer that the end is near, so that it reads what does not fit in.
func (c *Conn) Ending() { _ = c.ring(saysEnd) }

// Ended waits until the peer has ended or is about to, the stream is closed, the deadline of reads has passed,
// or what is given is closed.
func (c *Conn) Ended(or <-chan struct{}) {
	select {
	case <-c.ended:
	case <-c.over:
	case <-c.closed:
	case <-c.readBy.passed():
	case <-or:
	}
}
