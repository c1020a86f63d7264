package host

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/server"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// members makes the ports of the ranks in this process, with their faults.
func (h *Host) members(ctx context.Context, d *design.Design) ([]world.Member, error) {
	framing, err := emu.Framing(d)
	if err != nil {
		return nil, err
	}
	if h.o.Network == Local {
		if err := h.local(); err != nil {
			return nil, err
		}
	} else {
		for _, rank := range h.o.World.Local {
			port, err := h.port(ctx, d, rank, framing)
			if err != nil {
				return nil, explain(fmt.Errorf("rank %d: %w", rank, err))
			}
			h.ports = append(h.ports, port)
		}
	}
	var recorded world.Options
	if r := h.o.Recorder; r != nil {
		if h.o.Network != Local && h.o.Network != Packets { // there, sessions are ranks
			r.RankOf = h.book.rank
		}
		recorded = r.Options(recorded)
	}
	var members []world.Member
	for i, rank := range h.o.World.Local {
		port := h.ports[i]
		if h.o.Serve && h.o.Network != Packets {
			if port, err = h.tapped(rank, port, h.format(d)); err != nil {
				return nil, err
			}
		}
		port = h.impaired(rank, port)
		for _, c := range h.capture {
			port = c.Port(rank, port)
		}
		if recorded.Port != nil {
			port = recorded.Port(rank, port)
		}
		m := world.Member{Rank: rank, Port: port}
		if recorded.OnEvent != nil {
			m.OnEvent = recorded.OnEvent(rank)
		}
		if h.o.Maker != nil {
			if maker := h.o.Maker(rank); maker != nil {
				m.Maker = func(ctx context.Context, _ *design.Design, port fabric.Port) (engine.Engine, error) {
					return maker(ctx, d, port)
				}
			}
		}
		members = append(members, m)
	}
	return members, nil
}

// memory is how ports use shared memory.
func (n Network) memory() socket.Memory {
	switch n {
	case Memory:
		return socket.OnlyMemory
	case Mixed:
		return socket.WithMemory
	}
	return socket.NoMemory
}

func (h *Host) local() error {
	n, err := newLocalNet(h.kind, h.book, fabric.Options{})
	if err != nil {
		return err
	}
	for _, p := range n.ports {
		h.ports = append(h.ports, p)
	}
	h.o.Faults.Apply(h.life, n.net)
	return nil
}

// port is the network port of a rank of this process, on real sockets.
func (h *Host) port(ctx context.Context, d *design.Design, rank int, framing func(*[64]byte) int) (fabric.Port, error) {
	if h.o.Network == Packets {
		return h.packets(ctx, d, rank, framing)
	}
	o := socket.Options{
		Listen: h.listenAt(rank), Local: h.book.poe(rank), Framing: framing, Translate: h.book.translate,
		Memory: h.o.Network.memory(), Log: h.logOf(rank),
	}
	// It listens when its engine is configured: what came before would be lost then.
	// But a port in use is known before clients come.
	if h.kind != fabric.UDP && o.Memory != socket.OnlyMemory {
		if err := socket.Unused(netip.AddrPortFrom(o.Listen, h.book.poePort(rank))); err != nil {
			return nil, fmt.Errorf("its network engine: %w", err)
		}
	}
	port, err := socket.Open(h.kind, o, h.oneHost())
	if err != nil {
		return nil, fmt.Errorf("its network engine: %w", err)
	}
	return port, nil
}

// oneHost tells whether all ranks are on one host.
func (h *Host) oneHost() bool {
	hosts := h.o.World.Hosts
	return !slices.ContainsFunc(hosts, func(a netip.Addr) bool { return a != hosts[0] })
}

func (h *Host) packets(ctx context.Context, d *design.Design, rank int, framing func(*[64]byte) int) (
	fabric.Port, error) {
	if h.kind == fabric.RDMA {
		return nil, fmt.Errorf("%w: %s is RDMA, and packet sockets are for UDP and TCP", ErrNetwork, d.Platform.Name)
	}
	f := h.format(d)
	return packets.New(ctx, packets.Options{
		Endpoints: h.o.Endpoints, Listen: h.listenAt(rank).String(), Rank: rank, Framing: framing,
		Peers:    func(rank int) string { return h.o.World.Hosts[rank].String() },
		Unpadded: f.Unpadded, Lossy: f.Lossy,
		Limits: zmq.Limits{OnRefused: server.LogRefused(h.logOf(rank))},
	})
}

// format is how packets look on the packet sockets.
func (h *Host) format(d *design.Design) packets.Format {
	p := driverview.Of(d)
	return packets.Format{Unpadded: sim.Blocking(&p), Lossy: h.kind == fabric.UDP}
}

// impaired is a port with the faults of the network.
func (h *Host) impaired(rank int, port fabric.Port) fabric.Port {
	switch h.o.Network {
	case Local:
		return port // the network has them
	case Sockets, Memory, Mixed:
		return h.o.Faults.ImpairAt(h.life, port, rank, func(ip uint32, port uint16) (int, bool) {
			return h.book.rank(fabric.AddrPort(ip, port))
		})
	}
	return h.o.Faults.Impair(h.life, port, rank, func(session uint32) (int, bool) {
		return int(session), int64(session) < int64(h.o.World.Size)
	})
}
