package network_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/network"
)

// rdma is an RDMA stack of which all can be said. It answers what is in its table, and
// what is asked comes into it if somebody is there.
type rdma struct {
	ip        netip.Addr
	mac       net.HardwareAddr
	keeps     bool                         // addresses are not taken
	there     map[netip.Addr]bool          // ranks that answer
	table     map[netip.Addr]bool          // addresses that are known
	connected map[uint32]network.QueuePair // remote ends, by local numbers
	ports     map[uint32]uint16
	n         network.Packets
	busy      uint32 // requests of others that are still answered, one at each ask
	broken    map[string]error
}

func newRDMA(there ...netip.Addr) *rdma {
	s := &rdma{there: map[netip.Addr]bool{}, table: map[netip.Addr]bool{}, connected: map[uint32]network.QueuePair{},
		ports: map[uint32]uint16{}, broken: map[string]error{}}
	for _, ip := range there {
		s.there[ip] = true
	}
	return s
}

func (s *rdma) QueuePairs(_ context.Context, n int) ([]uint32, error) {
	var out []uint32
	for i := range n {
		out = append(out, uint32(0x40+i))
	}
	return out, s.broken["pairs"]
}

func (s *rdma) SetAddress(_ context.Context, ip netip.Addr, mac net.HardwareAddr) error {
	if !s.keeps {
		s.ip, s.mac = ip, mac
	}
	return s.broken["set"]
}

func (s *rdma) Address(context.Context) (netip.Addr, net.HardwareAddr, error) {
	return s.ip, s.mac, s.broken["get"]
}

func (s *rdma) Connect(_ context.Context, local, remote network.QueuePair, port uint16) error {
	s.connected[local.QPN], s.ports[local.QPN] = remote, port
	return s.broken["connect"]
}

func (s *rdma) Ask(_ context.Context, ip netip.Addr) error {
	if s.busy > 0 {
		s.busy--
		s.n.SentARP++
	}
	if !s.table[ip] {
		s.n.SentARP++
		s.n.Sent++
		if s.there[ip] {
			s.table[ip] = true
			s.n.Received++
			s.n.ReceivedARP++
		}
	}
	return s.broken["ask"]
}

func (s *rdma) Packets(context.Context) (network.Packets, error) { return s.n, s.broken["packets"] }

// inShell is the network of an RDMA platform, with what three ranks have said.
func inShell(t *testing.T, shell network.Shell) (*network.Stack, [][]byte) {
	t.Helper()
	s, err := network.Within(design(t, "u55c_rdma", nil), 0, shell)
	assert.NilError(t, err)
	var texts [][]byte
	for i := range members(3) {
		other, err := network.Within(design(t, "u55c_rdma", nil), 0, newRDMA())
		assert.NilError(t, err)
		text, err := other.Describe(ctx(t), members(3), i)
		assert.NilError(t, err)
		texts = append(texts, text)
	}
	return s, texts
}

func TestQueuePairsAreWritten(t *testing.T) {
	ranks := members(3)
	shell := newRDMA(ranks[0].IP, ranks[2].IP)
	shell.busy = 5
	s, said := inShell(t, shell)
	var steps []network.Step
	got, err := s.Setup(ctx(t), network.Config{Ranks: ranks, Local: 1, Said: said,
		Progress: func(s network.Step) { steps = append(steps, s) }})
	assert.NilError(t, err)
	assert.Check(t, got[0].Session == 0x40 && got[2].Session == 0x42, "sessions are %v", got)
	assert.Check(t, shell.ip == ranks[1].IP && shell.mac.String() == "02:00:0a:01:d4:16",
		"the addresses are %v and %v", shell.ip, shell.mac)
	pairs, err := network.PairUp(1, said)
	if err != nil || len(shell.connected) != 2 {
		t.Fatal(shell.connected, err)
	}
	for _, p := range pairs {
		if shell.connected[p.Local.QPN] != p.Remote || shell.ports[p.Local.QPN] != ranks[p.Rank].Port ||
			p.Remote.PSN>>24 != 0 {
			t.Errorf("0x%X leads to %+v by port %d, not to %+v", p.Local.QPN, shell.connected[p.Local.QPN],
				shell.ports[p.Local.QPN], p.Remote)
		}
	}
	want := []network.Step{network.StepAddress, network.StepPairs, network.StepARP}
	assert.Check(t, slices.Equal(steps, want), "steps are %v", steps)
	// Once more, with addresses that are known, and a MAC address of one's own.
	asked := shell.n.Sent
	if _, err := s.Setup(ctx(t), network.Config{Ranks: ranks, Local: 1, Said: said, MAC: net.HardwareAddr{2, 1, 2, 3, 4,
		5}}); err != nil || shell.n.Sent != asked || shell.mac[1] != 1 {
		t.Errorf("%v, asked %d times, %v", err, shell.n.Sent-asked, shell.mac)
	}
}

var errBroken = errors.New("it is broken")

