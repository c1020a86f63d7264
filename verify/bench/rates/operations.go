package rates

import "github.com/cclforge/cclforge/driver/accl"

// operation is how one is measured. The name is that of the generation.
type operation struct {
	name string
	// factor is what the algorithm bandwidth is multiplied with to become the bus
	// bandwidth: how much of the size goes over the busiest port of a rank, in the way
	// that moves least. Nil if nothing goes over the network, where it is 1.
	factor func(ranks float64) float64
	// pingPong is there and back, of which half counts.
	pingPong bool
	fewest   int // ranks
}

func whole(float64) float64    { return 1 }
func others(n float64) float64 { return (n - 1) / n }
func twice(n float64) float64  { return 2 * (n - 1) / n }
func (o *operation) bus(ranks int) float64 {
	if o.factor == nil {
		return 1
	}
	return o.factor(float64(ranks))
}

// operations are in the order of the tables. Sizes are those of a rank's largest buffer,
// so that an allgather of n ranks gives (n-1)/n of it to each.
var operations = []operation{
	{name: "allreduce", factor: twice}, // reduce-scatter and allgather
	{name: "allgather", factor: others},
	{name: "reduce_scatter", factor: others},
	{name: "alltoall", factor: others},
	{name: "bcast", factor: whole},
	{name: "reduce", factor: whole},
	{name: "scatter", factor: others},
	{name: "gather", factor: others},
	{name: "send", factor: whole, pingPong: true, fewest: 2},
	{name: "copy"},
	{name: "combine"},
	{name: "barrier", factor: whole},
	{name: "nop"},
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
	for _, o := range operations {
		if o.name == name && o.factor == nil {
			return beats, "a beat a cycle"
		}
	}
	for _, n := range p.Networks {
		if n == "axis" {
			return beats, "a beat a cycle"
		}
	}
	if link := port * framed; link < beats {
		return link, "100 GbE"
	}
	return beats, "a beat a cycle"
}
