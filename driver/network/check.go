package network

import "net/netip"

type report func(kind error, rank int, format string, args ...any)

func (c *Config) checkMAC(bad report) {
	if m := c.MAC; m != nil {
		switch {
		case len(m) != 6:
			bad(ErrAddress, c.Local, "the MAC address %v has %d octets, not 6", m, len(m))
		case m[0]&1 == 1:
			bad(ErrAddress, c.Local, "the MAC address %v is multicast", m)
		case string(m) == string(make([]byte, 6)):
			bad(ErrAddress, c.Local, "the MAC address is zero")
		}
	}
}

func (c *Config) checkTCP(of *limits, bad report) {
	for i, r := range c.Ranks {
		if int(r.Port) >= of.ports {
			bad(ErrAddress, i, "the TCP stack does not listen on port %d, only below %d", r.Port, of.ports)
		}
	}
	switch {
	case c.PrefixBits != of.bits:
		bad(ErrConfig, c.Local, "a network of %d bits: that of the TCP stack has %d", c.PrefixBits, of.bits)
	case c.Gateway.IsValid() && c.Gateway.Unmap() != c.network().Addr().Next():
		bad(ErrConfig, c.Local, "the gateway %v: that of the TCP stack is %v", c.Gateway, c.network().Addr().Next())
	}
	if c.MAC != nil {
		bad(ErrConfig, c.Local, "the MAC address %v: the TCP stack has its own, with a board number", c.MAC)
	}
	switch {
	case c.Board != nil && (*c.Board < 0 || *c.Board >= of.boards):
		bad(ErrConfig, c.Local, "the board number %d is none of 0 to %d", *c.Board, of.boards-1)
	case c.Board == nil && len(c.Ranks) > of.boards:
		bad(ErrTable, of.boards,
			"there are %d MAC addresses for %d ranks, and it would have that of rank 0; number the boards of each network",
			of.boards, len(c.Ranks))
	}
	if c.Send == c.Receive {
		bad(ErrConfig, c.Local, "the buffers to send and to receive are both at 0x%X", c.Send)
	} else if near := max(c.Send, c.Receive) - min(c.Send, c.Receive); near < uint64(of.buffer) {
		bad(ErrConfig, c.Local, "the buffers to send and to receive, 0x%X and 0x%X, are nearer than %d bytes",
			c.Send, c.Receive, of.buffer)
	}
	if c.Connections == OncePerPair && c.Listening {
		bad(ErrConfig, c.Local,
			"with one connection for each pair of ranks it must not listen before it has connected to the lower ones")
	}
	if c.Connections != EachWay && c.Connections != OncePerPair {
		bad(ErrConfig, c.Local, "there is no choice %d of sessions", c.Connections)
	}
}

// checkNetwork checks that addresses are of hosts, and that there is a way to those
// outside.
func (c *Config) checkNetwork(kind string, bad report) {
	if c.PrefixBits < 24 || c.PrefixBits > 30 {
		return
	}
	own := c.network()
	last := address(number(own.Addr()) | 1<<(32-c.PrefixBits) - 1)
	gateway := c.gateway()
	outside := -1
	for i, r := range c.Ranks {
		switch ip := r.IP.Unmap(); {
		case !own.Contains(ip):
			if outside < 0 {
				outside = i
			}
		case ip == own.Addr():
			bad(ErrAddress, i, "its address is that of the network %v", own)
		case ip == last:
			bad(ErrAddress, i, "its address is the broadcast address of the network %v", own)
		}
	}
	if c.Gateway.IsValid() {
		if reason := unusable(gateway); reason != "" {
			bad(ErrAddress, c.Local, "the gateway %v %s", c.Gateway, reason)
			return
		}
		if !own.Contains(gateway) || gateway == own.Addr() || gateway == last {
			bad(ErrAddress, c.Local, "the gateway %v is no host of the network %v", gateway, own)
			return
		}
	}
	if outside < 0 {
		return
	}
	if kind == KindUDP && !c.Gateway.IsValid() {
		bad(ErrAddress, outside, "it is not in the network %v of rank %d, which has no gateway", own, c.Local)
		return
	}
	for i, r := range c.Ranks {
		if r.IP.Unmap() == gateway {
			bad(ErrAddress, i, "it has the address of the gateway, by which rank %d in another network would be reached",
				outside)
		}
	}
}

// hop is the address whose MAC address packets to another address need: its own, or the
// gateway.
func (c *Config) hop(to netip.Addr) netip.Addr {
	if c.network().Contains(to) {
		return to
	}
	return c.gateway()
}
