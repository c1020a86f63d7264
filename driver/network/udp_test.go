package network_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

// Ranks come up side by side, in any order. In the end a packet on the session of a rank
// goes to that rank, from the own port, by that rank's MAC address.
func TestUDPComesUpInAnyOrder(t *testing.T) {
	const n = 4
	d := design(t, "u55c_udp", nil)
	for seed := range uint64(8) {
		w := kernels.NewWire(seed%2 == 1)
		members := members(n)
		cards := make([]*kernels.UDP, n)
		for i := range cards {
			cards[i] = w.UDP(seed%3 != 0)
			cards[i].Late(i)
		}
		got := make([][]accl.Rank, n)
		errs := make([]error, n)
		together(n, seed, 60*time.Millisecond, func(i int) {
			s := stack(t, d, instances{"poe_0": cards[i].Registers(), "cmac": cards[i].Ethernet})
			c := network.Config{Ranks: members, Local: i, FEC: network.WithoutFEC}
			if seed%2 == 1 {
				c.FEC = network.WithFEC
			}
			got[i], errs[i] = s.Setup(ctx(t), c)
		})
		assert.NilError(t, errors.Join(errs...), "seed %d", seed)
		for i, own := range cards {
			if ip, mac := own.Address(); ip != members[i].IP || mac != (kernels.MAC{0x00, 0x0A, 0x35, 0x02, 0x9D, ip.As4()[3]}) {
				t.Errorf("rank %d has the addresses %v and %v", i, ip, mac)
			}
			for j, peer := range cards {
				if got[i][j].IP != members[j].IP || got[i][j].Port != members[j].Port || got[i][j].Session != uint32(j) {
					t.Errorf("rank %d was told that rank %d is %+v", i, j, got[i][j])
				}
				if j == i {
					_, _, valid := own.Entry(i)
					assert.Check(t, !valid, "rank %d has a socket to itself", i)
					continue
				}
				_, mac := peer.Address()
				to, from, hop, ok := own.Reaches(int(got[i][j].Session))
				if !ok || to != netip.AddrPortFrom(members[j].IP, members[j].Port) || from != members[i].Port || hop != mac {
					t.Errorf("seed %d: what rank %d sends to rank %d goes from port %d to %v by %v (%t)", seed,
						i, j, from, to, hop, ok)
				}
			}
			for j := n; j < 16; j++ {
				if _, _, valid := own.Entry(j); valid {
					t.Errorf("rank %d has a socket %d", i, j)
				}
			}
		}
	}
}

// rig is rank 0 of three: the others are cards that have come up.
type rig struct {
	w      *kernels.Wire
	own    *kernels.UDP
	others map[int]*kernels.UDP
	c      network.Config
}

func newRig(t *testing.T, fec bool) *rig {
	r := &rig{w: kernels.NewWire(fec), others: map[int]*kernels.UDP{},
		c: network.Config{Ranks: members(3), Timeout: time.Second}}
	r.own = r.w.UDP(true)
	for i := 1; i < 3; i++ {
		c := r.w.UDP(true)
		if fec {
			correct(t, c.Ethernet)
		}
		ip := r.c.Ranks[i].IP.As4()
		write(t, c.Registers(), 0x10, 0x35029D00|uint32(ip[3]))
		write(t, c.Registers(), 0x18, uint32(ip[0])<<24|uint32(ip[1])<<16|uint32(ip[2])<<8|uint32(ip[3]))
		r.others[i] = c
	}
	return r
}

type writer interface {
	Write(ctx context.Context, offset, value uint32) error
}

func write(t *testing.T, r writer, offset, value uint32) {
	t.Helper()
	assert.NilError(t, r.Write(t.Context(), offset, value))
}

// correct turns RS-FEC on.
func correct(t *testing.T, m *kernels.Ethernet) {
	t.Helper()
	write(t, m, 0x107C, 3)
	write(t, m, 0x1000, 7)
	write(t, m, 4, 0xC0000000)
	write(t, m, 4, 0)
}

