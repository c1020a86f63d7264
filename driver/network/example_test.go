package network_test

import (
	"context"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
)

// A rank sets up the network of its card when it knows all others, and says that it is
// ready when its engine can use it.
func ExampleStack_Setup() {
	run := func(ctx context.Context, w *bringup.World, dev accl.Device, p *accl.Platform, on *layout.Design,
		open network.Opener) (*accl.Engine, error) {
		configure := func() (*accl.Engine, error) {
			stack, err := network.Of(on, 0, open)
			if err != nil {
				return nil, err
			}
			ranks, err := stack.Setup(ctx, network.Config{
				Ranks: w.Ranks(), Local: w.Rank(), FEC: network.WithFEC,
				Progress: func(s network.Step) { fmt.Printf("rank %d: %s\n", w.Rank(), s) },
			})
			if err != nil {
				return nil, err
			}
			return accl.Open(ctx, dev, p, ranks, w.Rank(), accl.GivenSessions())
		}
		e, err := configure()
		if err := w.Ready(ctx, err); err != nil { // nil on all ranks, or the same error on all
			return nil, err
		}
		return e, nil
	}
	_ = run
}
