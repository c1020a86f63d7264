// Package ranks runs the ranks of an example: engines on a network in this process.
// A program for cards differs in where its devices come from.
package ranks

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world"
)

// limit of an example, which takes far less.
const limit = 2 * time.Minute

// Rank is an engine, and the card that it is on.
type Rank struct {
	*accl.Engine
	Card accl.Device
}

// Run starts n ranks of a platform in the directory of the test, and has each do
// something. The first error of one of them ends the test.
func Run(t *testing.T, platform string, n int, do func(ctx context.Context, r Rank) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	w, err := world.Load(ctx, platform, "", n, world.Options{})
	if errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p, err := world.Platform(platform, "")
	if err != nil {
		t.Fatal(err)
	}
	engines, err := accl.OpenAll(ctx, w.Devices(), p, w.Ranks())
	if err != nil {
		t.Fatal(err)
	}
	var all errgroup.Group
	for i, e := range engines {
		all.Go(func() error { return do(ctx, Rank{e, w.Device(i)}) })
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
}
