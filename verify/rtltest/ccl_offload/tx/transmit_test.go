// Package transmit checks, module by module, what sends packets to the network,
// each against a model of its own.
package transmit

import (
	"math/rand/v2"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "tx_packets", Parts: []string{"tx_schedule"}},
	block.Module{Name: "network_transmit", Parts: []string{"tx_commit", "tx_tcp"}},
	block.Module{Name: "network_transmit", As: "network_transmit_udp", Platform: "u55c_udp",
		Parts: []string{"tx_udp"}},
	block.Module{Name: "network_transmit", As: "network_transmit_rdma", Platform: "u55c_rdma",
		Parts: []string{"tx_rdma"}},
)

var definitions = sync.OnceValue(func() *abi.Generation {
	d, err := block.Design("u55c_rdma")
	if err != nil {
		panic(err)
	}
	return d.ABI()
})

const beatBytes = 64

// drain takes a stream, at a pace of its own.
func drain(b *block.Bench, r *rand.Rand, valid, ready string, fields ...string) *block.Drain {
	return &block.Drain{Output: block.NewOutput(b, valid, ready, fields...), Pace: block.NewRhythm(r).Next,
		Late: r.IntN(4) == 0}
}
