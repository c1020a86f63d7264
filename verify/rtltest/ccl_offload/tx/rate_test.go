package transmit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// TestABeatACycle: full packets that are complete leave without gaps, to the stack and to the engine itself.
func TestABeatACycle(t *testing.T) {
	for _, name := range []string{"network_transmit", "network_transmit_udp", "network_transmit_rdma"} {
		for to, limit := range map[string]float64{"eth_tx_data_tvalid": 1.1, "loop_valid": 1.2} {
			set.Check(t, name, func(b *block.Bench, _ *rand.Rand) error {
				x := &refuser{b: b, sent: map[uint64]int{}, requests: map[uint64]int{}}
				b.Set("network_enable", 1)
				x.steps(3000)
				const packets, rows = 8, 64 // as many packets as one session may have
				b.Set("packet_open.bytes", (rows-1)*beatBytes)
				b.Put("packet_open.self", to == "loop_valid")
				b.Set("slot_write_strobe", ^uint64(0))
				for n := range packets {
					if !x.filled(uint64(n%3), rows) {
						return fmt.Errorf("there is no room for packet %d", n)
					}
				}
				for _, name := range []string{"eth_tx_meta", "eth_tx_data", "rdma_sq"} {
					b.Set(name+"_tready", 1)
				}
				for _, name := range []string{"loop_room", "loop_ready"} {
					b.Set(name, 1)
				}
				first, beats := 0, 0
				for begin := x.cycle; beats < packets*rows; {
					if x.step(); b.Is(to) {
						if beats++; beats == 1 {
							first = x.cycle
						}
					}
					if x.cycle > begin+5000 {
						return fmt.Errorf("only %d beats leave", beats)
					}
				}
				if cycles := float64(x.cycle-first+1) / (packets * rows); cycles > limit {
					return fmt.Errorf("%s: %.3f cycles a beat", to, cycles)
				}
				return nil
			})
		}
	}
}
