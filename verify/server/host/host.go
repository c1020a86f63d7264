// Package host runs ranks of a world in this process: their engines, the network
// that they need, and servers of the simulation protocol. Other ranks may be in
// other processes, on other hosts, or served by somebody else.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/capture"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/server"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
	"github.com/cclforge/cclforge/verify/world/recorder"
)

// Network is the kind of network between ranks.
type Network string

// The networks.
const (
	Local   Network = "local"   // in process, for all ranks of the world
	Sockets Network = "sockets" // real UDP or TCP sockets
	Memory  Network = "memory"  // memory that processes of one user on one host share
	Mixed   Network = "mixed"   // memory between ranks that can share it, sockets between others
	Packets Network = "packets" // the packet sockets of the simulation protocol
)

var (
	// ErrNetwork says that a world cannot use the requested network.
	ErrNetwork = errors.New("not on this network")
	// ErrPorts says that there are not enough port numbers.
	ErrPorts = errors.New("not enough ports")
)

// PortsPerRank are the sockets of the protocol, and the network engine.
const PortsPerRank = 5

// Options of a host. World is required.
type Options struct {
	World   launch.World
	Network Network // Local if empty
	// Endpoints has the first port; 0 for sim.DefaultPort. Each rank has five: those
	// of the protocol, and that of its network engine. The number of ranks is that
	// of the world, and the host is not used.
	Endpoints sim.Endpoints
	// Listen is where clients connect; zero for 127.0.0.1. Sockets of the network are
	// at the address that the world has for the rank; or everywhere if Listen is
	// 0.0.0.0 and that address is not one of this host.
	Listen netip.Addr
	// Serve makes ranks speak the simulation protocol.
	Serve bool
	// Faults of the network; nil for none. Its ranks must be in the world.
	Faults *faults.Plan
	// Packets get what the ranks of this process send to the network, as package capture
	// writes it, whole once the host is closed.
	Packets []Recording
	// Recorder records the ranks of this process; nil for none.
	Recorder *recorder.Recorder
	// Observe returns what calls of a rank's clients go through; nil for the engine's device.
	Observe func(rank int, e engine.Engine) accl.Caller
	// Foreign are ranks that other software serves, besides those of World. Their engines
	// may lack features of ours.
	Foreign []int
	Engine  emu.Options
	// HostMemory lets emulated engines reach host memory, if their interface version can,
	// also where the platform does not.
	HostMemory bool
	// Maker returns what makes the engine of a rank; nil for emulated ones.
	Maker  func(rank int) world.Maker
	Limits zmq.Limits // of clients
	// KernelIn is the host of programs in the place of the user kernel; "" for 127.0.0.1.
	KernelIn string
	// Log gets a line for each fault of a peer and each refused client; may be nil.
	Log func(format string, args ...any)
}

// Recording is a file for what is sent.
type Recording struct {
	To   io.Writer
	Keep int // bytes of the last packets that it has; 0 for all packets
}

// Host is the ranks of a world in this process.
type Host struct {
	o       Options
	kind    fabric.Kind
	book    *book
	world   *world.World
	servers []*server.Server // by local rank, as all that follow; none if not served
	ports   []fabric.Port
	capture []*capture.Capture
	taps    []*tap // none if not served, or if the ports are packet sockets
	life    context.Context
	end     context.CancelFunc
	close   func() error
}

// Start starts the ranks of this process. They are ready when it returns, but
// those elsewhere may not be. The context bounds the start. Errors name the rank
// and the socket, and match syscall.EADDRINUSE or fabric.ErrAddressInUse if one is
// taken.
func Start(ctx context.Context, d *design.Design, o Options) (*Host, error) {
	h := &Host{o: o}
	h.life, h.end = context.WithCancel(context.Background())
	h.close = sync.OnceValue(h.shut)
	if err := h.start(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", d.Platform.Name, err), h.Close())
	}
	return h, nil
}

func (h *Host) start(ctx context.Context, d *design.Design) (err error) {
	if err := h.complete(); err != nil {
		return err
	}
	if h.kind, err = world.Network(d); err != nil {
		return err
	}
	for _, o := range h.o.Packets {
		c, err := capture.New(o.To, h.kind, h.book.ranks(), func() int64 { return time.Now().UnixNano() })
		if err != nil {
			return err
		}
		c.Keep(o.Keep)
		h.capture = append(h.capture, c)
	}
	members, err := h.members(ctx, d)
	if err != nil {
		return err
	}
	h.o.Engine.SharedHost = h.o.Serve
	h.o.Engine.Foreign = nil
	for _, rank := range h.o.Foreign {
		h.o.Engine.Foreign = append(h.o.Engine.Foreign, uint32(rank))
	}
	if h.world, err = world.Start(ctx, h.emulated(d), members, h.o.Engine); err != nil {
		return err
	}
	if !h.o.Serve {
		return nil
	}
	for _, rank := range h.o.World.Local {
		s, err := server.New(h.world.Engine(rank), d, rank, server.Options{
			Listen: h.o.Listen.String(), Endpoints: h.o.Endpoints, Limits: h.o.Limits, KernelIn: h.o.KernelIn,
			Log:      h.logOf(rank),
			OwnPeers: h.o.Network != Packets, // where anybody may be
			Observe:  h.o.Observe,
		})
		if err != nil {
			return explain(err)
		}
		h.servers = append(h.servers, s)
	}
	return nil
}

