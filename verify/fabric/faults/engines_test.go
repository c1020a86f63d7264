package faults_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/world"
)

// Engines compute what they should behind impaired ports, on a network that is
// slow, parted for a while, and on UDP puts packets out of order.
func TestEnginesBehindFaults(t *testing.T) {
	const ranks, n = 3, 5000
	for name, kind := range map[string]fabric.Kind{"u55c_udp": fabric.UDP, "u55c_tcp": fabric.TCP,
		"u55c_rdma": fabric.RDMA} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := designtest.Load(t, name, nil)
			p := driverview.Of(d)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			net, addresses := fabric.NewNet(kind, fabric.Options{}), accl.LocalRanks(ranks)
			plan := parse(t,
				`{latency = "100us", jitter = "100us", bandwidth = "1GB/s", links = {"0>1" = {latency = "1ms"}, "1-2" = {bandwidth = "100MB/s"}}}`)
			if kind == fabric.UDP {
				plan.Reorder, plan.Duplicate = 0.1, 0.1
			} else {
				plan.Partitions = []faults.Partition{{Groups: [][]int{{0}}, Span: faults.Span{From: 50 * time.Millisecond,
					To: 200 * time.Millisecond}}}
			}
			var members []world.Member
			for rank, a := range addresses {
				as4 := a.IP.As4()
				port, _, err := net.Port(binary.BigEndian.Uint32(as4[:]), a.Port)
				assert.NilError(t, err)
				members = append(members,
					world.Member{Rank: rank,
						Port: plan.Impair(ctx, port, rank, func(session uint32) (int, bool) { return int(session), true })})
			}
			w, err := world.Start(ctx, d, members, emu.Options{})
			assert.NilError(t, err)
			defer w.Close()
			engines := make([]*accl.Engine, ranks)
			ranktest.All(t, ranks, func(rank int) (err error) { // an engine that is not open yet drops packets
				engines[rank], err = accl.Open(ctx, w.Device(rank), &p, addresses, rank)
				return err
			})
			ranktest.All(t, ranks, func(rank int) error { return ranktest.Sum[float32](ctx, engines[rank], n, 30) })
			for rank, m := range members {
				if s := counts(t, m.Port); s.Sent == 0 || s.Delivered < s.Sent {
					t.Errorf("rank %d: %+v", rank, s)
				}
			}
		})
	}
}
