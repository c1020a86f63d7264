package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

func addr(t *testing.T, text string) (ip uint32, port uint16) {
	t.Helper()
	a := netip.MustParseAddrPort(text)
	b := a.Addr().As4()
	return binary.BigEndian.Uint32(b[:]), a.Port()
}

func ports(t *testing.T, kind fabric.Kind, n int) []*localPort {
	t.Helper()
	hosts := make([]netip.Addr, n)
	for i := range hosts {
		hosts[i] = loopback
	}
	world, err := newLocalNet(kind, newBook(hosts, 5500), fabric.Options{})
	assert.NilError(t, err)
	t.Cleanup(func() {
		for _, p := range world.ports {
			p.Close()
		}
	})
	return world.ports
}

// Clients call ranks what they like; sessions are ranks all the same.
func TestConnectFindsRanksByWhatClientsCallThem(t *testing.T) {
	for _, c := range []struct {
		name      string
		addresses []string // of ranks 0, 1, 2
		sessions  []uint32
		listen    bool // before anybody has been told
		routes    bool
	}{
		{"as simulators do", []string{"127.0.0.1:5500", "127.0.0.1:5501", "127.0.0.1:5502"}, []uint32{0, 1, 2}, true, true},
		{"where sockets would be", []string{"127.0.0.1:5512", "127.0.0.1:5513", "127.0.0.1:5514"}, []uint32{0, 1, 2},
			true, true},
		{"as cards", []string{"10.1.212.121:5001", "10.1.212.122:5001", "10.1.212.123:5001"}, []uint32{0, 1, 2}, true, true},
		{"any addresses, sessions not yet known", []string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"}, []uint32{0, 0, 0},
			true, true},
		{"only who listens", []string{"10.0.0.1:17000", "10.0.0.1:17001", "10.0.0.1:17002"}, []uint32{0, 0, 0}, true, false},
		{"default addresses of others, as one numbers them", []string{"127.0.0.1:5502", "127.0.0.1:5501", "127.0.0.1:5500"},
			[]uint32{0, 1, 2}, true, true},
	} {
		for _, kind := range []fabric.Kind{fabric.UDP, fabric.TCP, fabric.RDMA} {
			if !c.listen && kind == fabric.TCP || !c.routes && kind != fabric.TCP {
				continue
			}
			t.Run(fmt.Sprint(c.name, " ", kind), func(t *testing.T) {
				ranks := ports(t, kind, 3)
				for i, p := range ranks {
					for j, text := range c.addresses {
						ip, port := addr(t, text)
						if c.routes {
							p.Route(c.sessions[j], ip, port, i == j)
						}
						if i == j && kind == fabric.TCP {
							assert.NilError(t, p.Listen(port))
						}
					}
				}
				for i, p := range ranks {
					for j, text := range c.addresses {
						ip, port := addr(t, text)
						if got, err := p.Connect(t.Context(), ip, port); i != j && (err != nil || got != uint32(j)) {
							t.Errorf("rank %d to rank %d, %s: session %d, %v", i, j, text, got, err)
						}
					}
				}
			})
		}
	}
}

