package fabric

import (
	"maps"
	"slices"
	"time"
)

// Faults is what a network does to the packets of each link, a link being one
// direction between two ports. What happens to the k-th packet of a link
// depends on the seed, the link and k only. Times are as exact as the system's
// timers, which may be late by a millisecond or two; the rate is kept
// nevertheless.
type Faults struct {
	Latency time.Duration // from departure to arrival
	Jitter  time.Duration // at most added to it; order is kept
	// BytesPerSecond is the rate of each link, 0 for no limit. A packet
	// counts its payload and 64 bytes.
	BytesPerSecond float64

	// Probabilities for a packet on UDP, from 0 to 1; other transports repair
	// such faults themselves.
	Loss      float64 // it is lost
	Corrupt   float64 // it is damaged, which the frame check turns into loss
	Duplicate float64 // it arrives twice
	Reorder   float64 // it arrives after one to three later ones, or a millisecond later
}

// Condition is what one link is like at some time.
type Condition struct {
	Faults
	// Cut stops everything. On UDP, packets are lost; on the other transports they wait.
	Cut bool
}

// delayed reports whether packets take any time.
func (c *Condition) delayed() bool {
	return c != nil && (c.Latency > 0 || c.Jitter > 0 || c.BytesPerSecond > 0)
}

func (c *Condition) cut() bool { return c != nil && c.Cut }

// Unknown is the index of a port of which only the session is known.
const Unknown = -1

// Conditions are the conditions of all links of a network at some time. Other links are the
// zero Condition.
type Conditions struct {
	Seed int64 // decides which packets suffer
	// Link returns the condition of the link from one port to another, by their indices or
	// Unknown. It must always return the same, and not use the network.
	Link func(from, to int) Condition
}

// of returns the condition of a link; it is nil if the link has no faults.
func (c *Conditions) of(from, to int) *Condition {
	if c == nil || c.Link == nil {
		return nil
	}
	link := c.Link(from, to)
	if link == (Condition{}) {
		return nil
	}
	link.Latency, link.Jitter = max(link.Latency, 0), max(link.Jitter, 0)
	return &link
}

// SetConditions replaces what the links are like. Packets on their way keep the delay that
// they have been given.
func (n *Net) SetConditions(c Conditions) {
	n.medium.set(c)
	n.resume()
}

// SetFaults is SetConditions with the same faults on all links.
func (n *Net) SetFaults(f Faults) {
	if f == (Faults{}) {
		n.SetConditions(Conditions{})
		return
	}
	n.SetConditions(Conditions{n.options.Seed, func(_, _ int) Condition { return Condition{Faults: f} }})
}

// Partition is SetConditions with cuts between groups of ports, given by their indices, and
// the ports that are in no group, which stay together. On UDP, packets between groups are
// lost; on the other transports they wait until conditions let them through.
func (n *Net) Partition(groups ...[]int) {
	group := map[int]int{} // by port, 0 for those that are not named
	for i, members := range groups {
		for _, index := range members {
			group[index] = i + 1
		}
	}
	n.SetConditions(Conditions{Link: func(from, to int) Condition { return Condition{Cut: group[from] != group[to]} }})
}

// Heal ends a partition, and all other conditions.
func (n *Net) Heal() { n.SetConditions(Conditions{}) }

// resume lets packets go on that a partition has stopped.
func (n *Net) resume() {
	for _, p := range *n.ports.Load() {
		p.mu.Lock()
		links := slices.Clone(p.links)
		p.mu.Unlock()
		for _, l := range links {
			if l != nil {
				l.advance()
			}
		}
	}
}

// Kill makes a port disappear, by its index. On UDP it falls silent. On the
// other transports its sessions close for the others, after its packets that
// are on their way. Packets that it has not received are released.
func (n *Net) Kill(index int) {
	if p := n.port(uint32(index)); p != nil {
		n.remove(p)
	}
}

// remove takes a port out of the network.
func (n *Net) remove(p *port) {
	n.mu.Lock()
	if p.gone.Swap(true) {
		n.mu.Unlock()
		return
	}
	delete(n.addresses, p.address)
	maps.DeleteFunc(n.listeners, func(_ address, listener *port) bool { return listener == p })
	ports := *n.ports.Load()
	n.mu.Unlock()

	p.drain()
	for _, other := range ports {
		if other != p {
			other.lose(p)
		}
	}
}
