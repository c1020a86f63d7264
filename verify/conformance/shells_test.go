package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
)

// shellWay has the driver of cards in the Coyote shell, and emulated engines behind a
// shell that is not there, whose queue pairs the driver has written. What the driver has
// not given back in the end fails the test.
type shellWay struct{}

// mostPairs is how many threads of a region the driver takes.
const mostPairs = 31

func (shellWay) name() string              { return "coyote" }
func (shellWay) loses(*accl.Platform) bool { return false }
func (shellWay) keeps() bool               { return false }
func (shellWay) close() error              { return nil }

func (shellWay) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	switch {
	case d.Shell == nil:
		t.Skipf("%s is not built into the shell", d.Platform.Name)
	case d.CheckShell() != nil:
		t.Skip(d.CheckShell())
	case s.ranks > mostPairs:
		t.Skipf("%d ranks: a process has at most %d queue pairs of a card", s.ranks, mostPairs)
	case s.faults != "":
		t.Skip("over shells the network has no faults, only over process")
	}
	ranks, err := cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, s.ranks)
	if err != nil {
		return nil, err
	}
	host, err := coyote.NewHost(ctx, d, coyote.HostOptions{Engine: s.world.Engine, Net: s.world.Net, Ranks: ranks})
	if err != nil {
		return nil, err
	}
	lies, err := driverview.Card(d)
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	p := driverview.Of(d)
	w, err := coyote.OpenWorld(ctx, host, &lies, &p)
	r := &reach{network: host.Net, clients: 1, stats: func() string { return "" }}
	r.close = func([]*accl.Engine, bool) error {
		errs := append([]error{w.Close()}, host.Faults()...)
		for _, leak := range host.Leaks() {
			errs = append(errs, fmt.Errorf("%s", leak))
		}
		return errors.Join(append(errs, host.Close())...)
	}
	if err != nil {
		return nil, errors.Join(err, r.close(nil, true))
	}
	for _, dev := range w.Devices {
		r.devices = append(r.devices, dev)
	}
	// All have the same numbers for each other: threads count from 0 on each card.
	r.ranks = w.Ranks[0]
	for i := range r.ranks {
		r.ranks[i].Session = uint32(i)
	}
	return r, nil
}
