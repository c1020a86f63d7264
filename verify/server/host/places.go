package host

import (
	"fmt"
	"net/netip"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/server"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Kind returns the transport that the network behaves like.
func (h *Host) Kind() fabric.Kind { return h.kind }

// Network returns the kind of network between the ranks.
func (h *Host) Network() Network { return h.o.Network }

// Exposed lists what other hosts can reach.
func (h *Host) Exposed() []string {
	var out []string
	if !h.o.Listen.IsLoopback() && h.o.Serve {
		out = append(out,
			fmt.Sprintf("ranks listen at %v: anybody who reaches their ports can use them, and read and write their memory",
				h.o.Listen))
	}
	if h.o.Network != Local {
		for _, rank := range h.o.World.Local {
			if at := h.listenAt(rank); !at.IsLoopback() {
				return append(out, fmt.Sprintf("network engines listen at %v: anybody who reaches their ports can send to ranks",
					at))
			}
		}
	}
	return out
}

// Endpoints returns where ranks are served: those in this process, and all of a world on
// one host.
func (h *Host) Endpoints() sim.Endpoints {
	e := h.o.Endpoints
	e.Host = h.reached().String()
	return e
}

// reached is an address at which clients reach this process.
func (h *Host) reached() netip.Addr {
	if !h.o.Listen.IsUnspecified() {
		return h.o.Listen
	}
	return h.o.World.Hosts[h.o.World.Local[0]]
}

// Ranks returns the network addresses of all ranks, as the driver's Open takes them.
func (h *Host) Ranks() []accl.Rank {
	out := make([]accl.Rank, h.o.World.Size)
	for rank, host := range h.o.World.Hosts {
		out[rank] = accl.Rank{IP: host, Port: uint16(h.o.Endpoints.Port + rank), Session: uint32(rank)}
		if h.o.Network != Local && h.o.Network != Packets {
			out[rank].Port = h.book.poePort(rank)
		}
	}
	return out
}

// Place is the addresses of a rank; one that it does not have is "".
type Place struct {
	Rank      int    `json:"rank"`
	Commands  string `json:"commands,omitempty"`   // the protocol's sockets, as host:port
	Packets   string `json:"packets,omitempty"`    // what it puts on the wire
	KernelOut string `json:"kernel_out,omitempty"` // from the engine to the user kernel
	KernelIn  string `json:"kernel_in,omitempty"`  // where the program binds that plays the user kernel
	POE       string `json:"poe,omitempty"`        // the network engine, UDP or TCP
}

// Places returns the addresses of the ranks of this process.
func (h *Host) Places() []Place {
	out := make([]Place, 0, len(h.o.World.Local))
	e := h.Endpoints()
	for _, rank := range h.o.World.Local {
		p := Place{Rank: rank}
		if h.o.Serve {
			p.Commands, p.KernelOut = e.Command(rank), e.KernelOut(rank)
			if engine.ForClients(h.world.Engine(rank)) {
				in := e
				in.Host = h.o.KernelIn
				p.KernelIn = in.KernelIn(rank)
			}
		}
		at := e
		if h.o.Network == Packets {
			at.Host = h.o.World.Hosts[rank].String()
		}
		if h.o.Serve || h.o.Network == Packets {
			p.Packets = at.EthernetOut(rank)
		}
		if h.o.Network != Local && h.o.Network != Packets {
			p.POE = h.book.poe(rank).String()
		}
		out = append(out, p)
	}
	return out
}

// Health is the state of a rank.
type Health struct {
	Rank    int
	Engine  engine.Stats
	Served  *server.Health // nil if it is not served
	Network fmt.Stringer   // counters of its network port; may be nil
}

// Health returns the states of the ranks of this process.
func (h *Host) Health() []Health {
	var out []Health
	for i, rank := range h.o.World.Local {
		now := Health{Rank: rank}
		if i < len(h.servers) {
			served := h.servers[i].Health()
			now.Served, now.Engine = &served, served.Engine
		} else {
			now.Engine = h.world.Engine(rank).Stats()
		}
		if port, ok := h.ports[i].(fmt.Stringer); ok {
			now.Network = port
		}
		out = append(out, now)
	}
	return out
}