func TestQueuePairsThatCannotBeWritten(t *testing.T) {
	const silence = 150 * time.Millisecond
	ranks := members(3)
	for _, test := range []struct {
		name   string
		there  []int // ranks that answer
		shell  func(s *rdma)
		config func(c *network.Config)
		want   []fault
	}{
		{"nobody is there", nil, nil, nil, []fault{{network.ErrLink, 1, "none of ranks [0 2] answers ARP"}}},
		{"a rank does not answer", []int{0}, nil, nil, []fault{{network.ErrSilent, 2, "it does not answer ARP, asked"}}},
		{"addresses do not stay", []int{0, 2}, func(s *rdma) { s.keeps, s.ip = true, ranks[0].IP }, nil,
			[]fault{{network.ErrHardware, 1, "10.1.212.21"}}},
		{"addresses cannot be set", []int{0, 2}, func(s *rdma) { s.broken["set"] = errBroken }, nil,
			[]fault{{network.ErrAccess, 1, "set the own addresses: it is broken"}}},
		{"addresses cannot be read", []int{0, 2}, func(s *rdma) { s.broken["get"] = errBroken }, nil,
			[]fault{{network.ErrAccess, 1, "read the own addresses: it is broken"}}},
		{"a queue pair cannot be written", []int{0, 2}, func(s *rdma) { s.broken["connect"] = errBroken }, nil,
			[]fault{{network.ErrAccess, 1, "write the queue pair 0x40 for rank 0 at 10.1.212.21:5500: it is broken"}}},
		{"nobody can be asked", []int{0, 2}, func(s *rdma) { s.broken["ask"] = errBroken }, nil,
			[]fault{{network.ErrAccess, 1, "10.1.212.21: it is broken"}}},
		{"packets cannot be counted", []int{0, 2}, func(s *rdma) { s.broken["packets"] = errBroken }, nil,
			[]fault{{network.ErrAccess, 1, "count packets: it is broken"}}},
		{"nobody has said anything", []int{0, 2}, nil, func(c *network.Config) { c.Said = nil },
			[]fault{{network.ErrConfig, 1, "0 of 3 ranks have described"}}},
		{"a rank says nothing that makes sense", []int{0, 2}, nil, func(c *network.Config) { c.Said[2] = []byte("?") },
			[]fault{{network.ErrQueuePairs, 2, "cannot be read"}}},
		{"a rank has another address", []int{0, 2}, nil, func(c *network.Config) { c.Ranks[2].IP = c.Ranks[2].IP.Next() },
			[]fault{{network.ErrQueuePairs, 2, "its queue pairs have the address 10.1.212.23"}}},
		{"a rank is in another network", []int{0, 2}, nil,
			func(c *network.Config) { c.Ranks[2].IP = netip.MustParseAddr("10.9.9.9") },
			[]fault{{network.ErrAddress, 2, "it is not in the network 10.1.212.0/24 of rank 1"}}},
		{"a wrong MAC address", []int{0, 2}, nil, func(c *network.Config) { c.MAC = net.HardwareAddr{1, 0, 0, 0, 0, 0} },
			[]fault{{network.ErrAddress, 1, "multicast"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			shell := newRDMA()
			for _, i := range test.there {
				shell.there[ranks[i].IP] = true
			}
			if test.shell != nil {
				test.shell(shell)
			}
			s, said := inShell(t, shell)
			c := network.Config{Ranks: slices.Clone(ranks), Local: 1, Said: said, Timeout: silence}
			if test.config != nil {
				test.config(&c)
			}
			within(t, 10*silence, func() {
				_, err := s.Setup(ctx(t), c)
				checkFaults(t, c.Ranks, err, test.want)
				assert.Check(t, test.want[0].kind != network.ErrAccess || errors.Is(err, errBroken),
					"%v does not say what has failed", err)
			})
		})
	}
}

func TestDescribe(t *testing.T) {
	shell := newRDMA()
	s, _ := inShell(t, shell)
	for _, local := range []int{-1, 3} {
		_, err := s.Describe(ctx(t), members(3), local)
		assert.Check(t, is.ErrorIs(err, network.ErrConfig), "rank %d", local)
	}
	ranks := members(3)
	ranks[1].IP = netip.Addr{}
	_, err := s.Describe(ctx(t), ranks, 1)
	assert.Check(t, is.ErrorIs(err, network.ErrAddress))
	shell.broken["pairs"] = errBroken
	_, err = s.Describe(ctx(t), members(3), 1)
	checkFaults(t, members(3), err, []fault{{network.ErrQueuePairs, 1, "no queue pairs for 3 ranks: it is broken"}})
	text, err := stack(t, design(t, "u55c_axis3x", nil), nil).Describe(ctx(t), members(3), 0)
	assert.Check(t, text == nil && err == nil, "a network without queue pairs: %q, %v", text, err)
	_, err = stack(t, design(t, "u55c_rdma", nil), nil).Describe(ctx(t), members(3), 0)
	assert.Check(t, is.ErrorIs(err, network.ErrUnsupported), "without the shell's driver")
	_, err = network.Within(design(t, "u55c_tcp", nil), 0, shell)
	assert.Check(t, errors.Is(err, network.ErrDesign) && strings.Contains(fmt.Sprint(err), "tcp"),
		"a network that is in no shell: %v", err)
}
