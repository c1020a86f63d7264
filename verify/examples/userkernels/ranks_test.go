// Package userkernels_test checks the worked examples of platforms/: plugins and kernels of
// one's own in C++, templates of one's own, and what authors of kernels see when they make a
// mistake. It is a directory as a user has it; copy the platforms that you need.
package userkernels_test

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"

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

// engine is that of a rank, and its card.
type engine struct {
	*accl.Engine
	card accl.Device
}

// run starts n ranks of a platform on a network in this process and runs do on each. The
// first error of a rank ends the test. A program for cards differs in where its devices come
// from.
func run(t *testing.T, platform string, n int, do func(ctx context.Context, r engine) error) {
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
	assert.NilError(t, err)
	defer func() {
		assert.Check(t, w.Close())
	}()
	p, err := world.Platform(platform, "")
	assert.NilError(t, err)
	engines, err := accl.OpenAll(ctx, w.Devices(), p, w.Ranks())
	assert.NilError(t, err)
	var all errgroup.Group
	for i, e := range engines {
		all.Go(func() error { return do(ctx, engine{e, w.Device(i)}) })
	}
	assert.NilError(t, all.Wait())
}

// pair allocates two buffers.
func pair[T accl.Element](ctx context.Context, r engine, count int) (one, other *accl.Buffer[T], err error) {
	if one, err = accl.Alloc[T](ctx, r.Engine, count); err == nil {
		other, err = accl.Alloc[T](ctx, r.Engine, count)
	}
	return one, other, err
}
