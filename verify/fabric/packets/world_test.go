package packets_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric/packets"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/world"
)

var platforms = []struct {
	name string
	kind
}{
	{"u55c_tcp", kind{}},
	{"u55c_udp", kind{udp: true}},
	{"u280_2022", kind{old: true}},
	{"udp_2022", kind{old: true, udp: true}},
}

func load(t testing.TB, name string) *design.Design {
	t.Helper()
	return designtest.Of(t, designtest.Library(t).With("udp_2022", []byte(designtest.UDP2022)), name, nil)
}

// start starts our engines of some ranks on packet sockets.
func start(t testing.TB, d *design.Design, e sim.Endpoints, k kind, o emu.Options, ranks ...int) *world.World {
	t.Helper()
	framing, err := emu.Framing(d)
	assert.NilError(t, err)
	var members []world.Member
	for _, rank := range ranks {
		port := open(t, packets.Options{Endpoints: e, Rank: rank, Unpadded: k.old, Lossy: k.udp, Framing: framing})
		members = append(members, world.Member{Rank: rank, Port: port})
	}
	w, err := world.Start(t.Context(), d, members, o)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, w.Close())
	})
	return w
}

// ranks are those of the communicator, as clients of simulators give them.
func ranks(e sim.Endpoints) []accl.Rank {
	out := make([]accl.Rank, e.Ranks)
	for i := range out {
		out[i] = accl.Rank{IP: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Port: uint16(e.Port + i), Session: uint32(i)}
	}
	return out
}

// lasting is a context for what takes as long as the machine needs: it ends shortly
// before the test would.
func lasting(t testing.TB) (context.Context, context.CancelFunc) {
	if test, ok := t.(*testing.T); ok {
		if end, limited := test.Deadline(); limited {
			return context.WithDeadline(t.Context(), end.Add(-patient))
		}
	}
	return context.WithCancel(t.Context())
}

// each does something for some ranks at once.
func each(t testing.TB, ranks []int, do func(ctx context.Context, rank int) error) {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	ranktest.Each(t, ranks, func(rank int) error { return do(ctx, rank) })
}

// A rank that nobody serves is an error within the limit, and the others go on.
func TestMissingRanks(t *testing.T) {
	t.Parallel()
	e := endpoints(t, 3)
	d := load(t, "u55c_tcp")
	p := driverview.Of(d)
	w := start(t, d, e, kind{}, emu.Options{RemoteTimeout: 300 * time.Millisecond}, 0, 1)
	engines := map[int]*accl.Engine{}
	var mu sync.Mutex
	each(t, []int{0, 1}, func(ctx context.Context, rank int) error {
		engine, err := accl.Open(ctx, w.Device(rank), &p, ranks(e), rank)
		mu.Lock()
		defer mu.Unlock()
		engines[rank] = engine
		return err
	})
	each(t, []int{0, 1}, func(ctx context.Context, rank int) error {
		b, err := buffer(ctx, engines[rank], noise(1, 1000))
		if err != nil {
			return err
		}
		begin := time.Now()
		if _, err := engines[rank].Send(ctx, b, 250, 2); err == nil {
			return fmt.Errorf("sent to a rank that nobody serves")
		}
		if d := time.Since(begin); d > 5*time.Second {
			return fmt.Errorf("sent for %v to a rank that nobody serves", d)
		}
		if rank == 0 {
			_, err = engines[rank].Send(ctx, b, 250, 1)
		} else {
			_, err = engines[rank].Recv(ctx, b, 250, 0)
		}
		return err
	})
}

// Worlds of ours on packet sockets alone.
func TestOurWorlds(t *testing.T) {
	for _, p := range platforms {
		t.Run(p.name, func(t *testing.T) {
			const n = 4
			e := endpoints(t, n)
			d := load(t, p.name)
			view := driverview.Of(d)
			w := start(t, d, e, p.kind, emu.Options{}, 0, 1, 2, 3)
			ctx, cancel := context.WithTimeout(t.Context(), 2*patient)
			defer cancel()
			engines, err := accl.OpenAll(ctx, w.Devices(), &view, ranks(e))
			assert.NilError(t, err)
			each(t, []int{0, 1, 2, 3}, func(ctx context.Context, rank int) error {
				for _, count := range []int{1, 1000, 100_003} {
					if err := ranktest.Sum[int32](ctx, engines[rank], count, 1); err != nil {
						return err
					}
				}
				_, err := engines[rank].Barrier(ctx)
				return err
			})
			for rank := range n {
				s := w.Engine(rank).Stats().Dropped
				assert.Check(t, s == (emu.Drops{}), "rank %d dropped packets: %s", rank, s)
			}
		})
	}
}
