package socket

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	// maxDatagram is what a packet on a card's Ethernet has at most, in bytes.
	maxDatagram = 4096
	// socketBytes is what the system is asked to hold for a socket each way.
	socketBytes = 8 << 20
)

// ErrPayload says that a payload is too long, or not as long as its header announces.
var ErrPayload = errors.New("payload cannot be sent")

// UDPPort is a fabric.Port and fabric.Router on a UDP socket. Packets are lost before it is
// bound.
type UDPPort struct {
	inbox
	// bind guards the replacement of the socket, and is taken before mu.
	bind   sync.Mutex
	socket *datagrams // guarded by mu; nil if there is none yet
	stats  UDPStats   // guarded by mu
	// look gives up waiting for echoes, if looking; guarded by mu.
	look    *time.Timer
	looking bool
}

var (
	_ fabric.Port   = (*UDPPort)(nil)
	_ fabric.Router = (*UDPPort)(nil)
)

// UDP makes a port, which is bound at once if the options have an address. The error is
// fabric.ErrAddressInUse if the address is taken.
func UDP(o Options) (*UDPPort, error) {
	if err := o.defaults(DefaultDatagrams); err != nil {
		return nil, err
	}
	o.MaxPayload = min(o.MaxPayload, maxDatagram-headerBytes)
	p := &UDPPort{inbox: newInbox(o)}
	if o.Local.IsValid() {
		if err := p.rebind(o.Local.Port()); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// rebind binds the port of the listen address, any one if it is 0, unless that is
// bound already.
func (p *UDPPort) rebind(port uint16) error {
	p.bind.Lock()
	defer p.bind.Unlock()
	p.mu.Lock()
	old, gone := p.socket, p.gone
	p.mu.Unlock()
	at := netip.AddrPortFrom(p.o.Listen, port)
	switch {
	case gone:
		return fmt.Errorf("binding UDP port %v: %w", at, fabric.ErrClosed)
	case old != nil && (old.at.Port() == port || port == 0):
		return nil
	}
	d, err := bindDatagrams(p, at)
	if err != nil {
		return err
	}
	p.mu.Lock()
	if gone = p.gone; !gone {
		p.socket = d
		p.wg.Go(d.read)
	}
	p.mu.Unlock()
	if gone {
		return errors.Join(fmt.Errorf("binding UDP port %v: %w", at, fabric.ErrClosed), d.close(0))
	}
	if old != nil {
		return old.close(0)
	}
	return nil
}

// bound is the error of binding or listening at an address.
func bound(what string, at netip.AddrPort, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s %v: %w", what, at, fabric.ErrAddressInUse)
	}
	return fmt.Errorf("%s %v: %w", what, at, err)
}

// LocalAddr returns the bound address; the zero value if there is none.
func (p *UDPPort) LocalAddr() netip.AddrPort {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.socket == nil {
		return netip.AddrPort{}
	}
	return p.socket.at
}

// Send implements fabric.Port. The error is ErrPayload for more than 4032 bytes.
func (p *UDPPort) Send(session uint32, packet *fabric.Packet) error {
	if n := len(packet.Payload); n > maxDatagram-headerBytes {
		return fmt.Errorf("sending %d bytes in a datagram: %w: at most %d bytes expected", n, ErrPayload,
			maxDatagram-headerBytes)
	}
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		return fabric.ErrClosed
	}
	s, d := p.sessions.numbers[session], p.socket
	if s == nil || d == nil {
		p.stats.Nowhere++
		p.mu.Unlock()
		packet.Release()
		return nil
	}
	to, size := s.addr, uint64(cost(packet))
	mark, err := p.pace(s, packet)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	if err := d.send(to, packet); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.pacing.sent -= min(size, s.pacing.sent)
		return err
	}
	d.answer(mark)
	return nil
}

// Receive implements fabric.Port. It reads from the socket itself if nothing was read
// before: the goroutine that otherwise reads may be scheduled late.
func (p *UDPPort) Receive() *fabric.Packet {
	packet, d, echo := p.next()
	if packet == nil && d != nil && d.pull() {
		packet, d, echo = p.next()
	}
	d.answer(echo)
	return packet
}

// next returns a packet that has come, or nil, and what is to be answered.
func (p *UDPPort) next() (*fabric.Packet, *datagrams, *control) {
	p.mu.Lock()
	defer p.unlock()
	packet, s := p.take()
	if packet == nil {
		return nil, p.socket, nil
	}
	return packet, p.socket, p.echo(s)
}

// Listen binds the port: UDP has no connections.
func (p *UDPPort) Listen(port uint16) error {
	at, err := p.here(port)
	if err != nil {
		return fmt.Errorf("binding UDP port %d: %w", port, err)
	}
	return p.rebind(at)
}

// Connect implements fabric.Port: it finds or makes the session. It cannot know whether
// there is a peer.
func (p *UDPPort) Connect(_ context.Context, ip uint32, port uint16) (uint32, error) {
	name := fabric.AddrPort(ip, port)
	at, ok := p.o.real(name)
	if !ok {
		return 0, fmt.Errorf("connecting to %v: %w", name, fabric.ErrUnreachable)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return 0, fmt.Errorf("connecting to %v: %w", name, fabric.ErrClosed)
	}
	s := p.sessions.at(at)
	if s == nil {
		return 0, fmt.Errorf("connecting to %v: %w", name, errSessions)
	}
	s.connected = true
	p.sessions.number(s)
	p.settleSoon()
	return s.number, nil
}

var errSessions = fmt.Errorf("%d sessions are open", maxSessions)

// Route implements fabric.Router.
func (p *UDPPort) Route(session uint32, ip uint32, port uint16, local bool) {
	p.lead(session, fabric.AddrPort(ip, port), local, p.routeHere, p.route)
}

// routeHere notes where this port is, and binds it there.
func (p *UDPPort) routeHere(name netip.AddrPort, port uint16) {
	p.mu.Lock()
	p.self = name
	p.settleSoon()
	p.mu.Unlock()
	p.insist(func() error { return p.rebind(port) })
}

// route is false if there are too many sessions.
func (p *UDPPort) route(number uint32, at netip.AddrPort) bool {
	p.mu.Lock()
	defer p.unlock()
	s := p.sessions.at(at)
	if s == nil {
		return false
	}
	p.settleSoon()
	s.routed = true
	if other := p.sessions.route(number, s); other != nil && !other.connected {
		p.empty(other)
		p.sessions.remove(other)
	}
	return true
}

// Closed implements fabric.Port: UDP sessions do not close.
func (p *UDPPort) Closed() (uint32, bool) { return 0, false }

// Lossy implements fabric.Port.
func (p *UDPPort) Lossy() bool { return true }

// Close implements fabric.Port.
func (p *UDPPort) Close() error {
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		p.wg.Wait()
		return nil
	}
	p.gone = true
	p.settle()
	if p.look != nil {
		p.look.Stop()
	}
	d := p.socket
	p.socket = nil
	for _, s := range p.sessions.numbers {
		p.empty(s)
	}
	p.unlock()
	p.end()
	err := error(nil)
	if d != nil {
		err = d.close(lingering)
	}
	p.wg.Wait()
	return err
}
