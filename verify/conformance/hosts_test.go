package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

// process has everything in this process, on the network there.
type process struct{}

func (process) name() string              { return "process" }
func (process) loses(*accl.Platform) bool { return false }
func (process) keeps() bool               { return false }
func (process) close() error              { return nil }

func (process) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	w, err := world.New(ctx, d, s.ranks, s.world)
	if err != nil {
		return nil, err
	}
	if s.faults != "" {
		plan, err := faults.Parse(s.faults)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		plan.Apply(t.Context(), w.Net())
	}
	return &reach{
		devices: w.Devices(), ranks: w.Ranks(), network: w.Net(),
		stats: func() string {
			var s strings.Builder
			for rank := range w.Size() {
				fmt.Fprintf(&s, "\nengine %d: %s", rank, w.Engine(rank).Stats())
			}
			return s.String()
		},
		close: func([]*accl.Engine, bool) error { return w.Close() },
	}, nil
}

// protocol has clients of the simulation protocol and its servers in this
// process, and the network between ranks, too.
type protocol struct{}

func (protocol) name() string              { return "protocol" }
func (protocol) loses(*accl.Platform) bool { return false }
func (protocol) keeps() bool               { return false }
func (protocol) close() error              { return nil }

func (protocol) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	return openHosts(ctx, t, d, s, host.Options{Network: host.Local, Serve: true})
}

// sockets has every rank on real UDP or TCP sockets.
type sockets struct{}

func (sockets) name() string                { return "sockets" }
func (sockets) loses(p *accl.Platform) bool { return p.Stack == "udp" }
func (sockets) keeps() bool                 { return false }
func (sockets) close() error                { return nil }

func (sockets) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	return openHosts(ctx, t, d, s, host.Options{Network: host.Sockets})
}

// memory has every rank share memory with all others.
type memory struct{ sockets }

func (memory) name() string              { return "memory" }
func (memory) loses(*accl.Platform) bool { return false }

func (memory) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	return openHosts(ctx, t, d, s, host.Options{Network: host.Memory})
}

// packetSockets has every rank on the packet sockets of the protocol.
type packetSockets struct{}

func (packetSockets) name() string              { return "packets" }
func (packetSockets) loses(*accl.Platform) bool { return false }
func (packetSockets) keeps() bool               { return false }
func (packetSockets) close() error              { return nil }

func (packetSockets) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	if kind, err := world.Network(d); err == nil && kind == fabric.RDMA {
		t.Skip("packet sockets are for UDP and TCP")
	}
	return openHosts(ctx, t, d, s, host.Options{Network: host.Packets})
}

// hosts are those of a world in this process.
type hosts struct {
	all     []*host.Host // a rank each, or one with all
	devices []accl.Device
	served  bool
}

// openHosts starts hosts: one for each rank if there is a network between them,
// so that each can end alone.
func openHosts(ctx context.Context, t *testing.T, d *design.Design, s *setup, o host.Options) (*reach, error) {
	if s.world.Net != (fabric.Options{}) {
		t.Skip("only the network over process has limits that a test chooses")
	}
	if err := completeHosts(&o, s); err != nil {
		return nil, err
	}
	h := &hosts{served: o.Serve}
	if err := h.start(ctx, d, s.ranks, o); err != nil {
		return nil, errors.Join(err, h.close())
	}
	r := &reach{
		devices: h.devices, ranks: h.all[0].Ranks(), stats: h.stats,
		close: func([]*accl.Engine, bool) error { return h.close() },
	}
	if len(h.all) == s.ranks && !o.Serve {
		r.kill = func(rank int) error { return h.all[rank].Close() }
		r.revive = func(rank int) (err error) {
			o.World.Local = []int{rank}
			if h.all[rank], err = host.Start(ctx, d, o); err == nil {
				h.devices[rank] = h.all[rank].World().Device(rank)
			}
			return err
		}
	}
	if o.Serve {
		r.clients = protocolClients
	}
	return r, nil
}

// completeHosts says what all hosts of a world are told.
func completeHosts(o *host.Options, s *setup) (err error) {
	o.World = launch.World{Size: s.ranks, Hosts: slices.Repeat([]netip.Addr{netip.MustParseAddr("127.0.0.1")}, s.ranks),
		Processes: 1}
	o.Engine = s.world.Engine
	if s.faults != "" {
		if o.Faults, err = faults.Parse(s.faults); err != nil {
			return err
		}
	}
	if o.Network != host.Local || o.Serve {
		o.Endpoints.Port, err = host.FreePorts(5 * s.ranks)
	}
	return err
}

func (h *hosts) start(ctx context.Context, d *design.Design, ranks int, o host.Options) error {
	for rank := range ranks {
		o.World.Local = []int{rank}
		if o.Network == host.Local {
			o.World.Local = nil
			for r := range ranks {
				o.World.Local = append(o.World.Local, r)
			}
		}
		one, err := host.Start(ctx, d, o)
		if err != nil {
			return err
		}
		h.all = append(h.all, one)
		if o.Network == host.Local {
			break
		}
	}
	if o.Serve {
		var err error
		p := driverview.Of(d)
		h.devices, err = sim.OpenWorld(ctx, &p, h.all[0].Endpoints())
		return err
	}
	for rank := range ranks {
		h.devices = append(h.devices, h.of(rank).World().Device(rank))
	}
	return nil
}

// of is the host of a rank.
func (h *hosts) of(rank int) *host.Host { return h.all[min(rank, len(h.all)-1)] }

func (h *hosts) stats() string {
	var s strings.Builder
	for _, one := range h.all {
		for _, now := range one.Health() {
			fmt.Fprintf(&s, "\nengine %d: %s", now.Rank, now.Engine)
			if now.Served != nil {
				fmt.Fprintf(&s, "; %+v", *now.Served)
			}
			if now.Network != nil {
				fmt.Fprintf(&s, "; %s", now.Network)
			}
		}
	}
	return s.String()
}

// close ends clients and hosts, these at the same time.
func (h *hosts) close() error {
	errs := make([]error, len(h.all))
	var all sync.WaitGroup
	if h.served {
		for _, d := range h.devices {
			errs = append(errs, d.Close())
		}
	}
	for i, one := range h.all {
		all.Go(func() { errs[i] = one.Close() })
	}
	all.Wait()
	return errors.Join(errs...)
}
