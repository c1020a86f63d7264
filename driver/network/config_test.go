package network_test

import (
	"net"
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

// What makes no sense is found before a register is touched.
func TestWrongConfigurations(t *testing.T) {
	at := func(rank int, ip string) func(*network.Config) {
		return func(c *network.Config) {
			c.Ranks[rank].IP = netip.Addr{}
			if ip != "" {
				c.Ranks[rank].IP = netip.MustParseAddr(ip)
			}
		}
	}
	sixteen, minus := 16, -1
	w := kernels.NewWire(false)
	udp, tcp := w.UDP(true), newNode(t, w)
	stacks := map[string]*network.Stack{
		"udp": stack(t, design(t, "u55c_udp", nil), instances{"poe_0": udp.Registers(), "cmac": udp.Ethernet}), "tcp": tcp.s,
	}
	for _, test := range []struct {
		name, kinds string
		change      func(*network.Config)
		want        []fault
	}{
		{"no ranks", "udp tcp", func(c *network.Config) { c.Ranks = nil },
			[]fault{{network.ErrConfig, -1, "the own rank 0 is none of 0"}}},
		{"a rank that is not there", "udp tcp", func(c *network.Config) { c.Local = 4 },
			[]fault{{network.ErrConfig, -1, "the own rank 4 is none of 4"}}},
		{"a negative timeout", "udp tcp", func(c *network.Config) { c.Timeout = -1 },
			[]fault{{network.ErrConfig, -1, "negative"}}},
		{"no address", "udp tcp", at(1, ""), []fault{{network.ErrAddress, 1, "is missing"}}},
		{"IPv6", "udp tcp", at(1, "fe80::1"), []fault{{network.ErrAddress, 1, "is not of IPv4"}}},
		{"zero", "udp tcp", at(2, "0.0.0.0"), []fault{{network.ErrAddress, 2, "it is zero"}}},
		{"network 0", "udp tcp", at(2, "0.1.2.3"), []fault{{network.ErrAddress, 2, "of network 0"}}},
		{"multicast", "udp tcp", at(3, "224.0.0.5"), []fault{{network.ErrAddress, 3, "is multicast"}}},
		{"the own one multicast", "udp tcp", at(0, "239.1.2.3"), []fault{{network.ErrAddress, 0, "is multicast"}}},
		{"loop-back", "udp tcp", at(1, "127.0.0.1"), []fault{{network.ErrAddress, 1, "never leaves a host"}}},
		{"broadcast", "udp tcp", at(1, "255.255.255.255"), []fault{{network.ErrAddress, 1, "broadcast"}}},
		{"the own network", "udp tcp", at(1, "10.1.212.0"),
			[]fault{{network.ErrAddress, 1, "is that of the network 10.1.212.0/24"}}},
		{"broadcast of the own network", "udp tcp", at(1, "10.1.212.255"),
			[]fault{{network.ErrAddress, 1, "is the broadcast address of the network 10.1.212.0/24"}}},
		{"no port", "udp tcp", func(c *network.Config) { c.Ranks[3].Port = 0 },
			[]fault{{network.ErrAddress, 3, "it has no port"}}},
		{"the same address", "udp tcp", at(2, "10.1.212.22"),
			[]fault{{network.ErrAddress, 2, "rank 1 has its address, too"}}},
		{"the own address again", "udp tcp", at(2, "::ffff:10.1.212.21"),
			[]fault{{network.ErrAddress, 2, "rank 0 has its address, too"}}},
		{"two mistakes", "udp tcp", func(c *network.Config) { c.Ranks[1].Port = 0; at(3, "224.1.1.1")(c) },
			[]fault{{network.ErrAddress, 1, "no port"}, {network.ErrAddress, 3, "multicast"}}},
		{"a large network", "udp tcp", func(c *network.Config) { c.PrefixBits = 16 },
			[]fault{{network.ErrConfig, 0, "a network of 16 bits"}}},
		{"a network of one", "udp tcp", func(c *network.Config) { c.PrefixBits = 31 },
			[]fault{{network.ErrConfig, 0, "a network of 31 bits"}}},
		{"another network", "udp", at(1, "10.1.213.22"),
			[]fault{{network.ErrAddress, 1, "it is not in the network 10.1.212.0/24 of rank 0, which has no gateway"}}},
		{"outside of a small network", "udp",
			func(c *network.Config) { c.PrefixBits = 29; c.Ranks[3].IP = netip.MustParseAddr("10.1.212.40") },
			[]fault{{network.ErrAddress, 2, "is the broadcast address of the network 10.1.212.16/29"},
				{network.ErrAddress, 3, "not in the network 10.1.212.16/29"}}},
		{"a gateway elsewhere", "udp", func(c *network.Config) { c.Gateway = netip.MustParseAddr("10.1.213.1") },
			[]fault{{network.ErrAddress, 0, "the gateway 10.1.213.1 is no host of the network"}}},
		{"a gateway of IPv6", "udp", func(c *network.Config) { c.Gateway = netip.MustParseAddr("::1") },
			[]fault{{network.ErrAddress, 0, "is not of IPv4"}}},
		{"a gateway that is a rank", "udp", func(c *network.Config) { at(1, "10.2.0.1")(c); c.Gateway = c.Ranks[2].IP },
			[]fault{{network.ErrAddress, 2, "it has the address of the gateway, by which rank 1"}}},
		{"a short MAC address", "udp", func(c *network.Config) { c.MAC = net.HardwareAddr{2} },
			[]fault{{network.ErrAddress, 0, "has 1 octets"}}},
		{"a multicast MAC address", "udp", func(c *network.Config) { c.MAC = net.HardwareAddr{1, 0, 0x5E, 0, 0, 1} },
			[]fault{{network.ErrAddress, 0, "is multicast"}}},
		{"the MAC address zero", "udp", func(c *network.Config) { c.MAC = make(net.HardwareAddr, 6) },
			[]fault{{network.ErrAddress, 0, "is zero"}}},
		{"a MAC address", "tcp", func(c *network.Config) { c.MAC = net.HardwareAddr{2, 0, 0, 0, 0, 1} },
			[]fault{{network.ErrConfig, 0, "has its own"}}},
		{"a network of 25 bits", "tcp", func(c *network.Config) { c.PrefixBits = 25 },
			[]fault{{network.ErrConfig, 0, "that of the TCP stack has 24"}}},
		{"another gateway", "tcp", func(c *network.Config) { c.Gateway = netip.MustParseAddr("10.1.212.254") },
			[]fault{{network.ErrConfig, 0, "that of the TCP stack is 10.1.212.1"}}},
		{"a rank in place of the gateway", "tcp", func(c *network.Config) { at(1, "10.2.0.1")(c); at(2, "10.1.212.1")(c) },
			[]fault{{network.ErrAddress, 2, "it has the address of the gateway"}}},
		{"a port that the stack keeps", "tcp", func(c *network.Config) { c.Ranks[2].Port = 32768 },
			[]fault{{network.ErrAddress, 2, "does not listen on port 32768, only below 32768"}}},
		{"board 16", "tcp", func(c *network.Config) { c.Board = &sixteen },
			[]fault{{network.ErrConfig, 0, "the board number 16 is none of 0 to 15"}}},
		{"board -1", "tcp", func(c *network.Config) { c.Board = &minus },
			[]fault{{network.ErrConfig, 0, "the board number -1"}}},
		{"17 ranks", "tcp", func(c *network.Config) { c.Ranks = members(17) },
			[]fault{{network.ErrTable, 16, "there are 16 MAC addresses for 17 ranks"}}},
		{"one buffer", "tcp", func(c *network.Config) { c.Receive = c.Send },
			[]fault{{network.ErrConfig, 0, "are both at 0x1800000000"}}},
		{"buffers that overlap", "tcp", func(c *network.Config) { c.Receive = c.Send - bufferBytes + 1 },
			[]fault{{network.ErrConfig, 0, "are nearer than"}}},
		{"one connection for each pair, but it listens", "tcp", func(c *network.Config) { c.Listening = true },
			[]fault{{network.ErrConfig, 0, "it must not listen before it has connected"}}},
		{"other sessions", "tcp", func(c *network.Config) { c.Connections = 2 },
			[]fault{{network.ErrConfig, 0, "no choice 2"}}},
	} {
		for kind, s := range stacks {
			if test.kinds != kind && test.kinds != "udp tcp" {
				continue
			}
			t.Run(kind+": "+test.name, func(t *testing.T) {
				c := tcpConfig(4, 0)
				test.change(&c)
				given := append([]accl.Rank(nil), c.Ranks...)
				before := accesses.Load()
				_, err := s.Setup(ctx(t), c)
				checkFaults(t, given, err, test.want)
				n := accesses.Load() - before
				assert.Check(t, n == 0, "%d registers were touched", n)
			})
		}
	}
}
