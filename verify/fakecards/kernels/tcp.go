package kernels

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/cclforge/cclforge/driver/layout"
)

// Registers of the TCP stack: kernel/network_krnl/network_krnl.xml.
const (
	tcpIP     = 0x10
	tcpBoard  = 0x18
	tcpARP    = 0x20
	tcpSend   = 0x28
	tcpTaken  = 0x34
	maxPort   = 32768 // ports from here on are for connections that the stack opens
	maxTables = 1000  // sessions
)

var (
	ErrRefused = errors.New("nobody listens there")
	ErrSilent  = errors.New("nobody answers there")
	ErrPort    = errors.New("the stack does not listen on the port")
)

// TCP is a card with the TCP stack and its session handler.
type TCP struct {
	w     *Wire
	stack *control

	// Guarded by the wire's lock.
	started   int
	ip        uint32
	board     uint32
	send      uint64
	receive   uint64
	listening map[uint16]bool
	free      []uint32      // sessions
	takes     time.Duration // to start
	answers   time.Duration // until a connection is there
}

// TCP puts a card with the TCP stack on the wire, as it is after the design was loaded.
func (w *Wire) TCP() *TCP {
	c := &TCP{w: w, ip: 0xD1D4010B, listening: map[uint16]bool{}}
	for i := range uint32(maxTables) {
		c.free = append(c.free, i)
	}
	c.stack = newControl("TCP stack", []uint32{tcpIP, tcpBoard, tcpARP, tcpSend, tcpSend + 4, tcpTaken, tcpTaken + 4}, nil)
	c.stack.shows = func(offset, v uint32) uint32 {
		if offset == tcpARP {
			return reversed(v)
		}
		return v
	}
	c.stack.run = c.start
	w.set(func() { w.ends = append(w.ends, c) })
	return c
}

// Registers are those of the stack.
func (c *TCP) Registers() layout.Registers { return c.stack }

// Takes sets how long a start takes; the stack itself takes a second.
func (c *TCP) Takes(d time.Duration) { c.w.set(func() { c.takes = d }) }

// Answers sets how long the card delays its answer to a connection.
func (c *TCP) Answers(d time.Duration) { c.w.set(func() { c.answers = d }) }

// Started returns how often the stack was started, and its last arguments.
func (c *TCP) Started() (times int, ip netip.Addr, board uint32, send, receive uint64) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.started, addr(c.ip), c.board, c.send, c.receive
}

func (c *TCP) start(argument func(uint32) uint32) map[uint32]uint32 {
	c.w.mu.Lock()
	takes := c.takes
	c.started++
	c.ip, c.board = argument(tcpIP), argument(tcpBoard)&15
	c.send = uint64(argument(tcpSend)) | uint64(argument(tcpSend+4))<<32
	c.receive = uint64(argument(tcpTaken)) | uint64(argument(tcpTaken+4))<<32
	c.w.mu.Unlock()
	time.Sleep(takes)
	return nil
}

func (c *TCP) arp(ip uint32) (MAC, bool) {
	m := MAC{0x00, 0x0A, 0x35, 0x02, 0x9D, 0xE5}
	m[5] = m[5]&0xF0 | (m[5]+byte(c.board))&0x0F
	return m, c.ip == ip
}

// OpenPort implements accl.SessionOpener: the stack listens, on each port once.
func (c *TCP) OpenPort(_ context.Context, port uint16) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if port >= maxPort || c.listening[port] || c.started == 0 {
		return ErrPort
	}
	c.listening[port] = true
	return nil
}

// OpenConnection implements accl.SessionOpener. Each card numbers sessions by itself, in
// the order in which it learns of them; a failed one has used up a number, too.
func (c *TCP) OpenConnection(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	c.w.mu.Lock()
	session := c.take()
	peer := c.find(ip)
	wait := 50 * time.Millisecond // until a connection that nobody answers is given up
	if peer != nil {
		wait = peer.answers
	}
	c.w.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	switch {
	case peer == nil || ctx.Err() != nil:
		c.free = append(c.free, session)
		return 0, ErrSilent
	case !peer.listening[port]:
		c.free = append(c.free, session)
		return 0, ErrRefused
	}
	far := peer.take()
	c.w.links = append(c.w.links, Connection{addr(c.ip), addr(peer.ip), session, far})
	return session, nil
}

// CloseConnection closes a session, on both cards.
func (c *TCP) CloseConnection(session uint32) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	for i, l := range c.w.links {
		if l.From == addr(c.ip) && l.FromSession == session || l.To == addr(c.ip) && l.ToSession == session {
			c.w.links = append(c.w.links[:i:i], c.w.links[i+1:]...)
			for _, half := range []struct {
				ip      netip.Addr
				session uint32
			}{{l.From, l.FromSession}, {l.To, l.ToSession}} {
				if card := c.w.tcp(word(half.ip)); card != nil {
					card.free = append(card.free, half.session)
				}
			}
			return
		}
	}
}

// Runs reports whether the stack was started.
func (c *TCP) Runs() bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.started > 0
}

// End returns the other end of a session: its card, and its number there.
func (c *TCP) End(session uint32) (peer *TCP, number uint32, ok bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	own := addr(c.ip)
	for _, l := range c.w.links {
		switch {
		case l.From == own && l.FromSession == session:
			peer, number = c.w.tcp(word(l.To)), l.ToSession
		case l.To == own && l.ToSession == session:
			peer, number = c.w.tcp(word(l.From)), l.FromSession
		default:
			continue
		}
		return peer, number, peer != nil
	}
	return nil, 0, false
}

// to is the first session that leads to a card.
func (c *TCP) to(peer *TCP) (session uint32, ok bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	own, far := addr(c.ip), addr(peer.ip)
	for _, l := range c.w.links {
		switch {
		case l.From == own && l.To == far:
			return l.FromSession, true
		case l.To == own && l.From == far:
			return l.ToSession, true
		}
	}
	return 0, false
}

func (c *TCP) take() uint32 {
	session := c.free[0]
	c.free = c.free[1:]
	return session
}

// find is the card that answers at an address, nil if there is none.
func (c *TCP) find(ip uint32) *TCP {
	peer := c.w.tcp(ip)
	if c.started == 0 || peer == nil || peer.started == 0 {
		return nil
	}
	return peer
}

func (w *Wire) tcp(ip uint32) *TCP {
	for _, e := range w.ends {
		if t, is := e.(*TCP); is && t.ip == ip {
			return t
		}
	}
	return nil
}
