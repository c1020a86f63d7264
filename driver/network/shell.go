package network

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// Shell is the RDMA stack of a shell, accessed through a driver. Its methods may be
// called concurrently.
type Shell interface {
	// QueuePairs reserves n queue pairs for this process and returns their numbers.
	QueuePairs(ctx context.Context, n int) ([]uint32, error)
	// SetAddress sets the own addresses, the MAC address first, because others may ask for
	// it at once. Address reads them.
	SetAddress(ctx context.Context, ip netip.Addr, mac net.HardwareAddr) error
	Address(ctx context.Context) (netip.Addr, net.HardwareAddr, error)
	// Connect writes both ends of a queue pair.
	Connect(ctx context.Context, local, remote QueuePair, port uint16) error
	// Ask sends an ARP request for an IP address, unless the stack knows its MAC address.
	Ask(ctx context.Context, ip netip.Addr) error
	// Packets counts packets since the card was loaded.
	Packets(ctx context.Context) (Packets, error)
}

// Packets are numbers of packets, modulo 1<<32.
type Packets struct {
	Received, Sent       uint32 // of all kinds
	ReceivedARP, SentARP uint32
}

// Within returns the network of an engine in a shell, accessed through its driver. The
// error is an *Error: ErrDesign.
func Within(d *layout.Design, cclo int, shell Shell) (*Stack, error) {
	kind, poe, err := find(d, cclo)
	if err == nil && kind != KindRDMA {
		err = failure(ErrDesign, poe.Name, nil, "platform %s has a network of kind %s, which is in no shell", d.Platform,
			kind)
	}
	if err != nil {
		return nil, err
	}
	return &Stack{kind: kind, poe: poe.Name, shell: shell, setup: make(chan struct{}, 1)}, nil
}

// allAddresses is the number of addresses: the peers may write to all memory that the
// process has given to the shell.
const allAddresses = 1 << addressBits

// Describe reserves queue pairs for the ranks of a world and returns their description,
// which all ranks need in Config.Said before they call Setup. It returns nil for networks
// without queue pairs.
func (s *Stack) Describe(ctx context.Context, ranks []accl.Rank, local int) ([]byte, error) {
	if s.kind != KindRDMA {
		return nil, nil
	}
	if s.shell == nil {
		return nil, s.unsupported("describe queue pairs")
	}
	if local < 0 || local >= len(ranks) {
		return nil, failure(ErrConfig, "", nil, "the own rank %d is none of %d", local, len(ranks))
	}
	at := place(ranks[local])
	if reason := unusable(at.Addr()); reason != "" {
		return nil, &Error{Kind: ErrAddress, Rank: local, Address: at, Reason: "its address " + reason}
	}
	numbers, err := s.shell.QueuePairs(ctx, len(ranks))
	if err != nil {
		return nil, &Error{Kind: ErrQueuePairs, Rank: local, Address: at, Instance: s.poe,
			Reason: fmt.Sprintf("no queue pairs for %d ranks", len(ranks)), Cause: err}
	}
	pairs := make([]QueuePair, len(ranks))
	for peer := range pairs {
		if peer != local {
			pairs[peer] = QueuePair{
				QPN: numbers[peer], PSN: rand.Uint32() >> (32 - psnBits), Bytes: allAddresses, IP: at.Addr(), GID: GID(at.Addr()),
			}
		}
	}
	return EncodeQueuePairs(pairs)
}

// rdma sets up the queue pairs that all ranks have described.
func (s *Stack) rdma(ctx context.Context, c *Config) ([]accl.Rank, error) {
	if len(c.Said) != len(c.Ranks) {
		return nil, failure(ErrConfig, "", nil, "%d of %d ranks have described their queue pairs", len(c.Said), len(c.Ranks))
	}
	pairs, err := PairUp(c.Local, c.Said)
	if err != nil {
		each(err, func(e *Error) {
			if e.Rank >= 0 {
				e.Address = place(c.Ranks[e.Rank])
			}
		})
		return nil, err
	}
	for _, p := range pairs {
		if is := c.Ranks[p.Rank].IP.Unmap(); p.Remote.IP.Unmap() != is {
			return nil, &Error{Kind: ErrQueuePairs, Rank: p.Rank, Address: place(c.Ranks[p.Rank]),
				Reason: fmt.Sprintf("its queue pairs have the address %v", p.Remote.IP)}
		}
	}
	c.Progress(StepAddress)
	if err := s.address(ctx, c); err != nil {
		return nil, err
	}
	before, err := s.packets(ctx)
	if err != nil {
		return nil, err
	}
	c.Progress(StepPairs)
	for _, p := range pairs {
		if err := s.shell.Connect(ctx, p.Local, p.Remote, c.Ranks[p.Rank].Port); err != nil {
			return nil, s.broken(fmt.Sprintf("write the queue pair 0x%X for rank %d at %v", p.Local.QPN, p.Rank,
				place(c.Ranks[p.Rank])), err)
		}
	}
	c.Progress(StepARP)
	if err := s.resolve(ctx, c, before); err != nil {
		return nil, err
	}
	return SessionsOf(c.Ranks, pairs), nil
}

