package cards

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/platform"
)

// Shells finds cards in shells, each region one, by the files of the shells' drivers. A
// region is locked while it is looked at; what another process has locked is left alone.
// The shell's own programs lock nothing: with them only calls that change nothing meet.
type Shells struct {
	Drivers []layout.Driver
	// Design is what regions are expected to hold, of which they do not tell; nil for
	// engines not to be looked at. Of another design, registers are read that may not be
	// there.
	Design *design.Design
	// System is what cards are reached by; nil for that which this process runs on.
	System coyote.System
}

var _ Finder = (*Shells)(nil)

// Drivers are those of all shells of a library.
func Drivers(lib *platform.Library) []layout.Driver {
	byFile := map[string]*platform.Shell{}
	for _, k := range lib.Kernels {
		if k.Shell != nil && k.Shell.Driver != nil {
			byFile[k.Shell.Driver.File] = k.Shell
		}
	}
	var out []layout.Driver
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		out = append(out, driverview.Driver(byFile[file]))
	}
	return out
}

// Find implements scan.Finder. What cannot be found out of a region is a remark.
func (s *Shells) Find(ctx context.Context) ([]Found, error) {
	var l *look
	if s.Design != nil {
		lies, err := driverview.Card(s.Design)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDesign, err)
		}
		if len(lies.Driver) != 1 {
			return nil, fmt.Errorf("%w: %s is in no shell, and known by its .xclbin", ErrDesign, lies.Platform)
		}
		l = &look{design: lies, platform: driverview.Of(s.Design)}
	}
	var out []Found
	for i := range s.Drivers {
		d := &s.Drivers[i]
		regions, err := coyote.Regions(d, s.System)
		if err != nil {
			return out, err
		}
		for _, o := range regions {
			c := Found{
				Card:    Card{Index: o.Card, Shell: d.Shell},
				Region:  &Region{File: o.Path(d), Number: o.Region, State: Unknown},
				Engines: []Engine{}, Networks: []Network{}, Remarks: []string{},
			}
			if err := see(ctx, &c, d, o, l); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			} else if errors.Is(err, coyote.ErrBusy) {
				c.Region.State = InUse
			} else if err != nil {
				c.Remarks = append(c.Remarks, err.Error())
			}
			c.Ready = c.Region.State == Answers
			out = append(out, c)
		}
	}
	return out, nil
}

// see looks at a region, and at engines of the design that is expected.
func see(ctx context.Context, c *Found, d *layout.Driver, o coyote.Options, expected *look) (err error) {
	v, err := coyote.Look(d, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	built, err := v.Built(ctx)
	if err != nil {
		return err
	}
	r := c.Region
	r.State = Answers
	r.Built = &Built{Regions: built.Regions, HostStreams: built.HostStreams, CardStreams: built.CardStreams,
		RDMA: built.RDMA, AVX: built.AVX}
	if built.RDMA {
		ip, mac, err := v.Address(ctx)
		switch {
		case err != nil:
			c.Remarks = append(c.Remarks, err.Error())
		case !ip.IsUnspecified():
			r.Address, r.MAC = ip.String(), mac.String()
		}
	}
	if expected == nil {
		return nil
	}
	if err := v.Expect(ctx, &expected.design); err != nil {
		return err
	}
	l := *expected
	l.open = func(context.Context) (opened, error) { return held{v}, nil }
	err = l.lookAtEngines(ctx)
	c.Engines, c.Remarks = append(c.Engines, l.engines...), append(c.Remarks, l.remarks...)
	return err
}

// held is a region that remains open.
type held struct{ *coyote.View }

func (held) Close() error { return nil }
