// Package server lets clients reach an engine over the simulation
// protocol: JSON text on ZeroMQ sockets.
//
// Every request is answered. One that fails gets a negative Status and a text in the
// field error, and the connection stays open.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Options of a server.
type Options struct {
	// Listen is the address to bind, "" for 127.0.0.1.
	Listen string
	// Endpoints are the ports and the size of the world; the host is for clients
	// and has no meaning here.
	Endpoints sim.Endpoints
	// Limits are those of each connection.
	Limits zmq.Limits
	// KernelIn is the host on which the client publishes the output of its user kernel, ""
	// for 127.0.0.1.
	KernelIn string
	// Log gets a line for each refused client; may be nil.
	Log func(format string, args ...any)
	// OwnPeers states that the engines of all ranks are ours and served with this option.
	// The server tells each engine so when a client enables it, because clients do not know
	// about the other ranks.
	OwnPeers bool
	// Observe returns what calls of clients go through; nil for the engine's device.
	Observe func(rank int, e engine.Engine) accl.Caller
}

// observed is a device whose calls go through something else.
type observed struct {
	engine.Device
	calls accl.Caller
}

func (o observed) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	return o.calls.Start(ctx, client, c)
}

func (o observed) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	return o.calls.Wait(ctx, t)
}

// errClosing is the answer to calls that a server leaves in flight.
var errClosing = errors.New("the server is closing")

// Server serves one rank.
type Server struct {
	rank        int
	refused     func(client net.Addr, why error)
	engine      engine.Engine
	device      engine.Device
	maxRead     uint64 // bytes
	ownPeers    bool
	generation  *generation
	controllers [hostControllers]*controller
	blocking    *blockingCalls
	kernelOut   *zmq.Publisher
	counters    counters

	ctx   context.Context
	end   context.CancelCauseFunc
	tasks sync.WaitGroup
	shut  func() error
}

// New binds the sockets of a rank and serves its engine until Close. The engine
// remains the caller's, to be closed after the server. Errors name the socket
// and its port, and match syscall.EADDRINUSE if that is taken.
func New(e engine.Engine, d *design.Design, rank int, o Options) (*Server, error) {
	s := &Server{
		rank: rank, refused: LogRefused(o.Log), engine: e, device: e.Device(), maxRead: maxRead(o.Limits),
		ownPeers: o.OwnPeers,
		blocking: newBlockingCalls(),
	}
	if o.Observe != nil {
		s.device = observed{s.device, o.Observe(rank, e)}
	}
	for i := range s.controllers {
		s.controllers[i] = newController(s.device, i)
	}
	if err := s.start(d, o); err != nil {
		return nil, fmt.Errorf("serve rank %d of %s: %w", rank, d.Platform.Name, err)
	}
	return s, nil
}

func (s *Server) start(d *design.Design, o Options) (err error) {
	if err := o.Endpoints.Check(s.rank); err != nil {
		return err
	}
	if s.generation, err = newGeneration(d); err != nil {
		return err
	}
	here, client := o.Endpoints, o.Endpoints
	here.Host, client.Host = o.Listen, o.KernelIn
	command, err := listen("command socket", here.Command(s.rank))
	if err != nil {
		return err
	}
	kernel, err := listen("kernel output socket", here.KernelOut(s.rank))
	if err != nil {
		return errors.Join(err, command.Close())
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	s.shut = sync.OnceValue(s.stop)
	o.Limits.OnRefused = s.refused
	s.kernelOut = zmq.NewPublisher(kernel, o.Limits, kernelQueueBytes)
	s.tasks.Go(func() { s.report(zmq.Serve(s.ctx, command, zmq.Router, o.Limits, s.serve)) })
	if engine.ForClients(s.engine) {
		s.connectKernel(client.KernelIn(s.rank), o.Limits)
	}
	return nil
}

func listen(what, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("bind its %s: %w", what, err)
	}
	return l, nil
}

// Close ends all connections, also those whose calls are in flight, and waits
// until nothing of the server runs any more. Closing again does nothing.
func (s *Server) Close() error { return s.shut() }

func (s *Server) stop() error {
	s.end(errClosing)
	err := s.kernelOut.Close()
	s.tasks.Wait()
	return errors.Join(s.counters.failure(), err)
}
