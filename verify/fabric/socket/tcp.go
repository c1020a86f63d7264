package socket

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/shm"
)

// TCPPort is a fabric.Port and fabric.Router on TCP sockets, also for RDMA: a session known
// only from Route is connected when it is first used.
type TCPPort struct {
	inbox
	grace context.Context // until Close gives up
	stop  context.CancelFunc
	ended chan struct{} // closed when Close is done

	// guarded by mu
	listeners []listener       // of sockets, or of memory without one
	doors     []*shm.Listener  // of memory beside sockets
	looked    []*stream        // in memory, that Receive looks at, in turn
	polled    bool             // Poll was called
	dozing    bool             // peers were asked to say when they write
	came      map[*stream]bool // accepted and open
	strangers []*session       // that are over, and have left packets
	stats     TCPStats
}

var (
	_ fabric.Port   = (*TCPPort)(nil)
	_ fabric.Router = (*TCPPort)(nil)
	_ fabric.Polled = (*TCPPort)(nil)
)

// TCP makes a port. Listen or Route make it listen.
func TCP(o Options) (*TCPPort, error) {
	if err := o.defaults(fabric.DefaultWindowBytes); err != nil {
		return nil, err
	}
	if o.Framing == nil {
		return nil, errors.New("socket: a TCP port needs Framing")
	}
	p := &TCPPort{inbox: newInbox(o), came: map[*stream]bool{}, ended: make(chan struct{})}
	p.grace, p.stop = context.WithCancel(context.Background())
	return p, nil
}

// Send implements fabric.Port. The error is ErrPayload if the payload is not as
// long as the header announces.
func (p *TCPPort) Send(number uint32, packet *fabric.Packet) error {
	if n := p.o.Framing(&packet.Header); !p.o.datagrams && (n != len(packet.Payload) || n > p.o.MaxMessage) {
		return fmt.Errorf("sending %d bytes: %w: the header announces %d, and at most %d can be sent", len(packet.Payload),
			ErrPayload, n, p.o.MaxMessage)
	}
	if err := p.checkDatagram(packet); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.unlock()
	s := p.sessions.numbers[number]
	if p.o.datagrams && p.drops(s, packet) {
		return nil
	}
	if p.gone || s == nil || s.link.state == ending || s.link.state == over {
		return fabric.ErrClosed
	}
	l := s.link
	if l.awaited && l.state == idle {
		p.dialLater(s)
		l.waiting = true
		return fabric.ErrBusy
	}
	if l.bytes > p.o.WindowBytes {
		l.waiting = true
		return fabric.ErrBusy
	}
	if p.writeNow(l, packet) {
		return nil
	}
	if p.o.datagrams {
		sizeDatagram(&packet.Header, len(packet.Payload))
	}
	l.out.Push(packet)
	l.bytes += headerBytes + len(packet.Payload)
	if l.state == idle {
		p.dialLater(s)
	} else {
		p.writeLater(s)
	}
	return nil
}

// Receive implements fabric.Port.
func (p *TCPPort) Receive() *fabric.Packet {
	p.mu.Lock()
	defer p.unlock()
	packet, s := p.take()
	if s == nil && p.pull() {
		packet, s = p.take()
	}
	if s == nil {
		return nil
	}
	if s.link.stalled > 0 && s.unread <= p.o.WindowBytes/2 {
		s.link.room.Broadcast()
	}
	p.forget(s)
	return packet
}

// Closed implements fabric.Port.
func (p *TCPPort) Closed() (uint32, bool) {
	p.mu.Lock()
	defer p.unlock()
	for len(p.closed) > 0 {
		s := p.closed[0]
		p.closed = p.closed[1:]
		s.reported = false
		p.forget(s)
		if !p.o.datagrams {
			return s.number, true
		}
	}
	return 0, false
}

// Lossy implements fabric.Port.
func (p *TCPPort) Lossy() bool { return p.o.datagrams }

// Listen implements fabric.Port. Port 0 is any free one; LocalAddr returns it.
func (p *TCPPort) Listen(port uint16) error {
	at, err := p.here(port)
	if err != nil {
		return fmt.Errorf("listening at port %d: %w", port, err)
	}
	return p.listen(at)
}

// Connect implements fabric.Port. Its limit is Options.Dial, after which the error is
// ErrUnreachable. If nobody listens it goes on in the background, for Options.Patience and
// again with each Send.
func (p *TCPPort) Connect(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	name := fabric.AddrPort(ip, port)
	number, err := p.connect(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("connecting to %v: %w", name, err)
	}
	return number, nil
}

