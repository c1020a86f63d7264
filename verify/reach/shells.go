package reach

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/card"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/world"
)

// Shells is the kind of cards in the Coyote shell, by what each card of a process is
// reached; nil for the system that the process runs on.
func Shells(system func() coyote.System) Kind {
	if system == nil {
		system = func() coyote.System { return nil }
	}
	return Kind{
		Name: "coyote", Form: "coyote:platform",
		Doc: "cards of this host in the Coyote shell, whose driver is loaded; behind commas: card=0 (the first one), network=10.10.10.1/24 " +
			"(the engine of rank 0), port=5500",
		Open: func(ctx context.Context, r *Request) (*Part, error) {
			s, err := readShells(r)
			if err != nil {
				return nil, err
			}
			s.system = system
			all, err := cluster.Addresses(s.network, s.port, r.Size)
			if err != nil {
				return nil, err
			}
			part := &Part{Platform: s.p, What: "on cards in the Coyote shell", Greets: true, Close: s.close}
			for _, rank := range r.Local {
				part.Ranks = append(part.Ranks, all[rank])
			}
			// What is wrong with cards all ranks shall hear, when they are there.
			failed := s.open(ctx, all)
			if failed == nil && !r.Alone() {
				part.Data = s.said[0]
			}
			part.Prepare = func(ctx context.Context, ranks []accl.Rank) ([]View, error) {
				if failed != nil {
					return nil, failed
				}
				for _, engine := range s.parts {
					part.Devices = append(part.Devices, engine.Device)
				}
				said := s.said
				if part.Said != nil {
					var err error
					if said, err = part.Said(ctx); err != nil {
						return nil, err
					}
				}
				return s.setup(ctx, ranks, said)
			}
			return part, nil
		},
	}
}

// shells are the cards of this process.
type shells struct {
	request *Request
	p       *accl.Platform
	design  card.Design
	system  func() coyote.System
	first   int // card
	network netip.Prefix
	port    uint16

	parts []*cluster.Part // by local rank
	said  [][]byte        // of their queue pairs
}

// readShells reads the rest of a text.
func readShells(r *Request) (*shells, error) {
	platform, more, _ := strings.Cut(r.Rest, ",")
	if platform == "" {
		return nil, fmt.Errorf("%w: coyote:platform is expected, with the platform that the cards hold", ErrText)
	}
	s := &shells{request: r}
	for setting := range strings.SplitSeq(more, ",") {
		name, value, _ := strings.Cut(setting, "=")
		var err error
		switch {
		case setting == "":
		case name == "card":
			s.first, err = strconv.Atoi(value)
		case name == "network":
			s.network, err = netip.ParsePrefix(value)
		case name == "port":
			s.port, err = portOf(value)
		default:
			err = errors.New("no such setting")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: coyote:%s: %q: %w", ErrText, r.Rest, setting, err)
		}
	}
	d, err := world.Design(platform, r.Vars)
	if err != nil {
		return nil, err
	}
	p := driverview.Of(d)
	s.p = &p
	s.design, err = driverview.Card(d)
	return s, err
}

// open opens the cards of this process, one for each rank, and has them say what their
// queue pairs are.
func (s *shells) open(ctx context.Context, all []accl.Rank) error {
	for i, rank := range s.request.Local {
		number := s.first + i
		if !s.request.Alone() {
			number = s.first + s.request.Process
		}
		s.request.Log("opening card %d", number)
		part, err := cluster.TakeShell(ctx, s.p, &s.design, coyote.Options{Card: number, System: s.system()})
		if err != nil {
			return err
		}
		s.parts = append(s.parts, part)
		said, err := part.Network.Describe(ctx, all, rank)
		if err != nil {
			return err
		}
		s.said = append(s.said, said)
	}
	return nil
}

// setup sets up the networks of all engines at the same time.
func (s *shells) setup(ctx context.Context, ranks []accl.Rank, said [][]byte) ([]View, error) {
	c := network.Config{Said: said, PrefixBits: s.network.Bits()}
	if !s.network.IsValid() {
		c.PrefixBits = cluster.DefaultNetwork.Bits()
	}
	return setUp(ctx, s.parts, ranks, s.request.Local, c)
}

func (s *shells) close() error {
	var errs []error
	for _, part := range s.parts {
		errs = append(errs, part.Card.Close())
	}
	return errors.Join(errs...)
}

// setUp sets up the networks of engines, which wait for each other.
func setUp(ctx context.Context, parts []*cluster.Part, ranks []accl.Rank, local []int, c network.Config) ([]View, error) {
	views, errs := make([]View, len(parts)), make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() {
			views[i].Ranks, views[i].Open, errs[i] = part.Setup(ctx, ranks, local[i], c)
		})
	}
	all.Wait()
	return views, errors.Join(errs...)
}
