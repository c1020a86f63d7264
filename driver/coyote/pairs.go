package coyote

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
)

var _ network.Shell = (*Card)(nil)

// QueuePairs implements network.Shell. The number of a queue pair consists of the region
// and a thread; this process takes a thread for each.
func (c *Card) QueuePairs(ctx context.Context, n int) ([]uint32, error) {
	done, err := c.use()
	if err != nil {
		return nil, err
	}
	defer done()
	c.writing.Lock()
	defer c.writing.Unlock()
	if n > c.most() {
		return nil, fmt.Errorf("%w: %d queue pairs; a process may have %d", ErrThreads, n, c.most())
	}
	for len(c.threads) < n {
		if _, err := c.register(ctx); err != nil {
			return nil, err
		}
	}
	var out []uint32
	for _, thread := range slices.Sorted(slices.Values(c.threads))[:n] {
		out = append(out, uint32(c.region)<<c.driver.ThreadBits|uint32(thread))
	}
	return out, nil
}

// SetAddress implements network.Shell. It sets the MAC address first: the shell answers
// requests for the IP address as soon as that is set.
func (c *Card) SetAddress(ctx context.Context, ip netip.Addr, mac net.HardwareAddr) error {
	number, err := numberOf(ip)
	if err == nil && len(mac) != macBytes {
		err = fmt.Errorf("%w: the MAC address %v has %d octets", ErrAddress, mac, len(mac))
	}
	if err == nil {
		err = c.do(ctx, "set_mac", binary.BigEndian.Uint64(append([]byte{0, 0}, mac...)))
	}
	if err != nil {
		return err
	}
	return c.do(ctx, "set_ip", uint64(number))
}

func (c *Card) do(ctx context.Context, name string, address uint64) error {
	done, err := c.use()
	if err != nil {
		return err
	}
	defer done()
	_, err = c.call(ctx, name, layout.Values{"address": address})
	return err
}

// ask makes a call without arguments.
func (c *Card) ask(ctx context.Context, name string) (layout.Values, error) {
	done, err := c.use()
	if err != nil {
		return nil, err
	}
	defer done()
	return c.call(ctx, name, nil)
}

// Address implements network.Shell.
func (c *Card) Address(ctx context.Context) (netip.Addr, net.HardwareAddr, error) {
	ip, err := c.ask(ctx, "get_ip")
	if err != nil {
		return netip.Addr{}, nil, err
	}
	mac, err := c.ask(ctx, "get_mac")
	if err != nil {
		return netip.Addr{}, nil, err
	}
	var four [4]byte
	var eight [8]byte
	binary.BigEndian.PutUint32(four[:], uint32(ip["address"]))
	binary.BigEndian.PutUint64(eight[:], mac["address"])
	return netip.AddrFrom4(four), eight[2:], nil
}

// Connect implements network.Shell.
func (c *Card) Connect(ctx context.Context, local, remote network.QueuePair, port uint16) error {
	number, err := numberOf(remote.IP)
	if err != nil {
		return err
	}
	// Both fit, or none is written.
	pair, err := c.encode("pair", layout.Values{
		"local_pair": uint64(local.QPN), "remote_key": uint64(remote.RKey), "local_packet": uint64(local.PSN),
		"remote_packet":  uint64(remote.PSN),
		"remote_address": remote.Address,
	})
	if err != nil {
		return err
	}
	ip := uint64(bits.ReverseBytes32(number))
	connection, err := c.encode("connection", layout.Values{
		"local_pair": uint64(local.QPN), "remote_pair": uint64(remote.QPN), "port": uint64(port),
		"address_0": ip, "address_1": ip, "address_2": ip, "address_3": ip,
	})
	if err != nil {
		return err
	}
	return c.write(ctx, pair, connection)
}

// Ask implements network.Shell.
func (c *Card) Ask(ctx context.Context, ip netip.Addr) error {
	number, err := numberOf(ip)
	if err != nil {
		return err
	}
	arp, err := c.encode("arp", layout.Values{"address": uint64(number)})
	if err != nil {
		return err
	}
	return c.write(ctx, arp)
}

// Packets implements network.Shell.
func (c *Card) Packets(ctx context.Context) (network.Packets, error) {
	n, err := c.ask(ctx, "network_statistics")
	return network.Packets{
		Received: uint32(n["received"]), Sent: uint32(n["sent"]), ReceivedARP: uint32(n["arp_received"]),
		SentARP: uint32(n["arp_sent"]),
	}, err
}

const macBytes = 6

// numberOf is an IPv4 address as a number, its first octet highest.
func numberOf(ip netip.Addr) (uint32, error) {
	if ip = ip.Unmap(); !ip.Is4() {
		return 0, fmt.Errorf("%w: %v is none of IPv4", ErrAddress, ip)
	}
	b := ip.As4()
	return binary.BigEndian.Uint32(b[:]), nil
}

// encoded is the content of a register of the region.
type encoded struct {
	layout.Record
	words []uint64
}

func (c *Card) encode(name string, values layout.Values) (encoded, error) {
	r, err := c.driver.Register(name)
	if err != nil {
		return encoded{}, fmt.Errorf("%w: %w", ErrDesign, err)
	}
	out := encoded{r, make([]uint64, r.Length())}
	return out, c.say("write a register of", r.Put(out.words, values))
}

// write writes registers of the region. Writing the last word of a register makes the
// shell take all of it.
func (c *Card) write(ctx context.Context, registers ...encoded) error {
	done, err := c.use()
	if err != nil {
		return err
	}
	defer done()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	for _, r := range registers {
		for i, w := range r.words {
			c.ours.Store(r.At+wordBytes*uint32(i), w)
		}
		// It reads as 1 when it can be written again.
		last := r.At + wordBytes*uint32(len(r.words)-1)
		for begin := time.Now(); c.ours.Load(last)&1 == 0; {
			if time.Since(begin) > taking {
				return fmt.Errorf("%w: the register %s of %s", ErrStuck, r.Name, c.name)
			}
		}
	}
	return nil
}

const (
	wordBytes = 8
	// taking is how long the shell may take a register. It takes some cycles.
	taking = 100 * time.Millisecond
)
