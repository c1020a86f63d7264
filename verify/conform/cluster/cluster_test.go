// Package cluster_test brings up worlds of cards that are not there.
package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/network"
	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/xrt"
	"github.com/cclforge/cclforge/verify/xrt/xrttest"
)

// world is a host with cards, and what all ranks are told.
type world struct {
	*xrt.Host
	p    accl.Platform
	lies card.Design
	size int
	meet net.Listener
}

func newWorld(t *testing.T, platform string, size int, o xrt.HostOptions) *world {
	t.Helper()
	d := designtest.Load(t, platform, nil)
	lies, err := driverview.Card(d)
	if err != nil {
		t.Fatal(err)
	}
	if o.World.Ranks, err = cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, size); err != nil {
		t.Fatal(err)
	}
	w := &world{Host: xrttest.Host(t, d, size, o), p: driverview.Of(d), lies: lies, size: size}
	if w.meet, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	return w
}

// options are those of a rank.
func (w *world) options(rank int) cluster.Options {
	b := bringup.Options{
		Rank: rank, Size: w.size, Meet: w.meet.Addr().String(), Secret: []byte("0123456789abcdef"), Timeout: 20 * time.Second,
		Silence: bringup.MinSilence,
	}
	if rank == 0 {
		b.Listener = w.meet
	}
	return cluster.Options{
		Platform: &w.p, Design: &w.lies, Bringup: b, Process: rank, Card: driver.Options{Xclbin: w.Xclbin, Library: w.Dir()},
		Stack: network.Config{Timeout: 10 * time.Second},
	}
}

// open brings up all ranks at the same time.
func (w *world) open(t *testing.T, change func(rank int, o *cluster.Options)) ([]*cluster.Rank, []error) {
	t.Helper()
	ranks, errs := make([]*cluster.Rank, w.size), make([]error, w.size)
	var opening sync.WaitGroup
	for i := range w.size {
		opening.Go(func() {
			o := w.options(i)
			change(i, &o)
			ranks[i], errs[i] = cluster.Open(t.Context(), o)
		})
	}
	opening.Wait()
	return ranks, errs
}

func nothing(int, *cluster.Options) {}

// sum adds up a number of each rank.
func sum(ctx context.Context, r *cluster.Rank, size int) error {
	const n = 5000
	src, err := accl.Alloc[int32](ctx, r.Engine, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[int32](ctx, r.Engine, n)
	if err != nil {
		return err
	}
	for i := range n {
		src.Host()[i] = int32(i * (r.World.Rank() + 1))
	}
	if _, err := r.Engine.AllReduce(ctx, src, dst, n, accl.Sum); err != nil {
		return err
	}
	for i, v := range dst.Host() {
		if want := int32(i * size * (size + 1) / 2); v != want {
			return fmt.Errorf("element %d is %d, not %d", i, v, want)
		}
	}
	return nil
}

// TestWorlds: all ranks are ready, and compute; two times, one after the other.
func TestWorlds(t *testing.T) {
	for _, name := range []string{"u55c_udp", "u55c_tcp", "u280_2022", "u280_axis3x"} {
		t.Run(name, func(t *testing.T) {
			const size = 3
			w := newWorld(t, name, size, xrt.HostOptions{Empty: true})
			ranks, errs := w.open(t, nothing)
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			var working sync.WaitGroup
			for i, r := range ranks {
				working.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					errs[i] = sum(ctx, r, size)
				})
			}
			working.Wait()
			for _, r := range ranks {
				errs = append(errs, r.Close(t.Context()))
			}
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
			xrttest.Returned(t, w.Host)
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
		{"no such card", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) { o.Card.Card = "9" }, "no such card: card 9: XRT sees 3"},
		{"no file", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) { o.Card.Xclbin = "missing.xclbin" }, "missing.xclbin: no such file"},
		{"a file of another state", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) {
			other := *o.Design
			other.Hash = "0000000000000000"
			o.Design = &other
		}, "of another state of the platform"},
		{"an engine that another has", "u280_axis3x", func(t *testing.T, w *world, o *cluster.Options) {
			part, err := cluster.Take(t.Context(), &w.p, &w.lies, o.Card, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = part.Card.Close() })
		}, "another process uses it"},
		{"a TCP stack that was used", "u55c_tcp", func(t *testing.T, w *world, o *cluster.Options) {
			c := o.Card
			c.Card = "1"
			part, err := cluster.Take(t.Context(), &w.p, &w.lies, c, 0)
			if err != nil {
				t.Fatal(err)
			}
			_ = part.Card.Close() // it is loaded now
		}, "has been used since the card was loaded"},
		{"an address outside", "u55c_udp", func(_ *testing.T, _ *world, o *cluster.Options) { o.Stack.PrefixBits = 31 }, "rank 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, test.platform, 3, xrt.HostOptions{Empty: true})
			_, errs := w.open(t, func(rank int, o *cluster.Options) {
				if rank == 1 {
					test.prepare(t, w, o)
				}
			})
			for rank, err := range errs {
				if err == nil || !strings.Contains(err.Error(), test.says) || !errors.Is(err, bringup.ErrNotReady) || err.Error() != errs[0].Error() {
					t.Errorf("rank %d: %v", rank, err)
				}
				var e *bringup.Error
				if errors.As(err, &e) && e.Rank != 1 {
					t.Errorf("rank %d blames rank %d", rank, e.Rank)
				}
			}
		})
	}
}
