package xrt_test

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/cluster"
	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
)

// world is a host with cards, and what all ranks are told.
type world struct {
	*xrt.Host
	told
}

func newWorld(t *testing.T, platform string, size int, o xrt.HostOptions) *world {
	t.Helper()
	var err error
	if o.World.Ranks, err = cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, size); err != nil {
		t.Fatal(err)
	}
	d, all := tell(t, platform, nil, size)
	return &world{xrt.Start(t, d, size, o), all}
}

// open brings up all ranks at the same time.
func (w *world) open(t *testing.T, change func(rank int, o *cluster.Options)) ([]*cluster.Rank, []error) {
	t.Helper()
	return w.told.open(t, func(rank int, o *cluster.Options) {
		o.Process, o.Card = rank, driver.Options{Xclbin: w.Xclbin, Library: w.Dir()}
		change(rank, o)
	})
}

// TestWorlds: all ranks are ready, and compute.
func TestWorlds(t *testing.T) {
	for _, name := range []string{"u55c_udp", "u55c_tcp", "u280_2022", "u280_axis3x"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, name, 3, xrt.HostOptions{Empty: true})
			ranks, errs := w.open(t, nothing)
			assert.NilError(t, errors.Join(errs...))
			work(t, ranks)
			xrt.Returned(t, w.Host)
		})
	}
}

// TestErrorsOfAll: what goes wrong on one rank, all ranks say.
func TestErrorsOfAll(t *testing.T) {
	for _, test := range []struct {
		name, platform string
		// prepare lets something be wrong with rank 1.
		prepare func(t *testing.T, w *world, o *cluster.Options)
		says    string
	}{
		{"no such card", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) { o.Card.Card = "9" },
			"no such card: card 9: XRT sees 3"},
		{"no file", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) { o.Card.Xclbin = "missing.xclbin" },
			"missing.xclbin: no such file"},
		{"a file of another state", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) {
			other := *o.Design
			other.Hash = "0000000000000000"
			o.Design = &other
		}, "of another state of the platform"},
		{"an engine that another has", "u280_axis3x", func(t *testing.T, w *world, o *cluster.Options) {
			part, err := cluster.Take(t.Context(), &w.p, &w.lies, o.Card, 1)
			assert.NilError(t, err)
			t.Cleanup(func() { _ = part.Card.Close() })
		}, "another process uses it"},
		{"a TCP stack that was used", "u55c_tcp", func(t *testing.T, w *world, o *cluster.Options) {
			c := o.Card
			c.Card = "1"
			part, err := cluster.Take(t.Context(), &w.p, &w.lies, c, 0)
			assert.NilError(t, err)
			_ = part.Card.Close() // it is loaded now
		}, "has been used since the card was loaded"},
		{"an address outside", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) { o.Stack.PrefixBits = 31 },
			"rank 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, test.platform, 3, xrt.HostOptions{Empty: true})
			_, errs := w.open(t, func(rank int, o *cluster.Options) {
				if rank == 1 {
					test.prepare(t, w, o)
				}
			})
			for rank, err := range errs {
				if err == nil || !strings.Contains(err.Error(), test.says) || !errors.Is(err, bringup.ErrNotReady) ||
					err.Error() != errs[0].Error() {
					t.Errorf("rank %d: %v", rank, err)
				}
				var e *bringup.Error
				assert.Check(t, !errors.As(err, &e) || strings.Contains(err.Error(), "rank 1 at "+e.Address+": "+e.Reason),
					"rank %d blames rank %d: %v", rank, e.Rank, err)
			}
		})
	}
}
