package target

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/network"
)

// Shells is the kind of cards in the Coyote shell. System returns how a process reaches its
// cards; nil for the system that the process runs on.
func Shells(system func() coyote.System) Kind {
	if system == nil {
		system = func() coyote.System { return nil }
	}
	return Kind{
		Name: "coyote", Form: "coyote:platform",
		Doc: "cards of this host in the Coyote shell, whose driver is loaded; behind commas: card=0 (the first one), " +
			"network=10.10.10.1/24 " +
			"(the engine of rank 0), port=5500",
		Open: func(ctx context.Context, r *Request) (*Part, error) {
			s, err := readShells(r)
			if err != nil {
				return nil, err
			}
			s.system = system
			part, err := s.part("on cards in the Coyote shell")
			if err != nil {
				return nil, err
			}
			part.Greets = true
			// What is wrong with cards all ranks shall hear, when they are there.
			failed := s.open(ctx)
			if failed == nil && !r.Alone() {
				part.Data = s.said[0]
			}
			part.Attach = func(ctx context.Context) error {
				return s.attach(ctx, part, func(context.Context) error { return failed })
			}
			part.Prepare = func(ctx context.Context, ranks []accl.Rank) ([]View, error) {
				if failed != nil {
					return nil, failed
				}
				said := s.said
				if part.Said != nil {
					var err error
					if said, err = part.Said(ctx); err != nil {
						return nil, err
					}
				}
				return s.setUp(ctx, part, ranks, network.Config{Said: said})
			}
			return part, nil
		},
	}
}

// shells are the cards of this process.
type shells struct {
	group
	system func() coyote.System
	first  int      // card
	said   [][]byte // of the queue pairs of parts
}

// readShells reads the rest of a text.
func readShells(r *Request) (*shells, error) {
	platform, more, _ := strings.Cut(r.Rest, ",")
	if platform == "" {
		return nil, fmt.Errorf("%w: coyote:platform is expected, with the platform that the cards hold", ErrText)
	}
	s := &shells{group: group{request: r}}
	err := s.read("coyote", more, map[string]func(string) error{
		"card": func(value string) (err error) {
			s.first, err = strconv.Atoi(value)
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return s, s.hold(platform)
}

// open opens the cards of this process, one for each rank, and has them say what their
// queue pairs are.
func (s *shells) open(ctx context.Context) error {
	for i, rank := range s.request.Local {
		number := s.first + s.number(i)
		s.request.Log("opening card %d", number)
		part, err := cluster.TakeShell(ctx, s.p, &s.design, coyote.Options{Card: number, System: s.system()})
		if err != nil {
			return err
		}
		s.opened, s.parts = append(s.opened, part.Card), append(s.parts, part)
		said, err := part.Network.Describe(ctx, s.all, rank)
		if err != nil {
			return err
		}
		s.said = append(s.said, said)
	}
	return nil
}
