package fabric

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is the transport that a network behaves like.
type Kind int

// The transports. RDMA behaves like TCP, except that nobody needs to listen.
const (
	UDP Kind = iota
	TCP
	RDMA
)

func (k Kind) String() string {
	switch k {
	case UDP:
		return "UDP"
	case TCP:
		return "TCP"
	case RDMA:
		return "RDMA"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// What Options are if they are zero.
const (
	DefaultMaxPayload  = 64 << 10
	DefaultWindowBytes = 1 << 20
)

// Options of a network.
type Options struct {
	// MaxPayload is the maximal payload of a packet of rendezvous data that ports report,
	// in bytes.
	MaxPayload int
	// WindowBytes is how much a session holds in one direction, on the wire and
	// unread, before its sender is busy: payload, and 64 bytes for each packet.
	WindowBytes int
	// Seed decides which packets suffer from faults.
	Seed int64
}

// Net is a network in process. All ports number sessions alike: a session is
// the index of the port at its other end, in the order of their creation.
//
// Without faults, Send puts the packet into the receiver's queue right away.
type Net struct {
	kind    Kind
	options Options
	medium

	ports atomic.Pointer[[]*port] // replaced, never changed

	mu        sync.Mutex // guards what is below and the replacement of what is above; taken before the lock of a port
	addresses map[address]*port
	listeners map[address]*port
}

type address struct {
	ip   uint32
	port uint16
}

func (a address) String() string {
	return fmt.Sprintf("%d.%d.%d.%d:%d", byte(a.ip>>24), byte(a.ip>>16), byte(a.ip>>8), byte(a.ip), a.port)
}

// NewNet returns a network without ports.
func NewNet(kind Kind, o Options) *Net {
	if o.MaxPayload <= 0 {
		o.MaxPayload = DefaultMaxPayload
	}
	if o.WindowBytes <= 0 {
		o.WindowBytes = DefaultWindowBytes
	}
	n := &Net{kind: kind, options: o, addresses: map[address]*port{}, listeners: map[address]*port{}}
	n.lossy, n.window, n.start = kind == UDP, o.WindowBytes, time.Now()
	n.ports.Store(new([]*port))
	return n
}

// Port adds a port at an address. The number is the session by which all ports
// reach it. The error is ErrAddressInUse if a port is there that is neither
// closed nor killed.
func (n *Net) Port(ip uint32, portNumber uint16) (Port, uint32, error) {
	at := address{ip, portNumber}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.addresses[at] != nil {
		return nil, 0, fmt.Errorf("adding the port %v: %w", at, ErrAddressInUse)
	}
	old := *n.ports.Load()
	p := &port{net: n, index: uint32(len(old)), address: at}
	ports := append(slices.Clip(old), p)
	n.addresses[at] = p
	n.ports.Store(&ports)
	return p, p.index, nil
}

// port returns the port with an index, nil if there is none.
func (n *Net) port(index uint32) *port {
	ports := *n.ports.Load()
	if uint64(index) >= uint64(len(ports)) {
		return nil
	}
	return ports[index]
}

func (p *port) Listen(portNumber uint16) error {
	waiting, err := p.listen(address{p.address.ip, portNumber})
	for _, sender := range waiting {
		sender.wake()
	}
	return err
}

// listen returns who waits to send to the port.
func (p *port) listen(at address) (waiting []*bell, err error) {
	n := p.net
	n.mu.Lock()
	defer n.mu.Unlock()
	switch other := n.listeners[at]; {
	case p.gone.Load():
		err = ErrClosed
	case other != nil && other != p:
		err = ErrAddressInUse
	}
	if err != nil {
		return nil, fmt.Errorf("listening at %v: %w", at, err)
	}
	n.listeners[at] = p
	return p.welcome(at), nil
}

func (p *port) Connect(_ context.Context, ip uint32, portNumber uint16) (uint32, error) {
	at := address{ip, portNumber}
	n := p.net
	var e effects
	defer e.run()
	n.mu.Lock()
	defer n.mu.Unlock()
	to := n.listeners[at]
	listens := to != nil
	if !listens {
		to = n.owner(at)
	}
	err := error(nil)
	switch {
	case p.gone.Load():
		err = ErrClosed
	case to == nil:
		err = ErrRefused
	case !n.lossy && n.conditions.Load().of(int(p.index), int(to.index)).cut():
		err = ErrUnreachable
	}
	if err != nil {
		return 0, fmt.Errorf("connecting to %v: %w", at, err)
	}
	if n.kind == TCP {
		to.meet(p, at, listens, &e)
	}
	return to.index, nil
}

// owner is the port that has an address or, on TCP, may listen there: the only one
// with its IP address. It is nil if there is none. The lock is held.
func (n *Net) owner(at address) *port {
	found := n.addresses[at]
	if found != nil || n.kind != TCP {
		return found
	}
	for a, p := range n.addresses {
		if a.ip != at.ip {
			continue
		}
		if found != nil {
			return nil
		}
		found = p
	}
	return found
}

// Stats counts the packets of a link. When none is on its way, Sent + Duplicated =
// Delivered + Dropped.
type Stats struct {
	Sent       uint64 // accepted by Send
	Delivered  uint64 // put into the receiver's queue
	Dropped    uint64 // lost, corrupted, or sent to a port that is cut off or gone
	Duplicated uint64 // copies made
	Reordered  uint64 // held back, to arrive after later ones
	Bytes      uint64 // of Sent: payload, and 64 for each packet
}

func (s *Stats) add(o Stats) {
	s.Sent += o.Sent
	s.Delivered += o.Delivered
	s.Dropped += o.Dropped
	s.Duplicated += o.Duplicated
	s.Reordered += o.Reordered
	s.Bytes += o.Bytes
}

// Stats returns the counters of the packets that one port, by its index, has
// sent to another.
func (n *Net) Stats(from, to int) Stats {
	a, b := n.port(uint32(from)), n.port(uint32(to))
	if a == nil || b == nil {
		return Stats{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.link(a).stats
}
