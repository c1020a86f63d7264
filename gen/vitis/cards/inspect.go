package cards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
)

// DefaultLimit bounds the inspection of a card.
const DefaultLimit = 20 * time.Second

// grace is how long a look that was ended may take to give back what it has.
const grace = time.Second

// ErrDesign matches errors of designs that this workspace does not have.
var ErrDesign = errors.New("its engines are not looked at")

// Engines is the Inspector of cards of XRT: it reads the registers of engines and networks.
type Engines struct {
	// Designs elaborates a platform by its name, with each set of variables that it may
	// have been built with.
	Designs func(platform string) ([]*design.Design, error)
	// Library is the directory of XRT's libraries, as in xrt.Options.
	Library string
	// Limit is how long a card is looked at; 0 is DefaultLimit.
	Limit time.Duration

	open func(context.Context, *layout.Design, xrt.Options) (opened, error) // nil for xrt.Open
}

var _ Inspector = (*Engines)(nil)

// opened is a card, as much of it as is needed.
type opened interface {
	Registers(instance string) (layout.Registers, error)
	Close() error
}

// Inspect implements Inspector. It adds nothing to cards whose file is unknown or not one
// of ours. The error matches ErrDesign, or those of package xrt; a failure at one engine
// or network is a remark.
func (in *Engines) Inspect(ctx context.Context, c *Found) error {
	if c.Design == nil || c.Design.Generator == "" {
		return nil
	}
	l, err := in.look(c)
	if err != nil {
		return err
	}
	limit := cmp.Or(in.Limit, DefaultLimit)
	late := fmt.Errorf("%w: the card does not answer within %v", ErrDesign, limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	// Calls of XRT cannot be interrupted: one that hangs is left behind.
	done := make(chan error, 1)
	go func() { done <- l.all(ctx) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(grace):
		}
		return context.Cause(ctx)
	}
	if err == nil {
		c.Engines, c.Networks, c.Remarks = l.engines, l.networks, append(c.Remarks, l.remarks...)
	}
	return err
}

type look struct {
	open     func(context.Context) (opened, error)
	design   layout.Design
	platform accl.Platform

	engines  []Engine
	networks []Network
	remarks  []string
}

// look finds the design that a card holds.
func (in *Engines) look(c *Found) (*look, error) {
	about := c.Design.Description
	designs, err := in.Designs(about.Platform)
	if err != nil {
		return nil, fmt.Errorf("%w: platform %s cannot be read here: %w", ErrDesign, about.Platform, err)
	}
	open := in.open
	if open == nil {
		open = func(ctx context.Context, d *layout.Design, o xrt.Options) (opened, error) { return xrt.Open(ctx, d, o) }
	}
	o := xrt.Options{Card: c.BDF, Xclbin: c.Design.File, Keep: true, Library: in.Library}
	l := &look{}
	l.open = func(ctx context.Context) (opened, error) { return open(ctx, &l.design, o) }
	for _, d := range designs {
		if l.design, err = driverview.Card(d); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDesign, err)
		}
		if l.design.Hash == about.Design {
			l.platform = driverview.Of(d)
			return l, nil
		}
	}
	return nil, fmt.Errorf(
		"%w: %s was built from another state of the platform than is here, or with variables, which -vars= gives",
		ErrDesign, about.Platform)
}

// all looks at engines, then at their networks. It ends early if the card cannot be
// opened.
func (l *look) all(ctx context.Context) error {
	if err := l.lookAtEngines(ctx); err != nil {
		return err
	}
	for n := range l.design.Engines() {
		if err := l.network(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) lookAtEngines(ctx context.Context) error {
	for n := range l.design.Engines() {
		for _, in := range l.design.Of(n, layout.Engine) {
			e, err := l.engine(ctx, in.Name)
			if err != nil {
				return err
			}
			l.engines = append(l.engines, e)
		}
	}
	return nil
}

// with opens the card, has something read from it, and closes it. unopened is why the
// card cannot be opened at all, failed why it could not be read.
func (l *look) with(ctx context.Context, read func(open func(instance string) (layout.Registers, error)) error) (
	failed, unopened error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	err = read(func(instance string) (layout.Registers, error) {
		r, err := c.Registers(instance)
		return readOnly{r, instance}, err
	})
	return errors.Join(err, c.Close()), nil
}

// state is what an error says of what was to be read.
func (l *look) state(what string, err error) State {
	if errors.Is(err, xrt.ErrBusy) {
		return InUse
	}
	l.remarks = append(l.remarks, what+": "+err.Error())
	return Unknown
}

// errWrite is what a look into a card never does.
var errWrite = errors.New("registers are not written when a card is only looked at")

// readOnly are registers that are not written.
type readOnly struct {
	layout.Registers
	instance string
}

func (r readOnly) Write(context.Context, uint32, uint32) error {
	return fmt.Errorf("%s: %w", r.instance, errWrite)
}
