package cluster_test

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt"
)

// A program of which mpirun or srun starts a process for each rank: it adds up numbers
// of all.
func Example() {
	env := bringup.Flags(flag.CommandLine, os.LookupEnv)
	file := flag.String("xclbin", "", "`file` that the cards are to hold")
	// A generated package has these: &u55c_tcp.Platform and &u55c_tcp.Card.
	run := func(ctx context.Context, p *accl.Platform, d *layout.Design) error {
		flag.Parse()
		meet, err := bringup.FromEnv(env)
		if err != nil {
			return err
		}
		rank, err := cluster.Open(ctx, cluster.Options{Platform: p, Design: d, Card: xrt.Options{Xclbin: *file},
			Bringup: meet})
		if err != nil {
			return err
		}
		defer rank.Close(ctx)
		src, err := accl.Alloc[float32](ctx, rank.Engine, 1000)
		if err != nil {
			return err
		}
		dst, err := accl.Alloc[float32](ctx, rank.Engine, 1000)
		if err != nil {
			return err
		}
		if _, err := rank.Engine.AllReduce(ctx, src, dst, 1000, accl.Sum); err != nil {
			return err
		}
		fmt.Println(dst.Host()[0])
		return nil
	}
	_ = run
}
