package coyote_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
)

// TestQueuePairsThatDoNotFit: one end is written again as the other one does not expect
// it. The first messages tell, on both ranks, and name the other one.
func TestQueuePairsThatDoNotFit(t *testing.T) {
	d, p, lies := rdma(t)
	for name, change := range map[string]func(local, remote *network.QueuePair){
		"as they were":                   func(_, _ *network.QueuePair) {},
		"another first packet":           func(local, _ *network.QueuePair) { local.PSN ^= 1 },
		"another of the other side":      func(_, remote *network.QueuePair) { remote.PSN ^= 1 },
		"another queue pair":             func(_, remote *network.QueuePair) { remote.QPN++ },
		"the address of the own card":    func(local, remote *network.QueuePair) { remote.IP = local.IP },
		"an address that nobody has":     func(_, remote *network.QueuePair) { remote.IP = remote.IP.Next().Next() },
		"what it was, written once more": func(_, _ *network.QueuePair) {},
	} {
		t.Run(name, func(t *testing.T) {
			fits, limit := strings.Contains(name, "was") || strings.Contains(name, "were"), 500*time.Millisecond
			if fits {
				limit = 20 * time.Second
			}
			h := coyote.Start(t, d, 2, coyote.HostOptions{Engine: emu.Options{RemoteTimeout: limit, Patience: limit}})
			w, err := coyote.OpenWorld(t.Context(), h, &lies, &p)
			assert.NilError(t, err)
			local, remote := h.Card(0).Written(1)
			at := h.Ranks()
			near := network.QueuePair{QPN: 1, PSN: local, IP: at[0].IP}
			far := network.QueuePair{QPN: 0, PSN: remote, IP: at[1].IP}
			change(&near, &far)
			assert.NilError(t, w.Cards[0].Connect(t.Context(), near, far, at[1].Port))
			errs := make([]error, 2)
			var all sync.WaitGroup
			for rank := range 2 {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					e, err := accl.Open(ctx, w.Devices[rank], &p, w.Ranks[rank], rank, accl.GivenSessions())
					if err == nil {
						err = cluster.Greet(ctx, e, w.Ranks[rank], rank)
					}
					errs[rank] = err
				})
			}
			all.Wait()
			for rank, err := range errs {
				names := []string{"rank 1 at 10.10.10.2:5500", "rank 0 at 10.10.10.1:5500"}[rank]
				if fits && err != nil || !fits && (err == nil || !strings.Contains(err.Error(), names)) {
					t.Errorf("rank %d: %v", rank, err)
				}
			}
			assert.NilError(t, w.Close())
			coyote.Returned(t, h)
		})
	}
}
