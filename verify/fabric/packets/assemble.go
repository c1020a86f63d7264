package packets

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/verify/fabric"
)

var (
	errMalformed = errors.New("malformed packet")
	errTooLarge  = errors.New("message too large")
)

// assembler puts packets of one sender together to messages. Other engines than
// ours continue a message in further packets, which have no header.
type assembler struct {
	framing func(*[headerBytes]byte) int
	limit   int  // bytes of a packet
	most    int  // bytes of a message
	padded  bool // packets are whole beats

	message *fabric.Packet // of which more will come; nil if that is to be dropped
	left    int            // bytes that will come
}

// add takes a packet, and returns the message that it completes, if any.
func (a *assembler) add(b []byte) (*fabric.Packet, error) {
	if len(b) > a.limit {
		a.abandon()
		return nil, fmt.Errorf("%w: %d bytes, and at most %d expected", errMalformed, len(b), a.limit)
	}
	if a.left > 0 {
		return a.proceed(b)
	}
	if len(b) < headerBytes {
		return nil, fmt.Errorf("%w: %d bytes are less than a header", errMalformed, len(b))
	}
	p := &fabric.Packet{Header: [headerBytes]byte(b)}
	b = b[headerBytes:]
	n := a.framing(&p.Header)
	if n < 0 || len(b) > n && !a.pads(len(b), n) {
		return nil, fmt.Errorf("%w: %d bytes of payload, and its header says %d", errMalformed, len(b), n)
	}
	p.Payload = b[:min(len(b), n)]
	if len(b) >= n {
		return p, nil
	}
	a.left = n - len(b)
	if n > a.most {
		return nil, fmt.Errorf("%w: %d bytes, and at most %d are taken", errTooLarge, n, a.most)
	}
	a.message = p
	return nil, nil
}

// proceed takes a packet without a header.
func (a *assembler) proceed(b []byte) (*fabric.Packet, error) {
	if len(b) == 0 || len(b) > a.left && !a.pads(len(b), a.left) {
		left := a.left
		a.abandon()
		return nil, fmt.Errorf("%w: %d bytes, and a message has %d to come", errMalformed, len(b), left)
	}
	b = b[:min(len(b), a.left)]
	a.left -= len(b)
	p := a.message
	if p == nil {
		return nil, nil
	}
	p.Payload = append(p.Payload, b...)
	if a.left > 0 {
		return nil, nil
	}
	a.message = nil
	return p, nil
}

// pads reports whether got bytes are want bytes and the rest of a beat.
func (a *assembler) pads(got, want int) bool {
	return a.padded && got > want && got-want < beatBytes && got%beatBytes == 0
}

// abandon drops the message that is not complete: bytes of it are missing.
func (a *assembler) abandon() { a.message, a.left = nil, 0 }
