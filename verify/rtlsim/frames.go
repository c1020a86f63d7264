package rtlsim

import "github.com/cclforge/cclforge/verify/fabric"

// frames is how far a stream of bytes has come, for counting the messages in it:
// they begin and end anywhere in its segments.
type frames struct {
	header [headerBytes]byte
	known  int // bytes of the header, if they are not all there
	left   int // bytes of payload that will come
}

// add counts the messages that begin in a segment with the last byte of their
// header, and the bytes of payload.
func (f frames) add(b []byte, payload func(*[headerBytes]byte) int) (next frames, messages, bytes uint64) {
	for len(b) > 0 {
		if f.left > 0 {
			n := min(f.left, len(b))
			f.left -= n
			bytes += uint64(n)
			b = b[n:]
			continue
		}
		n := copy(f.header[f.known:], b)
		b = b[n:]
		if f.known += n; f.known == headerBytes {
			f.known, f.left = 0, payload(&f.header)
			messages++
		}
	}
	return f, messages, bytes
}

// measure counts the messages of a packet, and the bytes of their payload.
func (n *network) measure(f frames, p *fabric.Packet) (next frames, messages, bytes uint64) {
	if p.Segment {
		return f.add(p.Payload, n.payload)
	}
	return f, 1, uint64(len(p.Payload))
}