func TestUDPFaults(t *testing.T) {
	router := kernels.MAC{2, 0, 0, 0, 0, 1}
	for _, test := range []struct {
		name    string
		fec     bool
		prepare func(t *testing.T, r *rig)
		want    []fault
		check   func(t *testing.T, r *rig)
	}{
		{"all is well", false, func(*testing.T, *rig) {}, nil, nil},
		{"a silent rank", false, func(_ *testing.T, r *rig) { r.others[2].Silence(-1) },
			[]fault{{network.ErrSilent, 2, "it does not answer ARP, asked"}}, nil},
		{"two silent ranks", false, func(_ *testing.T, r *rig) { r.others[1].Silence(-1); r.others[2].Ethernet.Cut(true) },
			[]fault{{network.ErrSilent, 1, "deadline exceeded"}, {network.ErrSilent, 2, "poe_0"}}, nil},
		{"a rank that answers the third time", false, func(_ *testing.T, r *rig) { r.others[1].Silence(2) }, nil,
			func(t *testing.T, r *rig) {
				n := r.own.Scans()
				assert.Check(t, n == 3, "it has asked %d times", n)
			}},
		{"late answers", false, func(_ *testing.T, r *rig) { r.own.Late(7) }, nil, nil},
		{"no cable", false, func(_ *testing.T, r *rig) { r.own.Ethernet.Cut(true) },
			[]fault{{network.ErrLink, 0, "cmac: rank 0 at 10.1.212.21:5500: the link is not up after"}}, nil},
		{"RS-FEC on the other side alone", true, func(*testing.T, *rig) {},
			[]fault{{network.ErrLink, 0, "local_fault"}}, nil},
		{"RS-FEC here alone", false, func(_ *testing.T, r *rig) { r.c.FEC = network.WithFEC },
			[]fault{{network.ErrLink, 0, "the same RS-FEC?"}}, nil},
		{"RS-FEC on both sides", true, func(_ *testing.T, r *rig) { r.c.FEC = network.WithFEC }, nil, nil},
		{"RS-FEC left on", false, func(t *testing.T, r *rig) {
			r.c.FEC = network.WithoutFEC
			correct(t, r.own.Ethernet)
		}, nil, nil},
		{"RS-FEC of which half is on", true, func(t *testing.T, r *rig) {
			r.c.FEC = network.WithFEC
			write(t, r.own.Ethernet, 0x107C, 3)
		}, nil, func(t *testing.T, r *rig) {
			v, err := r.own.Ethernet.Read(t.Context(), 0x1000)
			assert.Check(t, err == nil && v == 7, "it does 0x%X with errors (%v)", v, err)
		}},
		{"RS-FEC as it is", true, func(t *testing.T, r *rig) { correct(t, r.own.Ethernet) }, nil, nil},
		{"a MAC without RS-FEC", true, func(_ *testing.T, r *rig) { r.c.FEC = network.WithFEC; r.own.Ethernet.WithoutFEC() },
			[]fault{{network.ErrHardware, 0, "built without RS-FEC"}}, nil},
		{"a MAC that cannot be turned on", false, func(_ *testing.T, r *rig) { r.own.Ethernet.Deaf() },
			[]fault{{network.ErrHardware, 0, "conf_rx"}}, nil},
		{"a MAC that is looped back", false, func(t *testing.T, r *rig) { write(t, r.own.Ethernet, 0x90, 1) }, nil,
			func(t *testing.T, r *rig) {
				v, err := r.own.Ethernet.Read(t.Context(), 0x90)
				assert.Check(t, err == nil && v == 0, "it still is (%v)", err)
			}},
		{"a link that flaps at first", false, func(_ *testing.T, r *rig) { r.own.Ethernet.Flap(2*time.Millisecond, 5) },
			nil, nil},
		{"a link that flaps", false, func(_ *testing.T, r *rig) { r.own.Ethernet.Flap(2*time.Millisecond, 1<<30) },
			[]fault{{network.ErrLink, 0, "the link is not up after"}}, nil},
		{"the link goes down while all are asked", false, func(_ *testing.T, r *rig) {
			r.others[1].Silence(-1)
			r.own.AfterScan(func(n int) { r.own.Ethernet.Cut(n > 1) })
		}, []fault{{network.ErrLink, 0, "has gone down"}, {network.ErrSilent, 1, ""}}, nil},
		{"the link goes down for a moment while all are asked", false, func(_ *testing.T, r *rig) {
			r.c.Timeout = 5 * time.Second
			r.others[1].Silence(3)
			r.own.AfterScan(func(n int) { r.own.Ethernet.Cut(n == 1) })
		}, nil, nil},
		{"a small table", false, func(_ *testing.T, r *rig) { r.own.Small(2) },
			[]fault{{network.ErrTable, 2, "the socket table has 2 entries, and 3 ranks"}}, nil},
		{"an address that does not stay", false, func(_ *testing.T, r *rig) { r.own.Stick(0x18) },
			[]fault{{network.ErrHardware, 0, "ip_address[0] is 0xC0A80005 after 0xA01D415 was written"}}, nil},
		{"a port that does not stay", false, func(_ *testing.T, r *rig) { r.own.Stick(0x8A0 + 2*8) },
			[]fault{{network.ErrHardware, 0, "udp_their_port[2] is 0x0 after 0x157E"}}, nil},
		{"a MAC address that is another rank's, too", false, func(t *testing.T, r *rig) {
			ip := r.c.Ranks[1].IP.As4()
			write(t, r.others[2].Registers(), 0x10, 0x35029D00|uint32(ip[3]))
		},
			[]fault{{network.ErrAddress, 2,
				"it has the MAC address 00:0a:35:02:9d:16, and rank 1 at 10.1.212.22:5501 has it, too"}}, nil},
		{"the own MAC address at another rank", false,
			func(_ *testing.T, r *rig) { r.c.MAC = net.HardwareAddr{0, 0x0A, 0x35, 2, 0x9D, 23} },
			[]fault{{network.ErrAddress, 2, "rank 0 at"}}, nil},
		{"sockets that an earlier program has left", false, func(t *testing.T, r *rig) {
			for _, at := range []uint32{0x9A0, 0x9A0 + 8*7} { // valid
				write(t, r.own.Registers(), at, 1)
			}
		}, nil, func(t *testing.T, r *rig) {
			for i := range 16 {
				_, _, valid := r.own.Entry(i)
				assert.Check(t, valid == (i == 1 || i == 2), "socket %d is valid: %t", i, valid)
			}
		}},
		{"what an earlier program has left", false, func(_ *testing.T, r *rig) {
			r.own.Remember(r.c.Ranks[1].IP, kernels.MAC{2, 2, 2, 2, 2, 2})
		}, nil, func(t *testing.T, r *rig) {
			_, mac := r.others[1].Address()
			_, _, hop, ok := r.own.Reaches(1)
			assert.Check(t, ok && hop == mac, "packets to rank 1 go to %v", hop)
		}},
		{"a rank in another network", false,
			func(_ *testing.T, r *rig) { r.c.Ranks[2].IP = netip.MustParseAddr("10.2.0.23") },
			[]fault{{network.ErrAddress, 2, "it is not in the network 10.1.212.0/24 of rank 0, which has no gateway"}}, nil},
		{"a gateway", false, func(_ *testing.T, r *rig) {
			r.c.Ranks[2].IP, r.c.Gateway = netip.MustParseAddr("10.2.0.23"), netip.MustParseAddr("10.1.212.254")
			r.w.Host(r.c.Gateway, router)
		}, nil, func(t *testing.T, r *rig) {
			if to, _, hop, ok := r.own.Reaches(2); !ok || hop != router || to.String() != "10.2.0.23:5502" {
				t.Errorf("packets to rank 2 go to %v by %v", to, hop)
			}
		}},
		{"a silent gateway", false, func(_ *testing.T, r *rig) {
			r.c.Ranks[2].IP, r.c.Gateway = netip.MustParseAddr("10.2.0.23"), netip.MustParseAddr("10.1.212.254")
		}, []fault{{network.ErrSilent, 2, "the gateway to it, 10.1.212.254, does not answer ARP"}}, nil},
		{"a smaller network", false, func(_ *testing.T, r *rig) { r.c.PrefixBits = 28 }, nil,
			func(t *testing.T, r *rig) {
				v, err := r.own.Registers().Read(t.Context(), 0x20)
				assert.Check(t, err == nil && v == 0xFFFFFFF0, "the mask is 0x%X (%v)", v, err)
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, test.fec)
			test.prepare(t, r)
			s := stack(t, design(t, "u55c_udp", nil), instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet})
			if test.want == nil {
				r.c.Timeout = 4 * time.Second
			}
			var err error
			within(t, 5*time.Second, func() { _, err = s.Setup(ctx(t), r.c) })
			checkFaults(t, r.c.Ranks, err, test.want)
			if test.check != nil {
				test.check(t, r)
			}
		})
	}
}

