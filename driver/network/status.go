package network

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/layout"
)

// Status is the state of a network as its registers show it.
type Status struct {
	Kind     string
	Instance string // of the stack
	Link     *Link  // nil if the MAC has no registers

	// Own addresses; MAC, MaskBits and Gateway only on UDP.
	MAC         string `json:",omitempty"`
	IP, Gateway netip.Addr
	MaskBits    int
	// Size of the socket table, and its used entries.
	SocketTable int        `json:",omitempty"`
	Sockets     []Socket   `json:",omitempty"`
	Neighbors   []Neighbor `json:",omitempty"` // the ARP table, by address
	Counters    []Counter  `json:",omitempty"` // of the UDP stack, since they were cleared

	// TCP: the number of the board, and the connections that this stack has opened.
	Board    int       `json:",omitempty"`
	Sessions []Session `json:",omitempty"` // by peer
}

// Link is the state of a 100G MAC.
type Link struct {
	Instance string
	Up       bool
	FEC      bool
	Sending  bool     // the sender is on
	Says     []string // names of the set bits of the receiver's state
	// Counters are counts since the last Status, or since the design was loaded.
	Counters []Counter
}

// Socket is an entry of the socket table.
type Socket struct {
	Index int
	Peer  netip.AddrPort
	Port  uint16 // the own port
}

// Neighbor is an entry of the ARP table.
type Neighbor struct {
	IP  netip.Addr
	MAC string
}

// Session is a TCP connection.
type Session struct {
	Peer    netip.AddrPort
	Session uint32 // number of the session
}

// Counter is the value of a counting register.
type Counter struct {
	Name  string
	Value uint64
}

// Status is State with the counters of the MAC, which it clears.
func (s *Stack) Status(ctx context.Context) (Status, error) {
	out, err := s.State(ctx)
	if err == nil && s.mac != nil {
		out.Link.Counters, err = s.mac.count(ctx)
	}
	return out, err
}

// State reads the state of the network. It writes no register. It clears the sticky bits of
// the MAC's state, but a Setup of this Stack that waits for the link does not miss them. The
// kind of the network decides which fields are set.
func (s *Stack) State(ctx context.Context) (Status, error) {
	out := Status{Kind: s.kind, Instance: s.poe}
	if s.mac != nil {
		link, err := s.mac.link(ctx)
		if err != nil {
			return out, err
		}
		out.Link = &link
	}
	switch {
	case s.udp != nil:
		return out, s.udp.state(ctx, &out)
	case s.tcp != nil:
		ip, err := s.tcp.word(ctx, "ip_addr")
		if err != nil {
			return out, err
		}
		board, err := s.tcp.word(ctx, "board_number")
		if err != nil {
			return out, err
		}
		out.IP, out.Board = address(ip), int(board)
		for to, session := range s.openSessions() {
			out.Sessions = append(out.Sessions, Session{to, session})
		}
		slices.SortFunc(out.Sessions, func(a, b Session) int { return a.Peer.Compare(b.Peer) })
	}
	return out, nil
}

func (m mac) link(ctx context.Context) (Link, error) {
	out := Link{Instance: m.instance}
	rx, err := m.status(ctx)
	if err != nil {
		return out, err
	}
	fec, err := m.word(ctx, "rsfec_config_enable")
	if err != nil {
		return out, err
	}
	tx, err := m.word(ctx, "conf_tx")
	if err != nil {
		return out, err
	}
	both := m.mask("rsfec_config_enable", "rx", "tx")
	out.Up, out.FEC, out.Sending = m.good(rx), fec&both == both, tx&m.mask("conf_tx", "enable") != 0
	for _, v := range m.register("stat_rx_status").Values {
		if rx&v.Value != 0 {
			out.Says = append(out.Says, v.Name)
		}
	}
	return out, nil
}

// count reads the counts since the last call.
func (m mac) count(ctx context.Context) ([]Counter, error) {
	if err := m.put(ctx, "stat_pm_tick", 0, uint64(m.mask("stat_pm_tick", "tick"))); err != nil {
		return nil, err
	}
	return m.counters(ctx, func(r layout.Register) bool { return strings.HasPrefix(r.Name, "stat_") })
}

// counters are registers of 64 bits that count.
func (b *block) counters(ctx context.Context, is func(layout.Register) bool) ([]Counter, error) {
	var out []Counter
	for _, r := range b.kernel.Registers {
		if r.Bits != 64 || r.Count > 1 || !is(r) {
			continue
		}
		v, err := b.get(ctx, r.Name, 0)
		if err != nil {
			return out, err
		}
		out = append(out, Counter{r.Name, v})
	}
	return out, nil
}

func (u udp) state(ctx context.Context, out *Status) error {
	var words [4]uint64
	for i, name := range []string{"mac_address", "ip_address", "gateway", "ip_mask"} {
		v, err := u.get(ctx, name, 0)
		if err != nil {
			return err
		}
		words[i] = v
	}
	out.MAC, out.IP, out.Gateway = macAddress(words[0]).String(), address(uint32(words[1])), address(uint32(words[2]))
	for out.MaskBits < 32 && words[3]>>(31-out.MaskBits)&1 == 1 {
		out.MaskBits++
	}
	size, err := u.word(ctx, "udp_number_sockets")
	if err != nil {
		return err
	}
	out.SocketTable = int(size)
	for i := range min(out.SocketTable, u.rows("udp_valid")) {
		valid, err := u.get(ctx, "udp_valid", i)
		if err != nil {
			return err
		}
		if valid&1 == 0 {
			continue
		}
		var entry [3]uint64
		for j, name := range []string{"udp_their_ip", "udp_their_port", "udp_my_port"} {
			if entry[j], err = u.get(ctx, name, i); err != nil {
				return err
			}
		}
		out.Sockets = append(out.Sockets, Socket{i, netip.AddrPortFrom(address(uint32(entry[0])), uint16(entry[1])),
			uint16(entry[2])})
	}
	known, err := u.neighbours(ctx, func(int) bool { return true })
	if err != nil {
		return err
	}
	for ip, mac := range known {
		out.Neighbors = append(out.Neighbors, Neighbor{ip, mac.String()})
	}
	slices.SortFunc(out.Neighbors, func(a, b Neighbor) int { return a.IP.Compare(b.IP) })
	out.Counters, err = u.counters(ctx, func(r layout.Register) bool { return r.Name != "mac_address" })
	return err
}
