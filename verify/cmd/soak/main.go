// Soak runs random operations on worlds whose packets travel through real TCP
// and UDP sockets, with faults: every result is checked, and memory and goroutines
// must be flat at the end. mage soak runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/soak"
)

func main() { program.Main(run) }

func run(ctx context.Context) error {
	o := soak.Options{}
	flag.DurationVar(&o.Duration, "duration", 10*time.Minute, "how `long`")
	flag.Uint64Var(&o.Seed, "seed", uint64(time.Now().UnixNano())%1e9, "of operations and faults (another one each time)")
	flag.IntVar(&o.Ranks, "ranks", 8, "of each world")
	flag.Parse()
	fmt.Printf("%v with -seed=%d, %d ranks on each of %v\n", o.Duration, o.Seed, o.Ranks, soak.Platforms)
	var worlds []soak.World
	for _, platform := range soak.Platforms {
		w, err := soak.Sockets(ctx, platform, o)
		if err != nil {
			for _, started := range worlds {
				_ = started.Close() // why it did not start is what matters
			}
			return fmt.Errorf("start %d ranks of %s: %w", o.Ranks, platform, err)
		}
		worlds = append(worlds, w)
	}
	return soak.Run(ctx, o, worlds, os.Stdout)
}
