package shm

import "net"

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
		c.in.get(b)
		c.in.own -= uint64(len(b))
	}
}

// Take reads bytes that Unread counts.
func (c *Conn) Take(parts ...[]byte) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.memory == nil {
		return
	}
	for _, b := range parts {
		c.in.get(b)
	}
	c.given()
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
