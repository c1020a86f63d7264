package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
)

// TakeShell opens an engine of a card in a shell, and finds its network.
func TakeShell(ctx context.Context, p *accl.Platform, d *layout.Design, o coyote.Options) (*Part, error) {
	c, err := coyote.Open(ctx, d, o)
	if err != nil {
		return nil, err
	}
	dev, err := c.Engine(ctx, p, 0)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	stack, err := network.Within(d, 0, c)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &Part{Card: c, Device: dev, Network: stack, p: p}, nil
}

// shell opens the card of a process in a shell, and returns the description of its queue
// pairs for the other ranks; nil if there is an error.
func shell(ctx context.Context, o *Options, all []accl.Rank) (*Part, []byte, error) {
	at := coyote.Options{Card: o.Process}
	if o.Shell != nil {
		at = *o.Shell
	}
	part, err := TakeShell(ctx, o.Platform, o.Design, at)
	if err != nil {
		return nil, nil, err
	}
	said, err := part.Network.Describe(ctx, all, o.Bringup.Rank)
	return part, said, err
}

// Said returns the queue pairs that all ranks of a joined world have described in
// bringup.Member.Data, by rank. If a rank could not describe its own, Said waits for its
// error.
func Said(ctx context.Context, w *bringup.World) ([][]byte, error) {
	var out [][]byte
	for _, m := range w.Members() {
		out = append(out, m.Data)
	}
	silent := slices.IndexFunc(out, func(text []byte) bool { return len(text) == 0 })
	if silent < 0 {
		return out, nil
	}
	limit := time.NewTimer(bringup.MinSilence + time.Second)
	defer limit.Stop()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-limit.C:
		return nil, fmt.Errorf("%w: rank %d does not say what its queue pairs are", network.ErrQueuePairs, silent)
	}
}
