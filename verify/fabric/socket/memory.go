package socket

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"syscall"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

// name is that at which a port asks for shared memory that others reach at an address.
func (p *TCPPort) name(at netip.AddrPort) string {
	if p.o.datagrams {
		return "udp/" + at.String()
	}
	return "tcp/" + at.String()
}

// asOthers is an address at which this port listens as others know it; false if nobody can.
// The lock is held.
func (p *TCPPort) asOthers(at netip.AddrPort) (netip.AddrPort, bool) {
	if self, ok := p.o.real(p.identity()); ok && at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(self.Addr(), at.Port())
	}
	return at, !at.Addr().IsUnspecified()
}

// share asks for shared memory beside a socket. The lock is held.
func (p *TCPPort) share(at netip.AddrPort) {
	at, ok := p.asOthers(at)
	if p.o.Memory == NoMemory || !ok {
		return
	}
	l, err := shm.Listen(p.name(at))
	if err != nil {
		p.o.Log("%v; sockets are used instead", err)
		return
	}
	p.doors = append(p.doors, l)
	p.open(l, at)
}

// shareAt asks for shared memory alone, at any free port if that is 0. The lock is held.
func (p *TCPPort) shareAt(at netip.AddrPort) error {
	asked := at.Port()
	at, ok := p.asOthers(at)
	if !ok {
		return fmt.Errorf("listening for shared memory at %v: an address expected", at)
	}
	for try := 0; ; try++ {
		if asked == 0 {
			at = netip.AddrPortFrom(at.Addr(), uint16(freeFrom+rand.IntN(1<<16-freeFrom)))
		}
		l, err := shm.Listen(p.name(at))
		switch {
		case err == nil:
			p.listeners = append(p.listeners, listener{at, l})
			p.open(l, at)
			return nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return err
		case asked != 0 || try == mostTries:
			return fmt.Errorf("%w: %w", fabric.ErrAddressInUse, err)
		}
	}
}

const (
	freeFrom  = 61000 // Linux gives no such port to a socket that asks for any
	mostTries = 1000
)

// open lets others in.
func (p *TCPPort) open(l *shm.Listener, at netip.AddrPort) {
	p.wg.Go(func() { p.accept(p.name(at), func() (conn, error) { return l.AcceptConn() }) })
}

// look has Receive read what comes in memory.
func (p *TCPPort) look(c *stream) {
	p.mu.Lock()
	defer p.unlock()
	p.looked = append(p.looked, c)
	c.memory.Notify(p.notifyNow)
	p.wake = true
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
	for again := false; ; again = true {
		for _, c := range p.looked {
			if c.s.held || !c.whole() {
				continue
			}
			if packet := c.fetch(); packet != nil {
				p.put(c.s, packet)
				found = true
			}
		}
		if found || p.polled || again {
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

// mostWhole is the largest payload of a packet that fits into the ring.
const mostWhole = shm.RingBytes - headerBytes

// whole tells whether a whole packet has come in memory, and leaves to the goroutine that
// reads what will never be one.
func (c *stream) whole() bool {
	n, err := c.memory.Unread()
	if err == nil && n < headerBytes {
		return false
	}
	size := -1
	if err == nil {
		c.memory.Peek(c.header[:])
		size = c.p.o.Framing(&c.header)
	}
	if size >= 0 && size <= min(mostWhole, c.p.o.MaxMessage) {
		return n >= headerBytes+size
	}
	if !c.isHanded {
		c.isHanded = true
		close(c.handed)
	}
	return false
}

// inPlace is a packet whose payload lies where the peer has written it.
type inPlace struct {
	fabric.Packet
	loan shm.Loan
}

// fetch reads a packet of which whole has seen the header; nil if the stream was closed since.
func (c *stream) fetch() *fabric.Packet {
	p := &inPlace{}
	b := c.memory.Lend(&p.loan, headerBytes+c.p.o.Framing(&c.header))
	if b == nil {
		return nil
	}
	p.Header = c.header // as it was then
	p.Payload, p.Free = b[headerBytes:], p.loan.Return
	c.p.arrived(&p.Packet)
	return &p.Packet
}

// Notify implements fabric.Port.
func (p *TCPPort) Notify(f func()) {
	p.inbox.Notify(f)
	p.mu.Lock()
	p.wake = p.wake || f != nil && p.inMemory()
	p.unlock()
}

// Near implements fabric.Polled.
func (p *TCPPort) Near() bool {
	if p.o.Memory == NoMemory {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.looked) > 0
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
	return p.ready.Len() > 0 || p.inMemory()
}

// inMemory tells whether there is a packet to be received in memory.
func (p *TCPPort) inMemory() bool {
	return slices.ContainsFunc(p.looked, func(c *stream) bool { return !c.s.held && c.whole() })
}

// connectTo connects in memory if the other port does that, or else over a socket.
func (p *TCPPort) connectTo(ctx context.Context, self, to netip.AddrPort) (conn, error) {
	if p.o.Memory == NoMemory || p.o.Memory == WithMemory && self.Addr().IsUnspecified() {
		return p.overSocket(ctx, to)
	}
	memory, err := shm.Dial(ctx, p.name(to))
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
	if memory, err := shm.Dial(ctx, p.name(to)); err == nil {
		_ = c.Close()
		return memory, nil
	}
	return c, nil
}
