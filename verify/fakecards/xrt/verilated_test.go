package xrt

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
)

var verilated = flag.Bool("xrt.verilated", false,
	"puts Verilated engines behind cards, too; building them takes minutes")

// TestVerilatedCards runs an allreduce on simulated hardware, whose host controllers
// take the calls themselves, with operands in memory of the host.
func TestVerilatedCards(t *testing.T) {
	if !*verilated {
		nightly.Only(t)
	}
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	const ranks, n = 2, 300
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True})
	p := driverview.Of(d)
	cards := &rtlsim.Cards{Options: func(int) rtlsim.Options { return rtlsim.Options{} }}
	h := Start(t, d, ranks, HostOptions{World: world.Options{Maker: cards.Maker}})
	c := load(t, h.Server)
	var all, ready sync.WaitGroup
	ready.Add(ranks)
	for rank := range ranks {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			arrived := sync.OnceFunc(ready.Done)
			defer arrived()
			dev := newDevice(c, rank, "0")
			dev.group = groupOf(t, h, d, 0)
			e, err := accl.Open(ctx, dev, &p, h.Ranks(), rank)
			arrived()
			if err != nil {
				t.Error(err)
				return
			}
			ready.Wait()
			src, err := accl.Alloc[int32](ctx, e, n, accl.HostOnly())
			if err != nil {
				t.Error(err)
				return
			}
			dst, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
			if err != nil {
				t.Error(err)
				return
			}
			for round := range int32(3) {
				want := make([]int32, n)
				for i := range want {
					src.Host()[i] = int32(i)*int32(1+rank) + round
					want[i] = 3*int32(i) + 2*round
				}
				if _, err := e.AllReduce(ctx, src, dst, n, accl.Sum); err != nil {
					t.Errorf("rank %d: %v", rank, err)
					return
				}
				if !slices.Equal(dst.Host(), want) {
					t.Errorf("rank %d, round %d: %v", rank, round, dst.Host())
					return
				}
			}
		})
	}
	all.Wait()
}