// A set-up that was given up says why, and can be done again.
func TestUDPIsGivenUpAndDoneAgain(t *testing.T) {
	r := newRig(t, false)
	r.c.Timeout = time.Minute
	r.others[1].Silence(-1)
	s := stack(t, design(t, "u55c_udp", nil), instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet})
	why := errors.New("the user has changed his mind")
	c, cancel := context.WithCancelCause(ctx(t))
	r.c.Progress = func(s network.Step) {
		if s == network.StepARP {
			time.AfterFunc(300*time.Millisecond, func() { cancel(why) })
		}
	}
	var err error
	within(t, 5*time.Second, func() { _, err = s.Setup(c, r.c) })
	checkFaults(t, r.c.Ranks, err, []fault{{network.ErrSilent, 1, why.Error()}})
	assert.Check(t, errors.Is(err, why), "%v does not wrap its cause", err)
	r.others[1].Silence(0)
	_, err = s.Setup(ctx(t), r.c)
	assert.Check(t, err)
}

// A rank alone has nobody to ask, but is not set up when it was told to stop.
func TestUDPAloneIsGivenUp(t *testing.T) {
	r := newRig(t, false)
	r.c.Ranks = r.c.Ranks[:1]
	why := errors.New("the user has changed his mind")
	for _, stop := range []bool{false, true} {
		c, cancel := context.WithCancelCause(ctx(t))
		r.c.Progress = func(s network.Step) {
			if stop && s == network.StepARP {
				cancel(why)
			}
		}
		s := stack(t, design(t, "u55c_udp", nil), instances{"poe_0": stopping{r.own.Registers(), c}, "cmac": r.own.Ethernet})
		if _, err := s.Setup(c, r.c); errors.Is(err, why) != stop || err != nil && !stop {
			t.Errorf("told to stop %v: %v", stop, err)
		}
		cancel(nil)
	}
}

