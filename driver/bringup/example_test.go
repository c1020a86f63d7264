package bringup_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
)

// A program that mpirun or srun has started opens its engine as one rank of a world.
func ExampleJoin() {
	run := func(ctx context.Context, dev accl.Device, p *accl.Platform, own netip.Addr) error {
		o, err := bringup.FromEnv(os.LookupEnv)
		if err != nil {
			return err
		}
		o.Self = bringup.Describe(p, accl.Rank{IP: own, Port: 5500})
		w, err := bringup.Join(ctx, o)
		if err != nil {
			return err
		}
		defer w.Close()
		ctx, cancel := w.Context(ctx) // ends when a rank leaves
		defer cancel()
		e, err := accl.Open(ctx, dev, p, w.Ranks(), w.Rank(), accl.OwnPeers(true), w.Reports())
		if e != nil {
			defer e.Close(context.WithoutCancel(ctx))
		}
		if err := w.Ready(ctx, err); err != nil {
			return err
		}
		fmt.Println("all ranks are ready")
		return nil
	}
	_ = run
}
