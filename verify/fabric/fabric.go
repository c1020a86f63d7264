// Package fabric is the network between the engines of a world. An engine
// knows only its Port. Net is the network in process: it hands packets over
// without copying them, and can be made slow, lossy or broken from tests.
package fabric

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
)

var (
	// ErrBusy says that there is no room for a packet now.
	ErrBusy = errors.New("no room for the packet")
	// ErrClosed says that a session, or the port itself, is closed or unknown.
	ErrClosed = errors.New("session closed")
	// ErrRefused says that nobody is at an address.
	ErrRefused = errors.New("connection refused")
	// ErrUnreachable says that the network is cut on the way to an address.
	ErrUnreachable = errors.New("host unreachable")
	// ErrAddressInUse says that another port has an address, or listens there.
	ErrAddressInUse = errors.New("address in use")
)

// Packet is a header beat and the payload that follows it.
type Packet struct {
	// Session is the receiver's number of the session on which the packet arrived.
	Session uint32
	Header  [64]byte
	Payload []byte // the receiver's until it calls Release
	Free    func() // gives the payload back; may be nil
	// Segment marks a packet without a header: the payload is the next bytes of the
	// session, headers among them (Segmented).
	Segment bool
}

// Release frees the payload and the packet: neither may be used any more. Further calls
// have no effect.
func (p *Packet) Release() {
	if free := p.Free; free != nil {
		p.Free = nil
		free()
	}
}

// AddrPort is an address as communicators and engines have it.
func AddrPort(ip uint32, port uint16) netip.AddrPort {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], ip)
	return netip.AddrPortFrom(netip.AddrFrom4(b), port)
}

// size is what a packet counts in windows and on slow links, in bytes.
func (p *Packet) size() int {
	if p.Segment {
		return len(p.Payload)
	}
	return len(p.Header) + len(p.Payload)
}

// Port is an engine's port on the network. Its methods may be called concurrently. Only
// Connect waits for the network.
type Port interface {
	// Send sends a packet, which the port owns if the error is nil. The error is
	// ErrBusy if there is no room, or nobody listens yet; the notify function is
	// called when another try may succeed. The error is ErrClosed if the session is
	// closed or unknown, or the port itself is closed, but never on UDP, which drops
	// such packets.
	Send(session uint32, p *Packet) error
	// Receive returns the next packet of a session that is not held, nil if
	// there is none. Sessions take turns, and each keeps its order, unless UDP
	// packets are reordered. The caller releases the packet.
	Receive() *Packet
	// Hold keeps the packets of a session in its queue, so that its sender becomes
	// busy, or ends that. It has no effect on an unknown session.
	Hold(session uint32, hold bool)
	// Listen accepts connections at a port of this port's IP address. The error
	// is ErrAddressInUse if another one does, and ErrClosed after Close.
	Listen(port uint16) error
	// Connect returns the session that leads to the address of any rank of the
	// world. If that does not listen yet (TCP), the connection is made in the
	// background, and Send returns ErrBusy until then. The error is ErrRefused if
	// there is no rank, ErrUnreachable, or ErrClosed after Close. Connect may wait
	// for the network until the context ends.
	Connect(ctx context.Context, ip uint32, port uint16) (session uint32, err error)
	// Closed returns each session that the remote side has closed once, after all
	// its packets have been received. UDP has no closed sessions.
	Closed() (session uint32, ok bool)
	// MaxPayload returns the best payload of a packet of rendezvous data, in bytes.
	MaxPayload() int
	// Lossy reports whether packets may be lost: UDP.
	Lossy() bool
	// Notify sets the function that is called, from any goroutine, whenever
	// Receive, Closed or a busy Send may now succeed. It must not block, and
	// may be called before the Send that was busy has returned. It is called at
	// once if there are packets or closed sessions already.
	Notify(func())
	// Close removes the port from the network; packets that it has not received
	// are released. Closing again does nothing.
	Close() error
}

// Segmented is a Port of a network on which sessions are streams of bytes. A receiver may
// ask for segments as senders gave them to their stacks, instead of whole messages. Senders
// that only know messages go on sending these.
type Segmented interface {
	// TakeSegments says that this port takes segments, before anything is sent to it.
	TakeSegments()
	// Segments reports whether the port at the other end of a session takes them.
	Segments(session uint32) bool
}

// Polled is a Port of which to ask whether something has come takes less than to be notified
// of it. Once Poll was called, by whatever goroutine, packets are notified only after Doze,
// until Poll is called again.
type Polled interface {
	// Near reports whether that is so now: not if nothing can come without a notification.
	Near() bool
	// Poll reports whether Receive may now return a packet.
	Poll() bool
	// Doze asks for notifications; it is false if there is something already.
	Doze() bool
}

// Router is a Port that must be told where sessions lead, because its packets go to real
// addresses. The engine tells it the records of its communicators, when it is enabled and
// when they change.
type Router interface {
	// Route says that a session leads to an address or, if local, that the port
	// itself is the rank with this address. It does not wait.
	Route(session uint32, ip uint32, port uint16, local bool)
}
