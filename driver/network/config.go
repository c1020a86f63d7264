package network

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// Config is the wanted configuration of a rank's network. The zero value is the default
// unless a field says otherwise.
type Config struct {
	Ranks []accl.Rank // engines of all ranks, with different addresses
	Local int         // index of this rank

	// PrefixBits is the length of the network prefix, 24 to 30 on UDP; 0 is 24. TCP always
	// has 24.
	PrefixBits int
	// Gateway forwards packets to other networks. UDP needs it if a rank is in another
	// network. TCP always uses the first address of its own network.
	Gateway netip.Addr
	// MAC is the own MAC address on UDP and RDMA. The default on UDP is the address of the
	// card with the last octet of the IP address in place of its own; on RDMA it is 02:00
	// followed by the IP address. On TCP it follows from Board.
	MAC net.HardwareAddr
	// FEC is the RS-FEC setting of the link. Both ends must have the same.
	FEC FEC
	// Timeout bounds all of Setup; 0 is DefaultTimeout.
	Timeout time.Duration
	// Progress, if not nil, is called when a step begins.
	Progress func(Step)

	// Send and Receive are addresses of memory for the TCP stack, Stack.BufferBytes each,
	// which must remain allocated while the stack is in use. UDP needs none.
	Send, Receive uint64
	// Board is the number, from 0, that makes the MAC address of the TCP stack unique on its
	// network; nil is the rank.
	Board *int
	// Listening tells that the TCP stack already listens on the own port, since an earlier
	// program: the stack refuses a second request. Only valid with EachWay.
	Listening bool
	// Connections chooses the connections of a TCP stack.
	Connections Connections
	// Said has the results of Describe of all ranks, by rank. Only RDMA has them.
	Said [][]byte
	// FirstSession is the number of the next session that the stack opens, 0 after its
	// design was loaded. EachWay ignores it.
	FirstSession uint32
}

// FEC is the RS-FEC setting of a link.
type FEC int

// Settings of RS-FEC.
const (
	KeepFEC FEC = iota // keep the setting of the card
	WithFEC
	WithoutFEC
)

// Connections is the set of TCP connections between ranks.
type Connections int

const (
	// OncePerPair has one connection for each pair of ranks, for both directions, opened by
	// the higher rank. Engines of this project need it.
	OncePerPair Connections = iota
	// EachWay has a connection from each rank to each other rank: a rank sends on the
	// session that it has opened, and receives on the one that the other has opened. Host
	// programs of ACCL connect in this way; their engines do not check sessions.
	EachWay
)

// Step is a part of Setup.
type Step string

// Steps, in order.
const (
	StepLink    Step = "link"    // MAC on, wait for the other side
	StepAddress Step = "address" // own addresses
	StepSockets Step = "sockets" // UDP: a socket for each rank
	StepPairs   Step = "pairs"   // RDMA: queue pairs
	StepARP     Step = "arp"     // UDP, RDMA: the MAC addresses of all ranks
	StepStart   Step = "start"   // TCP: the stack
	StepListen  Step = "listen"  // TCP
	StepConnect Step = "connect" // TCP
)

// DefaultTimeout is the default of Config.Timeout: ranks are started seconds apart, by
// hand or by schedulers, and each waits for all others.
const DefaultTimeout = time.Minute

// network is the own one.
func (c *Config) network() netip.Prefix {
	return netip.PrefixFrom(c.own().Addr(), c.PrefixBits).Masked()
}

func (c *Config) own() netip.AddrPort { return place(c.Ranks[c.Local]) }

func (c *Config) others() (ranks []int) {
	for i := range c.Ranks {
		if i != c.Local {
			ranks = append(ranks, i)
		}
	}
	return ranks
}

// gateway is the one to be written: the given one, or the first address of the network.
func (c *Config) gateway() netip.Addr {
	if c.Gateway.IsValid() {
		return c.Gateway.Unmap()
	}
	return c.network().Addr().Next()
}

func place(r accl.Rank) netip.AddrPort { return netip.AddrPortFrom(r.IP.Unmap(), r.Port) }

// number is an IPv4 address as stacks keep it, its first octet highest.
func number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

func address(n uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return netip.AddrFrom4(b)
}

// complete fills in defaults and checks all that can be checked without a card, by the
// limits of a TCP stack. It returns all errors there are.
func (c Config) complete(kind string, of *limits) (*Config, error) {
	c.Ranks = slices.Clone(c.Ranks)
	c.PrefixBits = cmp.Or(c.PrefixBits, 24)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	if c.Progress == nil {
		c.Progress = func(Step) {}
	}
	if len(c.Ranks) == 0 || c.Local < 0 || c.Local >= len(c.Ranks) {
		return nil, failure(ErrConfig, "", nil, "the own rank %d is none of %d", c.Local, len(c.Ranks))
	}
	if c.Timeout < 0 {
		return nil, failure(ErrConfig, "", nil, "the timeout %v is negative", c.Timeout)
	}
	var errs []error
	bad := func(kind error, rank int, format string, args ...any) {
		errs = append(errs, &Error{Kind: kind, Rank: rank, Address: place(c.Ranks[rank]),
			Reason: fmt.Sprintf(format, args...)})
	}
	if c.PrefixBits < 24 || c.PrefixBits > 30 {
		bad(ErrConfig, c.Local, "a network of %d bits is none of 24 to 30: stacks find MAC addresses by the last octet",
			c.PrefixBits)
	}
	for i, r := range c.Ranks {
		if reason := unusable(r.IP.Unmap()); reason != "" {
			bad(ErrAddress, i, "its address %s", reason)
		}
		if r.Port == 0 {
			bad(ErrAddress, i, "it has no port")
		}
		for j, other := range c.Ranks[:i] {
			if other.IP.Unmap() == r.IP.Unmap() && r.IP.IsValid() {
				bad(ErrAddress, i, "rank %d has its address, too", j)
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	switch kind {
	case KindUDP:
		c.checkMAC(bad)
	case KindTCP:
		c.checkTCP(of, bad)
	case KindRDMA:
		c.checkRDMA(bad)
	}
	c.checkNetwork(kind, bad)
	return &c, errors.Join(errs...)
}

// unusable returns why an address cannot be one of an engine, or "".
func unusable(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return "is missing"
	case !a.Is4():
		return "is not of IPv4"
	case a.IsUnspecified() || number(a)>>24 == 0:
		return "is none of a card: it is zero, or of network 0"
	case a.IsMulticast():
		return "is multicast"
	case a.IsLoopback():
		return "never leaves a host"
	case number(a)>>28 == 15:
		return "is reserved, or broadcast"
	}
	return ""
}
