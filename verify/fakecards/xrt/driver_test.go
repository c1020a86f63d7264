package xrt_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	driver "github.com/cclforge/cclforge/driver/xrt"
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
	} {
		t.Run(name, func(t *testing.T) {
			const ranks, n = 3, 3000
			d := designtest.Load(t, c.platform, nil)
			p := driverview.Of(d)
			described, err := driverview.Card(d)
			if err != nil {
				t.Fatal(err)
			}
			h := xrt.Start(t, d, ranks, c.o)
			var cards []*driver.Card
			for _, bdf := range h.BDFs() {
				c, err := driver.Open(t.Context(), &described, driver.Options{Card: bdf, Xclbin: h.Xclbin, Library: h.Dir()})
				if err != nil {
					t.Fatal(err)
				}
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
				if err := c.Close(); err != nil {
					t.Error(err)
				}
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
	if err != nil {
		t.Fatal(err)
	}
	h := xrt.Start(t, d, 3, xrt.HostOptions{})
	var cards [2]*driver.Card
	for i := range cards {
		if cards[i], err = driver.Open(t.Context(), &described,
			driver.Options{Xclbin: h.Xclbin, Library: h.Dir()}); err != nil {
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
	xrt.Returned(t, h)
}
