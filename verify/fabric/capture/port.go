package capture

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"github.com/gopacket/gopacket/layers"

	"github.com/cclforge/cclforge/verify/fabric"
)

// port is how a rank sees the network: the inner port, whose Send is written down.
type port struct {
	fabric.Port
	fabric.InnerPolled
	fabric.InnerSegmented
	router fabric.Router
	c      *Capture
	rank   int

	mu          sync.Mutex                // taken before the capture's; held while the inner port takes a packet
	known       map[uint32]netip.AddrPort // by session, from Route and Connect
	connections map[uint32]*connection    // by session, of those that have sent
	bytes       []byte                    // of the message that is sent
}

var (
	_ fabric.Router    = (*port)(nil)
	_ fabric.Polled    = (*port)(nil)
	_ fabric.Segmented = (*port)(nil)
)

func newPort(c *Capture, rank int, inner fabric.Port) *port {
	p := &port{Port: inner, InnerPolled: fabric.PolledOf(inner), InnerSegmented: fabric.SegmentedOf(inner),
		c: c, rank: rank, known: map[uint32]netip.AddrPort{}, connections: map[uint32]*connection{}}
	p.router, _ = inner.(fabric.Router)
	return p
}

// Route implements fabric.Router.
func (p *port) Route(session uint32, ip uint32, number uint16, local bool) {
	if at := fabric.AddrPort(ip, number); local {
		p.c.move(p.rank, at)
	} else {
		p.lead(session, at)
	}
	if p.router != nil {
		p.router.Route(session, ip, number, local)
	}
}

// Connect implements fabric.Port.
func (p *port) Connect(ctx context.Context, ip uint32, number uint16) (uint32, error) {
	session, err := p.Port.Connect(ctx, ip, number)
	if err == nil {
		p.lead(session, fabric.AddrPort(ip, number))
	}
	return session, err
}

// lead notes where a session leads to. Elsewhere it is another connection.
func (p *port) lead(session uint32, to netip.AddrPort) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.known[session]; ok && old != to {
		delete(p.connections, session)
	}
	p.known[session] = to
}

// Closed implements fabric.Port.
func (p *port) Closed() (uint32, bool) {
	session, ok := p.Port.Closed()
	if ok {
		p.mu.Lock()
		delete(p.connections, session)
		p.mu.Unlock()
	}
	return session, ok
}

// MaxPayload implements fabric.Port.
func (p *port) MaxPayload() int {
	n := p.Port.MaxPayload()
	if p.c.kind != fabric.TCP {
		n = min(n, cardDatagram-headerBytes)
	}
	return n
}

// Send implements fabric.Port.
func (p *port) Send(session uint32, packet *fabric.Packet) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	frames, next, wrong := p.frames(session, packet) // now: the packet is no longer ours when it has been sent
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	at := p.c.now()
	err := p.Port.Send(session, packet)
	if err != nil {
		return err
	}
	p.c.fail(wrong)
	p.c.add(sent{at, frames})
	if c := p.connections[session]; c != nil {
		c.begun, c.next = true, next
	}
	return nil
}

// to is where a session leads to.
func (p *port) to(session uint32) netip.AddrPort {
	if at, ok := p.known[session]; ok {
		return at
	}
	if uint64(session) < uint64(len(p.c.ranks)) {
		return p.c.place(int(session))
	}
	return fabric.AddrPort(0, uint16(session))
}

// frames are a packet on Ethernet, and the next sequence number of its connection.
func (p *port) frames(session uint32, packet *fabric.Packet) (frames []frame, next uint32, err error) {
	p.bytes = p.bytes[:0]
	if !packet.Segment {
		p.bytes = append(p.bytes, packet.Header[:]...)
	}
	p.bytes = append(p.bytes, packet.Payload...)
	if p.c.kind == fabric.TCP {
		return p.stream(session)
	}
	from, to := p.c.place(p.rank), p.to(session)
	if len(p.bytes) > maxDatagram {
		return nil, 0, fmt.Errorf("capture rank %d: %d bytes to %v: %w (%d bytes)", p.rank, len(p.bytes), to,
			ErrTooLarge, maxDatagram)
	}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port()), DstPort: layers.UDPPort(to.Port())}
	data, err := encode(from, to, layers.IPProtocolUDP, udp, p.bytes)
	return []frame{{p.rank, data}}, 0, err
}

// stream puts the bytes that are sent behind those that went before on a session.
func (p *port) stream(session uint32) (frames []frame, next uint32, err error) {
	c := p.connections[session]
	if c == nil {
		c = p.c.connect(p.c.place(p.rank), p.to(session))
		p.connections[session] = c
	}
	if next = c.next; !c.begun {
		if frames, err = p.handshake(c); err != nil {
			return nil, 0, err
		}
		next = 1
	}
	for rest := p.bytes; len(rest) > 0; {
		piece := rest[:min(len(rest), p.c.segment)]
		rest = rest[len(piece):]
		data, err := c.encode(false, &layers.TCP{Seq: next, Ack: 1, ACK: true, PSH: len(rest) == 0}, piece)
		if err != nil {
			return nil, 0, err
		}
		frames = append(frames, frame{p.rank, data})
		next += uint32(len(piece))
	}
	return frames, next, nil
}

// handshake is what stacks send before the first byte; both count from 0.
func (p *port) handshake(c *connection) ([]frame, error) {
	options := []layers.TCPOption{
		{OptionType: layers.TCPOptionKindMSS, OptionLength: 4, OptionData: []byte{maxSegment >> 8, maxSegment & 0xff}},
		{OptionType: layers.TCPOptionKindNop},
		{OptionType: layers.TCPOptionKindWindowScale, OptionLength: 3, OptionData: []byte{windowShift}},
	}
	var frames []frame
	for _, step := range []struct {
		rank int
		back bool
		tcp  layers.TCP
	}{
		{p.rank, false, layers.TCP{SYN: true, Options: options}},
		{p.c.rankOf(c.to, p.rank), true, layers.TCP{Ack: 1, SYN: true, ACK: true, Options: options}},
		{p.rank, false, layers.TCP{Seq: 1, Ack: 1, ACK: true}},
	} {
		data, err := c.encode(step.back, &step.tcp, nil)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame{step.rank, data})
	}
	return frames, nil
}

// encode is a segment of the connection, or one that comes back on it.
func (c *connection) encode(back bool, tcp *layers.TCP, payload []byte) ([]byte, error) {
	from, to := c.from, c.to
	if back {
		from, to = to, from
	}
	tcp.SrcPort, tcp.DstPort, tcp.Window = layers.TCPPort(from.Port()), layers.TCPPort(to.Port()), 65535
	return encode(from, to, layers.IPProtocolTCP, tcp, payload)
}
