package coyote

import (
	"math/bits"

	"github.com/cclforge/cclforge/verify/fabric"
)

// queuePair is what was written of an end.
type queuePair struct {
	key           uint32 // of the other end
	packet, first uint32 // numbers of the first packets: the own one, and the other end's
	addr          uint64 // of the other end
}

// connection is where an end leads.
type connection struct {
	pair uint32 // of the other end
	port uint32
	ip   uint32
}

// takePair takes what stands in the registers; c.mu is held.
func (c *Card) takePair() {
	w := func(n uint32) uint64 { return c.config[pairRegister+n] }
	number := uint32(w(0) & 0xFFFFFF)
	if c.threads[uint64(number&(1<<ctidBits-1))] == nil || number>>ctidBits != 0 {
		c.h.fault("card %d: queue pair 0x%X is of no thread of region 0", c.number, number)
	}
	c.pairs[number] = queuePair{
		key: uint32(w(0) >> 32), packet: uint32(w(1) & 0xFFFFFF), first: uint32(w(1) >> 24 & 0xFFFFFF),
		addr: w(2) & (1<<48 - 1),
	}
}

// takeConnection likewise. The address stands there four times, its first octet lowest.
func (c *Card) takeConnection() {
	w := func(n uint32) uint64 { return c.config[connRegister+n] }
	ip := uint32(w(1))
	if again := uint64(ip)<<32 | uint64(ip); w(1) != again || w(2) != again {
		c.h.fault("card %d: %016X %016X is not four times an address", c.number, w(1), w(2))
	}
	c.conns[uint32(w(0)&0xFFFF)] = connection{pair: uint32(w(0) >> 16 & 0xFFFFFF), port: uint32(w(0) >> 40 & 0xFFFF),
		ip: bits.ReverseBytes32(ip)}
}

// end is what a card has written of a queue pair.
func (c *Card) end(number uint32) (queuePair, connection, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, known := c.pairs[number]
	to, leads := c.conns[number]
	return p, to, known && leads
}

// other finds the card that a queue pair of this one leads to: none if the other end does
// not agree.
func (c *Card) other(number uint32) *Card {
	near, to, ok := c.end(number)
	if !ok {
		return nil
	}
	own, _ := c.address()
	for _, there := range c.h.cards {
		if ip, _ := there.address(); there == c || ip != to.ip {
			continue
		}
		far, back, ok := there.end(to.pair)
		if ok && back.ip == own && back.pair == number && near.packet == far.first && far.packet == near.first {
			return there
		}
	}
	return nil
}

// number is the queue pair that leads to another card.
func (c *Card) pairTo(rank int) (uint32, bool) {
	c.mu.Lock()
	var all []uint32
	for number := range c.conns {
		all = append(all, number)
	}
	c.mu.Unlock()
	for _, number := range all {
		if there := c.other(number); there != nil && there.number == rank {
			return number, true
		}
	}
	return 0, false
}

// pairs is a port of the network whose sessions are queue pairs. Below, the session of a
// rank is its number.
type pairs struct {
	fabric.Port
	c *Card
}

// Send loses packets that lead nowhere, as the shell does.
func (p *pairs) Send(session uint32, packet *fabric.Packet) error {
	there := p.c.other(session)
	if there == nil || !p.c.h.ether.reaches(p.c, there) {
		p.c.lost.Add(1)
		packet.Release()
		return nil
	}
	return p.Port.Send(uint32(there.number), packet)
}

func (p *pairs) Receive() *fabric.Packet {
	for {
		packet := p.Port.Receive()
		if packet == nil {
			return nil
		}
		number, ok := p.c.pairTo(int(packet.Session))
		if !ok {
			p.c.lost.Add(1)
			packet.Release()
			continue
		}
		packet.Session = number
		return packet
	}
}

// Hold is about the rank that a queue pair was written for, whatever it leads to now.
func (p *pairs) Hold(session uint32, hold bool) {
	p.c.mu.Lock()
	to, known := p.c.conns[session]
	p.c.mu.Unlock()
	if rank := p.c.h.rankAt(to.ip); known && rank >= 0 {
		p.Port.Hold(uint32(rank), hold)
	}
}

// Lost counts the card's packets without a queue pair at their other end.
func (c *Card) Lost() int64 { return c.lost.Load() }

func (p *pairs) Closed() (uint32, bool) {
	rank, ok := p.Port.Closed()
	if !ok {
		return 0, false
	}
	return p.c.pairTo(int(rank))
}

// Written returns the first packet numbers that were written for a queue pair: its own, and
// that of the other end.
func (c *Card) Written(number uint32) (own, other uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pairs[number].packet, c.pairs[number].first
}
