package emu

import "github.com/cclforge/cclforge/gen/design"

// Framing is how messages follow each other on a stream of bytes: it returns a
// function that tells how many bytes of payload follow a header there. The error
// is ErrMissing for a generation that describes no such header.
func Framing(d *design.Design) (func(header *[headerBytes]byte) int, error) {
	n, err := resolve(d)
	if err != nil {
		return nil, err
	}
	f, message := &n.header, &n.message
	return func(h *header) int {
		if t := f.messageType.get32(h); t == message.eager || n.rendezvous && t == message.data {
			return int(f.count.get32(h))
		}
		return 0
	}, nil
}
