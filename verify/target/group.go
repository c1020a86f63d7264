package target

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/world"
)

// group is the engines of this process on cards of its host, whichever kind these are.
type group struct {
	request *Request
	p       *accl.Platform
	design  layout.Design
	network netip.Prefix // from rank 0 on
	port    uint16
	all     []accl.Rank // of the world

	opened []cluster.Card
	parts  []*cluster.Part // by local rank
}

var errSetting = errors.New("no such setting")

// read reads the settings of a text, which stand behind commas: those that all kinds have,
// and those of a kind alone, by name.
func (g *group) read(kind, settings string, own map[string]func(value string) error) error {
	g.network = cluster.DefaultNetwork
	for setting := range strings.SplitSeq(settings, ",") {
		name, value, _ := strings.Cut(setting, "=")
		var err error
		switch set, is := own[name]; {
		case setting == "":
		case is:
			err = set(value)
		case name == "network":
			g.network, err = netip.ParsePrefix(value)
		case name == "port":
			var port uint64
			port, err = strconv.ParseUint(value, 10, 16)
			g.port = uint16(port)
		default:
			err = errSetting
		}
		if err != nil {
			return fmt.Errorf("%w: %s:%s: %q: %w", ErrText, kind, g.request.Rest, setting, err)
		}
	}
	return nil
}

// hold says which platform the cards hold, or are to hold.
func (g *group) hold(platform string) error {
	d, err := world.Design(platform, g.request.Vars)
	if err != nil {
		return err
	}
	p := driverview.Of(d)
	g.p = &p
	g.design, err = driverview.Card(d)
	return err
}

// part is that of the world which the group is.
func (g *group) part(what string) (*Part, error) {
	var err error
	if g.all, err = cluster.Addresses(g.network, g.port, g.request.Size); err != nil {
		return nil, err
	}
	part := &Part{Platform: g.p, What: what, Close: g.close}
	for _, rank := range g.request.Local {
		part.Ranks = append(part.Ranks, g.all[rank])
	}
	return part, nil
}

func (g *group) attach(ctx context.Context, part *Part, open func(context.Context) error) error {
	if err := open(ctx); err != nil {
		return err
	}
	for _, engine := range g.parts {
		part.Devices = append(part.Devices, engine.Device)
	}
	return nil
}

// number is which of the engines of its host a local rank has: a process alone has them
// from the first on, and else each process has one.
func (g *group) number(local int) int {
	if g.request.Alone() {
		return local
	}
	return g.request.Process
}

// setUp gives a part its devices, and sets up the networks of all engines at the same
// time, as they wait for each other.
func (g *group) setUp(ctx context.Context, part *Part, ranks []accl.Rank, c network.Config) ([]View, error) {
	if err := part.Attach(ctx); err != nil {
		return nil, err
	}
	c.PrefixBits = g.network.Bits()
	views, errs := make([]View, len(g.parts)), make([]error, len(g.parts))
	var all sync.WaitGroup
	for i, engine := range g.parts {
		all.Go(func() {
			views[i].Ranks, views[i].Open, errs[i] = engine.Setup(ctx, ranks, g.request.Local[i], c)
		})
	}
	all.Wait()
	return views, errors.Join(errs...)
}

func (g *group) close() error {
	var errs []error
	for _, c := range g.opened {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
