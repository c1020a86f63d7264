package compare

import (
	"bytes"
	"fmt"
	"hash/crc32"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Message is what one rank has sent to another.
type Message struct {
	Header [64]byte
	Bytes  int    // of payload
	Sum    uint32 // of them (CRC-32)
}

// Port notes what a rank sends.
func (l *Log) Port(rank int, p fabric.Port) fabric.Port { return &port{p, l, rank} }

type port struct {
	fabric.Port
	log  *Log
	rank int
}

// Send implements fabric.Port.
func (p *port) Send(session uint32, packet *fabric.Packet) error {
	// now: it is no longer ours when it has been sent
	m := Message{packet.Header, len(packet.Payload), crc32.ChecksumIEEE(packet.Payload)}
	err := p.Port.Send(session, packet)
	if err == nil {
		p.log.mu.Lock()
		defer p.log.mu.Unlock()
		pair := [2]int{p.rank, int(session)}
		p.log.messages[pair] = append(p.log.messages[pair], m)
	}
	return err
}

// sameMessages compares what one rank has sent to another, type by type: when a buffer is
// announced depends on when there is room, so that data may come before or after it.
func (n *names) sameMessages(emulated, hardware []Message) error {
	e, h := n.byType(emulated), n.byType(hardware)
	for kind := range e {
		if err := sameInOrder(e[kind], h[kind]); err != nil {
			return err
		}
	}
	return nil
}

func (n *names) byType(all []Message) (of [1 << 8][]Message) {
	for _, m := range all {
		if m.Header[n.noticeAt] != 0 || m.Header[n.fillerAt] != 0 {
			continue // see withoutNotices; fillers go once a message of the peer has come
		}
		kind := byte(0)
		if n.typeAt >= 0 {
			kind = m.Header[n.typeAt]
		}
		of[kind] = append(of[kind], m)
	}
	return of
}

func sameInOrder(emulated, hardware []Message) error {
	for i := range max(len(emulated), len(hardware)) {
		switch {
		case i >= len(emulated):
			return fmt.Errorf("message %d comes from the hardware alone: %v", i, hardware[i])
		case i >= len(hardware):
			return fmt.Errorf("message %d comes from the emulator alone: %v", i, emulated[i])
		case emulated[i] != hardware[i]:
			return fmt.Errorf("message %d is\n\t%v from the emulator, and\n\t%v from the hardware", i, emulated[i], hardware[i])
		}
	}
	return nil
}

// String has the header without the zeros at its end.
func (m Message) String() string {
	return fmt.Sprintf("%x, %d bytes with the checksum %08x", bytes.TrimRight(m.Header[:], "\x00"), m.Bytes, m.Sum)
}
