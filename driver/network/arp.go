package network

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"net/netip"
	"slices"
	"time"
)

// Times of a round of ARP: every address is asked for, and then looked for.
const (
	firstRound = 20 * time.Millisecond
	lastRound  = time.Second
	lookPause  = 5 * time.Millisecond // between two looks
)

// discover asks for MAC addresses until all needed ones are known. It first clears those
// of earlier programs, because other cards may have the addresses now. During discovery
// only ARP is sent, because all ranks are still being set up; a stack that sends while it
// asks can stop for ever.
func (u udp) discover(ctx context.Context, c *Config) error {
	for i := range u.rows("arp_valid") {
		if err := u.put(ctx, "arp_valid", i, 0); err != nil {
			return err
		}
	}
	begin := time.Now()
	missing := c.others()
	for rounds, round := 1, firstRound; ; rounds, round = rounds+1, min(2*round, lastRound) {
		err := u.ask(ctx)
		if err == nil {
			missing, err = u.answers(ctx, c, missing, time.Now().Add(round))
		}
		switch {
		case err == nil && len(missing) == 0:
			return u.distinct(ctx, c)
		case err == nil:
		case ended(ctx, err) && len(missing) > 0:
			return u.silent(ctx, c, missing, rounds, begin)
		default:
			return err
		}
	}
}

// ask asks for all addresses that are not in the table. A rising edge of the register
// starts it.
func (u udp) ask(ctx context.Context) error {
	for _, v := range []uint64{0, 1, 0} {
		if err := u.put(ctx, "arp_discovery", 0, v); err != nil {
			return err
		}
	}
	return nil
}

// answers waits until all MAC addresses are known, or until the end of the round, and
// returns the ranks that are still missing.
func (u udp) answers(ctx context.Context, c *Config, missing []int, end time.Time) ([]int, error) {
	for {
		all, err := u.neighbours(ctx, func(octet int) bool { return needs(c, octet) })
		if err != nil {
			return missing, err
		}
		missing = slices.DeleteFunc(slices.Clone(missing), func(i int) bool {
			m, there := all[c.hop(c.Ranks[i].IP.Unmap())]
			return there && usableMAC(m)
		})
		if len(missing) == 0 || time.Now().After(end) {
			return missing, nil
		}
		if err := sleep(ctx, lookPause); err != nil {
			return missing, err
		}
	}
}

// needs reports whether the entry of a last octet is needed.
func needs(c *Config, octet int) bool {
	for i, r := range c.Ranks {
		if i != c.Local && int(number(c.hop(r.IP.Unmap()))&0xFF) == octet {
			return true
		}
	}
	return false
}

func usableMAC(m net.HardwareAddr) bool { return macNumber(m) != 0 && m[0]&1 == 0 }

// neighbours reads the wanted entries of the ARP table.
func (u udp) neighbours(ctx context.Context, wanted func(octet int) bool) (map[netip.Addr]net.HardwareAddr, error) {
	out := map[netip.Addr]net.HardwareAddr{}
	for row := range u.rows("arp_valid") {
		asked := false
		for octet := 4 * row; octet < 4*row+4; octet++ {
			asked = asked || wanted(octet)
		}
		if !asked {
			continue
		}
		valid, err := u.get(ctx, "arp_valid", row)
		if err != nil {
			return nil, err
		}
		for octet := 4 * row; octet < 4*row+4; octet++ {
			if !wanted(octet) || valid>>(8*(octet%4))&1 == 0 {
				continue
			}
			ip, err := u.get(ctx, "arp_ip_address", octet)
			if err != nil {
				return nil, err
			}
			mac, err := u.get(ctx, "arp_mac_address", octet)
			if err != nil {
				return nil, err
			}
			// The table has the first octet lowest.
			out[address(bits.ReverseBytes32(uint32(ip)))] = macAddress(bits.ReverseBytes64(mac) >> 16)
		}
	}
	return out, nil
}

// distinct returns errors for ranks with the same MAC address: a switch would send the
// packets of all to one of them.
func (u udp) distinct(ctx context.Context, c *Config) error {
	all, err := u.neighbours(ctx, func(octet int) bool { return needs(c, octet) })
	if err != nil {
		return err
	}
	own, err := u.get(ctx, "mac_address", 0)
	if err != nil {
		return err
	}
	owner := map[string]int{macAddress(own).String(): c.Local}
	var errs []error
	for i, r := range c.Ranks {
		if i == c.Local || !c.network().Contains(r.IP.Unmap()) {
			continue
		}
		m := all[r.IP.Unmap()].String()
		if j, twice := owner[m]; twice {
			errs = append(errs, &Error{
				Kind: ErrAddress, Rank: i, Address: place(r), Instance: u.instance,
				Reason: fmt.Sprintf("it has the MAC address %s, and rank %d at %v has it, too", m, j, place(c.Ranks[j])),
			})
			continue
		}
		owner[m] = i
	}
	return errors.Join(errs...)
}

func (u udp) silent(ctx context.Context, c *Config, missing []int, rounds int, begin time.Time) error {
	var errs []error
	after, cause := limit(ctx, begin)
	for _, i := range missing {
		r := c.Ranks[i]
		who := "it does not answer ARP"
		if hop := c.hop(r.IP.Unmap()); hop != r.IP.Unmap() {
			who = fmt.Sprintf("the gateway to it, %v, does not answer ARP", hop)
		}
		errs = append(errs, &Error{
			Kind: ErrSilent, Rank: i, Address: place(r), Instance: u.instance, Cause: cause,
			Reason: fmt.Sprintf("%s, asked %d times, %s", who, rounds, after),
		})
	}
	return errors.Join(errs...)
}