// emulated is the design of emulated engines.
func (h *Host) emulated(d *design.Design) *design.Design {
	if !h.o.HostMemory || d.Platform.HostMemory || !d.ABI().Features["host_operands"] {
		return d
	}
	own, p := *d, *d.Platform
	p.HostMemory = true
	own.Platform = &p
	return &own
}

func (h *Host) logOf(rank int) func(format string, args ...any) {
	return func(format string, args ...any) {
		h.o.Log("rank %d: %s", rank, fmt.Sprintf(format, args...))
	}
}

// complete checks the options and fills in what they leave out.
func (h *Host) complete() error {
	o := &h.o
	w := &o.World
	o.Endpoints.Ranks = w.Size
	o.Endpoints.Port = cmp.Or(o.Endpoints.Port, sim.DefaultPort)
	if !o.Listen.IsValid() {
		o.Listen = loopback
	}
	o.Network = cmp.Or(o.Network, Local)
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	o.Foreign = append(append([]int(nil), w.Foreign...), o.Foreign...)
	switch {
	case len(w.Local) == 0 || len(w.Hosts) != w.Size:
		return fmt.Errorf("%d ranks of %d here, %d addresses: at least 1 rank, and an address for each of the world expected",
			len(w.Local), w.Size, len(w.Hosts))
	case w.Size > (1<<16-o.Endpoints.Port)/PortsPerRank:
		return fmt.Errorf("%w: %d ranks take %d each from %d on, and the last one is 65535", ErrPorts, w.Size, PortsPerRank,
			o.Endpoints.Port)
	case o.Network == Local && len(w.Local) != w.Size:
		return fmt.Errorf("%w: the network %s is for all ranks in one process, and this one has %d of %d", ErrNetwork,
			Local, len(w.Local), w.Size)
	case o.Network != Packets && len(o.Foreign) > 0:
		return fmt.Errorf("%w: ranks that others serve are on the network %s, not %s", ErrNetwork, Packets, o.Network)
	}
	h.book = newBook(w.Hosts, o.Endpoints.Port)
	return o.Faults.Check(w.Size)
}

// listenAt is where sockets of a rank's network are bound: at its address, so that
// others see who sends, or everywhere if that is told and this host does not know
// the address as its own.
func (h *Host) listenAt(rank int) netip.Addr {
	at := h.o.World.Hosts[rank]
	if !h.o.Listen.IsUnspecified() {
		return at
	}
	l, err := net.Listen("tcp4", netip.AddrPortFrom(at, 0).String())
	if err != nil {
		return h.o.Listen
	}
	l.Close()
	return at
}

// explain says what to do about a socket that cannot be bound.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, fabric.ErrAddressInUse):
		return fmt.Errorf("%w; another world may be running: choose other ports with --port", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%w: this host does not have that address; see --hosts, or listen at 0.0.0.0 with --listen", err)
	}
	return err
}

// Gone is how many packets a recording of Packets does not have.
func (h *Host) Gone(recording int) int { return h.capture[recording].Gone() }

// World returns the engines and devices of the ranks in this process.
func (h *Host) World() *world.World { return h.world }

// Failed waits until an engine of this process has ended, or the context, and
// says which one and why.
func (h *Host) Failed(ctx context.Context) (rank int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan int)
	for _, rank := range h.o.World.Local {
		go func() {
			select {
			case <-h.world.Engine(rank).Done():
			case <-ctx.Done():
				return
			}
			select {
			case ended <- rank:
			case <-ctx.Done():
			}
		}()
	}
	select {
	case rank = <-ended:
		return rank, h.world.Engine(rank).Err()
	case <-ctx.Done():
		return -1, context.Cause(ctx)
	}
}

// Close ends the ranks of this process, also if calls are in flight and clients
// connected. Closing again does nothing.
func (h *Host) Close() error { return h.close() }

func (h *Host) shut() error {
	var errs []error
	var mu sync.Mutex
	var all sync.WaitGroup
	do := func(f func() error) {
		all.Go(func() {
			err := f()
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	for _, s := range h.servers {
		do(s.Close)
	}
	all.Wait()
	h.end()
	for _, t := range h.taps {
		do(t.publisher.Close)
	}
	if h.world == nil {
		for _, p := range h.ports {
			do(p.Close)
		}
	} else {
		for _, rank := range h.o.World.Local {
			do(h.world.Engine(rank).Close)
		}
	}
	all.Wait()
	if h.world != nil {
		errs = append(errs, h.world.Close())
	}
	for _, c := range h.capture {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