// address sets the own addresses, and reads them back.
func (s *Stack) address(ctx context.Context, c *Config) error {
	ip, mac := c.own().Addr(), c.MAC
	if mac == nil { // of those that everybody may give
		b := ip.As4()
		mac = append(net.HardwareAddr{2, 0}, b[:]...)
	}
	if err := s.shell.SetAddress(ctx, ip, mac); err != nil {
		return s.broken("set the own addresses", err)
	}
	hasIP, hasMAC, err := s.shell.Address(ctx)
	if err != nil {
		return s.broken("read the own addresses", err)
	}
	if hasIP != ip || hasMAC.String() != mac.String() {
		return failure(ErrHardware, s.poe, nil, "its addresses are %v and %v, and %v and %v were set", hasIP, hasMAC, ip, mac)
	}
	return nil
}

func (s *Stack) broken(doing string, err error) error {
	return failure(ErrAccess, s.poe, err, "%s", doing)
}

func (s *Stack) packets(ctx context.Context) (Packets, error) {
	p, err := s.shell.Packets(ctx)
	if err != nil {
		return p, s.broken("count packets", err)
	}
	return p, nil
}

// asking is when a request that was to be sent has been.
const asking = time.Millisecond

// resolve asks for the MAC addresses of all ranks until the stack knows them. The stack
// does not list them, but it sends no request for an address that it knows, even if that
// is from an earlier program and wrong now.
func (s *Stack) resolve(ctx context.Context, c *Config, before Packets) error {
	begin := time.Now()
	missing := c.others()
	for rounds, pause := 1, firstRound; ; rounds, pause = rounds+1, min(2*pause, lastRound) {
		var unknown []int
		for _, i := range missing {
			known, err := s.knows(ctx, c.Ranks[i].IP.Unmap())
			if err != nil && !ended(ctx, err) {
				return err
			}
			if err != nil || !known {
				unknown = append(unknown, i)
			}
		}
		if len(unknown) == 0 {
			return nil
		}
		missing = unknown
		if sleep(ctx, pause) != nil {
			return s.unresolved(ctx, c, missing, before, rounds, begin)
		}
	}
}

// knows reports whether the stack knows an address. If it answers requests of others
// meanwhile, the result is false.
func (s *Stack) knows(ctx context.Context, ip netip.Addr) (bool, error) {
	before, err := s.packets(ctx)
	if err != nil {
		return false, err
	}
	if err := s.shell.Ask(ctx, ip); err != nil {
		return false, s.broken(fmt.Sprintf("ask for the MAC address of %v", ip), err)
	}
	if err := sleep(ctx, asking); err != nil {
		return false, err
	}
	after, err := s.packets(ctx)
	return after.SentARP == before.SentARP, err
}

func (s *Stack) unresolved(ctx context.Context, c *Config, missing []int, before Packets, rounds int,
	begin time.Time) error {
	after, cause := limit(ctx, begin)
	// The context has ended, but the counters are still there.
	now, err := s.shell.Packets(context.WithoutCancel(ctx))
	if err == nil && now.Received == before.Received {
		return failure(ErrLink, s.poe, cause,
			"no packet has come since it was set up, and none of ranks %v answers ARP, asked %d times, %s: no cable, the "+
				"other side is off, or the two do not agree on FEC", missing, rounds, after)
	}
	var errs []error
	for _, i := range missing {
		errs = append(errs, &Error{
			Kind: ErrSilent, Rank: i, Address: place(c.Ranks[i]), Instance: s.poe, Cause: cause,
			Reason: fmt.Sprintf("it does not answer ARP, asked %d times, %s", rounds, after),
		})
	}
	return errors.Join(errs...)
}

// checkRDMA checks the settings of queue pairs.
func (c *Config) checkRDMA(bad report) {
	c.checkMAC(bad)
	for i, r := range c.Ranks {
		if i != c.Local && c.PrefixBits >= 24 && c.PrefixBits <= 30 && !c.network().Contains(r.IP.Unmap()) {
			bad(ErrAddress, i, "it is not in the network %v of rank %d, and the stack has no gateway", c.network(), c.Local)
		}
	}
}
