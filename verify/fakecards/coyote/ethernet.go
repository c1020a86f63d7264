package coyote

import "sync"

// ethernet is what all cards are plugged into.
type ethernet struct {
	mu    sync.Mutex
	cards []*Card
}

// station is a card as the network sees it. What is not said otherwise is guarded by the
// lock of the network.
type station struct {
	ip  uint32 // of the shell; guarded by the card's lock
	mac uint64 // likewise

	up, mute          bool // the link is there; it answers nobody
	received, sent    uint32
	arpReceived, asks uint32 // ARP packets, in and out
	table             [256]neighbour
}

// neighbour is an entry of the table of MAC addresses: one for each last octet.
type neighbour struct {
	mac   uint64
	valid bool
}

func (e *ethernet) join(c *Card) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cards = append(e.cards, c)
}

// Plug connects or disconnects the link of a card.
func (c *Card) Plug(up bool) {
	c.h.ether.mu.Lock()
	defer c.h.ether.mu.Unlock()
	c.up = up
}

// Mute makes a card answer nobody, with its link up.
func (c *Card) Mute(mute bool) {
	c.h.ether.mu.Lock()
	defer c.h.ether.mu.Unlock()
	c.mute = mute
}

// Knows enters a MAC address into a card's table, as an earlier program may have.
func (c *Card) Knows(ip uint32, mac uint64) {
	c.h.ether.mu.Lock()
	defer c.h.ether.mu.Unlock()
	c.table[ip&0xFF] = neighbour{mac, true}
}

// address is the IP and the MAC address of a card.
func (c *Card) address() (uint32, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ip, c.mac
}

// ask looks an address up: the network is asked if it is not in the table.
func (e *ethernet) ask(c *Card, ip uint32) {
	var asked *Card
	var mac uint64
	for _, other := range c.h.cards {
		if has, of := other.address(); other != c && has == ip {
			asked, mac = other, of
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.table[ip&0xFF].valid {
		return
	}
	c.asks++
	c.sent++
	if !c.up {
		return
	}
	for _, other := range e.cards {
		if other == c || !other.up {
			continue
		}
		other.arpReceived++
		other.received++
		if other != asked || other.mute {
			continue
		}
		other.asks++
		other.sent++
		c.arpReceived++
		c.received++
		c.table[ip&0xFF] = neighbour{mac, true}
	}
}

// reaches tells whether packets from a card arrive at another, whose MAC address it
// knows.
func (e *ethernet) reaches(from, to *Card) bool {
	ip, mac := to.address()
	e.mu.Lock()
	defer e.mu.Unlock()
	known := from.table[ip&0xFF]
	if !known.valid || known.mac != mac || !from.up || !to.up || to.mute {
		return false
	}
	from.sent++
	to.received++
	return true
}

// counters are those of the network, as words; the card's lock is held.
func (c *Card) counters(words []uint64) {
	c.h.ether.mu.Lock()
	defer c.h.ether.mu.Unlock()
	words[0] = uint64(c.received) | uint64(c.sent)<<32
	words[1] = uint64(c.arpReceived) | uint64(c.asks)<<32
}
