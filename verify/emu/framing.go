package emu

import "github.com/cclforge/cclforge/gen/design"

// Framing returns a function that tells how many bytes of payload follow a header on a
// stream of bytes. The error is ErrMissing for an interface version that describes no such
// header.
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
