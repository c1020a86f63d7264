package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

type udp struct{ *block }

var udpNeeds = []string{
	"mac_address", "ip_address", "gateway", "ip_mask", "udp_number_sockets", "udp_their_ip", "udp_their_port",
	"udp_my_port", "udp_valid",
	"arp_discovery", "arp_valid", "arp_ip_address", "arp_mac_address",
}

// setUp configures the stack. Sessions are places in the socket table, by rank.
func (u udp) setUp(ctx context.Context, m *mac, c *Config) ([]accl.Rank, error) {
	size, err := u.word(ctx, "udp_number_sockets")
	if err != nil {
		return nil, err
	}
	if n := min(int(size), u.rows("udp_their_ip")); len(c.Ranks) > n {
		first := max(0, n)
		return nil, &Error{
			Kind: ErrTable, Rank: first, Address: place(c.Ranks[first]), Instance: u.instance,
			Reason: fmt.Sprintf("the socket table has %d entries, and %d ranks have one each: use TCP, or build the stack "+
				"with a larger table (platforms/kernels/README.md)", n, len(c.Ranks)),
		}
	}
	c.Progress(StepAddress)
	if err := u.addresses(ctx, c); err != nil {
		return nil, err
	}
	c.Progress(StepSockets)
	if err := u.sockets(ctx, c); err != nil {
		return nil, err
	}
	c.Progress(StepARP)
	if err := u.discover(ctx, c); err != nil {
		return nil, u.silence(ctx, m, c, err)
	}
	ranks := slices.Clone(c.Ranks)
	for i := range ranks {
		ranks[i].Session = uint32(i)
	}
	return ranks, nil
}

// silence adds to an error of ARP that the link is down, if it is.
func (u udp) silence(ctx context.Context, m *mac, c *Config, err error) error {
	if m == nil || !errors.Is(err, ErrSilent) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	rx, failed := m.status(ctx)
	if failed != nil || m.good(rx) {
		return err
	}
	down := &Error{
		Kind: ErrLink, Rank: c.Local, Address: c.own(), Instance: m.instance,
		Reason: "the link has gone down: the receiver says " + m.names("stat_rx_status", rx),
	}
	return errors.Join(down, err)
}

// addresses writes the own addresses.
func (u udp) addresses(ctx context.Context, c *Config) error {
	own := number(c.own().Addr())
	mac, err := u.get(ctx, "mac_address", 0)
	if err != nil {
		return err
	}
	mac = mac&^0xFF | uint64(own&0xFF)
	if c.MAC != nil {
		mac = macNumber(c.MAC)
	}
	for _, r := range []struct {
		name  string
		value uint64
	}{
		{"mac_address", mac}, {"ip_address", uint64(own)}, {"gateway", uint64(number(c.gateway()))},
		{"ip_mask", uint64(uint32(0xFFFFFFFF) << (32 - c.PrefixBits))},
	} {
		if err := u.keep(ctx, r.name, 0, r.value); err != nil {
			return err
		}
	}
	return nil
}

// sockets fills the table with an entry for each other rank, at its index.
func (u udp) sockets(ctx context.Context, c *Config) error {
	for i := range u.rows("udp_valid") {
		if err := u.keep(ctx, "udp_valid", i, 0); err != nil {
			return err
		}
	}
	for i, r := range c.Ranks {
		if i == c.Local {
			continue
		}
		for _, word := range []struct {
			name  string
			value uint64
		}{
			{"udp_their_ip", uint64(number(r.IP.Unmap()))}, {"udp_their_port", uint64(r.Port)},
			{"udp_my_port", uint64(c.own().Port())},
			{"udp_valid", 1}, // last: an entry that counts is complete
		} {
			if err := u.keep(ctx, word.name, i, word.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func macNumber(m net.HardwareAddr) uint64 {
	var n uint64
	for _, b := range m {
		n = n<<8 | uint64(b)
	}
	return n
}

func macAddress(n uint64) net.HardwareAddr {
	m := make(net.HardwareAddr, 6)
	for i := range m {
		m[i] = byte(n >> (8 * (5 - i)))
	}
	return m
}
