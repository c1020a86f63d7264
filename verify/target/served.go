package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/world"
)

var served = Kind{
	Name: "sim", Form: "sim:host:port",
	Doc: "engines that somebody serves over the simulation protocol, with -platform; by default at 127.0.0.1:5500",
	Open: func(ctx context.Context, r *Request) (*Part, error) {
		at, err := endpoints(r.Rest)
		if err != nil {
			return nil, err
		}
		at.Ranks = r.Size
		p, err := world.Platform(r.Platform, r.Vars)
		if err != nil {
			return nil, err
		}
		part := &Part{Platform: p, What: "served at " + at.Command(0)}
		part.Close = func() error {
			var errs []error
			for _, d := range part.Devices {
				errs = append(errs, d.Close())
			}
			return errors.Join(errs...)
		}
		all := accl.LocalRanks(r.Size)
		for _, rank := range r.Local {
			device, err := sim.Open(ctx, p, sim.Options{Endpoints: at, Rank: rank})
			if err != nil {
				return nil, errors.Join(fmt.Errorf("rank %d, served at %s: %w", rank, at.Command(rank), err), part.Close())
			}
			part.Devices, part.Ranks = append(part.Devices, device), append(part.Ranks, all[rank])
		}
		return part, nil
	},
}

// endpoints reads "host:port", "host", "port" or nothing.
func endpoints(text string) (sim.Endpoints, error) {
	host, port := text, ""
	if _, err := strconv.Atoi(text); err == nil {
		host, port = "", text
	} else if strings.Contains(text, ":") {
		if host, port, err = net.SplitHostPort(text); err != nil {
			return sim.Endpoints{}, fmt.Errorf("%w: sim:%s: %w", ErrText, text, err)
		}
	}
	e := sim.Endpoints{Host: host}
	if port == "" {
		return e, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return sim.Endpoints{}, fmt.Errorf("%w: sim:%s: %q is no port; expected is sim:host:port", ErrText, text, port)
	}
	e.Port = int(n)
	return e, nil
}
