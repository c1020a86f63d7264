package capi

import (
	"context"
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt"
)

// Cards opens worlds of cards of a platform alone, a rank in each process: "card:file.xclbin", or "card:" for a
// platform in a shell. ",library=directory" says where XRT's library is.
func Cards(p *accl.Platform, d *layout.Design) Opener {
	return func(ctx context.Context, o Options) (*World, error) {
		file, is := strings.CutPrefix(o.World, "card:")
		file, library, _ := strings.Cut(file, ",library=")
		if !is || (file == "") != (len(d.Driver) > 0) {
			return nil, fmt.Errorf("%w: %q; there is card:file.xclbin, or card: in a shell", ErrWorld, o.World)
		}
		if o.Variables != "" || o.Address != "" || o.Platform != "" && o.Platform != p.Name || o.Ranks > 1 {
			return nil, fmt.Errorf("%w: cards of %s have one rank a process, and no variables and addresses", accl.ErrOption,
				p.Name)
		}
		meet, err := bringup.FromEnv(o.Env)
		if err != nil {
			return nil, err
		}
		meet.Timeout = o.Timeout
		launched, err := accl.LaunchOf(o.Env)
		if err != nil {
			return nil, err
		}
		r, err := cluster.Open(ctx, cluster.Options{Platform: p, Design: d, Bringup: meet,
			Process: launched.LocalRank, Card: xrt.Options{Xclbin: file, Library: library},
			Open: o.Open})
		if err != nil {
			return nil, err
		}
		watched, cancel := r.World.Context(context.Background())
		return &World{Engines: []*accl.Engine{r.Engine}, Context: watched, Joined: r.World, Close: func() error {
			defer cancel()
			return r.Close(context.Background())
		}}, nil
	}
}
