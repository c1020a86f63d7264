package socket

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Datagrams makes a port that behaves like one of UDP and reaches others of its kind in shared
// memory alone. Whatever Options.Memory says, there is no socket. Packets get lost only if
// nobody is at the other end.
func Datagrams(o Options) (*TCPPort, error) {
	o.Memory, o.datagrams, o.Framing = OnlyMemory, true, datagramSize
	if o.MaxPayload == 0 || o.MaxPayload > maxDatagram-headerBytes {
		o.MaxPayload = maxDatagram - headerBytes
	}
	o.MaxMessage = maxDatagram - headerBytes
	p, err := TCP(o)
	if err != nil || !o.Local.IsValid() {
		return p, err
	}
	if err := p.listen(o.Local.Port()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// datagramAt is where a header has the size of its datagram in memory. It is 0 otherwise.
const datagramAt = 52

func datagramSize(h *[headerBytes]byte) int { return int(binary.LittleEndian.Uint32(h[datagramAt:])) }

func sizeDatagram(h *[headerBytes]byte, n int) {
	binary.LittleEndian.PutUint32(h[datagramAt:], uint32(n))
}

func (p *TCPPort) checkDatagram(packet *fabric.Packet) error {
	if n := len(packet.Payload); p.o.datagrams && n > maxDatagram-headerBytes {
		return fmt.Errorf("sending %d bytes in a datagram: %w: at most %d bytes expected", n, ErrPayload,
			maxDatagram-headerBytes)
	}
	return nil
}

// drops loses a packet to nobody. Who has been there may come back.
func (p *TCPPort) drops(s *session, packet *fabric.Packet) bool {
	switch {
	case p.gone:
		return false
	case s == nil:
	case s.link.state == over:
		s.link.state = idle
		p.dialLater(s)
	case s.link.state == up, s.link.state == idle && !s.link.met && s.link.bytes <= p.o.WindowBytes:
		return false
	}
	p.stats.Lost++
	p.dropped = append(p.dropped, packet)
	return true
}
