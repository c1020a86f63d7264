// Package ranks runs the ranks of an example: engines on a network in this process.
// A program for cards differs in where its devices come from.
package ranks

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
)

var simulatedFlag = flag.Bool("examples.simulated", false,
	"run on the hardware under Verilator, which is built for each platform once, for minutes")

// limits of an example, which takes far less.
const (
	limit          = 2 * time.Minute
	simulatedLimit = time.Hour
)

// Rank is an engine, and the card that it is on.
type Rank struct {
	*accl.Engine
	Card accl.Device
}

// Run starts n ranks of a platform in the directory of the test, and has each do
// something. The first error of one of them ends the test.
func Run(t *testing.T, platform string, n int, do func(ctx context.Context, r Rank) error) {
	t.Helper()
	o, most := world.Options{}, limit
	if *simulatedFlag {
		clock := rtlsim.NewClock()
		cards := &rtlsim.Cards{Options: func(int) rtlsim.Options { return rtlsim.Options{Clock: clock} }}
		o.Maker, most = cards.Maker, simulatedLimit
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	w, err := world.Load(ctx, platform, "", n, o)
	if errors.Is(err, hls.ErrTools) || errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
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
