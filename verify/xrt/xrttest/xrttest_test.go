package xrttest_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/xrt"
	"github.com/cclforge/cclforge/verify/xrt/xrttest"
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
	} {
		t.Run(name, func(t *testing.T) {
			const ranks, n = 3, 3000
			d := designtest.Load(t, c.platform, nil)
			p := driverview.Of(d)
			described, err := driverview.Card(d)
			if err != nil {
				t.Fatal(err)
			}
			h := xrttest.Host(t, d, ranks, c.o)
			var cards []*driver.Card
			for _, bdf := range h.BDFs() {
				c, err := driver.Open(t.Context(), &described, driver.Options{Card: bdf, Xclbin: h.Xclbin, Library: h.Dir()})
				if err != nil {
					t.Fatal(err)
				}
				cards = append(cards, c)
			}
			errs := make([]error, ranks)
			var all, ready sync.WaitGroup
			ready.Add(ranks)
			for rank := range ranks {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					count := d.Platform.CCLO.Count
					var e *accl.Engine
					dev, err := cards[rank/count].Engine(ctx, &p, rank%count)
					if err == nil {
						e, err = accl.Open(ctx, dev, &p, h.Ranks(), rank)
					}
					ready.Done()
					ready.Wait() // what is sent before is lost on UDP
					if err == nil {
						err = gather(ctx, e, ranks, rank, n)
					}
					errs[rank] = err
				})
			}
			all.Wait()
			for _, c := range cards {
				errs = append(errs, c.Close())
			}
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
			xrttest.Returned(t, h)
		})
	}
}

func gather(ctx context.Context, e *accl.Engine, ranks, rank, n int) error {
	src, err := accl.Alloc[int32](ctx, e, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[int32](ctx, e, n*ranks)
	if err != nil {
		return err
	}
	var want []int32
	for other := range ranks {
		for i := range n {
			want = append(want, int32(other*n+i))
		}
	}
	copy(src.Host(), want[rank*n:])
	if _, err := e.AllGather(ctx, src, dst, n); err != nil {
		return err
	}
	if !slices.Equal(dst.Host(), want) {
		return errors.New("the result is wrong")
	}
	return e.Close(ctx)
}

// TestAnEngineBelongsToOne opens a card a second time, as another process would.
func TestAnEngineBelongsToOne(t *testing.T) {
	d := designtest.Load(t, "u280_axis3x", nil)
	p := driverview.Of(d)
	described, err := driverview.Card(d)
	if err != nil {
		t.Fatal(err)
	}
	h := xrttest.Host(t, d, 3, xrt.HostOptions{})
	var cards [2]*driver.Card
	for i := range cards {
		if cards[i], err = driver.Open(t.Context(), &described, driver.Options{Xclbin: h.Xclbin, Library: h.Dir()}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := cards[0].Engine(t.Context(), &p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cards[0].Engine(t.Context(), &p, 1); !errors.Is(err, driver.ErrOpen) {
		t.Errorf("the same engine of the same card again: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := cards[0].Engine(t.Context(), &p, 1); err != nil {
		t.Errorf("after its end: %v", err)
	}
	if _, err := cards[1].Engine(t.Context(), &p, 1); !errors.Is(err, driver.ErrBusy) {
		t.Errorf("the same engine again: %v", err)
	}
	if _, err := cards[1].Engine(t.Context(), &p, 2); err != nil {
		t.Error(err)
	}
	if err := cards[0].Close(); err != nil {
		t.Error(err)
	}
	if _, err := cards[1].Engine(t.Context(), &p, 1); err != nil {
		t.Errorf("after the first has closed the card: %v", err)
	}
	if err := cards[1].Close(); err != nil {
		t.Error(err)
	}
	xrttest.Returned(t, h)
}