// On TCP ranks are found before they listen, one after the other.
func TestConnectRankByRank(t *testing.T) {
	for name, c := range map[string]struct {
		addresses []string
		sessions  func(rank int) uint32
	}{
		"as simulators do":              {[]string{"127.0.0.1:5500", "127.0.0.1:5501", "127.0.0.1:5502"}, rankOf},
		"without sessions":              {[]string{"127.0.0.1:5500", "127.0.0.1:5501", "127.0.0.1:5502"}, zero},
		"any addresses":                 {[]string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"}, rankOf},
		"any addresses, no sessions":    {[]string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"}, none},
		"any ports, no sessions":        {[]string{"127.0.0.1:17000", "127.0.0.1:17001", "127.0.0.1:17002"}, none},
		"any addresses, zeros as words": {[]string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"}, zero},
	} {
		t.Run(name, func(t *testing.T) {
			ranks := ports(t, fabric.TCP, 3)
			for i, p := range ranks {
				for j, text := range c.addresses {
					ip, port := addr(t, text)
					p.Route(c.sessions(j), ip, port, i == j)
				}
				_, own := addr(t, c.addresses[i])
				assert.NilError(t, p.Listen(own))
				for j, text := range c.addresses {
					ip, port := addr(t, text)
					if got, err := p.Connect(t.Context(), ip, port); i != j && (err != nil || got != uint32(j)) {
						t.Errorf("rank %d to rank %d, %s: session %d, %v", i, j, text, got, err)
					}
				}
			}
			for i, p := range ranks {
				for j := range ranks {
					err := p.Send(uint32(j), &fabric.Packet{})
					assert.Check(t, i == j || err == nil, "rank %d to rank %d, which listens: %v", i, j, err)
				}
			}
		})
	}
	// A communicator of some ranks, of which it does not say the sessions.
	ranks := ports(t, fabric.TCP, 4)
	for _, text := range []string{"127.0.0.1:5501", "127.0.0.1:5503"} {
		ip, port := addr(t, text)
		ranks[1].Route(0, ip, port, text == "127.0.0.1:5501")
		if got, err := ranks[1].Connect(t.Context(), ip, port); text == "127.0.0.1:5503" && (err != nil || got != 3) {
			t.Errorf("rank 1 to rank 3 alone: session %d, %v", got, err)
		}
	}
}

func rankOf(rank int) uint32 { return uint32(rank) }
func zero(int) uint32        { return 0 }
func none(int) uint32        { return 0xFFFFFFFF }

func TestConnectRefuses(t *testing.T) {
	ranks := ports(t, fabric.TCP, 2)
	ip, port := addr(t, "10.0.0.9:99")
	if _, err := ranks[0].Connect(t.Context(), ip, port); !errors.Is(err, fabric.ErrRefused) ||
		err.Error() != "connecting to 10.0.0.9:99: connection refused" {
		t.Error(err)
	}
	// Addresses that a communicator calls by one session say nothing.
	for _, text := range []string{"10.0.0.1:1", "10.0.0.2:1"} {
		ip, port = addr(t, text)
		ranks[0].Route(0, ip, port, false)
	}
	_, err := ranks[0].Connect(t.Context(), ip, port)
	assert.Check(t, is.ErrorIs(err, fabric.ErrRefused))
}

func TestTranslate(t *testing.T) {
	a, b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	book := newBook([]netip.Addr{a, a, b}, 6000)
	for from, to := range map[string]string{
		"10.0.0.1:6000":  "10.0.0.1:6012",
		"10.0.0.1:6001":  "10.0.0.1:6013",
		"10.0.0.2:6002":  "10.0.0.2:6014",
		"10.0.0.2:6014":  "10.0.0.2:6014",
		"10.0.0.1:6003":  "10.0.0.1:6012", // the packet socket
		"10.0.0.2:6005":  "10.0.0.2:6014",
		"10.0.0.1:6006":  "10.0.0.1:6006", // the kernel's are nobody's address
		"10.0.0.1:6009":  "10.0.0.1:6009",
		"127.0.0.1:6002": "10.0.0.2:6014", // as simulators say wherever ranks are
		"127.0.0.1:6014": "10.0.0.2:6014",
		"10.0.0.1:6002":  "10.0.0.1:6002", // literally: not where rank 2 is
		"10.0.0.1:5999":  "10.0.0.1:5999",
		"10.0.0.1:6015":  "10.0.0.1:6015",
		"10.9.9.9:17000": "10.9.9.9:17000",
	} {
		got := book.translate(netip.MustParseAddrPort(from))
		assert.Check(t, is.Equal(got.String(), to), "%s is translated to %v", from, got)
	}
}

func TestFreePortsAreFreeAndOnesOwn(t *testing.T) {
	// Other tests of this process may have taken enough, so that theirs would be given again.
	locks, given := held.locks, held.given
	held.locks, held.given = nil, nil
	t.Cleanup(func() { held.locks, held.given = append(locks, held.locks...), append(given, held.given...) })
	seen := map[int]bool{}
	for range 3 {
		base, err := FreePorts(100)
		assert.NilError(t, err)
		for port := base; port < base+100; port++ {
			assert.Assert(t, !seen[port], "port %d twice", port)
			seen[port] = true
			l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
			assert.NilError(t, err)
			l.Close()
		}
	}
	for range 40 { // more than it takes from others
		_, err := FreePorts(100)
		assert.NilError(t, err)
	}
	for _, n := range []int{0, -1, 1 << 20} {
		if base, err := FreePorts(n); err == nil {
			t.Errorf("%d ports from %d on", n, base)
		}
	}
}
