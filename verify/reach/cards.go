package reach

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/driver/xclbin"
	"github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/world"
)

var onCards = Kind{
	Name: "card", Form: "card:file.xclbin",
	Doc: "cards of this host that hold the file or are loaded with it; behind commas: network=10.10.10.1/24 (the engine of rank 0), " +
		"port=5500, fec=on, fec=off, library=directory (with XRT's)",
	Open: func(_ context.Context, r *Request) (*Part, error) {
		c, err := readCards(r)
		if err != nil {
			return nil, err
		}
		all, err := cluster.Addresses(c.network, c.port, r.Size)
		if err != nil {
			return nil, err
		}
		part := &Part{Platform: c.p, What: "on cards with " + c.options.Xclbin, Close: c.close}
		for _, rank := range r.Local {
			part.Ranks = append(part.Ranks, all[rank])
		}
		// Cards are opened when all ranks are there, which hear then what is wrong with them.
		part.Prepare = func(ctx context.Context, ranks []accl.Rank) ([]View, error) {
			if err := c.open(ctx); err != nil {
				return nil, err
			}
			for _, engine := range c.parts {
				part.Devices = append(part.Devices, engine.Device)
			}
			return setUp(ctx, c.parts, ranks, c.request.Local, c.stack)
		}
		return part, nil
	},
}

// cards are those of this process.
type cards struct {
	request *Request
	p       *accl.Platform
	design  card.Design
	options xrt.Options
	network netip.Prefix
	port    uint16
	stack   network.Config

	opened []*xrt.Card
	parts  []*cluster.Part // by local rank
}

// readCards reads the rest of a text.
func readCards(r *Request) (*cards, error) {
	file, more, _ := strings.Cut(r.Rest, ",")
	c := &cards{request: r, options: xrt.Options{Xclbin: file}}
	bad := func(setting string, err error) error {
		return fmt.Errorf("%w: card:%s: %q: %w", ErrText, r.Rest, setting, err)
	}
	for setting := range strings.SplitSeq(more, ",") {
		name, value, _ := strings.Cut(setting, "=")
		var err error
		switch {
		case setting == "":
		case setting == "fec=on":
			c.stack.FEC = network.WithFEC
		case setting == "fec=off":
			c.stack.FEC = network.WithoutFEC
		case name == "library":
			c.options.Library = value
		case name == "network":
			c.network, err = netip.ParsePrefix(value)
		case name == "port":
			c.port, err = portOf(value)
		default:
			err = errors.New("no such setting")
		}
		if err != nil {
			return nil, bad(setting, err)
		}
	}
	c.stack.PrefixBits = c.network.Bits()
	if !c.network.IsValid() {
		c.stack.PrefixBits = cluster.DefaultNetwork.Bits()
	}
	platform, err := platformOf(file, r.Platform)
	if err != nil {
		return nil, err
	}
	d, err := world.Design(platform, r.Vars)
	if err != nil {
		return nil, err
	}
	p := driverview.Of(d)
	c.p = &p
	c.design, err = driverview.Card(d)
	return c, err
}

func portOf(text string) (uint16, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	return uint16(port), err
}

// platformOf is the platform that a file says it is of, or else another.
func platformOf(file, otherwise string) (string, error) {
	if file == "" {
		return "", fmt.Errorf("%w: card:file.xclbin is expected, with the file that the cards are to hold", ErrText)
	}
	f, closer, err := xclbin.Open(file)
	if err != nil {
		return "", err
	}
	defer closer()
	said, described, err := f.Describe()
	if err == nil && described {
		return said.Platform, nil
	}
	return otherwise, err
}

// open opens the engines of this process: a process alone has those of all cards, from
// the first on.
func (c *cards) open(ctx context.Context) error {
	engines := max(c.design.Engines(), 1)
	for i := range c.request.Local {
		number := i
		if !c.request.Alone() {
			number = c.request.Process
		}
		var on *xrt.Card
		if c.request.Alone() && number/engines < len(c.opened) {
			on = c.opened[number/engines]
		} else {
			o := c.options
			o.Card = strconv.Itoa(number / engines)
			c.request.Log("opening card %s", o.Card)
			opened, err := xrt.Open(ctx, &c.design, o)
			if err != nil {
				return err
			}
			on, c.opened = opened, append(c.opened, opened)
		}
		part, err := cluster.On(ctx, on, c.p, number%engines)
		if err != nil {
			return err
		}
		c.parts = append(c.parts, part)
	}
	return nil
}

func (c *cards) close() error {
	var errs []error
	for _, opened := range c.opened {
		errs = append(errs, opened.Close())
	}
	return errors.Join(errs...)
}
