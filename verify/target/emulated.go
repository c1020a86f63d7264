package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric/shm"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
)

var emulated = Kind{
	Name: "emulated", Form: "a platform by its name",
	Doc: "engines that are emulated in this process",
	Open: func(ctx context.Context, r *Request) (*Part, error) {
		d, err := world.Design(cmp.Or(r.Rest, r.Platform), r.Vars)
		if err != nil {
			return nil, err
		}
		return r.inProcess(ctx, d, "emulated", nil)
	},
}

var verilated = Kind{
	Name: "verilated", Form: "verilated:platform",
	Doc: "engines that are simulated from the hardware in this process, by Verilator",
	Open: func(ctx context.Context, r *Request) (*Part, error) {
		d, err := world.Design(cmp.Or(r.Rest, r.Platform), r.Vars)
		if err != nil {
			return nil, err
		}
		if n := rtlsim.Reach(d); n > 0 && !r.Alone() {
			return nil, fmt.Errorf("%w: engines of %s reach each other on their card, which one process must have",
				ErrText, d.Platform.Name)
		}
		options := rtlsim.Options{Clock: rtlsim.NewClock()}
		if options.Library, err = rtlsim.Library(ctx, d, options.Build); err != nil {
			return nil, err
		}
		cards := &rtlsim.Cards{Options: func(int) rtlsim.Options { return options }}
		return r.inProcess(ctx, d, "Verilated", cards.Maker)
	},
}

// InProcess is the design of the engines of a world if these are in this process, emulated or simulated from the
// hardware; nil if they are not. The errors are those of Open.
func (o *Options) InProcess() (d *design.Design, simulated bool, err error) {
	kind, rest, err := find(o.On)
	if err != nil || kind.Name != emulated.Name && kind.Name != verilated.Name {
		return nil, false, err
	}
	d, err = world.Design(cmp.Or(rest, o.Platform, DefaultPlatform), o.Vars)
	return d, kind.Name == verilated.Name, err
}

// inProcess starts the engines of this process.
func (r *Request) inProcess(ctx context.Context, d *design.Design, what string, maker func(rank int) world.Maker) (
	*Part, error) {
	p := driverview.Of(d)
	part := &Part{Platform: &p, What: what}
	var w *world.World
	var err error
	if r.Alone() {
		o := r.World
		o.Maker = maker
		w, err = world.New(ctx, d, r.Size, o)
	} else {
		w, err = r.onSocket(ctx, d, part, maker)
	}
	if err != nil {
		return nil, err
	}
	for _, rank := range r.Local {
		part.Devices = append(part.Devices, w.Device(rank))
	}
	if r.Alone() {
		part.Ranks = w.Ranks()
	}
	part.Close = w.Close
	return part, nil
}

// onSocket starts the engine of a process that has one rank. Its network is a socket, at
// a port that is free, or memory.
func (r *Request) onSocket(ctx context.Context, d *design.Design, part *Part, maker func(rank int) world.Maker) (
	*world.World, error) {
	rank := r.Local[0]
	port, over, err := r.port(d)
	if err != nil {
		return nil, fmt.Errorf("the network of rank %d: %w", rank, err)
	}
	part.What += ", " + r.network(over)
	part.Over = over
	part.Ranks = []accl.Rank{{IP: r.Address, Port: port.LocalAddr().Port(), Session: uint32(rank)}}
	member := world.Member{Rank: rank, Port: port}
	if maker != nil {
		member.Maker = maker(0) // each process has cards of its own
	}
	return world.Start(ctx, d, []world.Member{member}, emu.Options{})
}

const onSockets, inMemory = "on sockets", "in memory"

// network says for reports what ranks are on.
func (r *Request) network(over string) string {
	switch {
	case over == inMemory || r.Network == socket.NoMemory || !shm.Supported:
		return over
	case r.OneHost:
		return inMemory
	}
	return "on sockets between hosts"
}

// port is a network port for other processes, and what it is on.
func (r *Request) port(d *design.Design) (port socket.Port, over string, err error) {
	kind, err := world.Network(d)
	if err != nil {
		return nil, "", err
	}
	framing, err := emu.Framing(d)
	if err != nil {
		return nil, "", err
	}
	o := socket.Options{
		Listen: r.Address, Local: netip.AddrPortFrom(r.Address, 0), Framing: framing,
		Memory: r.Network,
		Log:    func(format string, args ...any) { r.Log("rank %d: %s", r.Local[0], fmt.Sprintf(format, args...)) },
	}
	port, err = socket.Open(kind, o, r.OneHost)
	if err != nil {
		return nil, "", err
	}
	if !port.LocalAddr().IsValid() {
		if err := port.Listen(0); err != nil {
			return nil, "", errors.Join(err, port.Close())
		}
	}
	if socket.InMemory(kind, o.Memory, r.OneHost) {
		return port, inMemory, nil
	}
	return port, onSockets, nil
}
