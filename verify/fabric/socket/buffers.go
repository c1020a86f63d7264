package socket

import (
	"fmt"
	"io"
	"math/bits"
	"sync"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Payloads of up to largest bytes have pooled buffers, whose sizes are powers of
// two from smallest on.
const (
	smallest = 1 << 8
	largest  = 1 << 18
)

// buffer is a packet that has arrived, with room for its payload.
type buffer struct {
	fabric.Packet
	room []byte
	back func() // as Packet.Free
}

var pools [11]sync.Pool // of buffers with room for smallest<<i bytes

func class(n int) int { return bits.Len(uint(max(n, 1)-1) / smallest) }

// newBuffer returns a packet for n bytes of payload, at most largest.
func newBuffer(n int) *buffer {
	i := class(n)
	b, ok := pools[i].Get().(*buffer)
	if !ok {
		b = &buffer{room: make([]byte, smallest<<i)}
		b.back = func() {
			b.Payload = nil
			pools[i].Put(b)
		}
	}
	b.Payload, b.Free = b.room[:n], b.back
	return b
}

// readPacket reads the payload of n bytes that follows a header. What is large
// takes room as it comes, not as it is announced.
func readPacket(r io.Reader, header *[headerBytes]byte, n int) (*fabric.Packet, error) {
	if n <= largest {
		b := newBuffer(n)
		b.Header = *header
		if _, err := io.ReadFull(r, b.Payload); err != nil {
			b.Release()
			return nil, midway(err)
		}
		return &b.Packet, nil
	}
	payload := make([]byte, 0, largest)
	for len(payload) < n {
		if len(payload) == cap(payload) {
			grown := make([]byte, len(payload), min(n, 2*cap(payload)))
			copy(grown, payload)
			payload = grown
		}
		k, err := io.ReadFull(r, payload[len(payload):cap(payload)])
		if err != nil {
			return nil, midway(err)
		}
		payload = payload[:len(payload)+k]
	}
	return &fabric.Packet{Header: *header, Payload: payload}, nil
}

// midway is the error of what ends within a packet.
func midway(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("in the middle of a packet: %w", io.ErrUnexpectedEOF)
	}
	return err
}
