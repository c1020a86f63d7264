package xrt_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// TestTheDriver has the driver of cards run an allgather: ranks on cards of their own,
// and on one card.
func TestTheDriver(t *testing.T) {
	for name, c := range map[string]struct {
		platform string
		o        xrt.HostOptions
	}{
		"a card each":      {"u280_udp", xrt.HostOptions{Empty: true}},
		"one card":         {"u280_axis3x", xrt.HostOptions{}},
		"accl-2022":        {"u280_2022", xrt.HostOptions{Empty: true}},
		"others' hostctrl": {"u280_udp", xrt.HostOptions{Foreign: true}},
		"TCP":              {"u55c_tcp", xrt.HostOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			const ranks, n = 3, 3000
			d := designtest.Load(t, c.platform, nil)
			p := driverview.Of(d)
			described, err := driverview.Card(d)
			assert.NilError(t, err)
			h := xrt.Start(t, d, ranks, c.o)
			var cards []*driver.Card
			for _, bdf := range h.BDFs() {
				c, err := driver.Open(t.Context(), &described, driver.Options{Card: bdf, Xclbin: h.Xclbin, Library: h.Dir()})
				assert.NilError(t, err)
				cards = append(cards, c)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			count := d.Platform.CCLO.Count
			engines := make([]*accl.Engine, ranks)
			ranktest.All(t, ranks, func(rank int) error { // what is sent before all are open is lost on UDP
				dev, err := cards[rank/count].Engine(ctx, &p, rank%count)
				if err != nil {
					return err
				}
				engines[rank], err = accl.Open(ctx, dev, &p, h.Ranks(), rank)
				return err
			})
			ranktest.All(t, ranks, func(rank int) error {
				if err := ranktest.Gather(ctx, engines[rank], n); err != nil {
					return err
				}
				return engines[rank].Close(ctx)
			})
			for _, c := range cards {
				assert.NilError(t, c.Close())
			}
			xrt.Returned(t, h)
		})
	}
}

// TestAnEngineBelongsToOne opens a card a second time, as another process would.
func TestAnEngineBelongsToOne(t *testing.T) {
	d := designtest.Load(t, "u280_axis3x", nil)
	p := driverview.Of(d)
	described, err := driverview.Card(d)
	assert.NilError(t, err)
	h := xrt.Start(t, d, 3, xrt.HostOptions{})
	var cards [2]*driver.Card
	for i := range cards {
		if cards[i], err = driver.Open(t.Context(), &described,
			driver.Options{Xclbin: h.Xclbin, Library: h.Dir()}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := cards[0].Engine(t.Context(), &p, 1)
	assert.NilError(t, err)
	_, err = cards[0].Engine(t.Context(), &p, 1)
	assert.Check(t, is.ErrorIs(err, driver.ErrOpen), "the same engine of the same card again")
	assert.NilError(t, first.Close())
	_, err = cards[0].Engine(t.Context(), &p, 1)
	assert.Check(t, err, "after its end")
	_, err = cards[1].Engine(t.Context(), &p, 1)
	assert.Check(t, is.ErrorIs(err, driver.ErrBusy), "the same engine again")
	_, err = cards[1].Engine(t.Context(), &p, 2)
	assert.Check(t, err)
	assert.NilError(t, cards[0].Close())
	_, err = cards[1].Engine(t.Context(), &p, 1)
	assert.Check(t, err, "after the first has closed the card")
	assert.NilError(t, cards[1].Close())
	xrt.Returned(t, h)
}

// opened loads the design of a host's first card, and opens an engine of it.
func opened(ctx context.Context, t *testing.T, h *xrt.Host, d *design.Design) (*driver.Card, accl.Device) {
	t.Helper()
	p := driverview.Of(d)
	described, err := driverview.Card(d)
	assert.NilError(t, err)
	c, err := driver.Open(ctx, &described, driver.Options{Xclbin: h.Xclbin, Library: h.Dir()})
	assert.NilError(t, err)
	dev, err := c.Engine(ctx, &p, 0)
	assert.NilError(t, err)
	return c, dev
}

// alone is the engine of a card, in a world of its own.
func alone(ctx context.Context, t *testing.T) *accl.Engine {
	t.Helper()
	d := designtest.Load(t, "u55c_udp", nil)
	p := driverview.Of(d)
	h := xrt.Start(t, d, 1, xrt.HostOptions{})
	_, dev := opened(ctx, t, h, d)
	e, err := accl.Open(ctx, dev, &p, h.Ranks(), 0)
	assert.NilError(t, err)
	return e
}

// TestPeerToPeer runs a call on memory that is never synced: the host sees device
// memory.
func TestPeerToPeer(t *testing.T) {
	const n = 5000
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := alone(ctx, t)
	src, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
	assert.NilError(t, err)
	dst, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
	assert.NilError(t, err)
	r := rand.New(rand.NewPCG(9, 9))
	for range 5 {
		for range 100 {
			src.Host()[r.IntN(n)] = r.Int32()
		}
		_, err := e.Copy(ctx, src, dst, n)
		assert.NilError(t, err)
		assert.Assert(t, slices.Equal(src.Host(), dst.Host()), "the copy has something else")
	}
}

// TestPeerToPeerMemoryThatWasUsed: host and device begin with the same bytes where
// another buffer was before.
func TestPeerToPeerMemoryThatWasUsed(t *testing.T) {
	const n = 1000
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := alone(ctx, t)
	dst, err := accl.Alloc[int32](ctx, e, n)
	assert.NilError(t, err)
	var used uint64
	for round := range 2 {
		src, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
		assert.NilError(t, err)
		want := make([]int32, n)
		for i := range want {
			want[i] = int32((1 - round) * (i + 1)) // zeros behind numbers
		}
		copy(src.Host(), want)
		_, err = e.Copy(ctx, src, dst, n)
		assert.NilError(t, err)
		assert.Check(t, slices.Equal(dst.Host(), want), "round %d: the device has something else", round)
		if round == 1 && src.Address() != used {
			t.Fatalf("the memory is another one: 0x%X and 0x%X", used, src.Address())
		}
		used = src.Address()
		assert.NilError(t, src.Free())
	}
}
