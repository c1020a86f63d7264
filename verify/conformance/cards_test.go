package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	cards "github.com/cclforge/cclforge/verify/fakecards/xrt"
)

// cardWay has the driver of cards, the functions of XRT, and emulated engines behind
// cards that are not there. What the driver has not given back in the end fails the
// test.
type cardWay struct{}

func (cardWay) name() string              { return "cards" }
func (cardWay) loses(*accl.Platform) bool { return false }
func (cardWay) keeps() bool               { return false }
func (cardWay) close() error              { return nil }

func (cardWay) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	if s.faults != "" {
		t.Skip("over cards the network has no faults, only over process")
	}
	host, err := cards.NewHost(ctx, d, s.ranks, cards.HostOptions{World: s.world})
	if errors.Is(err, cards.ErrCompiler) {
		t.Skip(err)
	}
	if err != nil {
		return nil, err
	}
	lies, err := driverview.Card(d)
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	p := driverview.Of(d)
	r := &reach{ranks: host.Ranks(), network: host.World.Net(), clients: 1, stats: func() string { return "" }}
	var opened []*xrt.Card
	r.close = func([]*accl.Engine, bool) error {
		var errs []error
		for _, c := range opened {
			errs = append(errs, c.Close())
		}
		errs = append(errs, host.Faults()...)
		for _, leak := range host.Leaks() {
			errs = append(errs, fmt.Errorf("%s", leak))
		}
		return errors.Join(append(errs, host.Close())...)
	}
	for i := range host.BDFs() {
		c, err := xrt.Open(ctx, &lies, xrt.Options{Card: host.BDFs()[i], Xclbin: host.Xclbin, Keep: true,
			Library: host.Dir()})
		if err != nil {
			return nil, errors.Join(err, r.close(nil, true))
		}
		opened = append(opened, c)
	}
	for rank := range s.ranks {
		dev, err := opened[rank/p.Engines].Engine(ctx, &p, rank%p.Engines)
		if err != nil {
			return nil, errors.Join(err, r.close(nil, true))
		}
		r.devices = append(r.devices, dev)
	}
	return r, nil
}
