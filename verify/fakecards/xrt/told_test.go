package xrt_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// told is what all ranks of a world are told, however they reach their cards.
type told struct {
	p    accl.Platform
	lies layout.Design
	size int
}

func tell(t *testing.T, platform string, vars map[string]cty.Value, size int) (*design.Design, told) {
	t.Helper()
	d := designtest.Load(t, platform, vars)
	lies, err := driverview.Card(d)
	assert.NilError(t, err)
	return d, told{driverview.Of(d), lies, size}
}

// open brings up all ranks at the same time, when each has had its options changed.
func (w *told) open(t *testing.T, change func(rank int, o *cluster.Options)) ([]*cluster.Rank, []error) {
	t.Helper()
	meet, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	options := make([]cluster.Options, w.size)
	for rank := range options {
		o := cluster.Options{
			Platform: &w.p, Design: &w.lies, Stack: network.Config{Timeout: 10 * time.Second},
			Bringup: bringup.Options{
				Rank: rank, Size: w.size, Meet: meet.Addr().String(), Secret: []byte("0123456789abcdef"), Timeout: 20 * time.Second,
				Silence: bringup.MinSilence,
			},
		}
		if rank == 0 {
			o.Bringup.Listener = meet
		}
		change(rank, &o)
		options[rank] = o
	}
	ranks, errs := make([]*cluster.Rank, w.size), make([]error, w.size)
	var opening sync.WaitGroup
	for rank, o := range options {
		opening.Go(func() { ranks[rank], errs[rank] = cluster.Open(t.Context(), o) })
	}
	opening.Wait()
	return ranks, errs
}

func nothing(int, *cluster.Options) {}

// work has all ranks compute, and closes them.
func work(t *testing.T, ranks []*cluster.Rank) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ranktest.All(t, len(ranks), func(rank int) error { return ranktest.Sum[int32](ctx, ranks[rank].Engine, 5000, 1) })
	for rank, r := range ranks {
		assert.Check(t, r.Close(t.Context()), "rank %d", rank)
	}
}
