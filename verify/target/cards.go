package target

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

var onCards = Kind{
	Name: "card", Form: "card:file.xclbin",
	Doc: "cards of this host that hold the file or are loaded with it; behind commas: network=10.10.10.1/24 (the " +
		"engine of rank 0), " +
		"port=5500, fec=on, fec=off, library=directory (with XRT's)",
	Open: func(_ context.Context, r *Request) (*Part, error) {
		c, err := readCards(r)
		if err != nil {
			return nil, err
		}
		part, err := c.part("on cards with " + c.options.Xclbin)
		if err != nil {
			return nil, err
		}
		// Cards are opened when all ranks are there, which hear then what is wrong with them.
		part.Attach = func(ctx context.Context) error { return c.attach(ctx, part, c.open) }
		part.Prepare = func(ctx context.Context, ranks []accl.Rank) ([]View, error) {
			return c.setUp(ctx, part, ranks, c.stack)
		}
		return part, nil
	},
}

// cards are those of this process.
type cards struct {
	group
	options xrt.Options
	stack   network.Config
}

// readCards reads the rest of a text.
func readCards(r *Request) (*cards, error) {
	file, more, _ := strings.Cut(r.Rest, ",")
	c := &cards{group: group{request: r}, options: xrt.Options{Xclbin: file}}
	err := c.read("card", more, map[string]func(string) error{
		"library": func(value string) error {
			c.options.Library = value
			return nil
		},
		"fec": func(value string) error {
			switch value {
			case "on":
				c.stack.FEC = network.WithFEC
			case "off":
				c.stack.FEC = network.WithoutFEC
			default:
				return errSetting
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	platform, err := platformOf(file, r.Platform)
	if err != nil {
		return nil, err
	}
	return c, c.hold(platform)
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

// open opens the engines of this process, those of a card one after the other.
func (c *cards) open(ctx context.Context) error {
	engines := max(c.design.Engines(), 1)
	var on *xrt.Card
	for i := range c.request.Local {
		number := c.number(i)
		if i%engines == 0 {
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
