package emu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/world"
)

// Large messages between our engines go by rendezvous: from the first one on if the hosts
// say what peers are, as a network of RDMA always does, otherwise as soon as messages both
// ways have shown it. Eager messages are what receivers count.
func TestPeersFindOutWhatTheyAre(t *testing.T) {
	type step struct {
		from, n int
		eager   bool
	}
	const small, large = 100, 5000 // elements; 20,000 bytes fit into rx buffers
	for name, test := range map[string]struct {
		platform string
		own      bool
		steps    []step
	}{
		"TCP, said": {"u55c_tcp", true, []step{{0, large, false}, {1, large, false}, {0, large, false}}},
		"UDP, said": {"u55c_udp", true, []step{{0, large, false}, {1, large, false}, {0, large, false}}},
		"RDMA":      {"u55c_rdma", false, []step{{0, large, false}, {1, large, false}, {0, large, false}}},
		"TCP": {"u55c_tcp", false, []step{{0, large, true}, {1, large, false}, {0, large, true}, {1, small, true},
			{0, large, false}, {1, large, false}}},
		"UDP": {"u55c_udp", false, []step{{0, large, true}, {1, large, false}, {0, large, true}, {1, small, true},
			{0, large, false}, {1, large, false}}},
		"TCP, small": {"u55c_tcp", false, []step{{0, small, true}, {1, small, true}, {0, large, false}, {1, large, false}}},
		"UDP, small": {"u55c_udp", false, []step{{0, small, true}, {1, small, true}, {0, large, false}, {1, large, false}}},
		"TCP, one way": {"u55c_tcp", false, []step{{0, large, true}, {0, large, true}, {0, small, true}, {0, large, true},
			{1, large, false}, {1, large, false}, {0, large, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t)
			w, engines := start(ctx, t, designtest.Load(t, test.platform, nil), 2, world.Options{Engine: slow(emu.Options{})},
				accl.OwnPeers(test.own))
			for round := range 2 {
				for i, step := range test.steps {
					to := 1 - step.from
					before := w.Engine(to).Stats().MessagesIn
					ranktest.All(t, 2, func(rank int) error {
						b, err := accl.Alloc[int32](ctx, engines[rank], step.n)
						if err != nil {
							return err
						}
						want := make([]int32, step.n)
						for k := range want {
							want[k] = int32(k*k + i)
						}
						if rank == step.from {
							copy(b.Host(), want)
							_, err = engines[rank].Send(ctx, b, step.n, accl.Peer(to), accl.WithTag(7))
							return err
						}
						if _, err := engines[rank].Recv(ctx, b, step.n, accl.Peer(step.from), accl.WithTag(7)); err != nil {
							return err
						}
						if !slices.Equal(b.Host(), want) {
							return fmt.Errorf("other data than was sent")
						}
						return nil
					})
					if eager := w.Engine(to).Stats().MessagesIn != before; eager != step.eager {
						t.Errorf("round %d, step %d: rank %d has sent %d elements eagerly: %v", round, i, step.from, step.n, eager)
					}
				}
				// A reset takes back what was found out.
				ranktest.All(t, 2, func(rank int) error { return engines[rank].Reset(ctx) })
			}
		})
	}
}
