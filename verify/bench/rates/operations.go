package rates

import (
	"cmp"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// operation is how one is measured.
type operation struct {
	accl.Operation
	title string // name in reports
	// pingPong is there and back, of which half counts.
	pingPong bool
	// ring is a send of each rank to the next one, at the same time.
	ring   bool
	fewest int // ranks
}

// factor is what the algorithm bandwidth is multiplied with to become the bus bandwidth: how
// much of the size goes over the busiest port of a rank, in the way that moves least.
// Sizes are those of a rank's largest buffer, so that an allgather of n ranks gives (n-1)/n of
// it to each.
func (o *operation) factor(ranks int) float64 {
	n := float64(ranks)
	switch {
	case o.Name == "allreduce": // reduce-scatter and allgather
		return 2 * (n - 1) / n
	case o.Blocks():
		return (n - 1) / n
	}
	return 1
}

// operations are those of a platform that are measured, in the order of the tables:
// collectives without a root, those with one, sends, local operations, and what has no operands.
func operations(p *accl.Platform) []*operation {
	var out []*operation
	for _, name := range conformance.Operations(p) {
		o := &operation{Operation: *p.Operation(name), title: name}
		if o.Result.At == accl.AtPeer {
			continue // the kernel behind the stream says how long that takes
		}
		if o.Peer == accl.PeerDestination {
			o.pingPong, o.fewest = true, 2
		}
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b *operation) int { return cmp.Compare(a.group(), b.group()) })
	return out
}

func (o *operation) group() int {
	switch {
	case !o.Operands():
		return 4
	case o.Local:
		return 3
	case o.pingPong:
		return 2
	case o.Peer != "":
		return 1
	}
	return 0
}

// Rates that hold for every engine, in GB/s.
const (
	port = 12.5 // 100 GbE
	// framed is what is left of a port by the framing of packets of 4096 bytes: headers
	// of UDP, IP and Ethernet, its checksum, preamble and gap.
	framed = 4096.0 / (4096 + 8 + 20 + 14 + 4 + 20)
)

// Limit is the bandwidth, in GB/s, that an operation cannot exceed on cards, and what
// limits it: a beat a cycle or, if it uses the network, a port of 100 GbE less framing.
func Limit(p *accl.Platform, name string) (gbps float64, what string) {
	beats := float64(p.BeatBytes) * float64(p.ClockMHz) / 1e3
	if o := p.Operation(name); o == nil || o.Local || !o.Operands() && !o.Collective {
		return beats, "a beat a cycle"
	}
	if slices.Contains(p.Networks, "axis") {
		return beats, "a beat a cycle"
	}
	if link := port * framed; link < beats {
		return link, "100 GbE"
	}
	return beats, "a beat a cycle"
}
