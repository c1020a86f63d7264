package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/driver/xrt"
)

// Card is an open card: a *xrt.Card or a *coyote.Card.
type Card interface {
	Design() *layout.Design
	Registers(instance string) (layout.Registers, error)
	Close() error
}

// Device is an engine of a card.
type Device interface {
	accl.Device
	accl.KernelCaller
	// Number is the number of the engine on its card.
	Number() int
}

// Part is an open engine of a card with its network, before its configuration.
type Part struct {
	Card    Card
	Device  Device
	Network *network.Stack

	p *accl.Platform
}

// Take opens an engine: that with a number among all cards of the host, or on the card
// that the options name.
func Take(ctx context.Context, p *accl.Platform, d *layout.Design, o xrt.Options, number int) (*Part, error) {
	engines := max(d.Engines(), 1)
	o.Card = cmp.Or(o.Card, strconv.Itoa(number/engines))
	c, err := xrt.Open(ctx, d, o)
	if err != nil {
		return nil, err
	}
	part, err := On(ctx, c, p, number%engines)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return part, nil
}

// On opens an engine of an open card, and finds its network.
func On(ctx context.Context, c *xrt.Card, p *accl.Platform, engine int) (*Part, error) {
	dev, err := c.Engine(ctx, p, engine)
	if err != nil {
		return nil, err
	}
	stack, err := network.Of(c.Design(), engine, c.Registers)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return &Part{Card: c, Device: dev, Network: stack, p: p}, nil
}

// Setup sets up the network of a rank. It returns the ranks and options for accl.Open.
func (part *Part) Setup(ctx context.Context, ranks []accl.Rank, local int, c network.Config) (
	[]accl.Rank, []accl.OpenOption, error) {
	c.Ranks, c.Local = ranks, local
	if part.Network.Kind() == network.KindTCP {
		if err := part.tcp(&c); err != nil {
			return nil, nil, err
		}
	}
	ranks, err := part.Network.Setup(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if part.p.Features.EngineSessions {
		return ranks, nil, nil // the engine opens them itself
	}
	return ranks, []accl.OpenOption{accl.GivenSessions()}, nil
}

// tcp allocates the memory in which a TCP stack keeps data.
func (part *Part) tcp(c *network.Config) error {
	on, ok := part.Card.(*xrt.Card)
	if !ok {
		return fmt.Errorf("%w: a TCP stack is on a card that XRT reaches", network.ErrDesign)
	}
	if !on.Fresh() && !c.Listening {
		return fmt.Errorf("%w: reset the card (xbutil reset)", ErrStale)
	}
	at := []*uint64{&c.Send, &c.Receive}
	_, stack, err := network.Find(part.Card.Design(), part.Device.Number())
	if err != nil {
		return err
	}
	banks := part.Network.Banks()
	for i, b := range banks[:min(len(banks), len(at))] {
		mem, err := on.Alloc(stack, b.Port, part.Network.BufferBytes())
		if err != nil {
			return err
		}
		*at[i] = mem.Addr()
	}
	return nil
}
