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

const (
	reorderSpan     = 3
	reorderPatience = time.Millisecond
)

// conditions are the faults and the partition of a network at some time.
// They are never changed.
type conditions struct {
	Faults
	group map[uint32]int // by port, 0 for those that are not named; nil without partition
}

// cut reports whether a partition separates two ports.
func (c *conditions) cut(a, b uint32) bool {
	return c != nil && c.group[a] != c.group[b]
}

// delayed reports whether packets take any time.
func (c *conditions) delayed() bool {
	return c != nil && (c.Latency > 0 || c.Jitter > 0 || c.BytesPerSecond > 0)
}

// SetFaults replaces the faults. Packets on their way keep the delay that they
// have been given.
func (n *Net) SetFaults(f Faults) {
	f.Latency, f.Jitter = max(f.Latency, 0), max(f.Jitter, 0)
	n.change(func(c *conditions) { c.Faults = f })
}

// Partition cuts the network between groups of ports, given by their indices,
// and those that are in no group, which stay together. It replaces an earlier
// partition. On UDP, packets between groups are lost; on the other transports
// they wait for Heal or another partition that lets them through.
func (n *Net) Partition(groups ...[]int) {
	var of map[uint32]int
	if len(groups) > 0 {
		of = map[uint32]int{}
	}
	for i, members := range groups {
		for _, index := range members {
			of[uint32(index)] = i + 1
		}
	}
	n.change(func(c *conditions) { c.group = of })
	n.resume()
}

// Heal ends the partition.
func (n *Net) Heal() { n.Partition() }

func (n *Net) change(edit func(*conditions)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var next conditions
	if current := n.faults.Load(); current != nil {
		next = *current
	}
	edit(&next)
	if next.Faults == (Faults{}) && len(next.group) == 0 {
		n.faults.Store(nil)
		return
	}
	n.faults.Store(&next)
}

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
	if p := n.portAt(index); p != nil {
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

// fate is what the faults do to one packet.
type fate struct {
	lost, duplicated bool
	overtaken        int     // how many later packets are let through before it
	jitter           float64 // of the largest, from 0 to 1
}

// decide returns the fate of the k-th packet of a link.
func (n *Net) decide(f *Faults, from, to uint32, k uint64) fate {
	r := dice(mix(mix(mix(uint64(n.options.Seed))^uint64(from)<<32^uint64(to)) ^ k))
	// Always in the same order, so that one fault does not depend on the others.
	loss, corrupt, duplicate, reorder, span, jitter := r.roll(), r.roll(), r.roll(), r.roll(), r.roll(), r.roll()
	result := fate{jitter: jitter}
	if !n.lossy() {
		return result
	}
	result.lost = loss < f.Loss || corrupt < f.Corrupt
	result.duplicated = duplicate < f.Duplicate
	if reorder < f.Reorder {
		result.overtaken = 1 + int(span*reorderSpan)
	}
	return result
}

// dice is the generator SplitMix64.
type dice uint64

// roll returns a number from 0 up to, not including, 1.
func (d *dice) roll() float64 {
	*d += 0x9E3779B97F4A7C15
	return float64(mix(uint64(*d))>>11) / (1 << 53)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
