package kernels

import (
	"net/netip"
)

// Registers of the UDP stack: NetLayers/template.xml, for 16 sockets; the ARP table:
// arp_server.cpp of its network stack, and the notebook's NetworkLayer for its form.
const (
	nlMAC       = 0x010
	nlIP        = 0x018
	nlGateway   = 0x01C
	nlMask      = 0x020
	nlCounters  = 0x400
	nlCountersN = 36
	nlClear     = 0x5F0
	nlSockets   = 0x810
	nlTheirIP   = 0x820
	nlTheirPort = 0x8A0
	nlMyPort    = 0x920
	nlValid     = 0x9A0
	nlDiscovery = 0x1010
	nlARPValid  = 0x1100
	nlARPIP     = 0x1400
	nlARPMAC    = 0x1800

	sockets   = 16
	addresses = 256
)

// UDP is a card with the UDP stack.
type UDP struct {
	w        *Wire
	Ethernet *Ethernet

	// Guarded by the wire's lock.
	mac        MAC
	ip         uint32
	gateway    uint32
	mask       uint32
	size       uint32 // of the socket table, as the stack says
	table      [sockets]socket
	arps       [addresses]neighbour
	scan       uint32 // the discovery register
	scans      int
	silent     int // requests that it does not answer; -1 for all
	late       int // reads of the ARP table after which answers are there
	arriving   []neighbour
	live       [nlCountersN]uint64
	stuck      map[uint32]bool
	afterScans func(n int)
}

type socket struct{ ip, theirs, mine, valid uint32 }

type neighbour struct {
	ip    uint32
	mac   MAC
	valid bool
}

// UDP puts a card with the UDP stack on the wire, as it is after the design was loaded.
// A card that is not up has neither its receiver nor its sender turned on.
func (w *Wire) UDP(up bool) *UDP {
	c := &UDP{
		w: w, Ethernet: newEthernet(w, up), mac: MAC{0x00, 0x0A, 0x35, 0x02, 0x9D, 0xE5},
		ip: 0xC0A80005, gateway: 0xC0A80001, mask: 0xFFFFFF00, size: sockets, stuck: map[uint32]bool{},
	}
	w.set(func() { w.ends = append(w.ends, c) })
	return c
}

// Silence makes the card ignore the next n requests for its address, or all if n is -1.
func (c *UDP) Silence(n int) { c.w.set(func() { c.silent = n }) }

// Late delays answers to the card's own requests until its table was read so often.
func (c *UDP) Late(reads int) { c.w.set(func() { c.late = reads }) }

// Small limits the socket table to n entries.
func (c *UDP) Small(n int) { c.w.set(func() { c.size = uint32(n) }) }

// Count adds to a counter, by the offset of its register.
func (c *UDP) Count(offset uint32, n uint64) { c.w.set(func() { c.live[(offset-nlCounters)/8] += n }) }

// Stick makes a register ignore writes.
func (c *UDP) Stick(offset uint32) { c.w.set(func() { c.stuck[offset] = true }) }

// AfterScan calls f after each request for all addresses, with their number so far. f may
// use the wire.
func (c *UDP) AfterScan(f func(n int)) { c.w.set(func() { c.afterScans = f }) }

// Remember puts an entry into the ARP table, as an earlier program may have left it.
func (c *UDP) Remember(ip netip.Addr, mac MAC) {
	c.w.set(func() { c.arps[byte(word(ip))] = neighbour{word(ip), mac, true} })
}

// Scans returns how often the card has asked for all addresses.
func (c *UDP) Scans() int {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.scans
}

// Reaches returns where a packet goes that an engine sends on a socket: the peer and its
// MAC address. ok is false if the card drops it.
func (c *UDP) Reaches(index int) (to netip.AddrPort, from uint16, mac MAC, ok bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	s := c.table[index]
	hop := s.ip
	if hop&c.mask != c.ip&c.mask {
		hop = c.gateway
	}
	n := c.arps[byte(hop)]
	if s.valid == 0 || !n.valid || !c.Ethernet.up() || c.Ethernet.confTX&1 == 0 {
		return netip.AddrPort{}, 0, MAC{}, false
	}
	return netip.AddrPortFrom(addr(s.ip), uint16(s.theirs)), uint16(s.mine), n.mac, true
}

// Address returns the addresses to which the card answers.
func (c *UDP) Address() (netip.Addr, MAC) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return addr(c.ip), c.mac
}

// Entry is an entry of the socket table.
func (c *UDP) Entry(index int) (peer netip.AddrPort, own uint16, valid bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	s := c.table[index]
	return netip.AddrPortFrom(addr(s.ip), uint16(s.theirs)), uint16(s.mine), s.valid&1 == 1
}

func (c *UDP) arp(ip uint32) (MAC, bool) {
	if ip != c.ip || !c.Ethernet.up() || c.Ethernet.confTX&1 == 0 || c.silent < 0 {
		return MAC{}, false
	}
	if c.silent > 0 {
		c.silent--
		return MAC{}, false
	}
	return c.mac, true
}

// discover asks for every address that is not in the table and differs from the own one
// in the last octet alone.
func (c *UDP) discover() {
	c.scans++
	for i := range uint32(addresses) {
		ip := c.ip&^0xFF | i
		if c.arps[i].valid {
			continue
		}
		hop := ip
		if ip&c.mask != c.ip&c.mask {
			hop = c.gateway
		}
		if !c.Ethernet.up() || c.Ethernet.confTX&1 == 0 {
			continue
		}
		for _, mac := range c.w.ask(c, hop) {
			c.arriving = append(c.arriving, neighbour{hop, mac, true})
		}
	}
	if c.late == 0 {
		c.arrive()
	}
}

func (c *UDP) arrive() {
	for _, n := range c.arriving {
		c.arps[byte(n.ip)] = n
	}
	c.arriving = nil
}
