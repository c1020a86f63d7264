// Package packets is a network port on the packet sockets of the simulation protocol: a
// rank publishes its packets on a ZeroMQ socket, to which the other ranks subscribe,
// whoever serves them. Messages have three frames: the destination's number, the sender's,
// and a packet as JSON text.
package packets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/verify/fabric"
)

// What Options are if they are zero.
const (
	DefaultPatience   = 10 * time.Second
	DefaultMaxMessage = 64 << 20
	// defaultText is enough for a packet as JSON text, however it is laid out.
	defaultText = 256 << 10
	// defaultStall is long because a rank may well take nothing for minutes: that
	// of an engine whose program does something else.
	defaultStall = 24 * time.Hour
)

// Options of a port. Endpoints and Framing are required.
type Options struct {
	Endpoints sim.Endpoints // starting port and number of ranks; its host is not used
	Listen    string        // address to bind; "" for 127.0.0.1
	Rank      int           // of this port
	// Peers is the host of a rank; nil if all are on the loopback address.
	Peers func(rank int) string
	// Unpadded says that destinations are not padded to four digits and that
	// packets have at most 1536 bytes and not 4096, as in 2022.
	Unpadded bool
	// Lossy says that the platform's network is UDP: a message is one packet, with
	// whole beats, and what nobody subscribes to vanishes. The sockets themselves
	// lose nothing.
	Lossy  bool
	Limits zmq.Limits
	// WindowBytes is how much waits for each rank to be published, and how much
	// from each rank to be received, in bytes of packets; 0 for
	// fabric.DefaultWindowBytes.
	WindowBytes int
	// Framing tells how many bytes of payload follow a header.
	Framing func(header *[64]byte) int
	// MaxMessage is the largest payload of a message that is received, in bytes; 0
	// for 64 MiB.
	MaxMessage int
	// Patience is how long packets wait for a rank that has not subscribed; 0 for
	// 10 s.
	Patience time.Duration
}

// Port is a rank's place on the packet sockets. Sessions are the numbers of the
// ranks at their other end.
type Port struct {
	o         Options
	format    Format
	own       []byte
	publisher *zmq.Publisher
	notify    atomic.Pointer[func()]
	stats     counters

	life context.Context
	end  context.CancelFunc
	done sync.WaitGroup
	once sync.Once
	wake chan struct{} // of the goroutine that publishes

	out    outbound
	in     inbound
	routes routes
}

var (
	_ fabric.Port   = (*Port)(nil)
	_ fabric.Router = (*Port)(nil)
)

// New binds the packet socket of a rank and subscribes to those of all others,
// which may come and go. The context bounds the binding. Errors name the socket.
func New(ctx context.Context, o Options) (*Port, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("packets: %w", context.Cause(ctx))
	}
	_, number, err := net.SplitHostPort(o.Endpoints.EthernetOut(o.Rank))
	if err != nil {
		return nil, fmt.Errorf("packets: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(o.Listen, number))
	if err != nil {
		return nil, fmt.Errorf("packets: bind the packet socket of rank %d: %w", o.Rank, err)
	}
	p := &Port{o: o, format: Format{o.Unpadded, o.Lossy}, own: sender(o.Rank), wake: make(chan struct{}, 1)}
	p.publisher = zmq.NewPublisher(listener, o.Limits, o.WindowBytes)
	p.life, p.end = context.WithCancel(context.WithoutCancel(ctx))
	p.prepare()
	p.publisher.OnRoom(p.stir)
	p.done.Go(p.publish)
	for rank := range o.Endpoints.Ranks {
		if rank != o.Rank {
			p.done.Go(func() { p.subscribe(rank) })
		}
	}
	return p, nil
}

// complete checks the options and fills in what they leave out.
func (o *Options) complete() error {
	if err := o.Endpoints.Check(o.Rank); err != nil {
		return fmt.Errorf("packets: %w", err)
	}
	if o.Framing == nil {
		return errors.New("packets: no framing: how many bytes follow a header must be known")
	}
	o.Listen = cmp.Or(o.Listen, loopback)
	if o.Peers == nil {
		o.Peers = func(int) string { return loopback }
	}
	o.WindowBytes = cmp.Or(o.WindowBytes, fabric.DefaultWindowBytes)
	o.MaxMessage = cmp.Or(o.MaxMessage, DefaultMaxMessage)
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	o.Limits.MessageBytes = cmp.Or(o.Limits.MessageBytes, defaultText)
	o.Limits.Stall = cmp.Or(o.Limits.Stall, defaultStall)
	// Each rank comes back before its old connection is gone.
	o.Limits.Connections = cmp.Or(o.Limits.Connections, max(64, 2*o.Endpoints.Ranks))
	return nil
}

// prepare makes a queue for each rank and direction.
func (p *Port) prepare() {
	ranks := p.o.Endpoints.Ranks
	p.out.destinations = make([]destination, ranks)
	p.in.topic = p.format.topic(p.o.Rank)
	p.in.sources = make([]source, ranks)
	for rank := range ranks {
		p.out.destinations[rank].topic = p.format.topic(rank)
		s := &p.in.sources[rank]
		s.rank, s.room.L = rank, &p.in.mu
		s.assembler = assembler{framing: p.o.Framing, limit: p.format.limit(), most: p.o.MaxMessage, padded: p.o.Lossy}
	}
}

// MaxPayload returns the largest payload of one packet of rendezvous data.
func (p *Port) MaxPayload() int { return p.format.limit() - headerBytes }

// Lossy is false, also where the platform's network is UDP: the sockets lose
// nothing, and who sends to an engine that holds nothing back could not know.
func (p *Port) Lossy() bool { return false }

// Listen accepts everything: there are no connections.
func (p *Port) Listen(uint16) error {
	if p.life.Err() != nil {
		return fabric.ErrClosed
	}
	return nil
}

// Closed returns none: there are no connections.
func (p *Port) Closed() (session uint32, ok bool) { return 0, false }

// Notify sets the function that is called when Receive or a busy Send may now
// succeed.
func (p *Port) Notify(f func()) {
	if f == nil {
		p.notify.Store(nil)
		return
	}
	p.notify.Store(&f)
	if p.in.any() {
		f()
	}
}

func (p *Port) tell() {
	if f := p.notify.Load(); f != nil {
		(*f)()
	}
}

// stir lets the publishing goroutine look again.
func (p *Port) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close publishes what was sent to ranks that take it, for two seconds at most, and
// closes the sockets. Closing again does nothing.
func (p *Port) Close() error {
	var err error
	p.once.Do(func() {
		p.linger()
		p.end()
		err = p.publisher.Close()
		p.in.mu.Lock()
		for i := range p.in.sources {
			p.in.sources[i].room.Broadcast()
		}
		p.in.mu.Unlock()
		p.done.Wait()
		p.out.drain()
		p.in.drain()
	})
	return err
}
