package network

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// Config is what the network of a rank shall be. The zero value of what is not explained
// is a good choice.
type Config struct {
	Ranks []accl.Rank // the engines of all ranks, with their addresses; no two have the same
	Local int         // the own one

	// PrefixBits are those of the own network, 24 to 30 on UDP; 0 is 24, which TCP has.
	PrefixBits int
	// Gateway is where packets to other networks go. UDP needs it if a rank is in another
	// one; TCP has the first address of its own network, and no other.
	Gateway netip.Addr
	// MAC is the own MAC address on UDP and RDMA. By default it is that of the card, with the
	// last octet of the IP address in place of its own; on RDMA 02:00 with the IP address
	// behind it. TCP has its own, see Board.
	MAC net.HardwareAddr
	// FEC says whether the link has RS-FEC. Both its ends must have the same.
	FEC FEC
	// Timeout bounds all of Setup; 0 is DefaultTimeout.
	Timeout time.Duration
	// Progress, if there, is called when a step begins.
	Progress func(Step)

	// Send and Receive are addresses in the memory of the TCP stack, of Stack.BufferBytes
	// each, which it keeps for as long as it is in use. UDP needs none.
	Send, Receive uint64
	// Board, if there, is the number, from 0, that makes the MAC address of the TCP
	// stack its own on its network; by default it is the rank.
	Board *int
	// Listening says that the TCP stack listens on the own port already: it was told so
	// after its design was loaded, and refuses to be told again. It goes with EachWay only.
	Listening bool
	// Connections says which there are on TCP.
	Connections Connections
	// Said is what all ranks have said of their queue pairs, by rank; see Describe. Only
	// RDMA has them.
	Said [][]byte
	// FirstSession is the number that the stack gives its next session, 0 if its design was
	// just loaded. It makes no difference with EachWay.
	FirstSession uint32
}

// FEC is whether a link has RS-FEC.
type FEC int

// The choices.
const (
	KeepFEC FEC = iota // as the card has it
	WithFEC
	WithoutFEC
)

// Connections is which TCP connections there are between ranks.
type Connections int

const (
	// OncePerPair has one connection for each pair of ranks, for both ways: the higher rank
	// opens it. Our engines need that.
	OncePerPair Connections = iota
	// EachWay has each rank connect to each other one: it sends on the session that it has
	// opened, and receives on the one that the other has. This is how host programs of ACCL
	// connect, whose engines look at no session.
	EachWay
)

// Step is a part of the set-up.
type Step string

// The steps, in order.
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

// DefaultTimeout is how long Setup takes at most: ranks are started by hand or by
// schedulers, seconds apart, and each waits for all others.
const DefaultTimeout = time.Minute

// network is the own one.
func (c *Config) network() netip.Prefix {
	return netip.PrefixFrom(c.own().Addr(), c.PrefixBits).Masked()
}

func (c *Config) own() netip.AddrPort { return place(c.Ranks[c.Local]) }

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
	if c.PrefixBits == 0 {
		c.PrefixBits = 24
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Progress == nil {
		c.Progress = func(Step) {}
	}
	if len(c.Ranks) == 0 || c.Local < 0 || c.Local >= len(c.Ranks) {
		return nil, &Error{Kind: ErrConfig, Rank: -1, Reason: fmt.Sprintf("the own rank %d is none of %d",
			c.Local, len(c.Ranks))}
	}
	if c.Timeout < 0 {
		return nil, &Error{Kind: ErrConfig, Rank: -1, Reason: fmt.Sprintf("the timeout %v is negative", c.Timeout)}
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

// unusable says why no engine can have an address; "" if one can.
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