// stopping are registers of a card: they end with the cause of a context. Those of ARP are
// cleared at once.
type stopping struct {
	layout.Registers
	why context.Context
}

func (s stopping) Write(ctx context.Context, offset, value uint32) error {
	if ctx.Err() != nil && (offset < 0x1100 || offset >= 0x1200) {
		return context.Cause(s.why)
	}
	return s.Registers.Write(context.WithoutCancel(ctx), offset, value)
}

// In hardware emulation there is no MAC; elsewhere cmac_1 may be there.
func TestUDPWithOtherMACs(t *testing.T) {
	for _, vars := range []map[string]cty.Value{{"hw_emu": cty.True}, {"ethernet_port": cty.NumberIntVal(1)}} {
		r := newRig(t, false)
		var steps []network.Step
		r.c.Progress = func(s network.Step) { steps = append(steps, s) }
		in := instances{"poe_0": r.own.Registers()}
		want := "[address sockets arp]"
		if vars["hw_emu"] == cty.NilVal {
			in["cmac"], want = r.own.Ethernet, "[link address sockets arp]"
		}
		_, err := stack(t, design(t, "u55c_udp", vars), in).Setup(ctx(t), r.c)
		assert.Check(t, err)
		assert.Check(t, is.Equal(fmt.Sprint(steps), want))
	}
}