func (p *TCPPort) connect(ctx context.Context, name netip.AddrPort) (uint32, error) {
	at, ok := p.o.real(name)
	if !ok {
		return 0, fabric.ErrUnreachable
	}
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		return 0, fabric.ErrClosed
	}
	s := p.numbered(p.sessionAt(at))
	if s == nil {
		p.mu.Unlock()
		return 0, errSessions
	}
	known := s.wanted()
	s.connected = true
	p.settleSoon()
	p.mu.Unlock()
	err := p.dialNow(ctx, s)
	p.mu.Lock()
	defer p.unlock()
	if errors.Is(err, fabric.ErrRefused) && !p.gone && !s.link.removed {
		p.await(s)
		return s.number, nil
	}
	if err != nil && !known && s.link.state == idle {
		s.connected = false
		if !s.routed {
			p.remove(s)
		}
	}
	return s.number, err
}

// await has a session connect when somebody listens at its other end.
func (p *TCPPort) await(s *session) {
	l := s.link
	if l.state == up {
		return
	}
	l.awaited = true
	if l.state == over {
		l.state = idle
	}
	p.dialLater(s)
}

func (p *TCPPort) sessionAt(at netip.AddrPort) *session {
	return p.linked(p.sessions.at(at))
}

// addSession makes a session for a peer that has not said where it listens.
func (p *TCPPort) addSession() *session {
	return p.numbered(p.linked(p.sessions.add(netip.AddrPort{})))
}

func (p *TCPPort) numbered(s *session) *session {
	if s != nil {
		p.sessions.number(s)
	}
	return s
}

func (p *TCPPort) linked(s *session) *session {
	if s != nil && s.link == nil {
		s.link = newLink(&p.mu)
	}
	return s
}

// Route implements fabric.Router. A session that is over may connect again.
func (p *TCPPort) Route(number uint32, ip uint32, port uint16, local bool) {
	p.lead(number, fabric.AddrPort(ip, port), local, p.routeHere, p.route)
}

// route is false if there are too many sessions.
func (p *TCPPort) route(number uint32, at netip.AddrPort) bool {
	p.mu.Lock()
	defer p.unlock()
	if p.gone {
		return true
	}
	s := p.sessionAt(at)
	if s == nil {
		return false
	}
	p.settleSoon()
	s.routed = true
	if s.link.state == over {
		s.link.state = idle
	}
	if other := p.sessions.route(number, s); other != nil && other.link.state == idle && !other.connected {
		p.empty(other)
		p.remove(other)
	}
	return true
}

// routeHere notes where this port is, and listens there if nobody has asked for
// another port.
func (p *TCPPort) routeHere(name netip.AddrPort, port uint16) {
	p.mu.Lock()
	p.self = name
	p.settleSoon()
	listens := p.gone || len(p.listeners) > 0
	p.mu.Unlock()
	if !listens {
		p.insist(func() error { return p.listen(port) })
	}
}

// Close implements fabric.Port. Queued packets are still written, as long as the peer takes
// them.
func (p *TCPPort) Close() error {
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		<-p.ended
		return nil
	}
	p.gone = true
	p.settle()
	for _, l := range p.listeners {
		_ = l.Close()
	}
	for _, l := range p.doors {
		_ = l.Close()
	}
	for c := range p.came {
		if c.s == nil {
			_ = c.conn.SetReadDeadline(time.Now())
		}
	}
	for _, s := range p.sessions.numbers {
		p.empty(s)
		p.breakUp(s)
		s.link.room.Broadcast()
	}
	p.closed = nil
	p.unlock()
	p.end()

	done := make(chan struct{})
	go func() {
		p.wg.Wait()
		close(done)
	}()
	for range moments {
		within(done, moment)
	}
	p.stop() // who has not been reached
	within(done, longest)
	p.mu.Lock()
	for _, s := range p.sessions.numbers {
		p.force(s)
	}
	p.unlock()
	<-done
	p.mu.Lock()
	for _, s := range p.sessions.numbers {
		p.lose(s.link)
	}
	p.unlock()
	close(p.ended)
	return nil
}

// within waits for something, but not for longer.
func within(done <-chan struct{}, limit time.Duration) {
	select {
	case <-done:
	case <-time.After(limit):
	}
}
