package socket

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

// sharedAt is the name at which a port asks for shared memory that others reach at an address.
func sharedAt(at netip.AddrPort) string { return "tcp/" + at.String() }

// share listens for shared memory at a port. The lock is held.
func (p *TCPPort) share(port uint16) error {
	ip := p.o.Listen
	if self, ok := p.o.real(p.identity()); ip.IsUnspecified() && ok {
		ip = self.Addr()
	}
	if p.o.Memory == NoMemory || ip.IsUnspecified() {
		return nil
	}
	at := netip.AddrPortFrom(ip, port)
	l, err := shm.Listen(sharedAt(at))
	switch {
	case err == nil:
	case p.o.Memory == WithMemory:
		p.o.Log("%v; sockets are used instead", err)
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w: %w", fabric.ErrAddressInUse, err)
	default:
		return err
	}
	p.doors = append(p.doors, l)
	p.wg.Go(func() { p.accept(l.Addr(), func() (conn, error) { return l.AcceptConn() }) })
	return nil
}

// look has Receive read what comes in memory.
func (p *TCPPort) look(c *stream) {
	p.mu.Lock()
	defer p.unlock()
	p.looked = append(p.looked, c)
	c.memory.Notify(p.notifyNow)
	p.dozing, p.wake = false, true // until somebody has looked
}

// lookAway leaves the rest to the goroutine that reads.
func (p *TCPPort) lookAway(c *stream) {
	p.mu.Lock()
	defer p.unlock()
	p.looked = slices.DeleteFunc(p.looked, func(other *stream) bool { return other == c })
	c.memory.Notify(nil)
}

// pull reads a packet of each session in memory that has one, and reports whether there was
// any. Without Poll it has peers say when there are more.
func (p *TCPPort) pull() (found bool) {
	wake := p.wake
	for {
		for _, c := range p.looked {
			if !c.s.held && c.whole() {
				p.put(c.s, c.fetch())
				found = true
			}
		}
		if found || p.polled || p.dozing {
			break
		}
		p.doze(true)
	}
	if n := len(p.looked); found && n > 1 {
		p.looked = append(p.looked[1:], p.looked[0])
	}
	p.wake = wake // who receives goes on until there is nothing
	return found
}

func (p *TCPPort) doze(yes bool) {
	p.dozing = yes
	for _, c := range p.looked {
		c.memory.Doze(yes)
	}
}

// whole tells whether a whole packet has come in memory, and leaves to the goroutine that
// reads what will never be one.
func (c *stream) whole() bool {
	n, err := c.memory.Unread()
	if err == nil && n < headerBytes {
		return false
	}
	if err == nil {
		c.memory.Peek(c.header[:])
	}
	if size := c.p.o.Framing(&c.header); err == nil && size >= 0 && size <= min(shm.RingBytes-headerBytes, c.p.o.MaxMessage) {
		return n >= headerBytes+size
	}
	if !c.isHanded {
		c.isHanded = true
		close(c.handed)
	}
	return false
}

// fetch reads a packet of which whole has seen the header.
func (c *stream) fetch() *fabric.Packet {
	b := newBuffer(c.p.o.Framing(&c.header))
	c.memory.Take(b.Header[:], b.Payload)
	b.Header = c.header // as it was then
	c.p.stats.Received++
	c.p.stats.BytesIn += uint64(len(b.Payload))
	return &b.Packet
}

// Poll implements fabric.Polled.
func (p *TCPPort) Poll() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.polled = true
	if p.dozing {
		p.doze(false)
	}
	return p.there()
}

// Doze implements fabric.Polled.
func (p *TCPPort) Doze() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doze(true)
	return !p.there()
}

func (p *TCPPort) there() bool {
	return p.ready.Len() > 0 || slices.ContainsFunc(p.looked, func(c *stream) bool { return !c.s.held && c.whole() })
}

// open connects in memory if the other port does that, or else over a socket.
func (p *TCPPort) open(ctx context.Context, self, to netip.AddrPort) (conn, error) {
	if p.o.Memory == NoMemory || self.Addr().IsUnspecified() {
		return p.overSocket(ctx, to)
	}
	memory, err := shm.Dial(ctx, sharedAt(to))
	switch {
	case err == nil:
		return memory, nil
	case p.o.Memory == OnlyMemory:
		return nil, err
	}
	c, failed := p.overSocket(ctx, to)
	if failed != nil {
		return nil, failed
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		p.o.Log("%v; a socket is used instead", err)
		return c, nil
	}
	// Nobody was there, but now somebody is: who listens at the socket has listened for memory before.
	if memory, err := shm.Dial(ctx, sharedAt(to)); err == nil {
		_ = c.Close()
		return memory, nil
	}
	return c, nil
}
